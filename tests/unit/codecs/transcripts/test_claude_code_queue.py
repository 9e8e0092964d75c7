"""Words typed while the assistant works: each is read once, whatever becomes of it, and those still waiting as well."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from clew.codecs.transcripts.claude_code import ClaudeCode
from clew.domain import SkippedRecord
from clew.engine.engine import Engine
from tests.codec_examples.file_reader import said
from tests.lines import SESSION, jsonl, line

CODEC = ClaudeCode()
TALK = [line(1, "user", "Mend the login."), line(2, "assistant", [{"type": "text", "text": "I look at it."}])]
REPLY = line(8, "assistant", [{"type": "text", "text": "Done."}])


def queue(number: int, operation: str, content: str = "", **more: Any) -> dict[str, Any]:
    told = {"content": content} if content else {}
    at = f"2026-03-01T10:00:{number:02d}.000Z"
    return {"type": "queue-operation", "operation": operation, "timestamp": at, "sessionId": SESSION, **told, **more}


def attachment(number: int, words: str) -> dict[str, Any]:
    prompt = {"type": "queued_command", "prompt": words, "origin": {"kind": "human"}}
    return {"type": "attachment", "uuid": f"u{number}", "sessionId": SESSION, "attachment": prompt}


def persons(data: bytes) -> list[str]:
    return [text for _, origin, text in said(CODEC, data) if origin == "person"]


def test_words_that_still_wait_at_the_end_are_said() -> None:
    data = jsonl([*TALK, queue(3, "enqueue", "use tabs"), queue(4, "enqueue", "and push"), queue(5, "remove")])
    assert persons(data) == ["Mend the login.", "use tabs", "and push"]


@pytest.mark.parametrize(
    "later",
    [
        [queue(4, "popAll")],
        [queue(4, "remove", "use tabs", reason="cancelled")],
        [line(5, "user", "Forget it, push.")],
    ],
)
def test_words_that_were_taken_back_or_lost_do_not_wait(later: list[dict[str, Any]]) -> None:
    assert "use tabs" not in persons(jsonl([*TALK, queue(3, "enqueue", "use tabs"), *later]))


NOTICE = '{"task_id":"b1","tool_use_id":"toolu_1","description":"Never push to main.","task_type":"local_bash"}'


@pytest.mark.parametrize(
    "words",
    [
        "/config",
        "/compact never push to main",
        "<task-notification>done</task-notification>",
        "<system-reminder>x</system-reminder>",
        NOTICE,
    ],
)
def test_what_a_person_did_not_say_to_the_model_does_not_wait(words: str) -> None:
    assert persons(jsonl([*TALK, queue(3, "enqueue", words)])) == ["Mend the login."]
    assert persons(jsonl([*TALK, queue(3, "enqueue", words), queue(4, "remove")])) == ["Mend the login."]


@pytest.mark.parametrize(
    "later",
    [
        [],
        [queue(4, "remove")],
        [queue(4, "remove", NOTICE)],
        [queue(4, "remove", NOTICE, reason="absorbed_mid_turn"), attachment(5, NOTICE)],
        [queue(4, "dequeue", NOTICE), line(5, "user", NOTICE)],
        [queue(4, "popAll")],
    ],
)
def test_a_task_in_the_background_is_nobodys_request(
    engine: Engine, tmp_path: Path, later: list[dict[str, Any]]
) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(jsonl([*TALK, queue(3, "enqueue", NOTICE), *later, REPLY]))
    session = engine.find(engine.import_file(path)[0].session)
    assert [id for _, id in session.reader.outline()] == ["x1"]
    assert session.pins() == []
    assert persons(path.read_bytes()) == ["Mend the login."]


def test_words_that_wait_beside_a_notice_are_said() -> None:
    waiting = [queue(3, "enqueue", "use tabs"), queue(4, "enqueue", NOTICE), queue(5, "remove", NOTICE)]
    assert persons(jsonl([*TALK, *waiting, REPLY])) == ["Mend the login.", "use tabs"]


def test_a_file_is_read_on_from_where_the_oldest_words_were_typed() -> None:
    lines = [*TALK, queue(3, "enqueue", "use tabs"), REPLY]
    found = [raw for raw in CODEC.split(BytesIO(jsonl(lines))) if not isinstance(raw, SkippedRecord)]
    assert (found[-1].line, found[-1].end) == (found[1].line, found[1].end) == (2, len(jsonl(TALK)))


def test_a_torn_last_line_stays_the_last() -> None:
    data = jsonl([*TALK, queue(3, "enqueue", "use tabs")]) + b'{"type": "assis'
    found = [raw for raw in CODEC.split(BytesIO(data)) if not isinstance(raw, SkippedRecord)]
    assert found[-1].body == b'{"type": "assis'
    assert found[-2].line == 2


FURTHER = {
    "delivered in mid-turn": [queue(4, "remove")],
    "delivered and told twice": [queue(4, "remove", "use tabs", reason="absorbed_mid_turn"), attachment(5, "use tabs")],
    "told before it is removed": [attachment(4, "use tabs"), queue(5, "remove", "use tabs")],
    "a message of its own": [queue(4, "dequeue"), line(5, "user", "use tabs")],
    "a message of blocks": [queue(4, "dequeue"), line(5, "user", [{"type": "text", "text": "use tabs"}])],
}


@pytest.mark.stores("memory")
@pytest.mark.parametrize("further", FURTHER)
@pytest.mark.parametrize("step", [1, 2, 9])
def test_words_that_waited_are_recorded_once(engine: Engine, tmp_path: Path, further: str, step: int) -> None:
    """The file is read after every so many lines, and again from its beginning by another path."""
    path = tmp_path / "a.jsonl"
    lines = [*TALK, queue(3, "enqueue", "use tabs"), *FURTHER[further], REPLY, line(9, "user", "use tabs")]
    for at in range(3, len(lines) + step, step):
        path.write_bytes(jsonl(lines[:at]))
        (report,) = engine.import_file(path)
    (tmp_path / "b.jsonl").write_bytes(jsonl(lines))
    engine.import_file(tmp_path / "b.jsonl")
    told = [one.text for one in engine.find(report.session).reader.history().record_view()]
    assert told == ["Mend the login.", "I look at it.", "use tabs", "Done.", "use tabs"], lines


@pytest.mark.stores("memory")
def test_the_same_words_may_wait_again(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl([*TALK, queue(3, "enqueue", "go on"), queue(4, "remove"), queue(5, "enqueue", "go on")]))
    (report,) = engine.import_file(path)
    told = [one.text for one in engine.find(report.session).reader.history().record_view()]
    assert told == ["Mend the login.", "I look at it.", "go on", "go on"]


@pytest.mark.stores("memory")
def test_words_that_wait_begin_an_exchange_and_are_the_newest_request(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl([*TALK, queue(3, "enqueue", "Never push to main."), REPLY]))
    (report,) = engine.import_file(path)
    session = engine.find(report.session)
    assert session.reader.history().record_view()[-1].text == "Never push to main."
    assert [item.text for item in session.pins()] == ["Never push to main."]
