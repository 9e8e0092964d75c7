"""The front of `clew mcp`: answers what every client asks first, while the server behind it is still being loaded.

A client that waits for tools longer than it likes goes on without them, and loading the protocol's package takes longer
than that. The answers to initialize, ping and the lists, which never change, are prepared in ``listings.json``; all
else goes to the server, which reads and writes standard input and output as if nobody stood before it. Nothing is
imported here that takes long.
"""

from __future__ import annotations

import io
import json
import os
import sys
from queue import SimpleQueue
from threading import Event, Lock, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The stateless era says in each request what the older one says once.
_ABOUT = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _CAPABILITIES = f"{_ABOUT}protocolVersion", f"{_ABOUT}clientInfo", f"{_ABOUT}clientCapabilities"
#: What a client uses a server for; who asks for it will call tools.
_TOOLS = "tools/list"


def receive() -> bool:
    """Takes standard input and output over, and returns once there is something for the server to do: the tools were
    listed, or what was asked is not prepared. Standard input then holds what the server has to hear. Returns False for
    a client that left before that.
    """
    front = _Front(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2 if sys.stderr else null, 1)  # what is printed by mistake must not reach the client
    os.close(null)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(front.heard))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(front.said))
    Thread(target=front.read, name="clew-front", daemon=True).start()
    front.is_awaited.wait()
    return front.is_needed


class _Front:
    """One client's line: ``heard`` is what the server reads, ``said`` what it writes to."""

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target, self._lock = source, target, Lock()
        self._answers = Answers()
        self.heard, self.said = _Heard(), _Said(self)
        self.is_needed, self.is_awaited = False, Event()

    def read(self) -> None:
        """Answers lines of the client or hands them on, until there are no more."""
        try:
            with open(self._source, "rb") as lines:  # noqa: PTH123 (a descriptor)
                for line in lines:
                    self._take(line)
        finally:
            self._end()

    def _end(self) -> None:
        self.heard.lines.put(b"")
        self.is_awaited.set()

    def _take(self, line: bytes) -> None:
        message = _message(line)
        method, answer = message.get("method"), self._answers.answer(message)
        if answer is None or method == "initialize":
            self.heard.lines.put(line)  # the server has to be greeted too; its answer is dropped
        if answer is not None:
            self.write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        if method == _TOOLS or (answer is None and "id" in message) or not message:
            self.is_needed = True
            self.is_awaited.set()

    def write(self, data: bytes) -> None:
        """Writes whole lines to the client. Where it has stopped reading, it has nothing more to say to the server."""
        with self._lock:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self._target, rest) :]
            except BrokenPipeError:
                self._end()

    def is_answered(self, line: bytes) -> bool:
        """Returns True for the server's own answer to the greeting that was answered here."""
        greeting = self._answers.greeting
        if greeting is None:
            return False
        message = _message(line)
        if message.get("id") != greeting or "method" in message:
            return False
        self._answers.greeting = None
        return True


def _message(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class Answers:
    """What is answered from the listings. ``greeting`` is the id of a greeting that the server has yet to answer."""

    def __init__(self) -> None:
        with open(os.path.join(os.path.dirname(__file__), "listings.json"), "rb") as file:  # noqa: PTH118, PTH120, PTH123
            self._known: dict[str, Any] = json.loads(file.read())
        self.greeting: int | str | None = None
        self._is_greeted = False

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the answer to a message; None for one that the server has to see, as all that is unusual."""
        id, params = message.get("id"), message.get("params") or {}
        if not isinstance(id, (int, str)) or not isinstance(params, dict) or message.get("jsonrpc") != "2.0":
            return None
        method = str(message.get("method"))
        result = self._greet(id, params) if method == "initialize" else self._list_result(method, params)
        return None if result is None else {"jsonrpc": "2.0", "id": id, "result": result}

    def _greet(self, id: int | str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to the first greeting of a client whose version is known."""
        version, about = params.get("protocolVersion"), params.get("clientInfo")
        is_usual = isinstance(params.get("capabilities"), dict) and _is_client(about)
        if self._is_greeted or not is_usual or version not in self._known["versions"]:
            return None
        self._is_greeted, self.greeting = True, id
        return {**self._known["initialize"], "protocolVersion": version}

    def _list_result(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        meta = params.get("_meta", {})
        if params.keys() - {"_meta"} or not isinstance(meta, dict):
            return None  # another page, perhaps
        if _VERSION not in meta:
            found: dict[str, Any] | None = self._known["lists"].get(method)
            return found if self._is_greeted else None
        is_usual = _is_client(meta.get(_CLIENT)) and isinstance(meta.get(_CAPABILITIES), dict)
        own = self._known["stateless"].get(meta[_VERSION], {}).get(method) if is_usual else None
        return None if own is None else self._known["lists"].get(method, {}) | own


def _is_client(about: object) -> bool:
    return isinstance(about, dict) and all(isinstance(about.get(key), str) for key in ("name", "version"))


class _Heard(io.RawIOBase):
    """The server's standard input: lines as they come; an empty one is the end."""

    def __init__(self) -> None:
        self.lines: SimpleQueue[bytes] = SimpleQueue()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or self.lines.get()
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


class _Said(io.RawIOBase):
    """The server's standard output: whole lines go to the client, but for what was answered already."""

    def __init__(self, front: _Front) -> None:
        self._front, self._begun = front, bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._begun += data
        *lines, rest = bytes(self._begun).split(b"\n")
        self._begun[:] = rest
        kept = [line + b"\n" for line in lines if not self._front.is_answered(line)]
        if kept:
            self._front.write(b"".join(kept))
        return len(data)
