"""Replies of upstreams on their way back to the client."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio
import httpx2
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from clew.gateway.failures import LOGGER, failure_event

_log = logging.getLogger(LOGGER)
#: More than this is no reply of a model.
_MOST_BYTES = 64 << 20


class PassedResponse(StreamingResponse):
    """A reply of an upstream on its way back. The upstream is let go, and ``end`` is called, whatever comes of it: also
    where its client leaves before the first byte.
    """

    def __init__(
        self,
        reply: httpx2.Response,
        headers: list[tuple[bytes, bytes]],
        pieces: AsyncIterator[bytes],
        end: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(pieces, status_code=reply.status_code)
        self.raw_headers = headers
        self._reply, self._end = reply, end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the reply."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            with anyio.CancelScope(shield=True):
                await self._reply.aclose()
                if self._end is not None:
                    await self._end()


async def pieces_of(reply: httpx2.Response, *, failing: str = "") -> AsyncIterator[bytes]:
    """Yields the bytes of a reply as they come. Where they break off, a stream ends with an error in the format that it
    is ``failing`` in, and everything else as broken off as it came.
    """
    try:
        async for piece in reply.aiter_raw():
            yield piece
    except httpx2.HTTPError as error:
        _log.warning("a reply broke off: %s", type(error).__name__)
        if not failing:
            raise
        yield failure_event(failing, "the upstream broke off its reply")


async def read_reply(reply: httpx2.Response) -> bytes:
    """Returns the unpacked body of a reply. Raises HTTPError where it breaks off, or is larger than a model's are."""
    read = bytearray()
    async for piece in reply.aiter_bytes():
        read += piece
        if len(read) > _MOST_BYTES:
            raise httpx2.ReadError("the reply is too large")
    return bytes(read)


def whole_response(said: bytes, status: int, headers: list[tuple[bytes, bytes]]) -> Response:
    """Returns a reply that was read to its end."""
    made = Response(said, status_code=status)
    length = (b"content-length", str(len(said)).encode())
    made.raw_headers = [*(one for one in headers if one[0] != b"content-length"), length]
    return made
