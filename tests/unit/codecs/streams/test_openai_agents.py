"""Events of a run of the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from clew.codecs.streams.openai_responses import OpenAIAgentsStream
from clew.domain import Json
from clew.engine.engine import Engine
from tests.provider_replies import Says, response_events

OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "all is well"}


def raw(said: Says, number: int) -> list[Json]:
    return [{"type": "raw_response_event", "data": event} for event in response_events(said, number)]


EVENTS: list[Any] = [
    {"type": "agent_updated_stream_event", "new_agent": {"name": "a"}},
    *raw(Says(tool="look", arguments={"place": "log"}, id="c1"), 1),
    {"type": "run_item_stream_event", "name": "tool_called", "item": {"type": "tool_call_item", "raw_item": {}}},
    {"type": "run_item_stream_event", "name": "tool_output", "item": {"raw_item": OUTPUT}},
    *raw(Says("Found."), 2),
]


def fed(events: list[Any]) -> OpenAIAgentsStream:
    stream = OpenAIAgentsStream()
    for event in events:
        stream.feed(event)
    return stream


def test_a_run_is_its_responses_and_what_tools_gave_back() -> None:
    stream = fed(EVENTS)
    first, output, last = stream.response() or []
    assert (first["id"], output, last["id"], stream.is_complete) == ("resp_1", OUTPUT, "resp_2", True)


def test_a_run_is_complete_while_no_response_is_under_way() -> None:
    assert fed(EVENTS[:7]).is_complete
    cut = fed(EVENTS[:-1])
    assert not cut.is_complete
    assert [one.get("interrupted") for one in cut.response() or []] == [None, None, True]
    assert fed(EVENTS[:1]).response() is None


def test_a_session_records_the_turns_of_a_run(engine: Engine) -> None:
    session = engine.session("s")
    stream = session.stream(EVENTS)
    assert list(stream) == EVENTS
    called, output, said = session.messages()
    assert [call.id for call in called.calls] == [one.call_id for one in output.outputs] == ["c1"]
    assert (said.text, stream.interrupted) == ("Found.", False)
    assert called.usage is not None
