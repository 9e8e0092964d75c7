"""Asks a running `clew mcp` for the answer to an event: it has everything loaded, and follows the transcript."""

from __future__ import annotations

import os

from clew.environment import data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

    from clew.hooks.event import Event

#: What an event is waited for. Those that come often take some 30 ms, and more is not worth it; the others come once
#: for hundreds of steps, and may find the listener at work.
_SECONDS, _OFTEN_SECONDS = 20.0, 0.25
_OFTEN = frozenset({"UserPromptSubmit", "PostToolUse"})
SIZE_BYTES = 8


def sockets_folder() -> str:
    """Returns the folder in which every listener has a socket, named after its process."""
    return os.path.join(data_folder(), "hooks", "run")  # noqa: PTH118


def ask_listener(event: Event, store: str) -> str | None:
    """Returns the answer, empty for none in time; None where nobody listens."""
    try:
        names = sorted(os.listdir(sockets_folder()), reverse=True)  # noqa: PTH208
    except OSError:
        return None
    for name in names:
        answered = _asked(os.path.join(sockets_folder(), name), event, store)  # noqa: PTH118
        if answered is not None:
            return answered
    return None


def _asked(path: str, event: Event, store: str) -> str | None:
    import json
    import socket as sockets

    place = {"store": store, "user": os.environ.get("CLEW_USER", "")}
    request = {**place, "client": event.client, "name": event.name, "event": event.as_dict()}
    data = json.dumps(request).encode("utf-8", "replace")
    with sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM) as line:
        line.settimeout(_OFTEN_SECONDS if event.name in _OFTEN else _SECONDS)
        try:
            line.connect(path)
            line.sendall(len(data).to_bytes(SIZE_BYTES, "big") + data)
        except ConnectionRefusedError:  # its process has gone
            os.unlink(path)  # noqa: PTH108
            return None
        except OSError:
            return None
        try:
            answer = json.loads(read_frame(line))
        except (OSError, ValueError):
            from clew.hooks.journal import log

            log(f"hook {event.client} {event.name}", "no answer in time; nothing was added")
            return ""
    return answer.get("answer") if isinstance(answer, dict) else None


def read_frame(line: socket) -> bytes:
    """Returns one message of the other side: eight bytes with its size, and as many bytes. Raises OSError for less."""
    size = int.from_bytes(_read(line, SIZE_BYTES), "big")
    if size > 1 << 27:
        raise OSError("too long")
    return _read(line, size)


def _read(line: socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = line.recv(min(size - len(data), 1 << 16))
        if not piece:
            raise OSError("the other side has gone")
        data += piece
    return bytes(data)
