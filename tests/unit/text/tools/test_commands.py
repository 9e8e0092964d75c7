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


INTO_B = [("write", "b/a.py", None), ("write", "b/a.md", None)]


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
        ("mv -t lib a.py", [("delete", "a.py", None), ("write", "lib/a.py", None)]),
        ("mv a.{py,md} b/", [("delete", "a.py", None), ("delete", "a.md", None), *INTO_B]),
        ("git rm -r --cached build", [("run", "", None)]),
        ("cp a.py b.py", [("write", "b.py", None)]),
        (
            "Move-Item -Path src\\a.py -Destination lib\\b.py",
            [("delete", "src/a.py", None), ("write", "lib/b.py", None)],
        ),
        ("Move-Item src/a.py lib/b.py -Force", [("delete", "src/a.py", None), ("write", "lib/b.py", None)]),
        ("Rename-Item -Path src/a.py -NewName b.py", [("delete", "src/a.py", None), ("write", "src/b.py", None)]),
        ("Remove-Item -Recurse -Force out,tmp", [("delete", "out", None), ("delete", "tmp", None)]),
        ("Copy-Item a.py b.py", [("write", "b.py", None)]),
        ("Set-Content -Path a.txt -Value hello", [("write", "a.txt", None)]),
        ("perl -pi -e 's/x/y/' a.py b.py", [("edit", "a.py", None), ("edit", "b.py", None)]),
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


@pytest.mark.parametrize(
    "script",
    [
        "p = 'src/a.py'\ns = open(p).read()\nopen(p, 'w').write(s)",
        "from pathlib import Path\nPath('src/a.py').write_text('x')",
        "from pathlib import Path\np = Path('src/a.py')\np.write_text(p.read_text())",
        "open('src/a.py', mode='a').write('x')",
    ],
)
def test_a_script_on_the_command_line_edits_what_it_opens_for_writing(script: str) -> None:
    for command in (f"cd app && python3 - <<'EOF'\n{script}\nEOF", f'cd app && python -c "{script}"'):
        found = [(action.kind, action.path) for action in ran(command)]
        assert found == [(ActionKind.RUN, ""), (ActionKind.EDIT, "app/src/a.py")]


def test_a_script_that_only_reads_edits_nothing() -> None:
    assert [action.kind for action in ran("python -c \"print(open('a.py').read())\"")] == [ActionKind.RUN]


def test_a_moved_file_tells_where_it_went() -> None:
    assert [action.target for action in ran("cd src && mv a.py ../lib/b.py")] == ["lib/b.py", ""]
