"""Replies as the providers write them, whole and as streams: a text, or one call of a tool."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.provider_server import Answer


@dataclass(frozen=True)
class Says:
    """What a scripted model says: words, or a call if it has a ``tool``. ``thoughts`` are blocks or items that come
    first; where a provider has its thinking inside what is said, fields of that. ``calls`` come behind, each with its
    id, tool and arguments.
    """

    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    thoughts: tuple[dict[str, Any], ...] = ()
    model: str = ""
    calls: tuple[tuple[str, str, dict[str, Any]], ...] = ()

    @property
    def all_calls(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Every call: its id, tool and arguments."""
        return [*([(self.id, self.tool, self.arguments)] if self.tool else []), *self.calls]


def reply(path: str, said: Says, *, stream: bool, number: int = 1, counts: bool = False) -> Answer:
    """The reply of the provider that owns the path. Chunks of Chat Completions count tokens where asked to."""
    if path.endswith("/messages"):
        return anthropic_events(said, number) if stream else anthropic_message(said, number)
    if path.endswith("/chat/completions"):
        return chat_chunks(said, number, counts=counts) if stream else chat_completion(said, number)
    if path.endswith(":generateContent"):
        return gemini_response(said, number)
    return response_events(said, number) if stream else response(said, number)


def anthropic_message(said: Says, number: int) -> dict[str, Any]:
    calls = [{"type": "tool_use", "id": id, "name": name, "input": given} for id, name, given in said.all_calls]
    words = [{"type": "text", "text": said.text}] if said.text or not calls else []
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": said.model or "claude-sonnet-5",
        "content": [*said.thoughts, *words, *calls],
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def anthropic_events(said: Says, number: int) -> list[dict[str, Any]]:
    whole = anthropic_message(said, number)
    return [
        {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}},
        *(event for at, block in enumerate(whole["content"]) for event in _block_events(at, block)),
        {
            "type": "message_delta",
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": 5},
        },
        {"type": "message_stop"},
    ]


def _block_events(at: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    start, deltas = block, []
    if block["type"] == "tool_use":
        start = block | {"input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(block["input"])}]
    elif block["type"] == "text":
        start, deltas = block | {"text": ""}, [{"type": "text_delta", "text": block["text"]}]
    elif block["type"] == "thinking":
        start = block | {"thinking": "", "signature": ""}
        thought = {"type": "thinking_delta", "thinking": block["thinking"]}
        deltas = [thought, {"type": "signature_delta", "signature": block["signature"]}]
    return [
        {"type": "content_block_start", "index": at, "content_block": start},
        *({"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": at},
    ]


def chat_completion(said: Says, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.all_calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
            for id, name, given in said.all_calls
        ]
    for thought in said.thoughts:
        message |= thought
    finish = "tool_calls" if said.all_calls else "stop"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1,
        "model": said.model or "gpt-5",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def chat_chunks(said: Says, number: int, *, counts: bool = False) -> list[dict[str, Any]]:
    whole = chat_completion(said, number)
    head = {"id": whole["id"], "object": "chat.completion.chunk", "created": 1, "model": whole["model"]}
    message = whole["choices"][0]["message"]
    calls = [{"index": at} | call for at, call in enumerate(message.get("tool_calls", ()))]
    words = [({"content": message["content"]}, None)] if message["content"] or not calls else []
    first = {"role": "assistant", "content": None if calls else "", "refusal": None}
    thoughts = [(thought, None) for thought in said.thoughts]
    called = [({"tool_calls": calls}, None)] if calls else []
    deltas = [(first, None), *thoughts, *words, *called, ({}, whole["choices"][0]["finish_reason"])]
    chunks = [head | {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
    if not counts:
        return chunks
    return [*(chunk | {"usage": None} for chunk in chunks), head | {"choices": [], "usage": whole["usage"]}]


def response(said: Says, number: int) -> dict[str, Any]:
    items: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "id": f"fc_{number}" + (f"_{at}" if at else ""),
            "call_id": id,
            "name": name,
            "arguments": json.dumps(given),
            "status": "completed",
        }
        for at, (id, name, given) in enumerate(said.all_calls)
    ]
    if said.text or not items:
        words = {"type": "output_text", "text": said.text, "annotations": []}
        about = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
        items.insert(0, about | {"content": [words]})
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "model": said.model or "gpt-5",
        "status": "completed",
        "output": [*said.thoughts, *items],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "total_tokens": 15,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def response_events(said: Says, number: int) -> list[dict[str, Any]]:
    whole = response(said, number)
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
        *(event for at, item in enumerate(whole["output"]) for event in _item_events(at, item)),
        {"type": "response.completed", "response": whole},
    ]
    return [event | {"sequence_number": at} for at, event in enumerate(events)]


def _item_events(at: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "response.output_item.added", "output_index": at, "item": item | {"status": "in_progress"}},
        {"type": "response.output_item.done", "output_index": at, "item": item},
    ]


def gemini_response(said: Says, number: int) -> dict[str, Any]:
    call = {"functionCall": {"name": said.tool, "args": said.arguments}}
    part: dict[str, Any] = call if said.tool else {"text": said.text}
    for thought in said.thoughts:
        part |= thought
    return {
        "responseId": f"gemini_{number}",
        "modelVersion": said.model or "gemini-3-pro",
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    }
