"""Rich requests in each provider's format, with fields and blocks that no version knows, and a way to read them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from clew.codecs import registry
from clew.domain import Json, Message, Output, Part, Role, Status, Text, Tool
from clew.ports import Codec
from tests.builders import call, gives, output, says, user
from tests.codec_examples.file_reader import jsonl, read_all

PNG = "iVBORw0KGgo="

ANTHROPIC: Json = {
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
    "messages": [
        {"role": "user", "content": "What is in the picture?"},
        {
            "role": "user",
            "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}, "x": 1},
                {
                    "type": "document",
                    "title": "Notes",
                    "source": {"type": "text", "media_type": "text/plain", "data": "a"},
                },
                {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
                {"type": "text", "text": "", "unknown": None},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look.", "signature": "sig"},
                {"type": "redacted_thinking", "data": "sealed"},
                {"type": "text", "text": "I look.", "citations": []},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "cats"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"url": "https://x"}]},
                {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": [1, 2.5, True]}, "caller": "me"},
                {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {}},
                {"type": "from_the_future", "value": {"deep": [1]}},
            ],
            "stop_reason": "tool_use",
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a cat", "is_error": False},
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_2",
                    "is_error": True,
                    "content": [
                        {"type": "text", "text": "blurred"},
                        {"type": "tool_reference", "tool_name": "zoom"},
                        {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
                    ],
                },
                {"type": "text", "text": "Well?"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "A cat."}]},
    ],
    "tools": [
        {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}}, "strict": True},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
    ],
}

CHAT: Json = {
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "name": "ann",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
                {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
                {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}},
                {"type": "file", "file": {"file_id": "file-1"}},
                {"type": "from_the_future", "value": 1},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "Hm.",
            "refusal": None,
            "annotations": [],
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"at": [1, 2.50]}'}},
                {"id": "call_2", "type": "function", "function": {"name": "look", "arguments": "not json"}, "index": 1},
                {"id": "call_3", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
                {"id": "call_4", "type": "function", "function": {"name": "now", "arguments": ""}},
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "a cat"},
        {"role": "tool", "tool_call_id": "call_2", "name": "look", "content": [{"type": "text", "text": "no"}], "x": 1},
        {"role": "tool", "tool_call_id": "call_3", "content": "[failed]\nno such file"},
        {"role": "tool", "tool_call_id": "call_4", "content": ""},
        {"role": "assistant", "content": "", "function_call": {"name": "old", "arguments": "{}"}},
        {"role": "function", "name": "old", "content": "fine"},
        {"role": "assistant", "content": [{"type": "text", "text": "A cat."}, {"type": "refusal", "refusal": "No."}]},
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"role": "user", "content": ""},
    ],
    "tools": [
        {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}, "strict": True}},
        {"type": "function", "function": {"name": "now"}},
        {"type": "custom", "custom": {"name": "patch", "format": {"type": "text"}}},
    ],
}

RESPONSES: Json = {
    "instructions": "Be brief.",
    "input": [
        {"role": "developer", "content": "Answer in English."},
        {"role": "user", "content": "What is this?"},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "And this?"},
                {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"},
                {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
                {"type": "input_file", "file_id": "file-1"},
                {"type": "from_the_future", "value": 1},
            ],
        },
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Looking."}],
            "encrypted_content": "gAAA",
        },
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "phase": "commentary",
            "content": [
                {"type": "output_text", "text": "I look.", "annotations": [], "logprobs": []},
                {"type": "output_text", "text": "I look.", "annotations": []},
                {"type": "refusal", "refusal": "Not there."},
            ],
        },
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_1",
            "name": "look",
            "arguments": '{"at":1}',
            "status": "completed",
        },
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "cats"}},
        {"type": "web_search_call", "id": "ws_2", "status": "completed"},
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "apply_patch", "input": "*** Begin"},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_3", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "function_call_output", "call_id": "call_1", "output": "a cat"},
        {"type": "custom_tool_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "done"}]},
        {"type": "local_shell_call_output", "id": "call_3", "output": '{"stdout": ""}'},
        {"type": "message", "role": "assistant", "content": []},
        {"type": "item_reference", "id": "msg_0"},
        {"type": "shell_call", "call_id": "call_4", "action": {"commands": ["ls"]}},
        {
            "type": "shell_call_output",
            "call_id": "call_4",
            "output": [{"stdout": "a", "stderr": "b", "outcome": {"type": "exit", "exit_code": 0}}],
        },
        {"type": "computer_call", "id": "cu_1", "call_id": "call_5", "action": {"type": "screenshot"}},
        {
            "type": "computer_call_output",
            "call_id": "call_5",
            "output": {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG}"},
        },
        {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "gBBB"},
        {"type": "call_of_the_future", "id": "x_1"},
        {"role": "assistant", "content": "A cat."},
    ],
    "tools": [
        {"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": True},
        {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}},
        {"type": "web_search"},
    ],
}

GEMINI: Json = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "What is this?"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]},
        {"role": "user", "parts": [{"file_data": {"mime_type": "video/mp4", "file_uri": "https://x/y"}}]},
        {
            "role": "model",
            "parts": [
                {"text": "Looking.", "thought": True},
                {"text": "", "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "look", "args": {"at": 1}}, "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "look", "args": {"at": 2}}},
                {"functionCall": {"id": "id-3", "name": "now"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "look", "response": {"output": "a cat"}}},
                {"functionResponse": {"name": "look", "response": {"error": "blurred"}, "scheduling": "SILENT"}},
                {
                    "functionResponse": {
                        "id": "id-3",
                        "name": "now",
                        "response": {"hour": 12, "minute": 5},
                        "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}],
                    }
                },
            ],
        },
        {
            "role": "model",
            "parts": [
                {"executableCode": {"language": "PYTHON", "code": "1+1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2"}},
                {"fromTheFuture": {"value": 1}},
                {"text": "A cat.", "partMetadata": {"x": 1}},
            ],
        },
    ],
    "tools": [
        {
            "functionDeclarations": [
                {"name": "look", "parameters": {"type": "OBJECT", "properties": {"at": {"type": "INTEGER"}}}},
                {"name": "now", "description": "Tells the time.", "response": {"type": "STRING"}},
            ]
        },
        {"function_declarations": [{"name": "patch", "parametersJsonSchema": {"type": "object"}}]},
        {"googleSearch": {}},
    ],
}

EXAMPLES = {"anthropic": ANTHROPIC, "openai-chat": CHAT, "openai-responses": RESPONSES, "gemini": GEMINI}
LISTS = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input", "gemini": "contents"}


def decoded(codec: Codec, body: Any) -> tuple[list[Message], tuple[Tool, ...]]:
    """A request as the ledger would have it: items of one reply folded into one message."""
    records, skipped = read_all(codec, json.dumps(body).encode())
    assert skipped == []
    found: list[Message] = []
    tools: tuple[Tool, ...] = ()
    for record in records:
        tools = tools if record.tools is None else record.tools
        message = record.message
        if message is None:
            continue
        if record.joins and found and found[-1].role is message.role:
            found[-1] = replace(found[-1], parts=found[-1].parts + message.parts, wire=None)
        else:
            found.append(message)
    return found, tools


def round_trip(format: str, body: Any) -> Json:
    messages, tools = decoded(registry.codec(format), body)
    request = registry.encoder(format).encode(messages, tools=tools)
    assert request.losses == ()
    return request.body


FORMATS = list(EXAMPLES)


def without_wires(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts without their wires, for comparing what they say."""
    return tuple(
        replace(part, wire=None, content=without_wires(part.content))
        if isinstance(part, Output)
        else replace(part, wire=None)
        for part in parts
    )


def read_message(format: str, data: Any) -> Message:
    message = registry.codec(format).read(json.dumps(data).encode()).message
    assert message is not None
    return message


CONVERSATION = [
    Message(role=Role.SYSTEM, parts=(Text(text="Be brief."),)),
    user("Read both."),
    says("Reading.", call("a", path="x"), call("b", path="y")),
    gives(output("b", "Y")),
    gives(output("a", "gone", Status.FAILED)),
    user("And?"),
    says("One is gone."),
]


def encode_lossless(format: str, messages: list[Message]) -> Json:
    request = registry.encoder(format).encode(messages)
    assert request.losses == ()
    return request.body


def file_shapes(format: str) -> dict[str, bytes]:
    """One conversation in every shape that files have."""
    body = EXAMPLES[format]
    items = body[LISTS[format]]
    run = {"task_id": 1, "reward": 0.5, "traj": items}
    return {
        "request": json.dumps(body).encode(),
        "indented": json.dumps(body, indent=2).encode(),
        "array": json.dumps(items).encode(),
        "indented array": json.dumps(items, indent=4).encode(),
        "lines": jsonl(*items),
        "runs": json.dumps([run, run]).encode(),
        "lines of runs": jsonl(run, run),
        "lines of requests": jsonl(body, body),
        "array of arrays": json.dumps([items, items]).encode(),
        "byte order mark": b"\xef\xbb\xbf" + jsonl(*items),
    }
