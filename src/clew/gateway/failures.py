"""Failures in the words of each API, so that its clients understand them."""

from __future__ import annotations

from typing import Any

from clew.codecs import jsonio
from clew.domain import Json

#: The name of the gateway's log.
LOGGER = "clew.gateway"


def failure_body(format: str, said: str) -> Json:
    """Returns the body of a failure of the gateway itself."""
    if format == "anthropic":
        return {"type": "error", "error": {"type": "api_error", "message": f"clew: {said}"}}
    return {"error": {"message": f"clew: {said}", "type": "server_error", "code": None, "param": None}}


def failure_event(format: str, said: str) -> bytes:
    """Returns the last event of a stream that broke off: never one with which a reply ends in good order."""
    if format == "openai-responses":
        told: dict[str, Any] = {"type": "error", "code": "server_error", "message": f"clew: {said}", "param": None}
        return b"event: error\ndata: " + jsonio.dumps(told) + b"\n\n"
    name = b"event: error\n" if format == "anthropic" else b""
    return name + b"data: " + jsonio.dumps(failure_body(format, said)) + b"\n\n"
