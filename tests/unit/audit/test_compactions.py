"""Compactions of a session, and how long people waited for them."""

from __future__ import annotations

from pathlib import Path

from clew.audit.compactions import CompactedSpan, compacted_spans
from clew.audit.recorded_session import read_sessions
from tests.audited_session import Lines, shop


def spans(lines: Lines, folder: Path) -> list[CompactedSpan]:
    return list(compacted_spans(read_sessions(str(lines.write(folder / "s.jsonl"))).sessions[0]))


def test_waiting_is_counted_from_the_last_message_to_the_end_of_the_compaction(tmp_path: Path) -> None:
    (span,) = spans(shop(), tmp_path)
    assert (span.seconds, span.since) == (60.0, 7)
    assert (len(span.before), len(span.after)) == (7, 7)
    assert span.summary is not None
    assert span.summary.id == "m8"


def test_what_the_client_says_of_the_time_is_believed(tmp_path: Path) -> None:
    lines = Lines()
    lines.says("hello")
    lines.answers("hi")
    lines.compacts("Greetings.", durationMs=4_200)
    assert [span.seconds for span in spans(lines, tmp_path)] == [4.2]


def test_nobody_waits_behind_an_answer_unless_a_command_says_so(tmp_path: Path) -> None:
    lines = Lines()
    lines.says("hello")
    lines.answers("hi")
    lines.compacts("Greetings.", seconds=500)
    assert [span.seconds for span in spans(lines, tmp_path)] == [None]
    typed = dict(lines.lines[1], type="user", uuid="typed", timestamp="2026-03-01T10:08:12.000Z")
    typed["message"] = {"role": "user", "content": "<command-name>/compact</command-name>"}
    lines.lines.append(typed)
    assert [span.seconds for span in spans(lines, tmp_path)] == [10.0]


def test_a_session_that_begins_with_a_summary_was_compacted_elsewhere(tmp_path: Path) -> None:
    lines = Lines()
    lines.compacts("Greetings.")
    lines.answers("hi")
    assert spans(lines, tmp_path) == []
