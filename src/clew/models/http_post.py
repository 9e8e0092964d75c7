"""One request and its answer over HTTP, made so that whoever waits can leave at any moment.

The request runs in a thread of its own: waiting ends with an answer, a deadline or a cancellation, whichever is
first, and then the connection is cut, so that nothing goes on unseen. Keys live in that thread alone, for as long
as the request lasts; whatever comes out of it has been searched for them.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from ssl import SSLContext
from threading import Lock, Thread
from typing import Any, Literal
from urllib.parse import urlsplit

from clew._version import __version__
from clew.cancellation import Cancel
from clew.errors import ClewError
from clew.text.secrets import mask

#: The headers that prove who asks. A function, so that keys are fetched for one request and kept nowhere.
Keys = Callable[[], Mapping[str, str]]

#: A host that takes longer than this to accept a connection is taken to be away.
CONNECT_SECONDS = 10.0
#: Longer waits than any deadline in use; threads cannot wait for ever.
_LONGEST_SECONDS = 86_400.0
_TOLD_CHARS = 300
#: The kind of answer that comes piece by piece.
EVENT_STREAM = "text/event-stream"
_HIDDEN = b"[key]"
#: Real keys are longer.
_KEY_CHARS = 12


@dataclass(frozen=True, slots=True)
class HttpPost:
    """One request: where it goes, what it says, who asks, and how large an answer may be."""

    url: str
    body: bytes
    keys: Keys
    headers: Mapping[str, str]
    max_bytes: int


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What came back, whole; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class NoReply:
    """Why nothing came back."""

    why: Literal["timeout", "cancelled", "network", "large", "other"]
    text: str = ""


def send(post: HttpPost, *, seconds: float, cancel: Cancel) -> HttpReply | NoReply | ClewError:
    """The reply, or why there is none, within so many seconds. An error is what ``keys`` raised."""
    connection = _Connection()
    outcomes: SimpleQueue[HttpReply | NoReply | ClewError] = SimpleQueue()
    off = cancel.on(lambda: outcomes.put(NoReply("cancelled")))
    try:
        Thread(target=lambda: outcomes.put(_outcome(post, seconds, connection)), name="clew-model", daemon=True).start()
        return outcomes.get(timeout=min(max(seconds, 0.0), _LONGEST_SECONDS))
    except Empty:
        return NoReply("timeout")
    finally:
        off()
        connection.cut()


def stream(post: HttpPost, *, seconds: float, cancel: Cancel) -> Iterator[bytes | HttpReply | NoReply | ClewError]:
    """The lines of a reply that succeeds, each as it comes, and last how it ended; of any other reply only that.

    ``seconds`` is the longest wait for the next line. Closing the iterator cuts the connection.
    """
    connection = _Connection()
    arrived: SimpleQueue[bytes | HttpReply | NoReply | ClewError] = SimpleQueue()
    off = cancel.on(lambda: arrived.put(NoReply("cancelled")))

    def work() -> None:
        arrived.put(_outcome(post, seconds, connection, arrived.put))

    try:
        Thread(target=work, name="clew-model", daemon=True).start()
        while True:
            item = arrived.get(timeout=min(max(seconds, 0.0), _LONGEST_SECONDS))
            yield item
            if not isinstance(item, bytes):
                return
    except Empty:
        yield NoReply("timeout")
    finally:
        off()
        connection.cut()


def is_this_machine(url: str) -> bool:
    """True for addresses that never leave this machine."""
    host = urlsplit(url).hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


class _Connection:
    """The connection of one request, for another thread to cut. Closing would not wake whoever reads; this does."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._stream: Any = None
        self._is_cut = False

    def trace(self, _name: str, info: Mapping[str, Any]) -> None:
        """Told of each stage of the request; a connection that is made, plain or through TLS, is noted."""
        stream = info.get("return_value")
        if hasattr(stream, "get_extra_info"):
            with self._lock:
                self._stream = stream
            if self._is_cut:
                self.cut()

    def cut(self) -> None:
        with self._lock:
            self._is_cut, stream = True, self._stream
        made = stream.get_extra_info("socket") if stream is not None else None
        if made is not None:
            with suppress(OSError):  # it was closed already
                socket.socket.shutdown(made, socket.SHUT_RDWR)


def _outcome(
    post: HttpPost, seconds: float, connection: _Connection, on_line: Callable[[bytes], None] | None = None
) -> HttpReply | NoReply | ClewError:
    hidden: list[bytes] = []
    try:
        keys = dict(post.keys())
        hidden += _parts_to_hide(keys)
        show = (lambda line: on_line(_without_secrets(line, hidden))) if on_line else None
        outcome = _exchange(post, keys, seconds, connection, show)
    except ClewError as error:
        return error.with_traceback(None)
    except (
        Exception
    ) as error:  # whatever it is, it may hold a key: its kind and its cleaned text go on, itself does not
        return _no_reply(error, hidden)
    if isinstance(outcome, HttpReply):
        headers = {name: _text_without(value, hidden) for name, value in outcome.headers.items()}
        return HttpReply(outcome.status, headers, _without_secrets(outcome.body, hidden))
    return outcome


def _parts_to_hide(keys: Mapping[str, str]) -> list[bytes]:
    """Each value, and what follows ``Bearer``. Short ones are stand-ins such as `none`, and words of any answer."""
    parts = {part for value in keys.values() for part in (value, value.split(" ")[-1])}
    hidden = [part.encode("utf-8", "replace") for part in parts if len(part) >= _KEY_CHARS]
    return sorted(hidden, key=lambda part: (-len(part), part))


def _exchange(
    post: HttpPost,
    keys: Mapping[str, str],
    seconds: float,
    connection: _Connection,
    on_line: Callable[[bytes], None] | None,
) -> HttpReply | NoReply:
    import httpx2

    timeout = httpx2.Timeout(max(seconds, 0.001), connect=max(min(seconds, CONNECT_SECONDS), 0.001))
    # A proxy for the outer world has no business with a server on this machine.
    trusts = not is_this_machine(post.url)
    client = httpx2.Client(timeout=timeout, follow_redirects=False, trust_env=trusts, verify=_tls())
    headers = {**_HEADERS, **post.headers, **keys}
    extensions = {"trace": connection.trace}
    with client, client.stream("POST", post.url, content=post.body, headers=headers, extensions=extensions) as response:
        if response.headers.get("content-encoding", "identity") != "identity":
            return NoReply("other", "it sent a compressed answer unasked")
        named = {k.lower(): v for k, v in response.headers.items()}
        streams = response.is_success and named.get("content-type", "").startswith(EVENT_STREAM)
        body = _body(response.iter_raw(), post.max_bytes, on_line if streams else None)
        return body if isinstance(body, NoReply) else HttpReply(response.status_code, named, body)


def _body(chunks: Iterator[bytes], max_bytes: int, on_line: Callable[[bytes], None] | None) -> bytes | NoReply:
    """All that comes; with ``on_line`` each line is handed on when it is whole, and what is left is no line."""
    body, size = bytearray(), 0
    for chunk in chunks:
        body += chunk
        size += len(chunk)
        if size > max_bytes:
            return NoReply("large", f"the answer is larger than {max_bytes:,} bytes")
        while on_line and (end := body.find(b"\n")) >= 0:
            on_line(bytes(body[:end]))
            del body[: end + 1]
    return bytes(body)


@lru_cache(maxsize=1)
def _tls() -> SSLContext:
    """Reading all certificates takes a tenth of a second: once is enough."""
    import httpx2

    return httpx2.create_ssl_context()


#: Answers are asked for as they are: what is small when packed can be any size unpacked.
_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json",
    "accept-encoding": "identity",
    "user-agent": f"clew/{__version__}",
}


def _no_reply(error: Exception, hidden: list[bytes]) -> NoReply:
    import httpx2

    kind = type(error).__name__
    if isinstance(error, httpx2.ConnectTimeout):
        return NoReply("network", f"no connection within {CONNECT_SECONDS:g} seconds")
    if isinstance(error, httpx2.TimeoutException):
        return NoReply("timeout")
    if isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError | httpx2.ProxyError):
        text = _text_without(str(error), hidden)
        return NoReply("network", " ".join(mask(f"{kind}: {text}").split())[:_TOLD_CHARS])
    return NoReply("other", f"the request could not be made ({kind})")


def _text_without(text: str, hidden: list[bytes]) -> str:
    return _without_secrets(text.encode("utf-8", "replace"), hidden).decode("utf-8", "replace")


def _without_secrets(data: bytes, hidden: list[bytes]) -> bytes:
    for secret in hidden:
        data = data.replace(secret, _HIDDEN)
    return data
