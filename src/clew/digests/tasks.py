"""The assistant's to-do list within a segment, written as a whole or task by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.digests.quoting import cut_at_word, one_line
from clew.domain import Fact
from clew.text.actions import Action, Todo

_MAX_TASKS, _MAX_TASK_CHARS = 20, 160


@dataclass(frozen=True, slots=True)
class Task:
    """One line of the list, and the message that last spoke of it."""

    text: str
    status: str
    id: str
    source: str

    @property
    def is_open(self) -> bool:
        return self.status in {"open", "doing"}

    @property
    def is_done(self) -> bool:
        return self.status == "done"

    @property
    def fact(self) -> Fact:
        return Fact(text=self.text, source=self.source)


def changed(known: Sequence[Task], action: Action, source: str) -> list[Task]:
    """The list after a call: replaced, or with single tasks added and changed."""
    if not action.partial:
        new = [_task(todo, "", source) for todo in action.todos if todo.text.strip()]
        # The call lists all it ever did: what is open matters most.
        return sorted(new, key=lambda task: not task.is_open)[:_MAX_TASKS]
    tasks = list(known)
    for todo in action.todos:
        at = next((at for at, task in enumerate(tasks) if todo.id and task.id == todo.id), -1)
        if at >= 0:
            task = _task(todo, todo.id, source) if todo.text.strip() else tasks[at]
            tasks[at] = replace(task, status=todo.status or tasks[at].status)
        elif todo.text.strip() and not todo.id:
            tasks.append(_task(todo, str(len(tasks) + 1), source))
    return tasks[-_MAX_TASKS:]


def _task(todo: Todo, id: str, source: str) -> Task:
    return Task(cut_at_word(one_line(todo.text), _MAX_TASK_CHARS), todo.status, todo.id or id, source)
