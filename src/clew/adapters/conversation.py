"""A caller's conversation, kept in a session: what is new in the caller's list is recorded, and the pack is sent.

A list of the Responses API may name an item of an earlier response instead of saying it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from itertools import takewhile
from typing import Any, TypeVar

from clew.adapters.alignment import Alignment, GivenMessages, GivenRecord, Outline, align
from clew.adapters.session_state import ModelCall, SessionHandle, behind_handle, ensure_budget, state_of
from clew.async_engine.engine import AsyncSession
from clew.codecs import jsonio
from clew.codecs.sdk_objects import as_dict
from clew.domain import Json, Message
from clew.engine.ingest.decode import decode_messages
from clew.engine.ingest.reply_stream import CALLERS_THREAD, EngineThread, StreamedReplyRecord
from clew.engine.ledger.records import ChannelCursor, ChannelKind, DecodedRecord
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.engine.session_branches import is_in_use, named_branch, note_use
from clew.engine.session_handles import ask_for_same_system, transaction
from clew.errors import ClewError

T = TypeVar("T")
#: States of a response that the provider still works on.
_UNDER_WAY = {"queued", "in_progress"}
#: A list is followed so often without keeping other processes from recording.
_TRIES = 3
#: The channel of callers who send their list with each call.
_CHANNEL = "api"


class Conversation:
    """Keeps a session in step with the list of messages that a caller sends with each call.

    Calls of several threads take turns, whichever handles of the session they were given. The list is the caller's
    truth: what it has in other words is a new version in the session, and what it no longer has leaves the prompt; both
    can still be read.
    """

    def __init__(
        self,
        session: SessionHandle,
        *,
        format: str,
        budget: int | None = None,
        whole_lists: bool = False,
    ) -> None:
        """``format`` is that of packs, and of messages that are dicts. Objects of frameworks say what they are.
        With ``whole_lists`` nothing is sent that the list has not: one that was cut at its beginning is all there is,
        and one that shares nothing with the session begins anew.
        """
        ensure_budget(budget)
        self.format, self.budget, self.whole_lists = format, budget, whole_lists
        self._given_session = behind_handle(session)[0]
        self.state = state_of(session)
        self.session, self._view = self.state.session, self.state.view

    def pack(
        self,
        messages: Sequence[Any],
        *,
        call: ModelCall | None = None,
        system: Any = None,
        tools: Sequence[Any] | None = None,
        model: str = "",
        thinking: str = "",
    ) -> Pack:
        """Makes the session say what the list says, and returns what to send. ``call`` is the one it is sent with,
        ``thinking`` the mode in which the model answers it.
        Raises BudgetExceeded when even the least does not fit, and CancelledError for a call that has failed.
        """
        asking = call or ModelCall()

        def turn() -> Pack:
            if asking.is_failed:
                raise CancelledError("the call was cancelled before its turn came")
            note_use(self.session)
            ask_for_same_system(self.session, self._given_session)
            return self._pack_with_retries(
                lambda: self._follow(messages, asking, system=system, tools=tools),
                lambda: self._pack(system, model=model, thinking=thinking),
            )

        return self.take_turn(turn)

    def pack_recorded(self, *, system: Any = None, model: str = "", thinking: str = "") -> Pack:
        """Returns what to send of a session that says already what the caller's list says."""
        return self.take_turn(lambda: self._pack(system, model=model, thinking=thinking))

    def _pack(self, system: Any, *, model: str, thinking: str) -> Pack:
        room = self._room(system, model)
        return self.session.pack(None, budget=room, target=self.format, thinking=thinking, model=model, sent_whole=True)

    def _pack_with_retries(self, follow: Callable[[], None], pack: Callable[[], Pack]) -> Pack:
        """What is sent is the caller's list alone: if another process records meanwhile, the list is followed again,
        and the last time others wait.
        """
        for _ in range(_TRIES):
            with transaction(self.session):
                follow()
                before = self._view.state
            found = pack()
            if self._view.state == before:
                return found
        with transaction(self.session):
            follow()
            return pack()

    def make_room(self, error: BaseException) -> bool:
        """Compacts where a provider's error says that the request was too long. Returns False where it does not, or
        nothing could be made smaller.
        """
        status = getattr(error, "status_code", None)
        if not isinstance(status, int):
            return False
        try:
            done = self.take_turn(lambda: self.session.compactor.compact_on_overflow(str(error), status=status))
        except ClewError:  # what is guaranteed fits into nothing smaller: the caller has the provider's own error
            return False
        return done is not None and bool(done.undo)

    def has_no_answer(self) -> bool:
        """Returns True where all that the session has came with calls that failed."""
        last = self.state.last_call
        return last.is_failed and self.take_turn(lambda: self.session.info.messages <= len(last.asked))

    def compare(self, messages: Sequence[Any]) -> Alignment:
        """Returns how a list goes on from the session. Nothing is written."""
        return self.take_turn(lambda: self._align(self._given_messages(messages).as_known().records))

    def waits_for_output(self) -> bool:
        """Returns True where the session ends with a call that this process may still answer."""
        return self.take_turn(lambda: is_in_use(self.session) and any(one.is_calling for one in self._view.newest(1)))

    def _room(self, system: Any, model: str) -> int:
        """The most tokens of a pack. One that has the session's own system prompt does not count the call's."""
        most = self.session.limit(model) if self.budget is None else self.budget
        is_beside = system is not None and self.session.system_prompt.is_set
        return most - self.session.reader.count(jsonio.dumps(system).decode()) if is_beside else most

    def record(self, messages: Sequence[Any], *, system: Any = None, tools: Sequence[Any] | None = None) -> None:
        """Records messages that go on from the session, without the rest of their list."""
        self.take_turn(lambda: self.session.record(messages, format=self.format, system=system, tools=tools))

    def reply(self, response: Any, *, call: ModelCall | None = None) -> None:
        """Records the model's response; one that the provider still works on comes with the caller's next list, and
        one that says only that the provider has failed makes the call a failed one.
        The caller has the answer whatever happens here: a failure emits ``reply.lost``, which is logged as a warning.
        """
        if _is_failure(response):
            (call or ModelCall()).fail()
            return
        if _status(response) in _UNDER_WAY:
            return
        try:
            self.take_turn(lambda: self.session.reply(response, format=self.format))
        except Exception as failure:  # whatever it is, it may not cost the caller an answer
            self.lose(str(failure) or type(failure).__name__)

    def lose(self, reason: str) -> None:
        """Tells whoever listens that a reply could not be recorded."""
        self.session.channels.streamed_reply(self.format).lose(reason)

    def streamed_reply(self) -> tuple[StreamedReplyRecord, EngineThread]:
        """Returns what records the reply of a stream, and what makes the call. Nothing is raised at its end."""
        record = self.session.channels.streamed_reply(self.format)
        record.raises = False
        return record, self.state.lane or CALLERS_THREAD

    def newest_message(self) -> list[Outline]:
        """Returns the outline of the session's newest message, if it has one."""
        return self.take_turn(lambda: self._view.newest(1))

    def outlines(self) -> list[Outline]:
        """Returns the outlines of all that the session may send, in order."""
        return self.take_turn(self._view.newest)

    def handle(self, session: Session) -> SessionHandle:
        """Returns a session of the same engine as a handle of the same kind."""
        lane = self.state.lane
        return session if lane is None else AsyncSession(session, lane.worker.lane(session.key))

    def branch_handle(self, name: str) -> SessionHandle:
        """Returns the session's branch of a name."""
        return self.handle(self.take_turn(lambda: named_branch(self.session, name)))

    def take_turn(self, call: Callable[[], T]) -> T:
        """One call at a time; those of an asynchronous session in its lane."""
        return self.state.take_turn(call)

    # ── the caller's list ────────────────────────────────────────────────────────────────────────────

    def _follow(self, messages: Sequence[Any], call: ModelCall, **beside: Any) -> None:
        """Makes the session's view say what the list says, and records what is new in it."""
        given = self._given_messages(messages)
        known = given.as_known()
        records = known.records
        found = self._align(records)
        if not found.shared:
            found = replace(found, dropped=self._given_up())
        self._rewrite(found, given)
        self.state.known[self.format] = known
        new = [without_key(_decoded_record(given, record)) for record in records[found.new :]]
        first = decode_messages([], self.format, **beside)
        is_begun = not found.shared and not self.whole_lists and self._view.newest(1)
        # System prompts are no places to go on from: alone, they may be known.
        kind = ChannelKind.LOG if any(record.outline.marks for record in records[found.new :]) else ChannelKind.CALLER
        done = self.session.channels.record([*first, *new], ChannelCursor(_CHANNEL, kind))
        call.asked = {*done.ids, *self._unanswered_ids}  # asked again, it still waits for its answer
        self.state.last_call = call
        if is_begun:
            recorded = [one.id for one in self._view.newest(len(new)) if one.id in done.ids]
            self.state.begun.update(recorded[:1])

    @property
    def _unanswered_ids(self) -> set[str]:
        last = self.state.last_call
        return last.asked if last.is_failed else set()

    def _given_up(self) -> tuple[Outline, ...]:
        """The messages at the end of the session that got no answer, as their call failed; all if lists are whole."""
        if self.whole_lists:
            return tuple(self._view.newest())
        asked = self._unanswered_ids
        waiting = takewhile(lambda one: one.id in asked, reversed(self._view.newest(len(asked))))
        return tuple(waiting)[::-1]

    def _given_messages(self, messages: Sequence[Any]) -> GivenMessages:
        masked = self.session.config.storage.mask_secrets
        if self.format == "openai-responses":
            messages = with_referenced_items(messages, self.session)
        return GivenMessages(messages, self.format, masked=masked, known=self.state.known.get(self.format))

    def _align(self, given: Sequence[GivenRecord]) -> Alignment:
        """How the list goes on. Only a list that is not found at the end of the session is looked for in all of it."""
        if self.whole_lists:
            alignment = align(self._view.newest(), given, is_whole=True)
            return replace(alignment, edited=(*((one, None) for one in alignment.before), *alignment.edited), before=())
        begun = self.state.begun
        alignment = align(self._view.newest(2 * len(given)), given, begun=begun)
        if alignment.shared and not alignment.reaches_back:
            return alignment
        return align(self._view.newest(), given, begun=begun, is_whole=True)

    def _rewrite(self, alignment: Alignment, given: GivenMessages) -> None:
        """Takes out what the list no longer has, and puts its words in place of the session's."""
        requests = [index for index, one in enumerate(alignment.dropped) if one.is_request]
        if requests:
            self.session.rollback(len(requests))
        changes = [(old, new) for old, new in alignment.edited]
        changes += [(old, None) for old in alignment.dropped[: requests[0] if requests else None]]
        if changes:
            self.session.channels.edit([(old.id, self._version(old, new, given)) for old, new in changes])

    def _version(self, old: Outline, new: GivenRecord | None, given: GivenMessages) -> Message:
        message = _decoded_record(given, new).record.message if new else None
        return message or Message(role=old.role, parts=())


def _decoded_record(given: GivenMessages, record: GivenRecord) -> DecodedRecord:
    return given.records(record.place)[record.at]


def without_key(one: DecodedRecord) -> DecodedRecord:
    """What is new in a list is recorded, whatever id it bears: it may have been taken out before."""
    return replace(one, record=replace(one.record, key=""))


def _status(response: Any) -> Any:
    return (as_dict(response) or {}).get("status")


def _is_failure(response: Any) -> bool:
    """True for a response of the Responses API that failed before anything was said."""
    return _status(response) == "failed" and not (as_dict(response) or {}).get("output")


def with_referenced_items(items: Sequence[Any], session: Session) -> Sequence[Any]:
    """Returns the list with the items that the session has in place of their references. Others stay: the provider may
    know them.
    """
    wanted = {id for item in items if (id := _referenced_id(item))}
    if not wanted:
        return items
    known = _items_by_id(session, wanted)
    return [known.get(_referenced_id(item), item) for item in items]


def _referenced_id(item: Any) -> str:
    """The id that an item refers to; empty for an item that says something itself."""
    if not isinstance(item, dict) or not (item.get("type") == "item_reference" or item.keys() == {"id"}):
        return ""
    id = item.get("id")
    return id if isinstance(id, str) else ""


def _items_by_id(session: Session, ids: set[str]) -> dict[str, Json]:
    wires = (part.wire for message in session.messages() for part in message.parts)
    found = (wire.data for wire in wires if wire is not None and isinstance(wire.data, dict))
    return {data["id"]: data for data in found if data.get("id") in ids and not _referenced_id(data)}
