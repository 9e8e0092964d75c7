"""What a client that resumes sessions must be able to say, and the file that it resumes one from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from clew.assistants.transcript import Assistant
from clew.codecs import jsonio
from clew.domain import Json, Loss, Repair


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFile:
    """A session file of a client. ``at`` is when its session began, in seconds since 1970."""

    client: str
    id: str
    at: float
    folder: Path
    lines: tuple[Json, ...]
    repairs: tuple[Repair, ...]
    losses: tuple[Loss, ...]

    def encode(self) -> Iterator[bytes]:
        """Yields the file's bytes, line by line."""
        return (jsonio.dumps(line) + b"\n" for line in self.lines)


class ResumableAssistant(Assistant, Protocol):
    """A client that goes on with a session file that somebody else wrote."""

    def place(self, file: SessionFile, /) -> Path:
        """Returns where the client looks for a session file. Raises UsageError if that is not known."""

    def resume_command(self, session: str) -> str:
        """Returns what a person types to go on with a session."""
