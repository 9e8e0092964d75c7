"""Messages of Pydantic AI, in and out of a session."""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.engine.engine import Engine

pytest.importorskip("pydantic_ai")

from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)

from clew.adapters.conversation import Conversation
from clew.adapters.pydantic_ai import packed_messages, read_original
from clew.adapters.run_sessions import OriginalReader
from tests.conftest import HandClock

pytestmark = pytest.mark.stores("memory")
PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
MEDIA = [
    DocumentUrl(url="https://x/d.pdf"),
    AudioUrl(url="https://x/a.mp3"),
    VideoUrl(url="https://x/v.mp4"),
    ImageUrl(url="https://x/i", media_type="image/png", vendor_metadata={"detail": "low"}),
    BinaryContent(data=b"RIFF", media_type="audio/wav"),
    BinaryContent(data=b"%PDF", media_type="application/pdf", identifier="paper"),
    UploadedFile(file_id="f1", provider_name="openai", media_type="text/plain"),
]
SEALED = ThinkingPart(content="", id="rs_1", signature="sealed", provider_name="openai")
CALL = ToolCallPart("shot", {"a": None}, tool_call_id="c1", provider_details={"thought_signature": "c2ln"})

CONVERSATION: list[ModelMessage] = [
    ModelRequest(parts=[SystemPromptPart("Be kind."), UserPromptPart(["See.", *MEDIA, CachePoint()])]),
    ModelResponse(parts=[SEALED, TextPart("So.", id="msg_1"), CALL], provider_name="openai", model_name="gpt-5"),
    ModelRequest(parts=[ToolReturnPart("shot", ["see", BinaryContent(data=PNG, media_type="image/png")], "c1")]),
    ModelResponse(parts=[ToolCallPart("shot", {}, tool_call_id="c2")]),
    ModelRequest(parts=[ToolReturnPart("shot", "Again.", "c2", outcome="retried"), UserPromptPart("Hurry.")]),
]


def packed(engine: Engine, given: list[ModelMessage], **options: Any) -> list[Any]:
    """What is sent for these messages by an adapter that has seen no others."""
    pack = Conversation(engine.session("s"), format="anthropic", **options).pack(given)
    return packed_messages(pack.content.as_messages(), given, OriginalReader(read_original).originals(given))


def parts_of(messages: list[Any]) -> list[Any]:
    return [part for message in messages for part in message.parts]


def test_what_is_sent_word_for_word_are_the_parts_that_came(engine: Engine) -> None:
    given: list[ModelMessage] = [CONVERSATION[0], *CONVERSATION[1:]]
    given[0] = ModelRequest(parts=[SystemPromptPart("Be kind."), UserPromptPart(["See.", MEDIA[4], CachePoint()])])
    sent = packed(engine, given)
    assert sent == given
    assert all(one is other for one, other in zip(parts_of(sent), parts_of(given), strict=True))


@pytest.mark.parametrize("medium", MEDIA, ids=lambda one: type(one).__name__)
def test_each_kind_of_media_stays_what_it_is(medium: Any, engine: Engine) -> None:
    prompt = UserPromptPart([medium, "What is it?"])
    (sent,) = packed(engine, [ModelRequest(parts=[prompt])])
    assert sent.parts[0] is prompt


def test_a_later_process_sends_the_same_content(tmp_path: Path, clock: HandClock) -> None:
    asked = CONVERSATION[0].parts[1]
    assert isinstance(asked, UserPromptPart)
    clock.time = asked.timestamp.timestamp() + 1  # the messages are as old as this module: soon the cache is cold
    with clew.open(tmp_path / "work.db", clock=clock) as engine:
        packed(engine, CONVERSATION, budget=1_000_000)
    with clew.open(tmp_path / "work.db", clock=clock) as engine:
        more: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("Go on.")])]
        first, reply, returned, *_ = packed(engine, more, budget=1_000_000)
    content = [part.content if isinstance(part.content, str) else part.content[0] for part in first.parts]
    assert content == ["See.", *MEDIA]
    assert reply.parts == [SEALED, TextPart("So.", id="msg_1"), CALL]
    assert returned.parts[0].content == ["see", BinaryContent(data=PNG, media_type="image/png")]
    assert returned.parts[0].tool_name == "shot"


def test_system_prompts_stay_when_what_they_stood_among_is_no_longer_sent(engine: Engine) -> None:
    given: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart("Be kind."), UserPromptPart("Say 0. " * 40)])]
    for at in range(1, 30):
        given += [ModelResponse(parts=[TextPart(f"{at}. " * 60)]), ModelRequest(parts=[UserPromptPart(f"{at}? " * 60)])]
    prompt = UserPromptPart([TextContent("See.", metadata={"n": 1}), CachePoint()])
    given[-1].parts = [SystemPromptPart("In German."), prompt]
    sent = packed(engine, given, budget=2_000)
    assert len(sent) < len(given)
    prompts = [part.content for part in parts_of(sent) if isinstance(part, SystemPromptPart)]
    assert prompts == ["Be kind.", "In German."]
    assert sent[-1].parts[-1] is prompt


def test_thoughts_of_other_clients_keep_their_seals_with_the_provider(engine: Engine) -> None:
    session = engine.session("s")
    session.record([{"role": "user", "content": "Why?"}], format="anthropic")
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "seal"}
    said = [thought, {"type": "redacted_thinking", "data": "dark"}, {"type": "text", "text": "So."}]
    session.reply({"role": "assistant", "content": said}, format="anthropic")
    sent = packed(engine, [ModelRequest(parts=[UserPromptPart("Go on.")])])
    assert sent[1].parts == [
        ThinkingPart(content="Hm.", signature="seal", provider_name="anthropic"),
        ThinkingPart(content="", id="redacted_thinking", signature="dark", provider_name="anthropic"),
        TextPart(content="So."),
    ]


def test_a_last_request_without_words_is_sent_as_it_is(engine: Engine) -> None:
    last = ModelRequest(parts=[SystemPromptPart("In German.")], instructions="Go on.")
    given: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("Why?")]), ModelResponse(parts=[TextPart("So.")])]
    assert packed(engine, [*given, last]) == [*given, last]
