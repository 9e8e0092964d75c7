"""A session file as an audit reads it: messages with the ids that ``clew show`` gives them, and where each stands.

Files of several conversations give a session each. A compaction is where the client says so, or where its summary
stands.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from clew.codecs import jsonio, registry
from clew.codecs.sources import open_source, peek
from clew.domain import Entry, Message, Origin, Record, Role, SessionFacts, SessionInfo, SkippedRecord, Usage
from clew.domain.sessions import SessionKey
from clew.engine.ledger.deduplication import AppendBatch
from clew.engine.ledger.marks import FreshMarks
from clew.engine.ledger.records import ChannelCursor, DecodedRecord
from clew.errors import NoConversation
from clew.history.fold import History
from clew.ports import Codec, RawRecord
from clew.storage.memory import MemoryStore

#: So much of a file is read without finding a message before it is given up.
_SILENT_BYTES = 64 << 20
#: A line of bookkeeping that clients show their model besides messages: files, reminders, words of hooks.
_ATTACHMENT = b'"attachment"'


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionMark:
    """Where a client compacted: ``after`` is the number of the last message before it, ``kept`` what its record holds
    besides the summary. ``before`` is the size of its prompt then, 0 where it does not say."""

    after: int
    at: float | None = None
    automatic: bool | None = None
    before: int = 0
    seconds: float | None = None
    kept: str = ""


@dataclass(frozen=True, slots=True)
class CountedRequest:
    """What one request took as the provider, or the client, counted it: when, and of which model. ``reply`` is the
    number of the message that answered it, 0 where the record does not tell.
    """

    at: float | None
    model: str
    usage: Usage
    reply: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSession:
    """One conversation of a file. ``lines`` has the line of each message, by its number; ``attached`` what the client
    showed its model beside messages, each with the number of the message before it. ``requests`` are those of which
    somebody says what they took.
    """

    path: str
    info: SessionInfo
    conversation: str = ""
    messages: tuple[Message, ...] = ()
    main: tuple[Message, ...] = ()
    records: tuple[tuple[Entry, Record], ...] = field(default=(), repr=False)
    lines: dict[int, int] = field(default_factory=dict, repr=False)
    marks: tuple[CompactionMark, ...] = ()
    attached: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    requests: tuple[CountedRequest, ...] = field(default=(), repr=False)

    @property
    def id(self) -> str:
        """The session's id as the file or its name gives it."""
        return self.info.key.id

    @property
    def source(self) -> str:
        """The SOURCE that other commands read it by."""
        return f"{self.path}#{self.conversation}" if self.conversation else self.path

    def message(self, number: int) -> Message | None:
        """Returns a message by its number; None where there is none."""
        index = bisect_left(self.messages, number, key=lambda message: message.number)
        return self.messages[index] if index < len(self.messages) and self.messages[index].number == number else None


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a file holds, and what of it could not be read."""

    sessions: tuple[RecordedSession, ...]
    skipped: tuple[SkippedRecord, ...] = ()


def read_sessions(path: str, *, format: str = "auto", progress: Callable[[int], object] | None = None) -> ReadFile:
    """Reads a file. Raises NoConversation where no message in it is understood, and NotFound or UnreadableSource."""
    with open_source(path) as stream:
        head = peek(stream)
        codec = registry.detect(head, path) if format == "auto" else registry.codec_for_file(format, head)
        reading = _Reading(path, codec)
        for raw in codec.split(stream):
            if progress is not None and isinstance(raw, RawRecord):
                progress(raw.end)
            if not reading.take(raw):
                break
    read = reading.finish()
    if not read.sessions:
        raise NoConversation(f"{path} looks like {codec.name}, but no message in it was understood", format=codec.name)
    return read


class _Reading:
    """Takes the records of one file, in order."""

    def __init__(self, path: str, codec: Codec) -> None:
        self._path, self._codec = path, codec
        self._drafts: dict[str, _Draft] = {}
        self._skipped: list[SkippedRecord] = []
        self._session, self._silent_bytes = "", 0

    def take(self, raw: RawRecord | SkippedRecord) -> bool:
        """Takes one record; False when nobody has spoken for too long."""
        if isinstance(raw, SkippedRecord):
            self._skipped.append(raw)
            return True
        name = raw.format or self._codec.name
        try:
            record = registry.codec(name).read(raw.body)
        except ValueError as error:
            self._skipped.append(SkippedRecord(raw.line, f"broken record: {error}"))
            return True
        record = replace(record, repeats=raw.repeats) if raw.repeats else record
        self._session = self._session or record.facts.session
        if raw.session not in self._drafts:
            self._drafts[raw.session] = _Draft(raw.session)
        draft = self._drafts[raw.session]
        draft.add(raw, DecodedRecord(name, raw.body, record))
        self._silent_bytes = 0 if draft.has_messages else self._silent_bytes + len(raw.body)
        return self._silent_bytes <= _SILENT_BYTES

    def finish(self) -> ReadFile:
        """Returns what was read, without conversations in which nobody speaks."""
        stem = Path(self._path).name.split(".")[0]
        place = blake2b(str(Path(self._path).absolute()).encode("utf-8", "replace"), digest_size=3).hexdigest()
        base = self._session or f"{stem}-{place}"
        drafts = [draft for draft in self._drafts.values() if draft.has_messages]
        return ReadFile(tuple(draft.session(self._path, base) for draft in drafts), tuple(self._skipped))


class _Draft:
    """One conversation on its way: numbers messages as an import into an empty session would."""

    def __init__(self, conversation: str) -> None:
        self._conversation = conversation
        key = SessionKey("", "", "audit")
        self._history = History()
        marks = FreshMarks(MemoryStore(), key, b"audit")
        rolled_back = self._history.rolled_back
        self._batch = AppendBatch(SessionInfo(key=key), marks, ChannelCursor(""), 0.0, rolled_back.__contains__)
        self._records: list[tuple[Entry, Record]] = []
        self._lines: dict[int, int] = {}
        self._marks: list[CompactionMark] = []
        self._attached: list[tuple[int, str]] = []
        self._requests: list[CountedRequest] = []
        self._spent = Usage()
        self._facts = SessionFacts()
        self._last = 0

    @property
    def has_messages(self) -> bool:
        return bool(self._history.messages)

    def add(self, raw: RawRecord, decoded: DecodedRecord) -> None:
        facts = decoded.record.facts
        self._facts = SessionFacts(cwd=self._facts.cwd or facts.cwd, model=facts.model or self._facts.model)
        if _says_nothing(decoded.record):
            self._note(raw, decoded)
            return
        self._batch.cursor.channel = self._batch.cursor.channel or decoded.format
        self._batch.add([decoded])
        if not self._batch.entries:
            return
        entry = self._batch.entries.pop()
        self._history.add(entry, decoded.record)
        self._note(raw, decoded)
        self._records.append((entry, decoded.record))
        if entry.message:
            self._lines.setdefault(entry.message, raw.line)
            self._last = max(self._last, entry.message)

    def _note(self, raw: RawRecord, record: DecodedRecord) -> None:
        """Keeps what the record says of a compaction, or shows besides messages."""
        report = record.record.report
        if report is not None and report.spent is not None:
            self._count(report.spent, record.record.at)
        if report is not None and report.compacted:
            about = jsonio.loads(raw.body)
            mark = CompactionMark(
                after=self._last,
                at=record.record.at,
                automatic=report.automatic if report.before else None,
                before=report.before,
                seconds=_duration(about),
                kept="\n".join(strings_in(about)),
            )
            self._marks.append(mark)
        elif record.record.message is None and _ATTACHMENT in raw.body:
            about = jsonio.loads(raw.body)
            shown = about.get("attachment") if isinstance(about, dict) else None
            self._attached.append((self._last, "\n".join(strings_in(shown))))

    def _count(self, spent: Usage, time: float | None) -> None:
        """Takes what a client has counted so far: what is more than before is one request. It may say the same twice,
        and begin anew."""
        before = self._spent if spent.input_tokens >= self._spent.input_tokens else Usage()
        more = Usage(*(max(getattr(spent, name) - getattr(before, name), 0) for name in Usage.__slots__))
        self._spent = spent
        if more.input_tokens:
            self._requests.append(CountedRequest(time, self._facts.model, more))

    def session(self, path: str, base: str) -> RecordedSession:
        history, info = self._history, self._batch.info
        name = f"{base}-{self._conversation}" if self._conversation else base
        requests = (*_counted_requests(history, info.model or self._facts.model), *self._requests)
        info = replace(
            info,
            key=SessionKey("", "", name),
            source=path,
            model=info.model or self._facts.model,
            cwd=info.cwd or self._facts.cwd,
            usage=total_usage(request.usage for request in requests),
        )
        main = tuple(message for message in history.prompt_view() if message.role is not Role.SYSTEM)
        return RecordedSession(
            path=path,
            info=info,
            conversation=self._conversation,
            messages=tuple(history.record_view()),
            main=main,
            records=tuple(self._records),
            lines=self._lines,
            marks=tuple(_with_summaries(self._marks, main)),
            attached=tuple(self._attached),
            requests=requests,
        )


def _says_nothing(record: Record) -> bool:
    """True for bookkeeping that changes neither the messages nor what is known of the session."""
    is_told = record.message is not None or record.report is not None or record.tools is not None
    return not (is_told or record.rollback or record.facts.title)


def _counted_requests(history: History, model: str) -> Iterator[CountedRequest]:
    for message in history.messages.values():
        if message.usage is not None and message.usage != Usage():
            yield CountedRequest(message.at, message.model or model, message.usage, message.number)


def total_usage(counts: Iterable[Usage]) -> Usage:
    """Returns the sums of what was counted."""
    usages = list(counts)
    return Usage(*(sum(getattr(usage, name) for usage in usages) for name in Usage.__slots__))


def _with_summaries(marks: list[CompactionMark], main: tuple[Message, ...]) -> Iterator[CompactionMark]:
    """The compactions in order, also those that only a summary tells of."""
    all_marks = list(marks)
    for index, message in enumerate(main):
        before = main[index - 1].number if index else 0
        if message.origin is Origin.SUMMARY and not any(before <= mark.after <= message.number for mark in marks):
            all_marks.append(CompactionMark(after=before, at=message.at))
    yield from sorted(all_marks, key=lambda mark: mark.after)


def _duration(about: Any) -> float | None:
    """How long the client says that it took."""
    metadata = about.get("compactMetadata") if isinstance(about, dict) else None
    taken = metadata.get("durationMs") if isinstance(metadata, dict) else None
    return taken / 1000 if isinstance(taken, int | float) and 0 < taken < 3_600_000 else None


def strings_in(value: Any) -> Iterator[str]:
    """Yields all strings of a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_in(inner)
