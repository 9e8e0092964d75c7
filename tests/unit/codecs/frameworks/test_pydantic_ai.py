"""Messages of Pydantic AI, as it dumps them; built with the package itself where it is installed."""

from __future__ import annotations

from typing import Any

import pytest

from clew.codecs.frameworks.pydantic_ai import instructions, is_message, read_messages
from clew.domain import Call, Json, Media, Origin, Output, Part, Reasoning, Role, Status, Text, Wire


def request(*parts: Json, **more: Any) -> Json:
    return {"kind": "request", "parts": list(parts), **more}


SYSTEM: Json = {"part_kind": "system-prompt", "content": "Be brief."}
USER: Json = {"part_kind": "user-prompt", "content": "q", "timestamp": "2026-01-01T00:00:00Z"}
RETURN: Json = {"part_kind": "tool-return", "tool_name": "look", "tool_call_id": "c1", "content": {"n": 1}}
RETRY: Json = {"part_kind": "retry-prompt", "content": "Again."}


def test_each_who_speaks_in_a_request_has_a_message() -> None:
    messages = read_messages(request(SYSTEM, RETURN, RETURN | {"tool_call_id": "c2"}, USER))
    assert [message.role for message in messages] == [Role.SYSTEM, Role.TOOL, Role.USER]
    assert [output.call_id for output in messages[1].outputs] == ["c1", "c2"]
    assert messages[2].at == 1767225600.0


def test_what_the_framework_asks_for_itself_is_no_word_of_a_person() -> None:
    (message,) = read_messages(request(RETRY))
    assert (message.role, message.origin, message.text) == (Role.USER, Origin.CLIENT, "Again.")
    (message,) = read_messages(request(RETRY | {"tool_name": "look", "tool_call_id": "c1"}))
    assert message.outputs[0].status is Status.FAILED


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"n": 1}, (Text(text='{"n":1}'),)),
        ([1, 2], (Text(text="[1,2]"),)),
        (None, ()),
        ("text", (Text(text="text"),)),
        (
            [{"kind": "binary", "media_type": "image/png", "data": "AAAA"}],
            (Media(media_type="image/png", data="AAAA"),),
        ),
    ],
)
def test_tools_return_any_value(content: Any, found: tuple[Part, ...]) -> None:
    (message,) = read_messages(request(RETURN | {"content": content}))
    assert message.parts == (Output(call_id="c1", name="look", content=found),)


def test_words_and_images_of_a_person() -> None:
    content = ["See", {"kind": "image-url", "url": "https://x/y.png"}, {"kind": "cache-point"}]
    (message,) = read_messages(request(USER | {"content": content}))
    assert message.parts == (Text(text="See"), Media(media_type="image", url="https://x/y.png"))


def test_thoughts_and_calls_of_the_model() -> None:
    signed = {"part_kind": "thinking", "content": "Hm.", "signature": "seal", "provider_name": "anthropic"}
    call = {"part_kind": "tool-call", "tool_name": "look", "args": '{"n":1}', "tool_call_id": "c1"}
    (message,) = read_messages({"kind": "response", "parts": [signed, {"part_kind": "thinking", "content": "H"}, call]})
    wire = Wire("anthropic", {"type": "thinking", "thinking": "Hm.", "signature": "seal"})
    thoughts = (Reasoning(text="Hm.", seal="seal", wire=wire), Reasoning(text="H"))
    assert message.parts == (*thoughts, Call(id="c1", name="look", arguments={"n": 1}))


@pytest.mark.parametrize(
    "data", [{"kind": "request"}, {"parts": []}, {"kind": "request", "parts": 1}, {"kind": "x", "parts": []}]
)
def test_other_dicts_are_no_messages_of_pydantic_ai(data: Json) -> None:
    assert not is_message(data)


def test_every_part_of_the_package_is_read() -> None:
    messages = pytest.importorskip("pydantic_ai.messages")
    said = messages.ModelRequest(
        parts=[
            messages.SystemPromptPart("Be brief."),
            messages.UserPromptPart(["See", messages.BinaryContent(b"\xfb\xff", media_type="image/png")]),
        ],
        instructions="Answer in rhyme.",
    )
    (data,) = messages.ModelMessagesTypeAdapter.dump_python([said], mode="json")
    assert instructions(data) == "Answer in rhyme."
    system, user = read_messages(data)
    assert (system.text, user.text, user.parts_of(Media)[0].media_type) == ("Be brief.", "See", "image/png")
