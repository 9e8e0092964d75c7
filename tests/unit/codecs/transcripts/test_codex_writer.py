"""Lines of a rollout that is made here."""

from __future__ import annotations

from clew.codecs.transcripts.codex_writer import session_lines
from clew.domain import Json, Message
from clew.ports import SessionHead
from tests.builders import injected, says, user

HEAD = SessionHead(id="7", at=1777629600.0, cwd="/srv/shop", version="1.0")


def lines(*said: Message) -> list[Json]:
    return list(session_lines([({"role": "user", "content": "…"}, one) for one in said], HEAD))


def test_the_screen_shows_what_a_person_typed_and_the_model_said() -> None:
    found = lines(user("<system-reminder>two to-dos</system-reminder>", "Go."), injected("So be it."), says("Gone."))
    assert [line["payload"] for line in found if line["type"] == "event_msg"] == [
        {"type": "user_message", "message": "Go."},
        {"type": "agent_message", "message": "Gone."},
    ]


def test_no_two_lines_are_equal() -> None:
    found = lines(user("Go."), user("Go."))
    assert [line["ordinal"] for line in found] == list(range(5))
    assert {line["timestamp"] for line in found} == {"2026-05-01T10:00:00.000Z"}
