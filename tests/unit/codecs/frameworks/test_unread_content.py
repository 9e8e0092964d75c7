"""What a caller hands in is understood, or refused in a line that says what came; then nothing is recorded."""

from __future__ import annotations

from collections import UserDict
from types import MappingProxyType
from typing import Any

import pytest

import clew
from clew.engine.engine import Engine
from clew.errors import UsageError

pytestmark = pytest.mark.stores("memory")

RULE = "never delete prod"
CALLS = [{"function": {"name": "f", "arguments": {"a": 1}}}]
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "Bedrock, words": ({"role": "user", "content": [{"text": RULE}]}, "a block has no type that is known: it has text"),
    "Bedrock, a call": ({"role": "assistant", "content": [{"toolUse": {"toolUseId": "1"}}]}, "it has toolUse"),
    "Bedrock, a result": ({"role": "user", "content": [{"toolResult": {"content": []}}]}, "it has toolResult"),
    "a dict": ({"role": "user", "content": {"text": RULE}}, "it has text"),
    "a number": ({"role": "user", "content": 42}, "42 (int) is no block of content"),
    "nothing in a list": ({"role": "user", "content": [None]}, "None (NoneType) is no block of content"),
    "Assistants": (
        {"role": "user", "content": [{"type": "text", "text": {"value": RULE}}]},
        "of type 'text' is not as",
    ),
    "Ollama, a call": ({"role": "assistant", "content": "", "tool_calls": CALLS}, "a call has no id"),
    "Ollama, a result": ({"role": "tool", "tool_name": "f", "content": "42"}, "tool_name is a member of Ollama"),
    "Ollama, an image": ({"role": "user", "content": "q", "images": ["aGk="]}, "images is a member of Ollama"),
    "a result of no call": ({"role": "tool", "content": "42"}, "without the tool_call_id"),
    "half a result": (
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"json": {}}]}]},
        "it has json",
    ),
    "half a call": ({"role": "assistant", "content": [{"type": "tool_use", "id": "c"}]}, "of type 'tool_use'"),
    "half an item": ({"type": "function_call", "name": "f"}, "of type 'function_call'"),
    "half a piece": ({"role": "user", "content": [{"type": "input_text", "text": 7}]}, "of type 'input_text'"),
    "half a part": ({"role": "model", "parts": [{"text": "x"}, {"functionCall": {}}]}, "it has functionCall"),
    "no part": ({"role": "user", "parts": [{"text": "x"}, {"colour": "red"}]}, "it has colour"),
    "LangChain": ({"type": "human", "content": [{"text": RULE}]}, "it has text"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_understood_is_refused(engine: Engine, name: str) -> None:
    message, words = REFUSED[name]
    session = engine.session("s")
    with pytest.raises(UsageError) as caught:
        session.record([{"role": "user", "content": "first"}, message], system="Be brief.")
    assert words in str(caught.value)
    assert "message 1" in str(caught.value)
    assert session.info.entries == 0


def test_the_format_that_was_named_must_be_the_one_that_came(engine: Engine) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match=r"message 0, .*, is not anthropic: it has no content"):
        session.record({"role": "user", "parts": [{"text": RULE}]}, format="anthropic")
    assert session.info.entries == 0


KEPT: dict[str, dict[str, Any]] = {
    "a file of Anthropic": {
        "role": "user",
        "content": [{"type": "document", "source": {"type": "file", "file_id": "f"}}],
    },
    "a later kind": {"role": "assistant", "content": [{"type": "hologram", "light": 1}, {"type": "text", "text": "x"}]},
    "a file of OpenAI": {"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]},
    "a file of Responses": {"role": "user", "content": [{"type": "input_file", "file_id": "f"}]},
    "an image of Responses": {"role": "user", "content": [{"type": "input_image", "file_id": "f", "detail": "low"}]},
    "a search": {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    "sound": {"role": "assistant", "content": None, "audio": {"id": "a1"}},
    "code of Gemini": {
        "role": "model",
        "parts": [{"text": "x"}, {"executableCode": {"code": "1"}}],
    },
    "an empty reply": {"role": "assistant", "content": []},
}


@pytest.mark.parametrize("name", KEPT)
def test_what_only_its_provider_understands_is_kept(engine: Engine, name: str) -> None:
    session = engine.session("s")
    session.record(KEPT[name])
    assert session.info.entries == 1


@pytest.mark.parametrize("mapping", [UserDict, MappingProxyType])
def test_any_mapping_is_a_message(engine: Engine, mapping: Any) -> None:
    session = engine.session("s")
    session.record(mapping({"role": "user", "content": RULE}))
    session.record([mapping({"role": "assistant", "content": "Never."})])
    assert [message.text for message in session.messages()] == [RULE, "Never."]


def test_natural_mistakes_with_a_pack_are_told(engine: Engine) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match="give a string"):
        session.pack(clew.user("a"))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a budget is a number of tokens, not '8k'"):
        session.pack("a", budget="8k")  # type: ignore[arg-type]
