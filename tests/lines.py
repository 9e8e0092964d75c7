"""Lines of a small Claude Code session, written for the tests."""

from __future__ import annotations

import json
from typing import Any

SESSION = "5e55-10a"


def line(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {
            "id": f"msg_{number}",
            "type": "message",
            "model": "claude-sonnet-4-5",
            "usage": {"input_tokens": 100 * number, "output_tokens": 5},
        }
    return {
        "type": kind,
        "uuid": f"u{number}",
        "parentUuid": None,
        "sessionId": SESSION,
        "isSidechain": False,
        "cwd": "/home/ana/harbor",
        "timestamp": f"2026-03-01T10:00:{number:02d}.000Z",
        "message": message,
    } | more


def call(number: int, id: str, **arguments: Any) -> dict[str, Any]:
    return line(number, "assistant", [{"type": "tool_use", "id": id, "name": "Read", "input": arguments}])


def result(number: int, id: str, text: str) -> dict[str, Any]:
    return line(number, "user", [{"type": "tool_result", "tool_use_id": id, "content": text}])


CONVERSATION = [
    line(1, "user", "Why does the login fail?"),
    call(2, "toolu_1", file_path="app/login.py"),
    result(3, "toolu_1", "def login(): ..."),
    line(4, "assistant", [{"type": "text", "text": "The session cookie is never set."}]),
    line(5, "user", "Fix it, please."),
]


def jsonl(lines: list[Any]) -> bytes:
    return b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)
