"""What calls mean, whichever assistant made them."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain import Call
from clew.text.tools.actions import Action, ActionKind, TextEdit
from clew.text.tools.calls import call_actions
from tests.builders import call


def meant(name: str, **arguments: Any) -> tuple[Action, ...]:
    return call_actions(call("c1", name, **arguments))


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
    Action(kind=ActionKind.EDIT, path="src/a.py", changes=(TextEdit("one\ntwo", "one\nthree"),)),
    Action(kind=ActionKind.WRITE, path="b.md", content="# Title\ntext"),
    Action(kind=ActionKind.DELETE, path="c.txt"),
    Action(kind=ActionKind.DELETE, path="d.py"),
    Action(kind=ActionKind.EDIT, path="e.py", changes=(TextEdit("x", "y"),)),
)


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
    assert meant(name, **arguments) == (Action(kind=ActionKind.READ, path="a.py", lines=lines),)


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
    assert meant(name, **arguments) == (Action(kind=ActionKind.EDIT, path="a.py", changes=(TextEdit("x", "y"),)),)


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
    assert meant(name, **arguments) == (Action(kind=ActionKind.WRITE, path="a.py", content="hi"),)


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
    assert call_actions(Call(id="c1", name=name, arguments=arguments)) == PATCHED


def test_searching_and_listing_keep_what_was_asked_for() -> None:
    assert meant("Grep", pattern="def f", path="src") == (Action(kind=ActionKind.SEARCH, path="src", pattern="def f"),)
    assert meant("search_files", regex="x+", path=".") == (Action(kind=ActionKind.SEARCH, path=".", pattern="x+"),)
    assert meant("Glob", pattern="**/*.py") == (Action(kind=ActionKind.LIST, pattern="**/*.py"),)
    assert meant("list_files", path="src") == (Action(kind=ActionKind.LIST, path="src"),)


def test_other_actions_are_told_apart() -> None:
    assert meant("WebFetch", url="https://x.y") == (Action(kind=ActionKind.FETCH, pattern="https://x.y"),)
    assert meant("Task", prompt="look", description="d") == (Action(kind=ActionKind.DELEGATE, content="look"),)
    assert meant("ExitPlanMode", plan="first") == (Action(kind=ActionKind.ASK, content="first"),)
    assert meant("write_stdin", session_id=7, chars="y\n") == (Action(kind=ActionKind.RUN, command="y", session="7"),)
    assert meant("create_ticket", title="t") == (Action(kind=ActionKind.OTHER),)


@pytest.mark.parametrize(
    "arguments",
    [None, 7, [], [1], "", "{", "not json", {}, {"file_path": None}, {"path": 7, "edits": "x"}, {"edits": [None, 1]},
     {"command": ["bash", None]}, {"command": {"a": 1}}, {"todos": [None, 1, {"x": 1}]}, {"command": "'unclosed"},
     {"command": "cat <<EOF"}, {"view_range": ["a", None], "path": "x.py"}, {"patch": "*** Begin Patch\n@@"},
     {"offset": 10**30, "file_path": "a.py"}],
)  # fmt: skip
@pytest.mark.parametrize("name", ["Read", "Edit", "Bash", "shell", "apply_patch", "TodoWrite", "unknown", ""])
def test_no_arguments_raise(name: str, arguments: Any) -> None:
    assert call_actions(Call(id="c", name=name, arguments=arguments))


def test_the_actions_of_a_call_are_worked_out_once() -> None:
    call = Call(id="c1", name="Read", arguments={"file_path": "a.py"})
    assert call_actions(call) is call_actions(Call(id="c2", name="Read", arguments={"file_path": "a.py"}))


def test_a_long_call_is_not_kept_in_memory() -> None:
    made = [call(id, "Write", file_path="a.py", content="x = 1\n" * 2_000) for id in ("c1", "c2")]
    assert call_actions(made[0]) is not call_actions(made[1])
    assert call_actions(made[0]) == call_actions(made[1])
