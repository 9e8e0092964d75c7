"""The request that is being answered: who sent it, from which folders, what it says of itself, and its progress."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import anyio
import anyio.from_thread
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from clew.request_user import request_user

#: How long a client may take to say what its folders are.
_ROOTS_SECONDS = 1.0
#: Most strings of a request's metadata that are looked at, and the least and most letters of one.
_MOST_HINTS, _LEAST_CHARS, _MOST_CHARS, _MOST_DEPTH = 40, 8, 4_000, 3

#: So much more must be done before it is told.
_STEP_BYTES = 1 << 20

_CURRENT: ContextVar[ServerRequestContext[Any, Any]] = ContextVar("clew_mcp_request")


async def keep_request(
    ctx: ServerRequestContext[Any, Any], call_next: Callable[[ServerRequestContext[Any, Any]], Awaitable[Any]]
) -> Any:
    """Lets whatever answers a request know which one it is."""
    token = _CURRENT.set(ctx)
    try:
        return await call_next(ctx)
    finally:
        _CURRENT.reset(token)


def user_of_request() -> str:
    """Returns the user that the guard of the server has named; empty where nobody guards, as on stdio."""
    request = _CURRENT.get().request
    return request_user(request.scope) if request is not None else ""


def is_remote() -> bool:
    """Returns True for a request over HTTP: the folder of this process says nothing of the caller's."""
    return _CURRENT.get().request is not None


async def roots() -> list[Path]:
    """Returns the folders that the client works in, where it offers to tell; clients of the newer era do not."""
    session = _CURRENT.get().session
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.roots is None or not session.can_send_request:
        return []
    with warnings.catch_warnings(), anyio.move_on_after(_ROOTS_SECONDS):
        warnings.simplefilter("ignore")  # the newer era has no roots; clients of the older are asked for them
        try:
            answer = await session.list_roots()
        except MCPError:
            return []
        return [Path(unquote(urlsplit(str(root.uri)).path)) for root in answer.roots if root.uri.scheme == "file"]
    return []


def hints() -> list[str]:
    """Returns the strings in the request's metadata: some clients name their session or the call there. What belongs
    to the protocol names neither.
    """
    meta = {name: value for name, value in dict(_CURRENT.get().meta or {}).items() if not _is_of_protocol(name)}
    return list(_strings(meta, _MOST_DEPTH))[:_MOST_HINTS]


def _is_of_protocol(name: str) -> bool:
    return name in {"progressToken", "progress_token"} or name.startswith("io.modelcontextprotocol/")


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str) and _LEAST_CHARS <= len(value) <= _MOST_CHARS:
        yield value
    elif isinstance(value, Mapping) and depth:
        for one in value.values():
            yield from _strings(one, depth - 1)


class Progress:
    """Tells the client how far long work is, from the thread that does it."""

    def __init__(self, message: str) -> None:
        self._session, self._message, self._told = _CURRENT.get().session, message, 0

    def __call__(self, done: int) -> None:
        """Tells how many bytes are done, unless that is little more than what was told last."""
        if done - self._told >= _STEP_BYTES:
            self._told = done
            self.tell(done)

    def tell(self, done: int, total: int | None = None) -> None:
        """Tells how much is done."""
        anyio.from_thread.run(self._session.report_progress, float(done), total, self._message)
