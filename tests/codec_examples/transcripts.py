"""Records of each client's session files, with all that its codec knows by shape."""

from __future__ import annotations

import json
from typing import Any

AT = "2026-05-01T10:00:00.000Z"
MILLISECONDS = 1777629600000


def dumped(records: tuple[Any, ...]) -> tuple[bytes, ...]:
    return tuple(json.dumps(record).encode() for record in records)


def _claude_line(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content, **more.pop("message", {})}
    about = {"parentUuid": None, "isSidechain": False, "sessionId": "s1", "cwd": "/srv/shop", "timestamp": AT}
    return {"type": kind, **about, "message": message, **more}


CLAUDE_CODE = (
    {"type": "summary", "summary": "Shop", "leafUuid": "u1"},
    _claude_line("user", "one", uuid="u1"),
    _claude_line(
        "assistant",
        [{"type": "text", "text": "two"}, {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}],
        uuid="u2",
        message={"id": "msg_1", "model": "claude-x", "usage": {"input_tokens": 3, "cache_read_input_tokens": 7}},
    ),
    _claude_line(
        "user",
        [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "ok"}]}],
        uuid="u3",
        toolUseResult={"interrupted": True},
    ),
    {"type": "queue-operation", "operation": "remove", "timestamp": AT, "sessionId": "s1", "content": "three"},
    {
        "type": "attachment",
        "uuid": "u4",
        "attachment": {"type": "queued_command", "prompt": "four", "origin": {"kind": "human"}},
    },
    _claude_line("user", "five", uuid="u5", origin={"kind": "human"}),
)


def _codex_line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def _codex_message(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return _codex_line("response_item", type="message", role=role, content=[{"type": kind, "text": text}])


CODEX = (
    _codex_line("session_meta", id="s1", cwd="/srv/shop", base_instructions={"text": "zero"}),
    _codex_line("turn_context", cwd="/srv/shop", model="gpt-x"),
    _codex_message("user", "one"),
    _codex_line(
        "response_item",
        type="reasoning",
        summary=[{"type": "summary_text", "text": "hm"}],
        content=[{"type": "text", "text": "a"}],
    ),
    _codex_message("assistant", "two"),
    _codex_line("response_item", type="function_call", call_id="c1", name="exec", arguments='{"cmd": "ls"}'),
    _codex_line(
        "response_item", type="function_call_output", call_id="c1", output=[{"type": "input_text", "text": "x"}]
    ),
    _codex_line(
        "response_item",
        type="function_call_output",
        call_id="c1",
        output='{"output": "", "metadata": {"exit_code": 1}}',
    ),
    _codex_line("compacted", message="three"),
    _codex_line("event_msg", type="thread_rolled_back", num_turns=2),
    _codex_message("user", "four"),
)


def _copilot_event(kind: str, id: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": id, "timestamp": AT, "parentId": None}


COPILOT = (
    _copilot_event("session.start", "e1", sessionId="s1", selectedModel="gpt-x", context={"cwd": "/srv/shop"}),
    _copilot_event("system.message", "e2", role="system", content="zero"),
    _copilot_event(
        "user.message", "e3", content="one", attachments=[{"data": "AA", "mimeType": "image/png"}], source="user"
    ),
    _copilot_event(
        "assistant.message",
        "e4",
        content="two",
        reasoningText="hm",
        reasoningOpaque="sealed",
        toolRequests=[{"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}}],
    ),
    _copilot_event(
        "tool.execution_complete",
        "e5",
        toolCallId="c1",
        success=True,
        result={"content": "x", "contents": [{"data": "AA"}]},
    ),
    _copilot_event(
        "tool.execution_complete", "e6", toolCallId="c2", success=False, error={"message": "x", "code": "y"}
    ),
    _copilot_event("session.compaction_complete", "e7", success=True, summaryContent="three"),
    _copilot_event("user.message", "e8", content="four"),
)

CLINE = (
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "<task>\none\n</task>"},
            {"type": "text", "text": "<environment_details>\n# Time\nnoon\n</environment_details>"},
        ],
        "ts": MILLISECONDS,
    },
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "two"},
            {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a"}},
        ],
        "ts": MILLISECONDS,
        "modelInfo": {"modelId": "claude-x"},
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "x = 1"}]}],
        "ts": MILLISECONDS,
    },
    {"role": "user", "content": [{"type": "text", "text": "<feedback>\nthree\n</feedback>"}], "ts": MILLISECONDS},
)


GEMINI_CLI = (
    {"sessionId": "s1", "projectHash": "p", "startTime": AT, "lastUpdated": AT, "directories": ["/srv/shop"]},
    {"id": "g1", "timestamp": AT, "type": "user", "content": [{"text": "one"}]},
    {
        "id": "g2",
        "timestamp": AT,
        "type": "gemini",
        "content": "two",
        "thoughts": [{"subject": "Shop", "description": "hm", "timestamp": AT}],
        "tokens": {"input": 10, "output": 5, "cached": 4, "thoughts": 2, "tool": 0, "total": 17},
        "model": "gemini-x",
        "toolCalls": [
            {
                "id": "c1",
                "name": "read_file",
                "args": {"path": "a.py"},
                "result": [{"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "x = 1"}}}],
                "status": "success",
                "timestamp": AT,
            },
            {"id": "c2", "name": "run", "args": {}, "status": "cancelled", "resultDisplay": "No."},
        ],
    },
    {"$set": {"summary": "Shop", "lastUpdated": AT}},
    {"id": "g3", "timestamp": AT, "type": "info", "content": "Cancelled."},
    {"id": "g4", "timestamp": AT, "type": "user", "content": "three"},
)

SWE_AGENT_ABOUT = {
    "environment": "main",
    "trajectory": [{"action": "ls", "observation": "a.py", "response": "two", "state": {}, "thought": "two"}],
    "info": {"exit_status": "submitted", "model_stats": {"api_calls": 2}},
    "replay_config": json.dumps({"agent": {"model": {"name": "m-1"}}}),
}
SWE_AGENT = (
    {"role": "system", "content": "zero", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": [{"type": "text", "text": "one"}], "agent": "main", "message_type": "observation"},
    {
        "role": "assistant",
        "content": "two",
        "thought": "two",
        "action": "ls",
        "agent": "main",
        "message_type": "action",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}],
        "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}],
    },
    {"role": "tool", "content": "a.py", "agent": "main", "message_type": "observation", "tool_call_ids": ["c1"]},
    {
        "role": "assistant",
        "content": "three\n```\ncat a.py\n```",
        "thought": "three",
        "action": "cat a.py",
        "tool_calls": None,
        "agent": "main",
        "message_type": "action",
    },
    {"role": "user", "content": "x = 1", "agent": "main", "message_type": "observation"},
    {"role": "assistant", "content": "four", "agent": "main", "message_type": "action"},
)


def _opencode_message(role: str, id: str, *parts: dict[str, Any], **info: Any) -> dict[str, Any]:
    return {"info": {"id": id, "sessionID": "ses_1", "role": role, **info}, "parts": list(parts)}


OPENCODE_INFO = {"id": "ses_1", "projectID": "p", "directory": "/srv/shop", "title": "Shop"}
OPENCODE = (
    _opencode_message("user", "msg_1", {"type": "text", "text": "one"}, time={"created": MILLISECONDS}),
    _opencode_message(
        "assistant",
        "msg_2",
        {"type": "reasoning", "text": "hm"},
        {"type": "text", "text": "two"},
        {
            "type": "tool",
            "callID": "call_1",
            "tool": "bash",
            "state": {
                "status": "completed",
                "input": {"command": "ls"},
                "output": "a.py",
                "metadata": {"interrupted": False},
                "attachments": [{"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"}],
            },
        },
        {"type": "hologram", "x": 1},
        modelID="m-1",
        path={"cwd": "/srv/shop"},
        tokens={"input": 10, "output": 5, "cache": {"read": 100, "write": 20}},
    ),
    _opencode_message("user", "msg_3", {"type": "text", "text": "three"}),
)


def _vscode_request(id: str, text: str, *response: Any, **more: Any) -> dict[str, Any]:
    about = {"requestId": id, "timestamp": MILLISECONDS, "modelId": "copilot/gpt-x"}
    return {**about, "message": {"text": text, "parts": []}, "response": list(response), **more}


VSCODE_ABOUT = {"version": 3, "responderUsername": "GitHub Copilot", "sessionId": "s1", "creationDate": MILLISECONDS}
VSCODE_CHAT = (
    _vscode_request(
        "r1",
        "one",
        {"kind": "thinking", "value": "hm"},
        {"value": "two"},
        variableData={"variables": [{"kind": "image", "name": "a.png", "mimeType": "image/png", "value": "AA"}]},
        result={
            "metadata": {
                "toolCallRounds": [
                    {"id": "x", "response": "two", "toolCalls": [{"id": "c1", "name": "read", "arguments": "{}"}]}
                ],
                "toolCallResults": {"c1": {"content": [{"value": {"node": {"children": [{"text": "x"}]}}}]}},
                "promptTokens": 3,
            }
        },
    ),
    _vscode_request(
        "r2",
        "three",
        {
            "kind": "toolInvocationSerialized",
            "toolCallId": "c2",
            "toolId": "read_file",
            "isComplete": True,
            "resultDetails": {"input": "{}", "output": [{"value": "x"}]},
        },
        {"value": "four"},
    ),
    _vscode_request("r3", "five", {"value": "six"}),
)

AIDER_START = "\n# aider chat started at 2026-03-04 05:06:07\n\n> Main model: some/model-1 with diff edit format  \n"
AIDER = (
    "\n#### one  \n",
    "\ntwo\n",
    "\n> Tokens: 1k sent  \n",
    "\n#### three  \n",
    "\nfour\n",
)

SPECSTORY_START = """<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-03-04 05:06:07Z

<!-- Claude Code Session 1234-abcd (2026-03-04 05:06:07Z) -->

"""
SPECSTORY = (
    "_**User (2026-03-04 05:06:07Z)**_\n\none\n\n---\n\n",
    "_**Agent (model-1 2026-03-04 05:06:09Z)**_\n\ntwo\n\n"
    '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n<summary>Tool use: **Bash**</summary>\n'
    "`ls`\n\n```text\na.py\n```\n</details></tool-use>\n\n---\n\n",
    "_**User (2026-03-04 05:06:11Z)**_\n\nthree\n",
)


def _clew_entry(seq: int, format: str, body: Any, **more: Any) -> dict[str, Any]:
    return {
        "seq": seq,
        "kind": "message",
        "format": format,
        "message": seq,
        "replaces": 0,
        "at": 1.25,
        "body": body,
        **more,
    }


CLEW = (
    {
        "clew": 1,
        "session": {
            "key": {"tenant": "t", "user": "u", "id": "s"},
            "title": "Shop",
            "usage": {"input_tokens": 1},
            "created": 1.5,
        },
    },
    _clew_entry(1, "anthropic", {"role": "user", "content": "one"}),
    _clew_entry(2, "anthropic", {"raw": '{"role": "assistant", "content": [{"type": "text", "text": "two"}]}'}),
    _clew_entry(3, "codex", CODEX[2] | {"payload": CODEX[2]["payload"] | {"x_unknown": 1}}),
    _clew_entry(4, "clew", {"base64": "eyJyb2xsYmFjayI6MX0="}, kind="rollback"),
    _clew_entry(
        5,
        "clew",
        {
            "role": "assistant",
            "origin": "model",
            "at": 2.5,
            "model": "m",
            "usage": {"input_tokens": 3},
            "parts": [
                {"type": "text", "text": "four", "wire": {"format": "anthropic", "data": {"x_unknown": [1]}}},
                {"type": "call", "id": "c", "name": "ls", "arguments": {"a": [1, {"b": None}]}},
                {"type": "reasoning", "text": "hm", "seal": "sig"},
                {"type": "media", "media_type": "image/png", "data": "AA", "name": "a.png"},
                {"type": "opaque", "kind": "hologram", "wire": {"format": "gemini", "data": None}},
            ],
        },
    ),
    _clew_entry(
        6,
        "clew",
        {
            "role": "tool",
            "origin": "tool",
            "parts": [
                {"type": "output", "call_id": "c", "status": "timeout", "content": [{"type": "text", "text": "x"}]}
            ],
        },
    ),
    _clew_entry(7, "clew", {"tools": [{"name": "ls", "description": "Lists.", "schema": {"type": "object"}}]}),
    _clew_entry(8, "clew", {"role": "user", "origin": "person", "parts": [{"type": "text", "text": "five"}]}),
)
