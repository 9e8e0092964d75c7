"""Rules that people said, and where the agent broke one."""

from __future__ import annotations

from pathlib import Path

from clew.audit.recorded_session import read_sessions
from clew.audit.rule_record import RuleRecord, rule_record
from tests.audited_session import Lines
from tests.lines import jsonl


def record(lines: Lines, folder: Path) -> RuleRecord:
    return rule_record(read_sessions(str(lines.write(folder / "s.jsonl"))).sessions[0])


def test_a_rule_that_a_program_can_check_is_reported_where_it_was_broken(tmp_path: Path) -> None:
    lines = Lines()
    lines.says("From now on never run `git push --force`.")
    lines.answers("I will not.")
    lines.says("Publish the branch.")
    lines.answers("Let me look at it first.")
    lines.says("Yes.")
    lines.runs("Bash", "done", command="git push --force origin main")
    found = record(lines, tmp_path)
    assert [one.text for one in found.said] == ["From now on never run `git push --force`."]
    assert [(one.given, one.number) for one in found.broken] == [(1, 6)]


def test_rules_of_a_project_that_the_record_shows_are_judged_too(tmp_path: Path) -> None:
    rules = "# Rules\n\n- Never run `git push --force`.\n"
    given = f"# AGENTS.md instructions for /srv/shop\n\n<INSTRUCTIONS>\n{rules}</INSTRUCTIONS>"
    meta = {"id": "x1", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/srv/shop"}
    call = {"type": "function_call", "name": "shell", "call_id": "c1", "arguments": '{"command": "git push --force"}'}
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": given}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Push it."}]},
        call,
    ]
    time = "2026-03-01T10:00:00Z"
    lines = [{"timestamp": time, "type": "session_meta", "payload": meta}]
    lines += [{"timestamp": time, "type": "response_item", "payload": item} for item in items]
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(jsonl(lines))
    broken = rule_record(read_sessions(str(path)).sessions[0]).broken
    assert [(one.by, one.given, one.number) for one in broken] == [("file", 1, 3)]
