"""A provider that answers at once from a script, as a process of its own: what it takes is little beside any gateway.

It speaks the API of Chat Completions: a reply of as many words as the request allows tokens, whole or as a stream.
Alone (``python -m bench.scripted_upstream``) it prints its port and serves until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import re
from functools import cache
from typing import Any

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_STREAM = re.compile(rb'"stream": ?true')
_WORDS = re.compile(rb'"max_(?:completion_)?tokens": ?(\d+)')
#: Words of one event of a stream.
_EVENT_WORDS = 20
#: The first event of a stream comes at once, the others later: who holds it back is seen.
_PAUSE_SECONDS = 0.05
_ABOUT = {"id": "chatcmpl-1", "created": 1, "model": "gpt-5"}
_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._read = bytearray()
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        assert self._transport
        self._read += data
        while (head := self._read.find(b"\r\n\r\n")) >= 0:
            length = _LENGTH.search(self._read, 0, head)
            end = head + 4 + (int(length[1]) if length else 0)
            if len(self._read) < end:
                return
            body = bytes(self._read[head + 4 : end])
            del self._read[:end]
            words = _WORDS.search(body)
            first, rest = _answer(int(words[1]) if words else 5, bool(_STREAM.search(body)))
            self._transport.write(first)
            if rest:
                asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._transport.write, rest)


@cache
def _answer(words: int, is_stream: bool) -> tuple[bytes, bytes]:
    """What is written at once, and what after a while."""
    if is_stream:
        body, kind = _events(words), "text/event-stream"
    else:
        message = {"role": "assistant", "content": _text(words)}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        whole = _ABOUT | {"object": "chat.completion", "choices": [choice], "usage": _USAGE}
        body, kind = json.dumps(whole).encode(), "application/json"
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nx-request-id: req_1\r\n\r\n"
    first = body.find(b"\n\n") + 2 if is_stream else len(body)
    return head.encode() + body[:first], body[first:]


def _events(words: int) -> bytes:
    pieces = [_text(min(_EVENT_WORDS, words - at), at) for at in range(0, words, _EVENT_WORDS)]
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    events = [_ABOUT | {"object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    return "".join([*(f"data: {json.dumps(event)}\n\n" for event in events), "data: [DONE]\n\n"]).encode()


def _text(words: int, first: int = 0) -> str:
    return "".join(f"word{at % 997} " for at in range(first, first + words))


async def _serve() -> None:
    server = await asyncio.get_running_loop().create_server(_Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
