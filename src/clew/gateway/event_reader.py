"""Reads server-sent events out of the bytes of a stream, on their way through."""

from __future__ import annotations

import re

from clew.codecs import jsonio
from clew.domain import Json

_BREAK, _MOST_BREAK_BYTES = re.compile(rb"\r\n\r\n|\n\n|\r\r"), 4
_LINE = re.compile(rb"\r\n|\n|\r")
_DONE = b"data: [DONE]"
#: An event of more than this is none that a provider sends: what follows is no longer read.
_MOST_BYTES = 64 << 20


class EventReader:
    """The events of one stream, as objects; those that are none are passed over."""

    def __init__(self) -> None:
        self._rest, self._searched = bytearray(), 0
        self._is_given_up = False
        #: True once the event has come with which some APIs end their streams.
        self.is_done = False

    def feed(self, data: bytes) -> list[Json]:
        """Returns the events that these bytes complete."""
        if self._is_given_up:
            return []
        found = [_event(one) for one in self._complete(data)]
        return [one for one in found if one is not None]

    def _complete(self, data: bytes) -> list[bytes]:
        """The texts of events that are whole now. What was searched before is not searched again: one event may be
        megabytes, and come in thousands of pieces.
        """
        self._rest += data
        whole, begin, at = list[bytes](), 0, self._searched
        while found := _BREAK.search(self._rest, at):
            whole.append(bytes(self._rest[begin : found.start()]))
            begin = at = found.end()
        del self._rest[:begin]
        self._searched = max(0, len(self._rest) - _MOST_BREAK_BYTES + 1)
        self._is_given_up = len(self._rest) > _MOST_BYTES
        self.is_done = self.is_done or any(one.rstrip().endswith(_DONE) for one in whole)
        return whole


def _event(lines: bytes) -> Json | None:
    values = [line[5:].lstrip(b" ") for line in _LINE.split(lines) if line.startswith(b"data:")]
    try:
        found = jsonio.loads(b"\n".join(values)) if values else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
