"""What calls mean, whichever assistant made them."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain import Call, Output, Status
from clew.text.actions import Action, Change, Deed, Outcome, Todo, actions, outcome
from clew.text.patches import edits_in_prose
from tests.builders import call, output


def meant(name: str, **arguments: Any) -> tuple[Action, ...]:
    return actions(call("c1", name, **arguments))


def ran(command: str, **more: Any) -> tuple[Action, ...]:
    return meant("Bash", command=command, **more)


@pytest.mark.parametrize(
    ("name", "arguments", "lines"),
    [
        ("Read", {"file_path": "a.py", "offset": 10, "limit": 5}, (10, 14)),
        ("read_file", {"path": "a.py"}, None),
        ("readFile", {"filePath": "a.py", "startLine": 3, "endLine": 9}, (3, 9)),
        ("view", {"path": "a.py", "view_range": [1, 20]}, (1, 20)),
        ("mcp__fs__read_text_file", {"path": "a.py"}, None),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, None),
        ("functions.read", {"filePath": "a.py"}, None),
    ],
)
def test_reading_is_known_by_any_name(name: str, arguments: dict[str, Any], lines: Any) -> None:
    assert meant(name, **arguments) == (Action(deed=Deed.READ, path="a.py", lines=lines),)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y", "replace_all": False}),
        ("edit", {"path": "a.py", "old_str": "x", "new_str": "y"}),
        ("replaceStringInFile", {"filePath": "a.py", "oldString": "x", "newString": "y"}),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}]}),
        ("some_unknown_tool", {"file": "a.py", "before": "x", "after": "y"}),
    ],
)
def test_editing_is_known_by_name_or_by_shape(name: str, arguments: dict[str, Any]) -> None:
    assert meant(name, **arguments) == (Action(deed=Deed.EDIT, path="a.py", changes=(Change("x", "y"),)),)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Write", {"file_path": "a.py", "content": "hi"}),
        ("create", {"path": "a.py", "file_text": "hi"}),
        ("write_to_file", {"path": "a.py", "content": "hi"}),
        ("createFile", {"filePath": "a.py", "content": "hi"}),
        ("anything", {"filename": "a.py", "contents": "hi"}),
    ],
)
def test_writing_is_known_by_name_or_by_shape(name: str, arguments: dict[str, Any]) -> None:
    assert meant(name, **arguments) == (Action(deed=Deed.WRITE, path="a.py", content="hi"),)


PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def f():
 one
-two
+three
*** Add File: b.md
+# Title
+text
*** Delete File: c.txt
*** Update File: d.py
*** Move to: e.py
@@
-x
+y
*** End Patch"""
PATCHED = (
    Action(deed=Deed.EDIT, path="src/a.py", changes=(Change("one\ntwo", "one\nthree"),)),
    Action(deed=Deed.WRITE, path="b.md", content="# Title\ntext"),
    Action(deed=Deed.DELETE, path="c.txt"),
    Action(deed=Deed.DELETE, path="d.py"),
    Action(deed=Deed.EDIT, path="e.py", changes=(Change("x", "y"),)),
)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("apply_patch", PATCH),
        ("apply_patch", {"input": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
        ("applyPatch", {"input": PATCH, "explanation": "because"}),
    ],
)
def test_a_patch_is_read_wherever_it_stands(name: str, arguments: Any) -> None:
    assert actions(Call(id="c1", name=name, arguments=arguments)) == PATCHED


def test_blocks_of_search_and_replace_are_changes() -> None:
    diff = "<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE"
    assert meant("apply_diff", path="a.py", diff=diff) == (
        Action(deed=Deed.EDIT, path="a.py", changes=(Change("old", "new"),), lines=(12, 12)),
    )
    plain = "------- SEARCH\nold\n=======\nnew\n+++++++ REPLACE"
    assert meant("replace_in_file", path="a.py", diff=plain) == (
        Action(deed=Deed.EDIT, path="a.py", changes=(Change("old", "new"),)),
    )


def test_edits_that_a_reply_spells_out_belong_to_the_file_named_above() -> None:
    text = "I fix it:\n\nsrc/a.py\n```python\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n"
    assert edits_in_prose(text) == [Action(deed=Deed.EDIT, path="src/a.py", changes=(Change("old", "new"),))]


def test_a_unified_diff_is_an_edit_with_its_line() -> None:
    diff = "--- a/src/a.py\n+++ b/src/a.py\n@@ -3,2 +4,2 @@\n one\n-two\n+three\n"
    assert meant("apply_patch", patch=diff) == (
        Action(deed=Deed.EDIT, path="src/a.py", lines=(4, 4), changes=(Change("one\ntwo\n", "one\nthree\n"),)),
    )


def test_searching_and_listing_keep_what_was_asked_for() -> None:
    assert meant("Grep", pattern="def f", path="src") == (Action(deed=Deed.SEARCH, path="src", pattern="def f"),)
    assert meant("search_files", regex="x+", path=".") == (Action(deed=Deed.SEARCH, path=".", pattern="x+"),)
    assert meant("Glob", pattern="**/*.py") == (Action(deed=Deed.LIST, pattern="**/*.py"),)
    assert meant("list_files", path="src") == (Action(deed=Deed.LIST, path="src"),)


def test_to_dos_come_in_many_forms() -> None:
    wanted = (Todo("write", "done"), Todo("test", "doing"), Todo("ship", "open"))
    states = ("completed", "in_progress", "pending")
    items = [{"content": todo.text, "status": state} for todo, state in zip(wanted, states, strict=True)]
    assert meant("TodoWrite", todos=items) == (Action(deed=Deed.TODO, todos=wanted),)
    plan = [{"step": todo.text, "status": state} for todo, state in zip(wanted, states, strict=True)]
    assert meant("update_plan", plan=plan) == (Action(deed=Deed.TODO, todos=wanted),)
    assert meant("update_todo_list", todos="[x] write\n[-] test\n- [ ] ship") == (Action(deed=Deed.TODO, todos=wanted),)


def test_tasks_change_a_list_line_by_line() -> None:
    assert meant("TaskCreate", subject="write", description="long") == (
        Action(deed=Deed.TODO, todos=(Todo("write", "open"),), partial=True),
    )
    assert meant("TaskUpdate", taskId="3", status="completed") == (
        Action(deed=Deed.TODO, todos=(Todo("", "done", "3"),), partial=True),
    )


def test_other_deeds_are_told_apart() -> None:
    assert meant("WebFetch", url="https://x.y") == (Action(deed=Deed.FETCH, pattern="https://x.y"),)
    assert meant("Task", prompt="look", description="d") == (Action(deed=Deed.DELEGATE, content="look"),)
    assert meant("ExitPlanMode", plan="first") == (Action(deed=Deed.ASK, content="first"),)
    assert meant("write_stdin", session_id=7, chars="y\n") == (Action(deed=Deed.RUN, command="y", session="7"),)
    assert meant("create_ticket", title="t") == (Action(deed=Deed.OTHER),)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("cat a.py b.py", [("read", "a.py", None), ("read", "b.py", None)]),
        ("sed -n '10,20p' a.py", [("read", "a.py", (10, 20))]),
        ("head -n 30 a.py | grep x", [("read", "a.py", (1, 30))]),
        ("cd src && nl -ba a.py | sed -n '1,5p'", [("read", "src/a.py", None)]),
        ("git show HEAD~1:src/a.py", [("read", "src/a.py", None)]),
        ("ls -la src", [("list", "src", None)]),
        ("rm -f a.py b.py", [("delete", "a.py", None), ("delete", "b.py", None)]),
        ("mv a.py b.py", [("delete", "a.py", None), ("write", "b.py", None)]),
        ("git mv a.py lib/", [("delete", "a.py", None), ("write", "lib/a.py", None)]),
        ("sed -i '' 's/x/y/' a.py", [("edit", "a.py", None)]),
        ("git checkout -- a.py", [("edit", "a.py", None)]),
        ("echo done", [("run", "", None)]),
        ("pytest -q tests", [("run", "", None)]),
        ("go test ./... 2>&1 | tail -5", [("run", "", None)]),
        ("FOO=1 timeout 20 npm test > /dev/null 2>&1", [("run", "", None)]),
        ("make && cat out.log", [("run", "", None), ("read", "out.log", None)]),
        ("for f in *.py; do cat $f; done", [("run", "", None)]),
    ],
)
def test_commands_are_looked_into(command: str, wanted: list[Any]) -> None:
    assert [(action.deed, action.path, action.lines) for action in ran(command)] == wanted


def test_a_search_on_the_command_line_keeps_its_pattern() -> None:
    command = 'rg -n --glob "*.py" "def \\w+|class" src'
    assert ran(command) == (Action(deed=Deed.SEARCH, path="src", pattern="def \\w+|class", command=command),)


def test_a_here_document_is_the_text_that_is_written() -> None:
    command = "cat > notes.md <<'EOF'\n# It's\n\"text\"\nEOF"
    assert ran(command) == (Action(deed=Deed.WRITE, path="notes.md", content='# It\'s\n"text"\n', command=command),)
    added = "cat >> notes.md <<EOF\nmore\nEOF\n"
    assert ran(added) == (Action(deed=Deed.EDIT, path="notes.md", changes=(Change("", "more\n"),), command=added),)


def test_commands_run_in_the_folder_they_are_given() -> None:
    found = actions(Call(id="c", name="exec_command", arguments={"cmd": "cat ../a.py", "workdir": "/w/app"}))
    assert found == (Action(deed=Deed.READ, path="/w/a.py", command="cat ../a.py"),)


@pytest.mark.parametrize(
    "arguments",
    [None, 7, [], [1], "", "{", "not json", {}, {"file_path": None}, {"path": 7, "edits": "x"}, {"edits": [None, 1]},
     {"command": ["bash", None]}, {"command": {"a": 1}}, {"todos": [None, 1, {"x": 1}]}, {"command": "'unclosed"},
     {"command": "cat <<EOF"}, {"view_range": ["a", None], "path": "x.py"}, {"patch": "*** Begin Patch\n@@"},
     {"offset": 10**30, "file_path": "a.py"}],
)  # fmt: skip
@pytest.mark.parametrize("name", ["Read", "Edit", "Bash", "shell", "apply_patch", "TodoWrite", "unknown", ""])
def test_no_arguments_raise(name: str, arguments: Any) -> None:
    assert actions(Call(id="c", name=name, arguments=arguments))


def run(command: str = "make") -> Action:
    return Action(deed=Deed.RUN, command=command)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Exit code 2\nmake: *** no rule", Outcome(False, 2, "make: *** no rule")),
        ("Process exited with code 0\nOutput:\nall good", Outcome(True, 0, "all good")),
        ("built\n<exited with exit code 0>", Outcome(True, 0, "built")),
        ('{"output": "x", "metadata": {"exit_code": 1}}', Outcome(False, 1, "")),
        ("fine", Outcome(True, None, "fine")),
    ],
)
def test_how_a_command_ended_is_read_from_its_output(text: str, wanted: Outcome) -> None:
    assert outcome(run(), output("c", text)) == wanted


def test_a_failure_is_told_by_the_last_line_that_speaks_of_one() -> None:
    text = "E   ValueError: bad\n1 failed, 2 passed\nsee above"
    assert outcome(run(), output("c", text, Status.FAILED)) == Outcome(False, None, "1 failed, 2 passed")


def test_a_pipe_hides_how_a_command_ended() -> None:
    text = "a.go:3:1: undefined: x\nok"
    assert outcome(run("go build | head"), output("c", text)) == Outcome(None, None, "a.go:3:1: undefined: x")


def test_an_edit_that_was_refused_did_not_happen() -> None:
    edit = Action(deed=Deed.EDIT, path="a.py", changes=(Change("x", "y"),))
    assert outcome(edit, output("c", "String to replace not found in file.")).ok is False
    assert outcome(edit, output("c", "The file a.py has been updated.")).ok is True
    assert outcome(edit, Output(call_id="c", status=Status.ABORTED)).ok is None
