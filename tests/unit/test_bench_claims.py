"""The checker of claims: true ones hold, turned ones are caught, what is open is asked for, and it shares no code."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.claims import bench as claims_bench
from bench.claims.judge import Judge, Verdict
from bench.claims.planted import is_caught, planted
from bench.claims.reckoning import reckon
from bench.claims.records import Deed, plain, read_sessions

_TODOS = [{"content": "Fix the parser", "status": "completed"}, {"content": "Ship it", "status": "pending"}]
_FAILED = "Exit code 1\nFAILED tests/test_a.py::test_one\n1 failed, 3 passed"
#: Tool, arguments, what came back, whether it is marked as an error.
_RUNS = [
    ("TodoWrite", {"todos": _TODOS}, "Todos have been modified", False),
    ("Bash", {"command": "pytest tests/test_a.py"}, _FAILED, True),
    ("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}, "The file /w/a.py is updated", False),
    ("Bash", {"command": "python -m pytest tests 2>&1 | tail -3"}, "8 passed in 0.1s", False),
    ("Bash", {"command": "ruff check . | grep -c ok"}, "12", False),
    ("Bash", {"command": "git commit -m one"}, "Exit code 1\nhook: lint failed", True),
    ("Bash", {"command": "git commit -m two"}, "[main 1a2b3c4] two\n 1 file changed", False),
    ("Bash", {"command": "git commit --amend -m three"}, "[main 5d6e7f8] three\n 1 file changed", False),
    ("Bash", {"command": "mypy src"}, "Exit code 1\nsrc/a.py:3: error: no such name", True),
    ("Bash", {"command": "git push"}, "The user doesn't want to proceed with this tool use.", True),
    ("Bash", {"command": "npm start"}, "Command running in background with ID: b1", False),
    ("Bash", {"command": "npm run watch"}, "Command running in background with ID: b2", False),
    ("TaskOutput", {"task_id": "b2"}, "<task_id>b2</task_id>\n<status>completed</status>", False),
]


def _lines() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"type": "user", "gitBranch": "main", "message": {"role": "user", "content": "go"}}]
    for number, (tool, given, text, failed) in enumerate(_RUNS):
        call = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, "is_error": failed}
        rows.append({"type": "assistant", "gitBranch": "main", "message": {"role": "assistant", "content": [call]}})
        rows.append({"type": "user", "gitBranch": "main", "message": {"role": "user", "content": [result]}})
    return rows


def _judge() -> Judge:
    (events,) = read_sessions("\n".join(json.dumps(row) for row in _lines()), name="a.jsonl")
    return Judge(reckon(events), {f"m{number}": text for number, (_, _, text, _) in enumerate(_RUNS)})


def _pack(*lines: str, section: str = "story") -> str:
    return f"## clew {section}\n" + "\n".join(f"- {line}" for line in lines)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("to-dos (m0): [open] Ship it; done: Fix the parser", Verdict.TRUE),
        ("to-dos (m0): [open] Fix the parser", Verdict.FALSE),
        ("failed, not seen to pass since (m8): `mypy src` → src/a.py:3: error: no such name", Verdict.TRUE),
        ("failed, not seen to pass since (m1): `pytest tests/test_a.py` → 1 failed, 3 passed", Verdict.FALSE),
        ("passed (m3): `python -m pytest tests` → 8 passed in 0.1s", Verdict.TRUE),
        ("passed (m3): `python -m pytest tests` → 9 passed in 0.1s", Verdict.FALSE),
        ("passed (m4): `ruff check .`", Verdict.UNKNOWN),
        (
            "failed (m1), not seen to pass as a whole since: `pytest tests`; what failed passed alone (m3): `pytest x`",
            Verdict.FALSE,
        ),
        ("passed (m8): `mypy src`", Verdict.FALSE),
        ("branch main (m6)", Verdict.TRUE),
        ("branch other (m6)", Verdict.FALSE),
        ("commits: 5d6e7f8 three (m7)", Verdict.TRUE),
        ("commits: 1a2b3c4 two (m6)", Verdict.FALSE),
        ("commits on main: 5d6e7f8 three (m7)", Verdict.TRUE),
        ("commits on other: 5d6e7f8 three (m7)", Verdict.FALSE),
        ("no commit seen in this session", Verdict.FALSE),
        ("no push seen", Verdict.TRUE),
        ("pushed: main (m9)", Verdict.FALSE),
        ("seen running (m10), not seen to end: `npm start`, id b1", Verdict.TRUE),
        ("seen running (m11), not seen to end: `npm run watch`, id b2", Verdict.FALSE),
        ("a line of some new form", Verdict.UNKNOWN),
    ],
)
def test_each_kind_of_line_is_judged_by_the_records(line: str, verdict: Verdict) -> None:
    judged = [one.verdict for one in _judge().judge_pack(_pack(line))]
    assert (Verdict.FALSE if Verdict.FALSE in judged else judged[0]) is verdict


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("a.py (edited, m2) why", Verdict.TRUE),
        ("a.py (edited ×4, m2)", Verdict.FALSE),
        ("a.py (deleted, m2)", Verdict.FALSE),
        ("b.py (edited, m2)", Verdict.FALSE),
    ],
)
def test_a_line_of_a_file_is_judged_by_its_changes(line: str, verdict: Verdict) -> None:
    (one,) = _judge().judge_pack(_pack(line, section="files"))
    assert one.verdict is verdict


def test_a_shown_result_may_be_cut_between_two_lines() -> None:
    (events,) = read_sessions("\n".join(json.dumps(row) for row in _lines()), name="a.jsonl")
    text = "Exit code 1\nsrc/a.py:3: error: no name\nsrc/b.py:4: error: no type\nsrc/c.py:5: error: no field"
    events = [replace(one, text=text) if isinstance(one, Deed) and one.command == "mypy src" else one for one in events]
    shown = "src/a.py:3: error: no name | […] | src/c.py:5: error: no field"
    (one,) = Judge(reckon(events), {"m8": text}).judge_pack(
        _pack(f"failed, not seen to pass since (m8): `mypy src` → {shown}")
    )
    assert one.verdict is Verdict.TRUE


_SPECSTORY = """<tool-use data-tool-type="write" data-tool-name="Write"><details>
<summary>Tool use: **Write**</summary>

```markdown
Ignored are:
`.git`, `dist`
```

```text
The file /w/docs/PLAN.md has been overwritten successfully.
```
</details></tool-use>
"""


def test_a_command_of_several_lines_stands_in_a_fence() -> None:
    told = '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n<summary>Bash</summary>\n'
    told += "\n```bash\ncd /w\nmake all\n```\n\n```text\nok\n```\n</details></tool-use>\n"
    ((deed,),) = read_sessions(told, name="a.md")
    assert isinstance(deed, Deed)
    assert (deed.command, deed.text) == ("cd /w\nmake all", "ok")


def test_a_file_that_was_overwritten_was_there_before() -> None:
    (events,) = read_sessions(_SPECSTORY, name="a.md")
    judge = Judge(reckon(events), {})
    judged = [judge.judge_pack(_pack(f"docs/PLAN.md ({deed}, m1)", section="files")) for deed in ("edited", "created")]
    assert [one.verdict for (one,) in judged] == [Verdict.TRUE, Verdict.FALSE]


@pytest.mark.parametrize(
    ("command", "line", "verdict"),
    [
        ("mv /w/a.py /w/b.py", "a.py (edited, m2)", Verdict.FALSE),
        ("mv /w/a.py /w/b.py", "a.py (deleted, m2)", Verdict.TRUE),
        ("mv /w/a.py /w/b.py", "b.py (edited ×2, m2)", Verdict.TRUE),
        ("mv a.py lib/", "lib/a.py (edited ×2, m2)", Verdict.TRUE),
        ("git mv /w /v", "/v/a.py (edited, m2)", Verdict.TRUE),
        ("git mv /w /v", "/w/a.py (edited, m2)", Verdict.FALSE),
        ("cp /x/{b,c}.py /w/in/", "in/c.py (created, m2)", Verdict.TRUE),
        ("cp .env.example .env && make; rm .env", ".env (deleted, m2)", Verdict.TRUE),
        ("rm ./w", "/w/a.py (edited, m2)", Verdict.TRUE),
        ("rm -rf /w", "/w/a.py (edited, m2)", Verdict.FALSE),
        ("git rm --cached a.py", "a.py (edited, m2)", Verdict.TRUE),
        ("test -f x && rm a.py", "a.py (edited, m2)", Verdict.TRUE),
    ],
)
def test_a_file_that_was_moved_or_removed_is_where_it_went(command: str, line: str, verdict: Verdict) -> None:
    edit = Deed(1, "Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}, "The file is updated")
    judge = Judge(reckon([edit, Deed(2, "Bash", {"command": command}, "", cwd="/w")]), {})
    assert [one.verdict for one in judge.judge_pack(_pack(line, section="files"))] == [verdict]


def test_what_is_open_is_asked_for() -> None:
    judge = _judge()
    assert [(one.kind, one.what) for one in judge.open_items()] == [("to-do", "Ship it"), ("failure", "mypy src")]
    shown = _pack(
        "to-dos (m0): [open] Ship it", "failed, not seen to pass since (m8): `mypy src` → error: no such name"
    )
    assert all(one.is_shown(shown) for one in judge.open_items())
    assert not any(
        one.is_shown(_pack("to-dos (m0): all 2 done: Fix the parser; Ship it")) for one in judge.open_items()
    )


@pytest.mark.parametrize(
    ("command", "text", "later", "is_open"),
    [
        ("go test ./... | tail && git push", "--- FAIL: TestRun\nFAIL", "", True),
        ("git switch main && git pull --ff-only", "fatal: not possible", "", False),
        ("go build -o /tmp/app . && /tmp/app nonsense; echo $?", "Error: unknown\nexit code 1", "", False),
        ("go test ./... | tail", "--- FAIL: TestRun_Twice\nFAIL", "go test -run TestRun ./store", False),
        ("npx eslint src | tail", "✖ 2 problems (0 errors, 2 warnings)", "", False),
    ],
)
def test_a_check_that_failed_is_open_until_it_passes(command: str, text: str, later: str, is_open: bool) -> None:
    events = [Deed(1, "Bash", {"command": command}, text), Deed(2, "Bash", {"command": later}, "ok  \tapp/store\t1s")]
    judge = Judge(reckon(events[: 2 if later else 1]), {})
    assert bool(judge.open_items()) is is_open


def test_every_planted_falsehood_is_caught() -> None:
    judge = _judge()
    pack = _pack(
        "to-dos (m0): [open] Ship it; done: Fix the parser",
        "failed, not seen to pass since (m8): `mypy src` → src/a.py:3: error: no such name",
        "branch main (m6)",
        "commits: 5d6e7f8 three (m7)",
        "passed (m3): `python -m pytest tests` → 8 passed in 0.1s",
    )
    found = planted(judge.judge_pack(pack), judge, seed="1")
    assert {how for how, _ in found} >= {"a done to-do shown open", "committed though it was refused", "ok for failed"}
    assert [how for how, claim in found if not is_caught(judge, claim)] == []


def test_the_packs_of_a_file_are_judged(tmp_path: Path) -> None:
    source = tmp_path / "s.jsonl"
    extra = {"sessionId": "s1", "timestamp": "2026-01-01T00:00:00Z", "parentUuid": None, "isSidechain": False}
    talk = [{"type": "assistant", "message": {"role": "assistant", "content": "I looked around at length. " * 900}}]
    rows = [row | extra | {"uuid": f"u{at}"} for at, row in enumerate([*_lines(), *talk])]
    source.write_text("\n".join(json.dumps(row) for row in rows))
    tally = claims_bench.tally_file(source, budgets=[2_000])
    assert {row["kind"] for row in tally.judged} >= {"to-do", "branch"}
    assert tally.planted
    assert all(row["caught"] for row in tally.planted)


def test_the_checker_imports_nothing_of_the_engine() -> None:
    home = Path(claims_bench.__file__).parent
    for path in home.glob("*.py"):
        imports = re.findall(r"^(?:from|import) (clew\S*)", path.read_text(), re.M)
        assert not imports or path.name == "bench.py", path.name


def test_text_is_compared_without_colours_and_blanks() -> None:
    assert plain("\x1b[31mFAIL\x1b[0m  a\n b") == "FAIL a b"


@pytest.mark.parametrize(
    ("command", "text", "line", "verdict"),
    [
        ("pytest", "Segmentation fault", "passed (m0): `pytest`", Verdict.FALSE),
        ("pytest", "Killed", "passed (m0): `pytest`", Verdict.FALSE),
        ("pytest", "bash: pytest: command not found", "passed (m0): `pytest`", Verdict.FALSE),
        ("pytest", "Command timed out after 2m 0.0s", "passed (m0): `pytest`", Verdict.FALSE),
        ("pytest", "no tests ran in 0.01s", "passed (m0): `pytest`", Verdict.FALSE),
        ("pytest", "", "passed (m0): `pytest`", Verdict.FALSE),
        ("pytest", "3 passed in 0.1s", "passed (m0): `pytest` → 3 passed in 0.1s", Verdict.TRUE),
        ("ruff check . ; pytest | tail -1", "3 passed", "passed (m0): `ruff check . ; pytest`", Verdict.UNKNOWN),
        ("pytest", "Exit code 1\n9 passed", "failed, not seen to pass since (m0): `pytest` → 9 passed", Verdict.FALSE),
        ("git commit -qm one; git log --oneline -1", "1a2b3c4 one", "no commit seen in this session", Verdict.FALSE),
    ],
)
def test_a_run_without_a_pass_and_a_commit_that_a_log_shows_are_known(
    command: str, text: str, line: str, verdict: Verdict
) -> None:
    deed = Deed(1, "Bash", {"command": command}, text)
    found = Judge(reckon([deed]), {"m0": text}).judge_pack(_pack(line))
    assert [one.verdict for one in found] == [verdict]
