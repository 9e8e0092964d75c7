"""Shell commands are looked into: what they read, search, change and delete."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain import Call
from clew.text.tools.actions import Action, ActionKind, TextEdit
from clew.text.tools.calls import call_actions
from tests.builders import call


def meant(name: str, **arguments: Any) -> tuple[Action, ...]:
    return call_actions(call("c1", name, **arguments))


def ran(command: str, **more: Any) -> tuple[Action, ...]:
    return meant("Bash", command=command, **more)


def run(command: str = "make") -> Action:
    return Action(kind=ActionKind.RUN, command=command)


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
    assert [(action.kind, action.path, action.lines) for action in ran(command)] == wanted


def test_a_search_on_the_command_line_keeps_its_pattern() -> None:
    command = 'rg -n --glob "*.py" "def \\w+|class" src'
    assert ran(command) == (Action(kind=ActionKind.SEARCH, path="src", pattern="def \\w+|class", command=command),)


def test_a_here_document_is_the_text_that_is_written() -> None:
    command = "cat > notes.md <<'EOF'\n# It's\n\"text\"\nEOF"
    assert ran(command) == (
        Action(kind=ActionKind.WRITE, path="notes.md", content='# It\'s\n"text"\n', command=command),
    )
    added = "cat >> notes.md <<EOF\nmore\nEOF\n"
    assert ran(added) == (
        Action(kind=ActionKind.EDIT, path="notes.md", changes=(TextEdit("", "more\n"),), command=added),
    )


def test_commands_run_in_the_folder_they_are_given() -> None:
    found = call_actions(Call(id="c", name="exec_command", arguments={"cmd": "cat ../a.py", "workdir": "/w/app"}))
    assert found == (Action(kind=ActionKind.READ, path="/w/a.py", command="cat ../a.py"),)
