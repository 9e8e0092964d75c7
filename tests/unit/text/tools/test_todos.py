"""To-do lists, plans and tasks are read in whatever form they come."""

from __future__ import annotations

from typing import Any

from clew.text.tools.actions import Action, ActionKind, Todo
from clew.text.tools.calls import call_actions
from tests.builders import call


def meant(name: str, **arguments: Any) -> tuple[Action, ...]:
    return call_actions(call("c1", name, **arguments))


def test_to_dos_come_in_many_forms() -> None:
    wanted = (Todo("write", "done"), Todo("test", "doing"), Todo("ship", "open"))
    states = ("completed", "in_progress", "pending")
    items = [{"content": todo.text, "status": state} for todo, state in zip(wanted, states, strict=True)]
    assert meant("TodoWrite", todos=items) == (Action(kind=ActionKind.TODO, todos=wanted),)
    plan = [{"step": todo.text, "status": state} for todo, state in zip(wanted, states, strict=True)]
    assert meant("update_plan", plan=plan) == (Action(kind=ActionKind.TODO, todos=wanted),)
    assert meant("update_todo_list", todos="[x] write\n[-] test\n- [ ] ship") == (
        Action(kind=ActionKind.TODO, todos=wanted),
    )


def test_tasks_change_a_list_line_by_line() -> None:
    assert meant("TaskCreate", subject="write", description="long") == (
        Action(kind=ActionKind.TODO, todos=(Todo("write", "open"),), partial=True),
    )
    assert meant("TaskUpdate", taskId="3", status="completed") == (
        Action(kind=ActionKind.TODO, todos=(Todo("", "done", "3"),), partial=True),
    )
