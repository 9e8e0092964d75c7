"""Records and entries: what a channel reported, and how the ledger keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from clew.domain.messages import Message
from clew.domain.tools import Tool


@dataclass(frozen=True, slots=True)
class Facts:
    """What a record says of its session; empty fields say nothing."""

    session: str = ""
    title: str = ""
    client: str = ""
    cwd: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One wire record, decoded.

    A record that bears no message is bookkeeping: kept for resuming, never sent. How it joins others:

    - ``key`` identifies the record in its channel (a uuid, else a hash of its bytes): seen again, it is skipped.
    - ``group`` names a message that several records spell out, such as a reply that grows line by line.
    - ``revises`` says that a known ``group`` is replaced by this record, not continued: a new version.
    - ``joins`` says that the record continues the message before it, if that has the same role and thread
      (item formats, where a reply is a run of items).
    - ``tools``, when not None, are the definitions that the caller offers from here on.
    - ``rollback`` takes that many of the last exchanges out of the prompt view.
    """

    key: str
    message: Message | None = None
    group: str = ""
    revises: bool = False
    joins: bool = False
    tools: tuple[Tool, ...] | None = None
    rollback: int = 0
    at: float | None = None
    facts: Facts = field(default_factory=Facts)


class Kind(StrEnum):
    """What an entry does: a new message, more of one, bookkeeping, the tools offered, a change of the view, the
    beginning of an epoch, an input as it was sent, a compaction that was asked for or taken back, a summary, a
    critical item that was pinned or unpinned, an alert that was waved off."""

    MESSAGE = "message"
    MORE = "more"
    NOTE = "note"
    TOOLS = "tools"
    ROLLBACK = "rollback"
    EDIT = "edit"
    FORK = "fork"
    EPOCH = "epoch"
    SENT = "sent"
    COMPACTION = "compaction"
    SUMMARY = "summary"
    PIN = "pin"
    ALERT = "alert"

    @property
    def rewrites(self) -> bool:
        """True when earlier messages may look different after it: the session's version moves."""
        return self in {Kind.ROLLBACK, Kind.EDIT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the ledger. ``body`` is the wire record as it came; ``format`` says who can read it.

    ``message`` is the number of the message it belongs to (1 for m1), or 0. ``replaces`` is the number of
    the message that this one is a new version of, or 0.
    """

    seq: int
    kind: Kind
    format: str
    body: bytes
    message: int = 0
    replaces: int = 0
    at: float | None = None
