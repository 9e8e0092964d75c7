"""The work map holds the present state of the work, and nothing that an edit removed."""

from __future__ import annotations

from clew.ports import Rollback
from clew.text.tools.actions import Todo
from tests.builders import injected, says, user
from tests.unit.history.work_map.examples import edit_call, file_facts, rows_of, tool_call, work_map_of


def test_the_to_do_list_is_the_latest() -> None:
    first = [{"content": "plan", "status": "in_progress"}, {"content": "build", "status": "pending"}]
    second = [{"content": "plan", "status": "completed"}, {"content": "build", "status": "in_progress"}]
    work = work_map_of(*tool_call("TodoWrite", todos=first), *tool_call("TodoWrite", todos=second))
    assert (work.todos, work.todos_at) == ((Todo("plan", "done"), Todo("build", "doing")), 4)


def test_tasks_are_followed_by_their_ids() -> None:
    work = work_map_of(
        *tool_call("TaskCreate", "Task #7 created", subject="plan"),
        *tool_call("TaskCreate", "Task #8 created", subject="build"),
        *tool_call("TaskUpdate", taskId="7", status="completed"),
        *tool_call("TaskUpdate", taskId="8", status="deleted"),
    )
    assert work.todos == (Todo("plan", "done", "7"),)


def test_what_the_person_waits_for_is_the_last_request() -> None:
    work = work_map_of(user("First thing"), says("done"), user("Second thing"))
    assert (work.request, work.request_at) == ("Second thing", 3)


def test_rolling_back_takes_the_request_and_leaves_the_files() -> None:
    work = work_map_of(user("First thing"), says("ok"), user("Second thing"), *edit_call("a.py", "x", "y"), Rollback(1))
    assert (work.request, work.request_at, file_facts(work, "a.py").edits) == ("First thing", 1, 1)


def test_entries_that_are_no_messages_leave_the_map_as_it_is() -> None:
    """A batch of its own may hold nothing but a rollback, or what a client reports."""
    told = [user("First thing"), *edit_call("a.py", "x", "y"), says("a.py is done"), Rollback(0)]
    assert work_map_of(*told, batch=4) == work_map_of(*told) == work_map_of(*told[:-1])


PROPOSED = "src/a.py\n<<<<<<< SEARCH\nold_line = 1\n=======\nnew_line = 2\n>>>>>>> REPLACE\n"


def test_edits_spelled_out_in_a_reply_count_when_the_client_applied_them() -> None:
    work = work_map_of(says(PROPOSED), injected("Applied edit to src/a.py"))
    assert file_facts(work, "src/a.py").excerpts == ((2, ("new_line = 2",)),)
    refused = work_map_of(says(PROPOSED), injected("The LLM did not conform to the edit format."))
    assert file_facts(refused, "src/a.py").edits == 0


def test_a_task_whose_new_status_is_not_told_is_unknown() -> None:
    work = work_map_of(
        *tool_call("TaskCreate", "Task #1 created successfully: A", subject="A"),
        *tool_call("TaskCreate", "Task #2 created successfully: B", subject="B"),
        *tool_call("TaskUpdate", "Updated task #1 status"),
    )
    assert [(todo.text, todo.status) for todo in work.todos] == [("A", "unknown"), ("B", "open")]


def test_the_map_is_the_same_however_it_is_told() -> None:
    messages = [
        user("Please fix src/a.py"),
        *tool_call("Read", "1→def load_config():", file_path="/w/src/a.py"),
        *edit_call("/w/src/a.py", "x", "parse_text(1)"),
        *tool_call("Bash", "src/b.py:3: call_other()", command="make test"),
        says("Now src/b.py needs call_other as well"),
    ]
    assert rows_of(*messages, batch=1) == rows_of(*messages)
