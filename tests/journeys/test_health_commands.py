"""Health, drift, pins and the profile, as a person or a script meets them."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config
from tests.journeys.program import Program
from tests.lines import SESSION, jsonl, line, result

PATIENCE_SECONDS = 60.0
RULE = "Never touch migrations/0001.sql, it has run in production."
FOR_TASK = "Don't add new dependencies in this PR."
KEYS = {
    "health",
    "tokens_used",
    "tokens_limit",
    "utilization",
    "relevance_score",
    "drift_score",
    "drift_detected",
    "compaction_needed",
    "critical_ratio",
    "critical_items",
    "growth_rate",
    "turns_left",
    "used_source",
    "limit_source",
    "window",
    "tokens_recorded",
    "suggestions",
    "findings",
}


def edit(number: int, path: str) -> dict[str, Any]:
    arguments = {"file_path": path, "old_string": "a", "new_string": "b"}
    return line(number, "assistant", [{"type": "tool_use", "id": f"t{number}", "name": "Edit", "input": arguments}])


def conversation(folder: Path) -> list[dict[str, Any]]:
    told = [
        line(1, "user", f"Add a column to the ships table. {RULE}"),
        line(2, "assistant", [{"type": "text", "text": "I will add a new migration."}]),
        line(3, "user", "Good, go on."),
        edit(4, "migrations/0001.sql"),
        result(5, "t4", "The file has been updated."),
        line(6, "assistant", [{"type": "text", "text": "Done."}]),
    ]
    return [one | {"cwd": str(folder)} for one in told]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "harbor" / ".git").mkdir(parents=True)
    path = tmp_path / "session.jsonl"
    path.write_bytes(jsonl(conversation(tmp_path / "harbor")))
    return path


def test_health_and_drift_tell_what_is_wrong(clew_program: Program, file: Path) -> None:
    done = clew_program("health", file, "--json", "--fail-on", "warning")
    found = done.json
    assert done.code == 1
    assert found.keys() == KEYS
    assert (found["health"], found["drift_detected"], found["critical_items"]) == ("warning", True, 1)
    assert found["suggestions"] == ["1 rule broken since m4"]
    box = clew_program("health", file, "--fail-on", "critical")
    assert box.code == 0
    assert "context health: warning" in box.out
    assert clew_program("health", file, "--fail-on", "never").code == 2
    drift = clew_program("drift", file, "--json").json
    (rule,) = drift["requirements"]
    assert (rule["text"], rule["state"], rule["evidence"]) == (RULE, "broken", "m4")
    assert f"✗ p1   {RULE} (m4" in clew_program("drift", file).out
    narrow = [line for line in clew_program("health", file, COLUMNS="40").out.splitlines() if line[0] in "┌│└"]
    assert {len(line) for line in narrow} == {40}
    told = " ".join(" ".join(line.strip("│").split()) for line in narrow)
    assert all(" ".join(line.strip("│").split()) in told for line in box.out.splitlines() if line.startswith("│"))


def test_marks_that_do_not_say_what_they_mean_are_explained(clew_program: Program, file: Path) -> None:
    clew_program("import", file, "--session", "s")
    clew_program("pin", "s", "Be kind to whoever reads it", "--kind", "instruction")
    lines = clew_program("drift", "s").out.splitlines()
    assert any(line.startswith("  ? ") and "Be kind" in line for line in lines)
    assert "  ? no program can tell" in lines


def test_pins_are_made_listed_and_let_go(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    assert clew_program("pin", "latest", "Use JWT", "--kind", "decision", "--reason", "Ana said so").code == 0
    assert clew_program("pin", "latest", "m3").code == 0
    listed = clew_program("pins", "latest", "--json").json["pins"]
    assert [(one["id"], one["kind"], one["text"], one["source"]) for one in listed] == [
        ("p1", "constraint", RULE, "m1"),
        ("p2", "decision", "Use JWT", ""),
        ("p3", "custom", "Good, go on.", "m3"),
    ]
    assert {"reason", "by", "scope", "created", "supersedes"} <= listed[0].keys()
    assert "`clew pin latest p3`" in clew_program("unpin", "latest", "p3").out
    assert "p3" not in clew_program("pins", "latest").out
    assert clew_program("unpin", "latest", "p9").code == 3
    assert clew_program("pin", "latest", "x", "--kind", "law").code == 2
    assert clew_program("pin", "latest", "m99").code == 3
    assert clew_program("pin", "latest", "p99").code == 3
    assert clew_program("pin", "latest", "p3").code == 0
    assert clew_program("pin", "latest", "p3").code == 2
    assert RULE in clew_program("pack", "latest", "--budget", "2000").out


def test_a_rule_given_while_refusing_a_call_is_pinned_and_packed(clew_program: Program, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "git commit -m x"}}
    words, occasion = "no, don't check this in", "said while refusing `git commit -m x`"
    text = f"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{words}"
    refusal = {"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": text}
    steps = ((edit(at, f"a{at}.py"), result(at + 1, f"t{at}", f"word{at} " * 300)) for at in range(4, 40, 2))
    told = [
        line(1, "user", "Mend the login."),
        line(2, "assistant", [call]),
        line(3, "user", [refusal], toolUseResult=f"Error: {text}"),
        *(one for step in steps for one in step),
    ]
    (tmp_path / "refused.jsonl").write_bytes(jsonl(told))
    clew_program.keep(tmp_path / "refused.jsonl")
    assert f"p1   constraint   task     m3       {words} ({occasion})" in clew_program("pins", "latest").out
    (pin,) = clew_program("pins", "latest", "--json").json["pins"]
    assert (pin["by"], pin["occasion"]) == ("person", occasion)
    packed = clew_program("pack", "latest", "--budget", "3000", "--for", "text").out
    assert f"[constraint, m3, {occasion}] {words}" in packed


def test_a_rule_that_lapsed_is_listed_with_when_and_why_and_taken_back(clew_program: Program, tmp_path: Path) -> None:
    asked = [f"Sort the list. {FOR_TASK} From now on run the linter first.", "Part two.", "Part three.", "Part four."]
    replies = [[{"type": "text", "text": "Done."}]] * len(asked)
    talk = [one for pair in zip(asked, replies, strict=True) for one in pair]
    lines = [line(at, "assistant" if at % 2 == 0 else "user", said) for at, said in enumerate(talk, 1)]
    (tmp_path / "long.jsonl").write_bytes(jsonl(lines))
    clew_program.keep(tmp_path / "long.jsonl")
    shown = clew_program("pins", "latest").out
    assert "p2   instruction  project  m1 " in shown
    assert FOR_TASK not in shown
    assert "1 lapsed: `clew pins latest --all` lists them, `clew pin latest ID` puts one in force" in shown
    assert "(lapsed in m7 on 2026-" in clew_program("pins", "latest", "--all").out
    (lapsed,) = [one for one in clew_program("pins", "latest", "--all", "--json").json["pins"] if one["ended"]]
    assert (lapsed["id"], lapsed["state"], lapsed["scope"], lapsed["ended_in"]) == ("p1", "lapsed", "task", "m7")
    assert clew_program("pin", "latest", "p1").code == 0
    assert [one["id"] for one in clew_program("pins", "latest", "--json").json["pins"]] == ["p1", "p2"]


def test_a_pin_is_promoted_when_somebody_says_so_and_is_no_pin_then(
    clew_program: Program, file: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "harbor" / "CLAUDE.md"
    rules.write_text("# Harbor\n\n- Always use bun instead of npm.\n")
    clew_program.keep(file)
    shown = clew_program("pins", "latest", "--promote", "p1")
    assert f"+- {RULE}" in shown.out
    assert "nothing written" in shown.out
    assert RULE not in rules.read_text()
    done = clew_program("pins", "latest", "--promote", "p1", "--yes", "--json").json
    assert (done["written"], done["path"]) == (True, str(rules))
    assert RULE in rules.read_text()
    listed = clew_program("pins", "latest", "--json").json["pins"]
    assert [(one["text"], one["by"], one["source"]) for one in listed] == [
        ("Always use bun instead of npm.", "file", "CLAUDE.md"),
        (RULE, "file", "CLAUDE.md"),
    ]
    again = clew_program("pins", "latest", "--promote", listed[-1]["id"], "--yes")
    assert "says so already" in again.out


def test_only_what_can_be_read_is_promoted(clew_program: Program, file: Path, tmp_path: Path) -> None:
    clew_program.keep(file)
    secret = "sk-ant-api03-" + "aB3dE5fG7h" * 9
    hidden = (f"Use the key {secret} for tests", "Always run x\u202e.hs", "Always run\u200b y")
    with clew.open(clew_program.store, config=Config()) as engine:
        pinned = [engine.find(SESSION).pin(words) for words in hidden]
    for pin in pinned:
        refused = clew_program("pins", "latest", "--promote", pin.id, "--yes")
        assert refused.code == 2
        assert "by hand" in refused.err
    assert not (tmp_path / "harbor" / "AGENTS.md").exists()


@pytest.mark.parametrize("arguments", [["--fail-on", "warning"], []])
def test_what_cannot_be_watched_is_said(clew_program: Program, tmp_path: Path, arguments: list[str]) -> None:
    done = clew_program("health", str(tmp_path), "--watch", *arguments)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_the_profile_holds_in_stored_sessions_at_once(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    assert clew_program("profile", "set", "I prefer tabs over spaces.").code == 0
    shown = clew_program("pins", "latest").out
    assert "p2   preference   user     profile p1 I prefer tabs over spaces. (by profile)" in shown
    assert clew_program("health", "latest", "--json").json["critical_items"] == 2
    assert "critical: 2 items" in clew_program("health", "latest").out
    assert clew_program("profile", "forget", "p1").code == 0
    assert [one["id"] for one in clew_program("pins", "latest", "--json").json["pins"]] == ["p1"]


def test_the_profile_is_shown_set_and_forgotten(clew_program: Program) -> None:
    assert "empty" in clew_program("profile", "show").out
    item = clew_program("profile", "set", "I prefer tabs over spaces.", "--json").json["profile"][0]
    assert (item["id"], item["scope"]) == ("p1", "user")
    assert "tabs" in clew_program("profile", "show").out
    assert clew_program("profile", "set", " ").code == 2
    assert clew_program("profile", "forget", "p7").code == 3
    changed = clew_program("profile", "set", "I prefer four spaces.", "--id", "p1", "--json").json["profile"][0]
    assert (changed["id"], changed["text"]) == ("p1", "I prefer four spaces.")
    assert "set by hand, 20" in clew_program("profile", "show").out
    assert clew_program("profile", "forget", "p1").code == 0
    assert clew_program("profile", "show", "--json").json == {"profile": []}


def test_a_stored_session_is_learned_from_when_asked_for(clew_program: Program, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl([line(1, "user", "I live in Lisbon. Plan a walk.")]))
    clew_program.keep(path)
    assert clew_program("profile", "show", "--json").json == {"profile": []}
    assert "I live in Lisbon. (said in" in clew_program("profile", "learn", "latest").out
    assert "nothing new" in clew_program("profile", "learn", "latest").out
    assert clew_program("profile", "learn", "nothing-there").code == 3


def at_a_terminal(program: Program, *arguments: str, types: str = "", **env: str) -> str:
    """What the program shows on a terminal where somebody types."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [*program.command, *arguments], stdin=child, stdout=child, env=program.env | env, cwd=program.folder
    )
    os.close(child)
    os.write(parent, types.encode())
    shown = bytearray()
    while True:
        try:
            read = os.read(parent, 4096)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        shown += read
    process.wait()
    os.close(parent)
    return shown.decode()


def test_the_alert_has_three_choices_and_stays_ignored(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    shown = at_a_terminal(clew_program, "health", "latest", types="2\n")
    assert "1. [Compact now]" in shown
    assert "topic drift" in shown
    assert "ignored until it gets worse" in at_a_terminal(clew_program, "health", "latest", types="3\n")
    quiet = at_a_terminal(clew_program, "health", "latest")
    assert "context health: warning" in quiet
    assert "[Compact now]" not in quiet


def test_each_line_of_the_box_has_the_colour_of_what_it_tells(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    shown = at_a_terminal(clew_program, "health", "latest", types="\n", NO_COLOR="")
    colours = {line.split("m", 1)[1][2:9]: line[2:4] for line in shown.splitlines() if line.startswith("\x1b[")}
    assert colours == {"context": "33", "░░░░░░░": "32", "drift: ": "33"}


def test_watch_follows_a_file_that_grows(clew_program: Program, file: Path, tmp_path: Path) -> None:
    told = conversation(tmp_path / "harbor")
    file.write_bytes(jsonl(told[:2]))
    command = [*clew_program.command, "health", str(file), "--watch", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=clew_program.env, cwd=clew_program.folder) as process:
        assert process.stdout is not None
        try:
            first = json.loads(process.stdout.readline())
            with file.open("ab") as grown:
                grown.write(jsonl(told[2:]))
            second = json.loads(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE_SECONDS) == 130
        finally:
            process.kill()
    assert (first["health"], second["health"]) == ("good", "warning")
    assert clew_program("sessions", "--json").json["sessions"] == []


def test_the_session_list_tells_of_health(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    (listed,) = clew_program("sessions", "--json").json["sessions"]
    assert (listed["id"], listed["health"]) == (SESSION, "warning")
