"""The work map holds the present state of the work, and nothing that an edit removed."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from clew.domain import Message, SessionKey, Status
from clew.engine.projecting import SessionRows
from clew.history import workmap_rows
from clew.history.workmap import CommandFacts, FileFacts, WorkMap, WorkMapping, load, render
from clew.ports import Change, Rollback
from clew.storage.memory import MemoryStore
from clew.text.actions import Todo
from tests.builders import call, gives, output, says, user

KEY = SessionKey("t", "u", "s")


def told(*messages: Message | Rollback) -> list[Change | Rollback]:
    """Messages as projections are told of them, numbered from 1."""
    found: list[Change | Rollback] = []
    for message in messages:
        number = sum(isinstance(one, Change) for one in found) + 1
        tokens = () if isinstance(message, Rollback) else (1,) * len(message.parts)
        found.append(message if isinstance(message, Rollback) else Change(number, message, tokens))
    return found


def mapped(*messages: Message | Rollback, batch: int = 1000) -> WorkMap:
    return load(stored(*messages, batch=batch))


def stored(*messages: Message | Rollback, batch: int = 1000) -> list[tuple[str, Any]]:
    """The rows after all messages, told in batches, each by a fresh process."""
    store, state, changes = MemoryStore(), None, told(*messages)
    for at in range(0, len(changes), batch):
        rows = SessionRows(store, KEY, "workmap")
        state = orjson.loads(orjson.dumps(WorkMapping().apply(state, changes[at : at + batch], rows)))
        rows.flush()
    return SessionRows(store, KEY, "workmap").scan()


def did(name: str, answer: str = "ok", ended: Status = Status.SUCCESS, **arguments: Any) -> list[Message]:
    """A call and its output."""
    return [says(call("c", name, **arguments)), gives(output("c", answer, ended))]


def edited(path: str, old: str, new: str) -> list[Message]:
    return did("Edit", f"The file {path} has been updated.", file_path=path, old_string=old, new_string=new)


def the(work: WorkMap, path: str) -> FileFacts:
    return next(facts for facts in work.files if facts.path == path)


def test_reads_edits_and_writes_become_facts_of_the_file() -> None:
    work = mapped(
        *did("Read", "10→def load_config():\n11→    pass", file_path="/w/app/a.py", offset=10, limit=2),
        *edited("/w/app/a.py", "    pass", "    return parse_text(1)"),
    )
    assert the(work, "/w/app/a.py") == FileFacts(
        path="/w/app/a.py",
        weight=the(work, "/w/app/a.py").weight,
        deed="edit",
        at=4,
        edits=1,
        edited=4,
        symbols=("parse_text",),
        names=("parse_text", "load_config"),
        reads=((10, 11, 2),),
        excerpts=((4, ("    return parse_text(1)",)),),
        definitions=((10, "def load_config():"),),
    )


def test_a_line_that_a_later_edit_removed_is_never_shown() -> None:
    work = mapped(
        *edited("a.py", "one = 1", "one = compute_one()\ntwo = compute_two()"),
        *edited("a.py", "two = compute_two()", "two = 2"),
    )
    assert [lines for _, lines in the(work, "a.py").excerpts] == [("two = 2",), ("one = compute_one()",)]


def test_a_definition_that_was_removed_is_forgotten() -> None:
    work = mapped(
        *did("Read", "1→def old_name():\n2→def kept_name():", file_path="a.py"),
        *edited("a.py", "def old_name():", "def new_name():"),
    )
    assert [line for _, line in the(work, "a.py").definitions] == ["def new_name():", "def kept_name():"]


def test_a_change_that_nobody_saw_makes_kept_text_worthless() -> None:
    work = mapped(*edited("a.py", "x", "some_value = 1"), *did("Bash", command="git checkout -- a.py"))
    assert (the(work, "a.py").excerpts, the(work, "a.py").edits) == ((), 2)


def test_a_write_replaces_all_that_was_kept() -> None:
    work = mapped(
        *edited("a.py", "x", "old_value = 1"), *did("Write", "done", file_path="a.py", content="\nnew_value = 2\n")
    )
    assert the(work, "a.py").excerpts == ((4, ("new_value = 2",)),)


def test_an_edit_that_failed_did_not_happen() -> None:
    failed = did("Edit", "not found", Status.FAILED, file_path="a.py", old_string="x", new_string="y")
    assert mapped(*failed).files == ()


def test_a_deleted_file_is_known_as_deleted() -> None:
    work = mapped(*did("Write", "done", file_path="a.py", content="x"), *did("Bash", command="rm a.py"))
    assert (the(work, "a.py").deleted, the(work, "a.py").created, the(work, "a.py").excerpts) == (4, 2, ())


def test_ways_to_speak_of_a_file_meet_in_one_row() -> None:
    work = mapped(
        *did("Grep", "src/a.py:3:def run_all():", pattern="run_all"),
        *did("Read", "def run_all():", file_path="/w/app/src/a.py"),
        says("I will change a.py next"),
    )
    assert [facts.path for facts in work.files] == ["/w/app/src/a.py"]
    assert (the(work, "/w/app/src/a.py").seen, the(work, "/w/app/src/a.py").line) == (2, 3)


def test_of_two_files_of_one_name_the_one_last_worked_on_is_meant() -> None:
    work = mapped(
        *did("Read", "x", file_path="/w/a/index.ts"),
        *did("Read", "x", file_path="/w/b/index.ts"),
        *did("Read", "x", file_path="/w/a/index.ts"),
        says("index.ts needs a fix"),
    )
    assert (the(work, "/w/a/index.ts").seen, the(work, "/w/b/index.ts").seen) == (1, 0)


def test_files_seen_in_a_search_keep_line_and_names() -> None:
    work = mapped(*did("Grep", "src/a.py\n12:open_index()\n\nlib/b.py", pattern="open_index"))
    assert [(facts.path, facts.line, facts.names) for facts in work.files] == [
        ("lib/b.py", 0, ("open_index",)),
        ("src/a.py", 12, ("open_index",)),
    ]


def test_what_was_changed_outweighs_what_was_read_and_what_was_seen() -> None:
    work = mapped(
        *did("Bash", "seen.py\n", command="find . -name '*.py'"),
        *did("Read", "x", file_path="read.py"),
        *edited("edited.py", "x", "y"),
    )
    assert [facts.path for facts in work.files] == ["edited.py", "read.py", "seen.py"]


def test_files_outside_the_work_are_left_out() -> None:
    assert mapped(*did("Bash", "node_modules/x/index.js\n.git/config.lock", command="ls -R")).files == ()


def test_the_last_result_of_a_command_counts() -> None:
    work = mapped(
        *did("Bash", "Exit code 1\nerror: no rule", Status.FAILED, command="cd /w && make build 2>&1 | tail -5"),
        *did("Bash", "built", command="make build"),
    )
    assert work.commands == (CommandFacts(command="make build", at=4, runs=2, ok=True, exit_code=None, line="built"),)


@pytest.mark.parametrize(
    ("command", "text", "failing"),
    [
        ("pytest", "FAILED tests/test_a.py::test_x - boom\n1 failed", ("tests/test_a.py::test_x",)),
        ("go test ./...", "--- FAIL: TestRun (0.01s)\nFAIL", ("TestRun",)),
        ("cargo test", "test store::opens ... FAILED\ntest result: FAILED", ("store::opens",)),
        ("bun test", "(fail) store > opens [1.2ms]\n 1 fail", ("store > opens",)),
        ("npx jest", "  ✕ opens the store (12 ms)", ("opens the store",)),
    ],
)
def test_failing_tests_are_named(command: str, text: str, failing: tuple[str, ...]) -> None:
    work = mapped(*did("Bash", text, command=command + " | tail -40"))
    assert [(facts.is_test, facts.ok, facts.failing) for facts in work.commands] == [(True, False, failing)]


def test_a_command_in_the_background_ends_with_its_last_output() -> None:
    work = mapped(
        *did("exec_command", "Process running with session ID 42\n", cmd="npm test"),
        *did("write_stdin", "Process exited with code 0\nOutput:\n3 passed", session_id=42, chars=""),
    )
    assert [(facts.command, facts.ok, facts.line) for facts in work.commands] == [("npm test", True, "3 passed")]


def test_the_to_do_list_is_the_latest() -> None:
    first = [{"content": "plan", "status": "in_progress"}, {"content": "build", "status": "pending"}]
    second = [{"content": "plan", "status": "completed"}, {"content": "build", "status": "in_progress"}]
    work = mapped(*did("TodoWrite", todos=first), *did("TodoWrite", todos=second))
    assert (work.todos, work.todos_at) == ((Todo("plan", "done"), Todo("build", "doing")), 4)


def test_tasks_are_followed_by_their_ids() -> None:
    work = mapped(
        *did("TaskCreate", "Task #7 created", subject="plan"),
        *did("TaskCreate", "Task #8 created", subject="build"),
        *did("TaskUpdate", taskId="7", status="completed"),
        *did("TaskUpdate", taskId="8", status="deleted"),
    )
    assert work.todos == (Todo("plan", "done", "7"),)


def test_what_the_person_waits_for_is_the_last_request() -> None:
    work = mapped(user("First thing"), says("done"), user("Second thing"))
    assert (work.request, work.request_at) == ("Second thing", 3)


def test_rolling_back_takes_the_request_and_leaves_the_files() -> None:
    work = mapped(user("First thing"), says("ok"), user("Second thing"), *edited("a.py", "x", "y"), Rollback(1))
    assert (work.request, work.request_at, the(work, "a.py").edits) == ("First thing", 1, 1)


def test_edits_spelled_out_in_a_reply_count() -> None:
    work = mapped(says("src/a.py\n<<<<<<< SEARCH\nold_line = 1\n=======\nnew_line = 2\n>>>>>>> REPLACE\n"))
    assert the(work, "src/a.py").excerpts == ((1, ("new_line = 2",)),)


def test_the_map_is_the_same_however_it_is_told() -> None:
    messages = [
        user("Please fix src/a.py"),
        *did("Read", "1→def load_config():", file_path="/w/src/a.py"),
        *edited("/w/src/a.py", "x", "parse_text(1)"),
        *did("Bash", "src/b.py:3: call_other()", command="make test"),
        says("Now src/b.py needs call_other as well"),
    ]
    assert stored(*messages, batch=1) == stored(*messages)


def test_the_least_useful_files_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workmap_rows, "MAX_FILES", 5)
    monkeypatch.setattr(workmap_rows, "FILES_SLACK", 2)
    listing = "\n".join(f"src/f{n}.py" for n in range(20))
    work = mapped(*edited("/w/a.py", "x", "y"), *did("Bash", listing, command="find src"))
    assert len(work.files) == 5
    assert work.files[0].path == "/w/a.py"


def test_names_kept_with_a_file_are_bounded() -> None:
    text = "\n".join(f"name_{n} = {n}" for n in range(500))
    work = mapped(*did("Read", text, file_path="a.py"), *did("Read", text.replace("name", "other"), file_path="a.py"))
    assert len(the(work, "a.py").names) <= 2 * workmap_rows.MAX_NAMES


def test_an_empty_session_has_an_empty_map() -> None:
    assert (mapped(), render(WorkMap())) == (WorkMap(), "")


def test_people_read_facts_bound_to_paths() -> None:
    work = mapped(
        user("Fix the login"),
        *did("Read", "10→def load_config():", file_path="/w/app/src/a.py"),
        *edited("/w/app/src/a.py", "    pass", "    return parse_text(1)"),
        *did("Read", "x", file_path="/w/app/lib/b.py", offset=3, limit=2),
        *did("Bash", "FAILED tests/t.py::test_login - boom\n1 failed", Status.FAILED, command="pytest"),
        *did("TodoWrite", todos=[{"content": "mend it", "status": "in_progress"}]),
    )
    assert render(work) == "\n".join(
        [
            "waiting for (m1): Fix the login",
            "root /w/app",
            "src/a.py: edited 1×, last m5, read m3",
            "  last edit touches parse_text",
            "  with load_config",
            "  |     return parse_text(1)",
            "lib/b.py: read m7 lines 3–4",
            "tests/t.py: seen m9",
            "  with test_login",
            "$ pytest → failed m9: 1 failed; failing: tests/t.py::test_login",
            "[>] mend it",
        ]
    )


def test_terminal_sequences_do_not_reach_people() -> None:
    work = mapped(*edited("a.py", "x", "colour = '\x1b[31m'"))
    assert "\x1b" not in render(work)
