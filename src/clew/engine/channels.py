"""What comes into a session by other doors than its callers' own: hooks, transcripts, frameworks, models' notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.codecs.clew_values import dump_value
from clew.domain import ContextReport, EntryKind, Housekeeping, Message, SentInput, Text
from clew.domain.argument_kinds import checks_arguments
from clew.domain.ids import message_id, message_number
from clew.domain.values import to_json
from clew.engine.ingest.incoming_replies import IncomingReplies, as_operation
from clew.engine.ledger.records import ChannelCursor, ChannelKind, DecodedRecord
from clew.engine.session_factory import SessionComponents
from clew.errors import UsageError
from clew.history.gain import SHORTENED
from clew.history.prompt_usage import PromptUsageProjection

if TYPE_CHECKING:
    from clew.engine.ingest.recorder import RecordResult
    from clew.engine.ingest.reply_stream import StreamedReplyRecord
    from clew.replies.values import Reply

#: The channel of callers who say what is new.
CALLER = "api"


@checks_arguments
class Channels:
    """Records what channels report of one session, each as far as it has not been reported before."""

    def __init__(
        self, components: SessionComponents, incoming: IncomingReplies, *, recorded: Callable[[], None]
    ) -> None:
        self._components, self._incoming = components, incoming
        self._ledger, self._services = components.ledger, components.services
        self._recorded = recorded

    @as_operation
    def record(
        self, records: Sequence[DecodedRecord], cursor: ChannelCursor, *, asked: SentInput | None = None
    ) -> RecordResult:
        """Records what a channel has decoded. ``cursor`` says how far the channel has reported the conversation,
        ``asked`` which input a reply answers, for those who know.
        """
        done = self._components.recorder.record(records, cursor, asked=asked)
        if done.entries:
            self._recorded()
        return done

    @as_operation
    def reply(self, reply: Any, *, format: str | None = None, asked: SentInput | None = None) -> Reply:
        """Records a reply as ``Session.reply`` does. ``asked`` is the input that it answers; else the last one sent."""
        from clew.engine.ingest.decode import decode_reply
        from clew.replies.parsing import parse_messages

        cursor = ChannelCursor(CALLER, ChannelKind.CALLER)
        done = self.record(decode_reply(reply, format), cursor, asked=asked)
        numbers, reader = [message_number(id) for id in done.ids], self._components.reader
        read = partial(reader.read_current_versions, with_notes=True)
        messages = [message for number in numbers for message in read(number, number)]
        return parse_messages(messages or reader.recent_messages(1, with_notes=True))

    @as_operation
    def record_unanswered(self, asked: SentInput) -> None:
        """Records an input to which no reply came, unless it is recorded already."""
        records = self._components.recorder.unrecorded(asked)
        self.record(records, ChannelCursor(CALLER, ChannelKind.CALLER))

    @as_operation
    def streamed_reply(self, format: str | None = None, *, asked: SentInput | None = None) -> StreamedReplyRecord:
        """Returns what records the reply of one stream, for whoever reads a stream in another way."""
        from clew.engine.ingest.reply_stream import StreamedReplyRecord

        events, reply = self._services.events, partial(self.reply, asked=asked)
        return StreamedReplyRecord(self._ledger.key, reply, self._incoming, events=events, format=format)

    @as_operation
    def note(self, notes: Any, *, segment: str = "") -> Housekeeping:
        """Records notes that a model reports by a call: on its turn so far, or on a segment that it has summarised.

        ``notes`` are the housekeeping of a reply: ``model`` and ``user`` with their keys. Returns them as they were
        understood. Raises UsageError for anything else, NotFound for a segment that is not there.
        """
        from clew.engine.ingest.reported_notes import ReportedNotes

        return ReportedNotes(self._ledger, self._components.reader).add(notes, segment=segment)

    @as_operation
    def report(self, report: ContextReport) -> None:
        """Records what a client says of its prompt beside its transcript: its window, or that it has compacted. Of what
        is derived, only the size of the prompt is brought up to date; the rest is left to whoever reads it.
        """
        self._ledger.append(EntryKind.REPORT, {"report": to_json(report)}, project=False)
        self._ledger.state(PromptUsageProjection.name, alone=True)

    @as_operation
    def shorten_output(self, text: str, *, tool: str, arguments: Mapping[str, Any]) -> str | None:
        """Returns a shorter form of a tool's output, before anybody has recorded it; None where nothing is gained.

        It ends with the id under which the whole can be read, which is kept first. Source that was read stays whole.
        """
        from clew.curation.curator import curate
        from clew.domain import Call

        done = curate(text, Call(id="", name=tool, arguments=dict(arguments)), self._services.config.curation)
        if done is None or not done.blob:
            return None
        self._ledger.keep_texts([text])
        self._ledger.cache_values(SHORTENED, {"": b"1"})
        return done.text

    @as_operation
    def edit(self, changes: Sequence[tuple[str, Message]], *, expect: int | None = None) -> list[int]:
        """Edits several messages as one unit; a version without parts leaves the prompt view. Returns their numbers.
        Raises UsageError for one that was rolled back: its new version would be back in the prompt view.
        """
        reader = self._components.reader
        with self._ledger.transaction():
            bodies = [{"message": dump_value(replace(message, id=""))} for _, message in changes]
            old = [reader.newest_version(id) for id, _ in changes]
            if gone := reader.rolled_back(old):
                raise UsageError(f"{message_id(min(gone))} was rolled back and cannot be edited; record it anew")
            made = self._ledger.append_versions(list(zip(old, bodies, strict=True)), expect=expect)
            if self._services.config.critical.profile:
                self._components.rules.teach_profile({message_id(number) for number in made})
            return made

    @as_operation
    def load_rule_files(self, home: Path | None = None) -> None:
        """Takes in the rule files of the session's folder (CLAUDE.md, AGENTS.md and the like) and, with ``home``, of
        the user.

        Their rules are checked like pinned ones but not added to prompts, as assistants send these files themselves.
        Only for sessions of this machine.
        """
        self._components.rules.load_rule_files(home)


def with_text(old: Message, text: str) -> Message:
    """The message with other words, and with its calls; or with another output of its only call."""
    if len(old.outputs) > 1:
        raise UsageError(f"{old.id} holds {len(old.outputs)} outputs; give a Message that says which is which")
    if old.outputs:
        changed = replace(old.outputs[0], content=(Text(text=text),), wire=None)
        return replace(old, parts=(changed,), wire=None)
    return replace(old, parts=(Text(text=text), *(replace(call, wire=None) for call in old.calls)), wire=None)
