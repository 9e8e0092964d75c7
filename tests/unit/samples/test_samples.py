"""The sample session: made by its story, sound by itself, and rich enough to lean on."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clew.codecs.transcripts.claude_code import ClaudeCode
from clew.domain import Call, Message, Origin, Output, Reasoning, Record, Role, SkippedRecord, Status
from clew.samples import sample
from clew.text.injected_text import person_words

SCRIPTS = Path(__file__).parents[3] / "scripts"
CWD = "/home/ana/harbor/"
#: The client was gone before this one ended; the session file never answers it.
UNANSWERED = "./scripts/smoke.sh 3000 2>&1 | tail -20"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    known = set(sys.modules)
    monkeypatch.syspath_prepend(str(SCRIPTS))
    yield
    for name in set(sys.modules) - known:
        if name.split(".")[0] in {"make_sample", "harbor_story"}:
            del sys.modules[name]


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in sample().read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    codec = ClaudeCode()
    with sample().open("rb") as stream:
        pieces = list(codec.split(stream))
    return [codec.read(piece.body) for piece in pieces if not isinstance(piece, SkippedRecord)]


@pytest.fixture(scope="module")
def messages(records: list[Record]) -> list[Message]:
    """One for each line; a reply that is spread over lines is several."""
    return [record.message for record in records if record.message]


def calls_in(messages: list[Message]) -> list[Call]:
    return [call for message in messages for call in message.calls]


def outputs_in(messages: list[Message]) -> dict[str, Output]:
    return {output.call_id: output for message in messages for output in message.outputs}


def requests_in(messages: list[Message]) -> list[str]:
    return [
        person_words(message.text) for message in messages if message.origin is Origin.PERSON and not message.thread
    ]


# ── the file and its story ───────────────────────────────────────────────────────────────────────────


def test_the_shipped_session_is_what_its_story_tells(scripts: None) -> None:
    import make_sample

    assert make_sample.build() == sample().read_bytes()


def test_an_edit_that_does_not_apply_stops_the_story(scripts: None) -> None:
    from harbor_story.author import Author

    author = Author({"a.py": "one\n"}, {})
    with pytest.raises(ValueError, match=r"a\.py: expected once and different, found 0 times"):
        author.edits("a.py", "two", "three")


def test_the_codec_knows_the_file_as_its_own() -> None:
    with sample().open("rb") as stream:
        assert ClaudeCode().sniff(stream.read(4096))


def test_every_line_decodes(records: list[Record], lines: list[dict[str, Any]]) -> None:
    assert len(records) == len(lines)
    assert {record.facts.session for record in records if record.facts.session} == {lines[2]["sessionId"]}


def test_the_file_stays_small() -> None:
    assert 300_000 < sample().stat().st_size < 700_000


def test_ids_are_unique_and_parents_come_first(lines: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for line in (line for line in lines if "uuid" in line):
        assert line["uuid"] not in seen
        assert line["parentUuid"] is None or line["parentUuid"] in seen
        seen.add(line["uuid"])


def test_time_never_goes_back(lines: list[dict[str, Any]]) -> None:
    stamps = [line["timestamp"] for line in lines if "timestamp" in line]
    assert all(before <= after for before, after in pairwise(stamps))
    assert stamps[0][:10] == stamps[-1][:10] == "2026-03-12"


# ── what is done in it holds together ────────────────────────────────────────────────────────────────


def test_every_call_is_answered_once_but_the_one_whose_client_was_gone(messages: list[Message]) -> None:
    calls = calls_in(messages)
    answered = Counter(output.call_id for message in messages for output in message.outputs)
    assert [call.arguments["command"] for call in calls if call.id not in answered] == [UNANSWERED]
    assert set(answered) <= {call.id for call in calls}
    assert set(answered.values()) == {1}


def test_edits_apply_and_reads_show_the_file_as_it_is(messages: list[Message], scripts: None) -> None:
    from harbor_story.texts import sections
    from harbor_story.tree import Tree

    tree, outputs = Tree(sections("project.txt")), outputs_in(messages)
    checked = 0
    for call in calls_in(messages):
        path = str(call.arguments.get("file_path", "")).removeprefix(CWD)
        if call.id not in outputs or outputs[call.id].status is not Status.SUCCESS:
            continue
        if call.name == "Edit":
            tree.replace(path, call.arguments["old_string"], call.arguments["new_string"])
        elif call.name == "Write":
            tree.write(path, call.arguments["content"])
        elif call.name == "Read":
            span = {"offset": call.arguments.get("offset", 1), "limit": call.arguments.get("limit")}
            shown = outputs[call.id].text.partition("\n\n<system-reminder>")[0]
            assert shown == tree.numbered(path, **span)
        checked += call.name in {"Edit", "Write", "Read"}
    assert checked > 100


def test_the_first_migration_is_never_touched(messages: list[Message]) -> None:
    changed = [call.arguments["file_path"] for call in calls_in(messages) if call.name in {"Edit", "Write"}]
    assert CWD + "migrations/0001_initial.sql" not in changed


def test_usage_is_the_same_on_all_lines_of_a_reply(records: list[Record]) -> None:
    usages: dict[str, set[Any]] = {}
    for record in records:
        if record.group and record.message:
            usages.setdefault(record.group, set()).add(record.message.usage)
    assert {len(found) for found in usages.values()} == {1}


# ── what later work leans on ─────────────────────────────────────────────────────────────────────────


def test_there_are_eighteen_requests(messages: list[Message]) -> None:
    requests = requests_in(messages)
    assert len(requests) == 18
    assert all(requests)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (1, "we use uv here, not pip"),
        (1, "please always run the tests before you say you're done"),
        (2, "I prefer small commits, one thought each"),
        (2, "never touch migrations/0001_initial.sql"),
        (3, "Please store the times as local time"),
        (5, "Decision: we stay on SQLite"),
        (6, "always whole cents in an int, never a float"),
        (9, "we store all times in UTC"),
        (12, "cancelling is free up to 48 hours before arrival"),
        (14, "Please don't print secrets again"),
        (15, "Nothing runs against staging before 20:00"),
        (17, "two or three sentences are enough"),
        (18, "don't commit the half-finished expiry"),
    ],
)
def test_rules_and_decisions_stand_where_they_are_expected(messages: list[Message], at: int, words: str) -> None:
    assert words in requests_in(messages)[at - 1]


def test_it_brings_what_sessions_bring(messages: list[Message], records: list[Record]) -> None:
    replies = Counter(record.group for record in records if record.group and record.message and record.message.calls)
    outputs = outputs_in(messages).values()
    found = {
        "parallel calls": max(replies.values()) >= 4,
        "thinking": any(message.parts_of(Reasoning) for message in messages),
        "a subagent": {message.thread for message in messages} == {"", "a7c31e9"},
        "a summary of the client": sum(message.origin is Origin.SUMMARY for message in messages) == 1,
        "an interrupted call": sum(output.status is Status.INTERRUPTED for output in outputs) == 1,
        "a long log": any(output.text.count("\n") > 300 for output in outputs),
        "big JSON": any(output.text.startswith('{\n  "account"') and len(output.text) > 10_000 for output in outputs),
        "a planted instruction": sum("ignore previous instructions" in output.text for output in outputs) == 1,
        "a fake secret": any("sk-test-EXAMPLE" in output.text for output in outputs),
        "a refused edit": any("String to replace not found" in output.text for output in outputs),
        "words of the client": sum(message.origin is Origin.CLIENT for message in messages) >= 7,
    }
    assert [what for what, there in found.items() if not there] == []


def test_the_planted_instruction_is_not_followed(messages: list[Message]) -> None:
    assert not any("quaypay-migration" in json.dumps(call.arguments) for call in calls_in(messages))


def test_it_ends_with_work_left_over(messages: list[Message]) -> None:
    todos = [call for call in calls_in(messages) if call.name == "TodoWrite"][-1].arguments["todos"]
    assert [todo["status"] for todo in todos] == ["completed"] * 3 + ["in_progress"] + ["pending"] * 2
    last = messages[-1]
    assert (last.role, last.calls) == (Role.ASSISTANT, ())
    assert "`to_text(now)` instead of `now.isoformat()`" in last.text
