"""Records, as a channel reports them, and entries, as the ledger keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from clew.domain.messages import Message, Tool, Usage


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Facts about its session that a record states; an empty field states nothing."""

    session: str = ""
    title: str = ""
    client: str = ""
    cwd: str = ""
    model: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport:
    """What a client says of the prompt that it sends, in tokens; 0 says nothing.

    ``used`` is what the provider counted last, the reply included. ``window`` is what the client may send.
    ``compacted`` says that the client has just put something shorter in place of older messages; ``automatic``, that
    it did so by itself, and ``before``, how large its prompt was then; ``summary``, how large what it put there is,
    where its file does not tell yet. ``spent`` is all that the session's requests took so far.

    Of a turn in which Clew answered calls itself, ``asked`` is what the client's own request took, ``fetches`` counts
    these calls, and ``fetched`` the tokens of their answers.
    """

    used: int = 0
    window: int = 0
    compacted: bool = False
    automatic: bool = False
    before: int = 0
    summary: int = 0
    spent: Usage | None = None
    asked: Usage | None = None
    fetches: int = 0
    fetched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One wire record, decoded.

    A record that bears no message is bookkeeping: kept for resuming, never sent. How it joins others:

    - ``key`` identifies the record in its channel (a uuid, else a hash of its bytes): seen again, it is skipped.
    - ``repeats`` is the key of a record that said the same before: where that one is known, so is this one.
    - ``group`` names a message that several records spell out, such as a reply that grows line by line.
    - ``revises`` says that a known ``group`` is replaced by this record, not continued: a new version.
    - ``joins`` says that the record continues the message before it, if that has the same role and thread
      (item formats, where a reply is a run of items).
    - ``tools``, when not None, are the definitions that the caller offers from here on.
    - ``rollback`` takes that many of the last exchanges out of the prompt view.
    - ``report`` is what the client says of its prompt.
    """

    key: str
    repeats: str = ""
    message: Message | None = None
    group: str = ""
    revises: bool = False
    joins: bool = False
    tools: tuple[Tool, ...] | None = None
    rollback: int = 0
    report: ContextReport | None = None
    at: float | None = None
    facts: SessionFacts = field(default_factory=SessionFacts)


class EntryKind(StrEnum):
    """Type of a ledger entry."""

    MESSAGE = "message"  # a new message
    MORE = "more"  # further parts of a message
    NOTE = "note"  # a record of the client without a message, kept for resuming
    TOOLS = "tools"  # the tools offered from here on
    ROLLBACK = "rollback"  # the last exchanges leave the prompt view
    EDIT = "edit"  # a new version of a message
    FORK = "fork"  # the session was copied from another one
    EPOCH = "epoch"  # an epoch of a stream started, or all of them ended
    SENT = "sent"  # the input of a turn as it was sent
    COMPACTION = "compaction"  # a compaction by hand, or an undo of any compaction
    SUMMARY = "summary"  # a summary written by a model
    PIN = "pin"  # a critical item was pinned, accepted or unpinned, or rules were taken in from outside
    ALERT = "alert"  # an alert was dismissed
    SYSTEM = "system"  # the system prompt that the next epochs begin with
    RUN = "run"  # a run of a tool: when, how long, how it ended
    HOUSEKEEPING = "housekeeping"  # notes that a model reported on its turn or on a segment, outside its reply
    FEEDBACK = "feedback"  # which of what was retrieved for a reply the reply used
    CACHED = "cached"  # the next reply comes from the cache of answers
    REPORT = "report"  # what a client said of its prompt beside its transcript

    @property
    def is_bookkeeping(self) -> bool:
        """True for entries that add nothing to the conversation."""
        return self.is_of_clew or self is EntryKind.NOTE

    @property
    def is_of_clew(self) -> bool:
        """True for entries that Clew itself writes, and no channel reports."""
        return self.belongs_to_packs or self in _OWN

    @property
    def belongs_to_packs(self) -> bool:
        """True for entries about packs of this very session. A copy of the session does not take them along."""
        return self in {EntryKind.EPOCH, EntryKind.SENT, EntryKind.COMPACTION, EntryKind.SUMMARY}

    @property
    def is_for_projections(self) -> bool:
        """True for entries without a message that projections receive as a ``LedgerNote``."""
        return self is EntryKind.TOOLS or (self.is_of_clew and self is not EntryKind.FORK)

    @property
    def rewrites(self) -> bool:
        """True for entries that change earlier messages of the prompt view; the session's version moves."""
        return self in {EntryKind.ROLLBACK, EntryKind.EDIT}


#: Kinds that Clew itself writes, beside those about packs.
_OWN = frozenset(
    {
        EntryKind.FORK,
        EntryKind.PIN,
        EntryKind.ALERT,
        EntryKind.SYSTEM,
        EntryKind.RUN,
        EntryKind.HOUSEKEEPING,
        EntryKind.FEEDBACK,
        EntryKind.CACHED,
        EntryKind.REPORT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the ledger. ``body`` is the wire record as it came; ``format`` names the codec that reads it.

    ``message`` is the number of the message it belongs to (1 for m1), or 0.
    ``replaces`` is the number of the message that this one is a new version of, or 0.
    """

    seq: int
    kind: EntryKind
    format: str
    body: bytes
    message: int = 0
    replaces: int = 0
    at: float | None = None
