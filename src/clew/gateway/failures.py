"""Failures in the words of each API, so that its clients understand them."""

from __future__ import annotations

from starlette.responses import JSONResponse

from clew.codecs import jsonio
from clew.domain import Json

#: The name of the gateway's log.
LOGGER = "clew.gateway"
#: How Anthropic calls failures by their status; any other of a client's is an invalid request.
_ANTHROPIC_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    504: "timeout_error",
}


def failure_body(format: str, message: str, status: int) -> Json:
    """Returns the body of a failure of the gateway itself."""
    is_clients = status < 500
    if format == "anthropic":
        kind = _ANTHROPIC_KINDS.get(status, "invalid_request_error" if is_clients else "api_error")
        return {"type": "error", "error": {"type": kind, "message": f"clew: {message}"}}
    kind = "invalid_request_error" if is_clients else "server_error"
    return {"error": {"message": f"clew: {message}", "type": kind, "code": None, "param": None}}


def failure_response(format: str, message: str, status: int, headers: dict[str, str] | None = None) -> JSONResponse:
    """Returns a failure of the gateway itself as the answer to a request."""
    return JSONResponse(failure_body(format, message, status), status_code=status, headers=headers)


def failure_event(format: str, message: str) -> bytes:
    """Returns the last event of a stream that broke off: never one with which a reply ends in good order."""
    if format == "openai-responses":
        body: Json = {"type": "error", "code": "server_error", "message": f"clew: {message}", "param": None}
    else:
        body = failure_body(format, message, 502)
    name = b"" if format == "openai-chat" else b"event: error\n"
    return name + b"data: " + jsonio.dumps(body) + b"\n\n"
