"""clew check: what it judges, what it finds and what it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.program import Program
from tests.lines import CONVERSATION, jsonl

PLAIN: list[dict[str, Any]] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": ""},
    {"role": "user", "content": " "},
]
BROKEN: dict[str, Any] = {
    "model": "claude-sonnet-5",
    "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "web.search", "input": {}}]},
        {"role": "wizard", "content": [{"type": "image_url"}]},
    ],
    "tools": [{"name": "web.search", "input_schema": {"type": "object"}}],
}
REPAIR = ["--repair", "--out", "whole.json"]


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.json"
    path.write_text(json.dumps(PLAIN))
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(BROKEN))
    return path


def test_a_plain_file_is_judged_as_the_providers_own(clew_program: Program, plain: Path) -> None:
    found = clew_program("check", plain, "--for", "anthropic", "--json")
    assert (found.code, found.json["valid"]) == (1, False)
    assert [(one["rule"], one["at"]) for one in found.json["findings"]] == [("A6", 1), ("A6", 2)]
    assert list(found.json) == ["valid", "findings"]
    assert list(found.json["findings"][0]) == ["rule", "at", "id", "message"]
    said = clew_program("check", "-", "--for", "gemini", stdin=plain.read_bytes())
    assert said.code == 1
    assert "G8 at contents[0]: " in said.out
    assert "standard input as it stands" in said.out


def test_a_named_format_is_judged_as_it_would_be_sent(clew_program: Program, plain: Path) -> None:
    done = clew_program("check", plain, "--for", "gemini", "--format", "openai-chat")
    assert (done.code, "as it would be sent" in done.out) == (0, True)


def test_a_session_file_is_judged_as_it_would_be_sent_and_it_says_so(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    done = clew_program("check", "session.jsonl", "--for", "openai-chat")
    assert done.out == "valid for openai-chat: session.jsonl (claude-code) as it would be sent\n"
    told = clew_program("check", "session.jsonl", "--for", "openai-chat", "--json")
    what = "session.jsonl (claude-code) as it would be sent"
    assert (told.json, told.err) == ({"valid": True, "findings": [], "judged": what}, "")


def test_repairs_are_written_listed_and_read_back(clew_program: Program, broken: Path, tmp_path: Path) -> None:
    done = clew_program("check", broken, "--for", "anthropic", "--json", *REPAIR)
    assert (done.code, list(done.json)) == (1, ["valid", "findings", "repairs"])
    assert {one["rule"] for one in done.json["findings"]} == {"A1", "A17", "A18", "A19"}
    assert {one["rule"] for one in done.json["repairs"]} == {"A17", "A18", "A19", "call-answered"}
    assert list(done.json["repairs"][0]) == ["rule", "at", "message"]
    whole = json.loads((tmp_path / "whole.json").read_text())
    assert whole["model"] == "claude-sonnet-5"
    assert whole["tools"][0]["name"] == whole["messages"][1]["content"][0]["name"] != "web.search"
    again = clew_program("check", "whole.json", "--for", "anthropic", "--repair", "--out", "twice.json")
    assert again.code == 0
    assert json.loads((tmp_path / "twice.json").read_text()) == whole
    said = clew_program("check", broken, "--for", "anthropic", *REPAIR).out
    assert "repaired A19 at messages[2]: gave it a role that is known" in said


def test_the_file_that_is_checked_is_replaced_only_when_told(clew_program: Program, broken: Path) -> None:
    before = broken.read_bytes()
    refused = clew_program("check", broken, "--for", "anthropic", "--repair", "--out", broken)
    assert (refused.code, "--overwrite" in refused.err, broken.read_bytes()) == (2, True, before)
    clew_program("check", broken, "--for", "anthropic", "--repair", "--out", broken, "--overwrite")
    assert clew_program("check", broken, "--for", "anthropic").code == 0


def test_what_cannot_be_repaired_is_not_written(clew_program: Program, tmp_path: Path) -> None:
    huge = {"messages": [{"role": "user", "content": "x" * (33 << 20)}]}
    (tmp_path / "huge.json").write_text(json.dumps(huge))
    done = clew_program("check", "huge.json", "--for", "anthropic", *REPAIR)
    assert (done.code, "whole.json is not written: A15" in done.err) == (1, True)
    assert not (tmp_path / "whole.json").exists()


def test_usage_is_told_with_exit_code_2(clew_program: Program, plain: Path) -> None:
    assert clew_program("check", plain, "--for", "anthropic", "--repair").code == 2
    assert clew_program("check", plain, "--for", "anthropic", "--dialect", "klingon").code == 2
