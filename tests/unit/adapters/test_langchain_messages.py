"""Messages of LangChain, in and out of a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import clew
from clew.engine.engine import Engine
from clew.parts import Call

pytest.importorskip("langchain")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from clew.adapters.conversation import Conversation
from clew.adapters.langchain import packed_messages, read_original
from clew.adapters.run_sessions import OriginalReader

pytestmark = pytest.mark.stores("memory")
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SIGNED = {"__gemini_function_call_thought_signatures__": {"c1": "c2ln"}}
SCREEN = [{"type": "text", "text": "the screen:"}, {"type": "image", "base64": PNG, "mime_type": "image/png"}]
PDF = {"type": "file", "base64": "JVBERi0xLjQ=", "mime_type": "application/pdf", "filename": "d.pdf"}
SOUND = {"type": "audio", "base64": "UklGRg==", "mime_type": "audio/wav"}
FILM = {"type": "video", "url": "https://x/v.mp4", "mime_type": "video/mp4"}
PICTURE = {"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "low"}}
SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "seal"}
CALL = {"name": "look", "args": {"at": None}, "id": "c1", "type": "tool_call"}

CONVERSATION: list[BaseMessage] = [
    HumanMessage(content=[{"type": "text", "text": "See."}, PDF, SOUND, FILM, PICTURE], name="alice", id="h1"),
    AIMessage(content=[SEALED, THOUGHT, {"type": "text", "text": "So."}], tool_calls=[CALL], additional_kwargs=SIGNED),
    ToolMessage(content=SCREEN, tool_call_id="c1", artifact={"rows": [1]}, name="look"),
    AIMessage(content="Done.", response_metadata={"model_name": "gpt-5", "finish_reason": "stop"}, id="a2"),
    ChatMessage(content="Good.", role="user"),
]


def packed(engine: Engine, given: list[BaseMessage], **options: Any) -> list[BaseMessage]:
    """What is sent for these messages by an adapter that has seen no others."""
    pack = Conversation(engine.session("s"), format="anthropic", **options).pack(given)
    return packed_messages(pack.content.as_messages(), OriginalReader(read_original).originals(given))


def test_what_is_sent_word_for_word_are_the_messages_that_came(engine: Engine) -> None:
    sent = packed(engine, CONVERSATION, budget=1_000_000)
    assert all(one is other for one, other in zip(sent, CONVERSATION, strict=True))


def test_a_later_process_sends_the_same_content(tmp_path: Path) -> None:
    with clew.open(tmp_path / "work.db") as engine:
        packed(engine, CONVERSATION, budget=1_000_000)
    with clew.open(tmp_path / "work.db") as engine:
        sent = packed(engine, [HumanMessage("Go on.")], budget=1_000_000)
    assert [message.content for message in sent] == [*(message.content for message in CONVERSATION), "Go on."]
    assert [message.type for message in sent] == ["human", "ai", "tool", "ai", "human", "human"]
    assert sent[1].additional_kwargs == SIGNED
    assert sent[1].tool_calls == [CALL]  # type: ignore[attr-defined]
    assert (sent[2].tool_call_id, sent[2].status) == ("c1", "success")  # type: ignore[attr-defined]


def test_text_that_a_pack_puts_before_a_message_leaves_the_rest_of_it(engine: Engine) -> None:
    before = [message for at in range(30) for message in (HumanMessage(f"Say {at}. " * 40), AIMessage(f"{at}. " * 40))]
    newest = HumanMessage(content=[{"type": "text", "text": "See."}, PDF], name="alice")
    sent = packed(engine, [*before, newest], budget=2_000)
    assert len(sent) < len(before)
    assert "Say 0." not in sent[-1].text
    assert sent[-1].name == "alice"
    assert sent[-1].content[-1] == PDF


def test_thoughts_beside_the_content_stay_there(tmp_path: Path) -> None:
    reply = AIMessage(content="So.", additional_kwargs={"reasoning_content": "Hm."})
    with clew.open(tmp_path / "work.db") as engine:
        packed(engine, [HumanMessage("Why?"), reply])
        sent = packed(engine, [HumanMessage("Go on.")])
    assert (sent[1].content, sent[1].additional_kwargs) == ("So.", {"reasoning_content": "Hm."})


def test_system_messages_among_others_stay_system_messages(engine: Engine) -> None:
    packed(engine, [HumanMessage("Why?"), AIMessage("So."), SystemMessage("In German."), HumanMessage("And?")])
    sent = packed(engine, [HumanMessage("Go on.")])
    assert [message.type for message in sent] == ["human", "ai", "system", "human", "human"]


def test_chunks_of_one_message_are_one_message(engine: Engine) -> None:
    session = engine.session("s")
    first = {"name": "f", "args": '{"a"', "id": "c", "index": 0}
    call = [first, {"name": None, "args": ":1}", "id": None, "index": 0}]
    chunks = [AIMessageChunk(content="", tool_call_chunks=[one], id="run-1") for one in call]
    session.record([HumanMessage("Go."), *chunks, ToolMessage("fine", tool_call_id="c")])
    assert [message.calls for message in session.messages()] == [(), (Call(id="c", name="f", arguments={"a": 1}),), ()]


def test_a_stream_of_a_chat_model_is_recorded(engine: Engine) -> None:
    session = engine.session("s")
    model = GenericFakeChatModel(messages=iter([AIMessage("Hello big world.")]))
    with session.stream(model.stream("Hi.")) as stream:
        assert "".join(str(chunk.content) for chunk in stream) == "Hello big world."
    assert [(one.text, one.interrupted) for one in session.messages()] == [("Hello big world.", False)]
