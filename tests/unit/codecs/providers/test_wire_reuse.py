"""What came in a provider's format leaves in it as it came, whole or in part."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from clew.codecs import registry
from clew.domain import Json, Origin, Output, Part, Role, Status, Text
from tests.codec_examples.file_reader import broken
from tests.codec_examples.providers import (
    EXAMPLES,
    FORMATS,
    LISTS,
    decoded,
    read_message,
    round_trip,
    without_wires,
)


@pytest.mark.parametrize("format", FORMATS)
def test_a_request_comes_back_as_it_was(format: str) -> None:
    assert round_trip(format, EXAMPLES[format]) == EXAMPLES[format]


@pytest.mark.parametrize("format", FORMATS)
def test_a_request_comes_back_when_no_message_was_kept_whole(format: str) -> None:
    codec = registry.codec(format)
    messages, _ = decoded(codec, EXAMPLES[format])
    apart = [replace(message, wire=None, id=f"m{at}") for at, message in enumerate(messages)]
    again, _ = decoded(codec, registry.encoder(format).encode(apart).body)
    assert [without_wires(message.parts) for message in again] == [without_wires(message.parts) for message in messages]


@pytest.mark.parametrize("format", FORMATS)
def test_a_changed_text_leaves_all_else_alone(format: str) -> None:
    messages, tools = decoded(registry.codec(format), EXAMPLES[format])
    at, old = next((at, m) for at, m in enumerate(messages) if m.role is Role.USER and m.parts_of(Text))
    parts = tuple(replace(part, text="Changed.") if isinstance(part, Text) else part for part in old.parts)
    messages[at] = replace(old, parts=parts)
    body = registry.encoder(format).encode(messages, tools=tools).body
    name = LISTS[format]
    changed = [(a, b) for a, b in zip(EXAMPLES[format][name], body[name], strict=True) if a != b]
    assert len(changed) == 1
    assert "Changed." in json.dumps(changed[0][1])


@pytest.mark.parametrize("format", FORMATS)
def test_a_shortened_output_keeps_its_call_and_its_place(format: str) -> None:
    messages, _ = decoded(registry.codec(format), EXAMPLES[format])

    def shortened(part: Part) -> Part:
        return replace(part, content=(Text(text="short"),)) if isinstance(part, Output) and not part.server else part

    short = [replace(m, parts=tuple(map(shortened, m.parts)), wire=None) if m.outputs else m for m in messages]
    again, _ = decoded(registry.codec(format), registry.encoder(format).encode(short).body)
    assert [(o.call_id, o.text, o.status) for m in again for o in m.outputs if not o.server] == [
        (o.call_id, "short", o.status) for m in messages for o in m.outputs if not o.server
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_not_as_it_should_be_is_refused_or_kept(format: str) -> None:
    codec, encoder = registry.codec(format), registry.encoder(format)
    for item in EXAMPLES[format][LISTS[format]]:
        for data in broken(item):
            try:
                message = codec.read(json.dumps(data).encode()).message
            except ValueError:
                continue
            if message is not None and message.role is not Role.SYSTEM and message.parts:
                assert encoder.encode([message]).body[LISTS[format]] == [data]


@pytest.mark.parametrize("format", FORMATS)
def test_a_system_prompt_handed_over_beside_the_messages_goes_where_the_format_has_it(format: str) -> None:
    codec = registry.codec(format)
    record = codec.read(codec.system_body("Be brief."))  # type: ignore[attr-defined]
    assert record.message is not None
    assert (record.message.role, record.message.origin, record.message.text) == (
        Role.SYSTEM,
        Origin.SYSTEM,
        "Be brief.",
    )
    expected: dict[str, Json] = {
        "anthropic": {"system": "Be brief.", "messages": []},
        "openai-chat": {"messages": [{"role": "system", "content": "Be brief."}]},
        "openai-responses": {"instructions": "Be brief.", "input": []},
        "gemini": {"systemInstruction": "Be brief.", "contents": []},
    }
    assert registry.encoder(format).encode([record.message]).body == expected[format]


def test_how_a_call_ended_may_be_learned_elsewhere_without_changing_what_is_sent() -> None:
    data = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "stopped"}]}
    message = read_message("anthropic", data)
    known = tuple(replace(part, status=Status.INTERRUPTED) for part in message.outputs)
    body = registry.encoder("anthropic").encode([replace(message, parts=known, wire=None)]).body
    assert body == {"messages": [data]}
