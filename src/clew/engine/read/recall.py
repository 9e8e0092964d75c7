"""Recall: reads any part of a session by its id, at the size asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from clew.digests.reader import DigestReader
from clew.domain import CriticalItem, Digest, Fact, FileUsage, Header, Message, Segment
from clew.domain.ids import (
    BlobId,
    ChunkId,
    MessageId,
    PinId,
    SegmentId,
    SpanId,
    message_id,
    message_ranges,
    parse_id,
    parse_message_span,
)
from clew.domain.modules import Module
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.errors import NotFound, UsageError
from clew.history.body_blobs import blob_digest
from clew.history.message_text import transcript_text, whole_texts
from clew.text.plurals import pluralise

FORMATS = ("full", "summary", "header", "digest")
#: Messages that are held at a time where all of them are looked through.
_READ_MESSAGES = 500


@dataclass(frozen=True, slots=True)
class RecalledPart:
    """A part that was read, with the ids of the messages it comes from; of headers, their fields."""

    id: str
    format: str
    text: str
    tokens: int
    messages: tuple[str, ...] = ()
    headers: tuple[Header, ...] = ()

    @property
    def as_(self) -> str:
        """The size it was read at, by the name it has in JSON."""
        return self.format


class Recall:
    """Reads parts of one session back."""

    def __init__(
        self,
        ledger: SessionLedger,
        reader: SessionReader,
        services: Services,
        *,
        critical_item: Callable[[str], CriticalItem],
        module: Callable[[str], Module],
    ) -> None:
        self._ledger, self._reader, self._count = ledger, reader, services.tokenizers.count
        self._critical_item, self._module = critical_item, module

    def parts(self, ids: Sequence[str], format: str) -> list[RecalledPart]:
        """Returns each part at the size asked for; messages, blobs and pins have only one size. Raises UsageError for
        an unknown ``format``, NotFound for an id that names nothing.
        """
        if format not in FORMATS:
            raise UsageError(f"cannot recall as {format!r}; there are {', '.join(FORMATS)}")
        return [self.part(id, format) for id in ids]

    def part(self, id: str, format: str) -> RecalledPart:
        """Returns one part. Raises NotFound for an id that names nothing, UsageError for an ambiguous one."""
        named = parse_id(id)
        if run := parse_message_span(id):
            ends = [self._version(message_id(number), MessageId(number)) for number in sorted(run)]
            return self._of_messages(id, self._reader.read_current_versions(*sorted(run)), range(ends[0], ends[-1] + 1))
        match named:
            case MessageId():
                return self._message(id, named)
            case SegmentId() if format != "full":
                return self._segments_at_size(id, named, format)
            case SegmentId():
                segments = self._segments(id, named)
                return self._span(id, segments[0], segments[-1])
            case SpanId():
                first, last = self._segments(str(named.first), named.first), self._segments(str(named.last), named.last)
                return self._span(id, first[0], last[-1])
            case BlobId():
                return self._blob(id, named)
            case PinId():
                return self._pin(id)
            case ChunkId():
                return self._chunk(id)
        raise NotFound(
            f"{id or 'an empty text'} is no id: messages are m12, exchanges x7, segments x7.2, pins p3,"
            " blobs b and 12 hex digits, chunks of modules deploy#3"
        )

    def messages(self, id: str) -> list[Message]:
        """Returns the messages that an id names: one, or those of an exchange, a segment or a run of them; none where
        it names no messages. Raises NotFound for one that is not there.
        """
        match named := parse_id(id):
            case MessageId():
                number = self._version(id, named)
                return self._reader.read_range(number, number)
            case SegmentId():
                segments = self._segments(id, named)
            case SpanId():
                segments = [*self._segments(id, named.first), *self._segments(id, named.last)]
            case _:
                return []
        return self._reader.read_current_versions(segments[0].first, segments[-1].last)

    def _segments_at_size(self, id: str, named: SegmentId, format: str) -> RecalledPart:
        segments = self._segments(id, named)
        digests = self._reader.digests()
        text = "\n".join(digest for segment in segments if (digest := _at_size(digests, segment.id, format)))
        ids = tuple(message_id(number) for number in range(segments[0].first, segments[-1].last + 1))
        trios = [digests.trio(segment.id) for segment in segments] if format == "header" else []
        return RecalledPart(id, format, text, self._count(text), ids, tuple(trio.header for trio in trios if trio))

    def _message(self, id: str, named: MessageId) -> RecalledPart:
        chosen = self._version(id, named)
        return self._of_messages(id, self._reader.read_range(chosen, chosen), range(chosen, chosen + 1))

    def _version(self, id: str, named: MessageId) -> int:
        """m5 is its newest version; m5@1 the first, m5@2 the second."""
        last = self._reader.info.messages
        if not 1 <= named.number <= last:
            raise NotFound(f"no message {id} in session {self._reader.id}; it has m1 to m{last}")
        versions = self._reader.versions(named.number)
        if named.version > len(versions):
            raise NotFound(f"m{named.number} has {pluralise(len(versions), 'version')}; there is no {id}")
        return versions[named.version - 1] if named.version else self._last_words(versions)

    def _last_words(self, versions: Sequence[int]) -> int:
        """The newest version that says something: one without parts has taken the message out of the prompt view."""
        if len(versions) == 1:
            return versions[0]
        read = ((version, self._reader.read_range(version, version, shared=True)) for version in reversed(versions))
        return next((version for version, messages in read if any(message.parts for message in messages)), versions[-1])

    def _segments(self, id: str, named: SegmentId) -> list[Segment]:
        """The segments that an id names: one, or all of an exchange."""
        segments = self._reader.segments_of(named)
        if not segments:
            outline = self._reader.segments()
            there = (
                f"it has {outline[0].exchange_id} to {outline[-1].exchange_id}" if outline else "it has no exchanges"
            )
            raise NotFound(f"no {id} in session {self._reader.id}; {there}")
        return segments

    def _span(self, id: str, first: Segment, last: Segment) -> RecalledPart:
        messages = self._reader.read_current_versions(first.first, last.last)
        return self._of_messages(id, messages, range(first.first, last.last + 1))

    def _blob(self, id: str, named: BlobId) -> RecalledPart:
        digests = self._ledger.find_blobs(named.digits)
        if len(digests) > 1:
            raise UsageError(f"{id} is ambiguous: {', '.join('b' + digest[:20] for digest in digests)}")
        text = self._ledger.blob(digests[0]).decode("utf-8", "replace") if digests else self._recorded_text(named)
        if text is None:
            raise self._no_blob(id, named)
        return RecalledPart(id, "full", text, self._count(text))

    def _recorded_text(self, named: BlobId) -> str | None:
        """The text of a message or an output that a marker means which only a pack that was looked at holds: what is
        not committed keeps no blob of it."""
        for first in range(1, self._reader.info.messages + 1, _READ_MESSAGES):
            for message in self._reader.read_range(first, first + _READ_MESSAGES - 1, shared=True):
                for text in whole_texts(message):
                    if blob_digest(text.encode("utf-8", "surrogatepass")).startswith(named.digits):
                        return text
        return None

    def _no_blob(self, id: str, named: BlobId) -> NotFound:
        if any(digest.startswith(named.digits) for digest in self._ledger.gaps().blobs):
            return NotFound(f"blob {id} of session {self._reader.id} is lost", hint=self._reader.losses().way_back)
        return NotFound(f"no blob {id} in session {self._reader.id}")

    def _pin(self, id: str) -> RecalledPart:
        """A critical item, also one that is no longer in force."""
        item = self._critical_item(id)
        return RecalledPart(id, "full", item.text, self._count(item.text), (item.source,) if item.source else ())

    def _chunk(self, id: str) -> RecalledPart:
        """A chunk of a knowledge module, as the module is now."""
        text = self._module(id).content
        return RecalledPart(id, "full", text, self._count(text))

    def _of_messages(self, id: str, messages: Sequence[Message], wanted: range) -> RecalledPart:
        """Tokens are those counted when the messages were recorded: no table has to be loaded to read."""
        tokens = self._reader.tokens_of(message.number for message in messages)
        text = transcript_text(messages)
        losses = self._reader.losses()
        if lost := [number for number in losses.messages if number in wanted]:
            text = "\n\n".join(filter(None, (text, f"[{message_ranges(lost)} missing: {losses.way_back}]")))
        return RecalledPart(id, "full", text, tokens, tuple(message.id for message in messages))


def _at_size(digests: DigestReader, id: str, format: str) -> str:
    if format == "digest":
        digest = digests.digest(id)
        return render_digest(digest) if digest else ""
    trio = digests.trio(id)
    if trio is None:
        return ""
    return f"{trio.header.id} {trio.header.line}" if format == "header" else trio.summary.text


def render_digest(digest: Digest) -> str:
    """Renders a digest's facts, a line each, with the message each comes from."""
    lines = [f"{digest.id}"]
    for field in fields(digest):
        value = getattr(digest, field.name)
        if isinstance(value, tuple) and value and isinstance(value[0], Fact):
            lines += [f"  {field.name}: {fact.text} ({fact.source}){_note_text(fact)}" for fact in value]
        elif isinstance(value, Fact):
            lines.append(f"  {field.name}: {value.text} ({value.source})")
    return "\n".join(lines)


def _note_text(fact: Fact) -> str:
    """What the model noted of a change to a file."""
    what = fact.what if isinstance(fact, FileUsage) else None
    return f" agent noted ({what.source}): {what.text}" if what else ""
