"""Words for replies: notes({...}), asks("x4"), and what the two of them say."""

from __future__ import annotations

import json
from typing import Any

from clew.domain import CodeChange, Housekeeping

NOTES: dict[str, Any] = {
    "model": {
        "response_header": "Login fixed",
        "context_summary": "Tokens now expire after an hour.",
        "key_decisions": ["Use UTC everywhere"],
        "code_changes": [{"path": "src/login.py", "what": "expiry in UTC"}, {"path": "README.md"}],
    },
    "user": {"query_header": "Login fails", "understood_intent": "Fix the login", "context_used": ["x4", "m12@2"]},
}
NOTED = Housekeeping(
    response_header="Login fixed",
    context_summary="Tokens now expire after an hour.",
    key_decisions=("Use UTC everywhere",),
    code_changes=(CodeChange("src/login.py", "expiry in UTC"), CodeChange("README.md")),
    query_header="Login fails",
    understood_intent="Fix the login",
    context_used=("x4", "m12@2"),
)


def element(name: str, content: str) -> str:
    return f"<clew-{name}>{content}</clew-{name}>"


def notes(data: Any = NOTES) -> str:
    return element("housekeeping", json.dumps(data))


def asks(*ids: str, **more: str) -> str:
    return element("request", json.dumps({"conversation_ids": ids, **more}))
