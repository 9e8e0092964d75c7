"""One reply of each API, whole and as the events of its stream: words, thoughts with their signatures, two calls."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clew.domain import Json

WORDS = ["I look ", "at the ", "log first."]
THOUGHT = ["The login ", "fails since ", "Monday."]
CALLS = [("call_1", "read", '{"path": "login.py"}'), ("call_2", "list", "{}")]


@dataclass(frozen=True)
class StreamExample:
    """``tokens`` are what the API counted: input, output."""

    format: str
    whole: Json
    events: list[Json]
    tokens: tuple[int, int] = (120, 45)


def halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


# ── Anthropic ────────────────────────────────────────────────────────────────────────────────────────


def anthropic() -> StreamExample:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-5"}
    citation = {
        "type": "char_location",
        "cited_text": "500",
        "document_index": 0,
        "document_title": "log",
        "start_char_index": 0,
        "end_char_index": 3,
        "file_id": None,
    }
    blocks: list[Json] = [
        {"type": "thinking", "thinking": "".join(THOUGHT), "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        {"type": "text", "text": "".join(WORDS), "citations": [citation]},
        *({"type": "tool_use", "id": id, "name": name, "input": loads(text)} for id, name, text in CALLS),
    ]
    usage = {"input_tokens": 100, "output_tokens": 45, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 0}
    ended = {"stop_reason": "tool_use", "stop_sequence": None}
    start = message | {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage | {"output_tokens": 1}}
    events: list[Json] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for at, block in enumerate(blocks):
        first, deltas = _anthropic_deltas(block)
        events.append({"type": "content_block_start", "index": at, "content_block": first})
        events += ({"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": at})
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 45}})
    events.append({"type": "message_stop"})
    return StreamExample("anthropic", message | {"content": blocks, "usage": usage} | ended, events)


def _anthropic_deltas(block: Json) -> tuple[Json, list[Json]]:
    match block["type"]:
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": text} for text in THOUGHT]
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return block | {"thinking": "", "signature": ""}, [*deltas, signed]
        case "text":
            cited = [{"type": "citations_delta", "citation": one} for one in block["citations"]]
            texts = [{"type": "text_delta", "text": text} for text in WORDS]
            return {"type": "text", "text": "", "citations": None}, [*texts, *cited]
        case "tool_use":
            text = next(text for id, _, text in CALLS if id == block["id"]) if block["input"] else ""
            pieces = ["", *halves(text)] if text else [""]
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        case _:
            return block, []


# ── OpenAI Chat ──────────────────────────────────────────────────────────────────────────────────────


def openai_chat() -> StreamExample:
    head = {"id": "chatcmpl-1", "created": 1_800_000_000, "model": "gpt-5"}
    calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": text}} for id, name, text in CALLS]
    message = {"role": "assistant", "content": "".join(WORDS), "refusal": None, "reasoning_content": "".join(THOUGHT)}
    usage = {"prompt_tokens": 120, "completion_tokens": 45, "total_tokens": 165}
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": message | {"tool_calls": calls}}
    whole = head | {"object": "chat.completion", "choices": [choice], "usage": usage}
    deltas: list[Json] = [{"role": "assistant", "content": "", "refusal": None}]
    deltas += ({"reasoning_content": text} for text in THOUGHT)
    deltas += ({"content": text} for text in WORDS)
    for at, (id, name, text) in enumerate(CALLS):
        function = {"name": name, "arguments": ""}
        deltas.append({"tool_calls": [{"index": at, "id": id, "type": "function", "function": function}]})
        deltas += ({"tool_calls": [{"index": at, "function": {"arguments": piece}}]} for piece in halves(text))
    chunk = head | {"object": "chat.completion.chunk"}
    events = [chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append(chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    events.append(chunk | {"choices": [], "usage": usage})
    return StreamExample("openai-chat", whole, events)


# ── OpenAI Responses ─────────────────────────────────────────────────────────────────────────────────


def openai_responses() -> StreamExample:
    head: Json = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_800_000_000,
        "model": "gpt-5",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    text = {"type": "output_text", "text": "".join(WORDS), "annotations": []}
    items: list[Json] = [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "".join(THOUGHT)}],
            "encrypted_content": "c2VhbGVk",
        },
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]},
        *(
            {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": text}
            | {"status": "completed"}
            for id, name, text in CALLS
        ),
    ]
    usage = {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 45,
        "output_tokens_details": {"reasoning_tokens": 9},
        "total_tokens": 165,
    }
    whole = head | {"status": "completed", "output": items, "usage": usage}
    created = {"type": "response.created", "response": head | {"status": "in_progress", "output": []}}
    events = [created, created | {"type": "response.in_progress"}]
    for at, item in enumerate(items):
        events += _item_events(at, item)
    events.append({"type": "response.completed", "response": whole})
    numbered = [event | {"sequence_number": at} for at, event in enumerate(events)]
    return StreamExample("openai-responses", whole, numbered)


def _item_events(at: int, item: Json) -> Iterator[Json]:
    where = {"output_index": at, "item_id": item["id"]}
    match item["type"]:
        case "reasoning":
            begun: Json = {"type": "reasoning", "id": item["id"], "summary": []}
            kind, deltas, place = "reasoning_summary_text.delta", THOUGHT, {"summary_index": 0}
        case "message":
            begun = item | {"status": "in_progress", "content": []}
            kind, deltas, place = "output_text.delta", WORDS, {"content_index": 0, "logprobs": []}
        case _:
            begun = item | {"status": "in_progress", "arguments": ""}
            kind, deltas, place = "function_call_arguments.delta", halves(item["arguments"]), {}
    yield {"type": "response.output_item.added", "output_index": at, "item": begun}
    if item["type"] == "message":
        empty = item["content"][0] | {"text": ""}
        yield {"type": "response.content_part.added", "content_index": 0, "part": empty} | where
    for delta in deltas:
        yield {"type": f"response.{kind}", "delta": delta} | where | place
    if item["type"] == "message":
        yield {"type": "response.output_text.done", "text": "".join(WORDS)} | where | place
        yield {"type": "response.content_part.done", "content_index": 0, "part": item["content"][0]} | where
    yield {"type": "response.output_item.done", "output_index": at, "item": item}


# ── Gemini ───────────────────────────────────────────────────────────────────────────────────────────


def gemini() -> StreamExample:
    head = {"modelVersion": "gemini-3-pro", "responseId": "r1"}
    signature = base64.b64encode(b"a signature").decode()
    calls: list[Json] = [{"functionCall": {"id": id, "name": name, "args": loads(text)}} for id, name, text in CALLS]
    calls[0]["thoughtSignature"] = signature
    parts: list[Json] = [{"text": "".join(THOUGHT), "thought": True}, {"text": "".join(WORDS)}, *calls]
    usage = {
        "promptTokenCount": 120,
        "candidatesTokenCount": 40,
        "thoughtsTokenCount": 5,
        "totalTokenCount": 165,
    }
    whole = head | {
        "candidates": [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}],
        "usageMetadata": usage,
    }
    pieces: list[list[Json]] = [[{"text": text, "thought": True}] for text in THOUGHT]
    pieces += [[{"text": text}] for text in WORDS]
    pieces += [[calls[0]], [calls[1]]]
    early = {"usageMetadata": {"promptTokenCount": 120, "totalTokenCount": 120}}
    events = [
        head | early | {"candidates": [{"index": 0, "content": {"role": "model", "parts": found}}]} for found in pieces
    ]
    last = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": ""}]}}
    events.append(head | {"candidates": [last], "usageMetadata": usage})
    return StreamExample("gemini", whole, events)


def loads(text: str) -> Any:
    import json

    return json.loads(text)


EXAMPLES = {one.format: one for one in (anthropic(), openai_chat(), openai_responses(), gemini())}


# ── as the official SDKs give them ───────────────────────────────────────────────────────────────────


def sdk_events(example: StreamExample) -> list[Any]:
    """The events as objects of the API's own SDK."""
    match example.format:
        case "anthropic":
            from anthropic.types import RawMessageStreamEvent
            from pydantic import TypeAdapter

            kinds: Any = TypeAdapter(RawMessageStreamEvent)
            return [event if event["type"] == "ping" else kinds.validate_python(event) for event in example.events]
        case "openai-chat":
            from openai.types.chat import ChatCompletionChunk

            return [ChatCompletionChunk.model_validate(event) for event in example.events]
        case "openai-responses":
            from openai.types.responses import ResponseStreamEvent
            from pydantic import TypeAdapter

            adapter: Any = TypeAdapter(ResponseStreamEvent)
            return [adapter.validate_python(event) for event in example.events]
        case _:
            from google.genai.types import GenerateContentResponse

            return [GenerateContentResponse.model_validate(as_received(event)) for event in example.events]


def sdk_response(example: StreamExample) -> Any:
    """The whole response as an object of the API's own SDK."""
    match example.format:
        case "anthropic":
            from anthropic.types import Message

            return Message.model_validate(example.whole)
        case "openai-chat":
            from openai.types.chat import ChatCompletion

            return ChatCompletion.model_validate(example.whole)
        case "openai-responses":
            from openai.types.responses import Response

            return Response.model_validate(example.whole)
        case _:
            from google.genai.types import GenerateContentResponse

            return GenerateContentResponse.model_validate(as_received(example.whole))


def as_received(value: Any) -> Any:
    """Google's SDK decodes signatures when it receives them; a model made by hand takes the bytes."""
    if isinstance(value, dict):
        return {
            name: base64.b64decode(inner) if name == "thoughtSignature" else as_received(inner)
            for name, inner in value.items()
        }
    return [as_received(inner) for inner in value] if isinstance(value, list) else value
