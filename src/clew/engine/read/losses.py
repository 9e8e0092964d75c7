"""What a damaged store has lost of a session, as people are told: what, how much, and how it comes back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clew.domain.ids import message_ranges


@dataclass(frozen=True, slots=True)
class SessionLosses:
    """Counts of lost entries, numbers of ``messages`` of which nothing is left, and blobs with their bytes as far as
    that is known. ``source`` is the file that the session was read from, or empty. False while nothing is lost.
    """

    session: str
    entries: int = 0
    messages: tuple[int, ...] = ()
    blobs: int = 0
    bytes: int = 0
    source: str = ""

    def __bool__(self) -> bool:
        return bool(self.entries or self.messages or self.blobs)

    def __str__(self) -> str:
        return f"{self.summary}; {self.way_back}"

    @property
    def summary(self) -> str:
        """Says what is lost, and how much."""
        messages = f"{len(self.messages)} messages ({message_ranges(self.messages)})" if self.messages else ""
        entries = f"{self.entries} entries" if self.entries else ""
        sized = f" ({self.bytes:,} bytes)" if self.bytes else ""
        blobs = f"{self.blobs} long texts{sized}" if self.blobs else ""
        lost = ", ".join(filter(None, (messages, entries, blobs)))
        return f"session {self.session} lost {lost} when the store was damaged"

    @property
    def way_back(self) -> str:
        """Says what brings the lost content back."""
        if not self.source:
            return "if it was read from a file, importing that again brings them back"
        there = "" if Path(self.source).is_file() else ", once it is there,"
        return f"importing {self.source} again{there} brings them back"
