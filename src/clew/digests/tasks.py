"""The assistant's to-do list within a segment, written as a whole or task by task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.domain import Fact
from clew.text.tools.actions import Action, Todo
from clew.text.trim import cut_at_word, one_line

_MAX_TASKS, _MAX_TASK_CHARS = 20, 160


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the list, and the message that last mentioned it."""

    text: str
    status: str
    id: str
    source: str

    @property
    def is_open(self) -> bool:
        """True while the task is neither done nor dropped."""
        return self.status in {"open", "doing"}

    @property
    def is_done(self) -> bool:
        """True for a finished task."""
        return self.status == "done"

    @property
    def fact(self) -> Fact:
        """The task as a fact of the assistant."""
        return Fact(text=self.text, source=self.source)


def update_tasks(known: Sequence[Task], action: Action, source: str) -> list[Task]:
    """Returns the list after a call, which replaces it or adds and changes single tasks."""
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
