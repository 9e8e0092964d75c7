"""A session: the live handle on one conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.codecs import jsonio, registry
from clew.domain import (
    Alert,
    Compaction,
    Drift,
    Entry,
    Health,
    Item,
    Kind,
    Message,
    Order,
    Origin,
    Part,
    Record,
    Role,
    SessionInfo,
    Strategy,
    Text,
    Why,
)
from clew.domain.critical import Scope
from clew.engine.beside import take_in_files, take_in_profile
from clew.engine.carrying import aggressive
from clew.engine.compaction import Compactor, Preview, Suggestion
from clew.engine.incoming import OWN, incoming, one, own_body
from clew.engine.ledger import Incoming, Telling
from clew.engine.lines import Line
from clew.engine.outgoing import Outgoing
from clew.engine.pack import Pack, home_of, tokenizer_of
from clew.engine.reading import Reading
from clew.engine.recalling import Item as Recalled
from clew.engine.recalling import recall
from clew.engine.retrieving import Retriever
from clew.engine.watching import Watching, pin_of
from clew.engine.weighing import Weighing
from clew.errors import BudgetExceeded, NotFound, UsageError, VersionConflict
from clew.history.fold import message_id
from clew.history.identity import identities, overlap
from clew.history.requests import is_request
from clew.packing.allocation import Budget, budget_for
from clew.packing.inputs import InputKind, input_of
from clew.ports import Cancel, Model, Tokenizer
from clew.replies import Reply, parse
from clew.signals.relevance import Relevance

if TYPE_CHECKING:
    from clew.engine.core import Engine

#: What is told of a session in another one that goes on from it.
RESUME_TOKENS = 4_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one call of ``record`` did: ids of messages that are new or grew, and how many were known."""

    ids: tuple[str, ...]
    known: int = 0


class Session(Reading):
    """One thread of exchanges: record, read back, take back, fork."""

    def __init__(self, engine: Engine, info: SessionInfo) -> None:
        super().__init__(engine, info)
        self._level = "good"
        self._lines: dict[tuple[str, int, str], Line] = {}
        self.outgoing, self.weighing, self._retriever = Outgoing(self), Weighing(self), Retriever(self)

    # ── recording ────────────────────────────────────────────────────────────────────────────────────

    def record(
        self,
        messages: Iterable[Any] = (),
        *,
        format: str | None = None,
        system: Any = None,
        tools: Sequence[Any] | None = None,
        channel: str = "api",
        whole: bool = False,
    ) -> Recorded:
        """Records messages: dicts of a known format, or Message values.

        What the session ends with already is not recorded again, so a caller may hand in new messages or
        the conversation so far. ``whole`` is for a channel that always tells everything from the start.
        """
        told = incoming(list(messages), format, system, tools)
        return self.tell(told, Telling(channel, appends=not whole))

    def reply(self, reply: str | Message | dict[str, Any], *, format: str | None = None) -> Reply:
        """Records a model's reply, and takes it apart: what the user is to see, calls, notes, and what it asks to read.

        What it asks for comes with the next pack, within the quota of a turn.
        """
        said = (
            Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(Text(text=reply),))
            if isinstance(reply, str)
            else reply
        )
        ids = self.record([said], format=format).ids
        found = self.read_newest(*(int(id[1:]) for id in (ids[-1], ids[-1]))) if ids else self.newest(1)
        return parse(found[-1].text, calls=found[-1].calls)

    def tell(self, incoming: Sequence[Incoming], telling: Telling) -> Recorded:
        """Records decoded wire records and brings everything derived up to date."""
        with self._engine.store.transaction():
            asked = self._unrecorded(incoming) if telling.appends else []
            skip = self._overlap(incoming) if telling.appends and not asked else set()
            new = [*asked, *(one for at, one in enumerate(incoming) if at not in skip)]
            done = self._engine.ledger.append(self._info, new, telling)
            self._engine.catch_up(done.info)
            if self._engine.config.critical.profile and any(_is_said(one) for one in new):
                take_in_profile(self, {f"m{number}" for number in done.numbers})
        self._info = done.info
        ids = tuple(message_id(number) for number in dict.fromkeys(done.numbers))
        if done.entries:
            self._engine.events.emit("recorded", session=self.id, messages=ids)
            for line in list(self._lines.values()):
                line.noticed()
            self._tell_health()
        return Recorded(ids, done.known + len(skip))

    def _tell_health(self) -> None:
        """Whoever listens is told when the session's health has changed."""
        if self._engine.events.has("health.changed") and (found := self.health()).health != self._level:
            before, self._level = self._level, found.health
            self._engine.events.emit("health.changed", session=self.id, before=before, health=found)

    def _unrecorded(self, new: Sequence[Incoming]) -> list[Incoming]:
        """The input that this reply answers, where a pack handed it out and nobody recorded it."""
        talk = [one.record.message for one in new if one.record.message and one.record.message.role is not Role.SYSTEM]
        seq = self.outgoing.lead().sent if talk and talk[0].role is Role.ASSISTANT else 0
        sent = self.outgoing.sent(seq) if seq else None
        if sent is None or sent.after != self.info.messages:
            return []
        return [one(message, OWN, at) for at, message in enumerate(sent.words)]

    def _overlap(self, incoming: Sequence[Incoming]) -> set[int]:
        """Which of the records say again what the session already ends with."""
        told = [(at, message) for at, one in enumerate(incoming) if (message := self._as_stored(one)) is not None]
        talk = [(at, message) for at, message in told if message.role is not Role.SYSTEM]
        if not talk:
            return {at for at, _ in told} & self._known_system(told)
        recent = [_mark(message) for message in self.newest(len(talk))]
        count = overlap(recent, [_mark(message) for _, message in talk])
        known = {at for at, _ in talk[:count]}
        return known | self._known_system([(at, message) for at, message in told if message.role is Role.SYSTEM])

    def _as_stored(self, one: Incoming) -> Message | None:
        """What a record says, as the ledger would keep it; records that find their own place are left out."""
        if one.record.message is None or one.record.revises:
            return None
        body = self._engine.ledger.masked(one.body)
        return one.record.message if body == one.body else registry.codec(one.format).read(body).message

    def _known_system(self, told: Sequence[tuple[int, Message]]) -> set[int]:
        """System messages that stand in the session as they are."""
        if not told:
            return set()
        kept = {_mark(message) for message in self.history().prompt_view() if message.role is Role.SYSTEM}
        return {at for at, message in told if _mark(message) in kept}

    def recall(self, ids: str | Sequence[str], format: str = "full") -> list[Recalled]:
        """Any part by its id: a message, an exchange or segment, a blob."""
        self._engine.catch_up(self.info)
        return recall(self, [ids] if isinstance(ids, str) else list(ids), format)

    # ── packing ──────────────────────────────────────────────────────────────────────────────────────

    def pack(
        self,
        query: str | None = None,
        *,
        budget: int | Budget | None = None,
        kind: str = InputKind.USER_QUERY,
        tool_id: str | None = None,
        attachments: Iterable[Part] = (),
        errors: str | Iterable[str] = (),
        record: bool = True,
    ) -> Pack:
        """What to send for this turn, within the budget; by default the window less the reserve for the answer.

        ``kind`` is user_query, tool_response (with the ``tool_id`` it answers) or user_feedback.
        ``record`` says that it will be sent: the ledger is told when an epoch begins, and what the input was. Without
        it nothing is written, and the whole budget is used.
        """
        self._engine.catch_up(self.info)
        config = self._engine.config.packing
        total = budget if budget is not None else self.limit()
        input = input_of(query, kind, tool_id=tool_id, attachments=attachments, errors=errors)
        if not isinstance(total, Budget):
            total = budget_for(total, query or "", kind=InputKind(kind), packing=config)
        return Pack(self, input, budget=total, record=record)

    # ── compacting ───────────────────────────────────────────────────────────────────────────────────

    def suggest(self) -> Suggestion:
        """What a compaction could do, in a moment and without laying anything out."""
        return Compactor(self).suggestion()

    def preview(
        self, strategy: str = Strategy.AUTO, *, keep_recent: int | None = None, budget: int | None = None
    ) -> Preview:
        """What ``compact`` would do; nothing is written."""
        return Compactor(self).preview(self._order(strategy, keep_recent, budget))

    def compact(
        self,
        strategy: str = Strategy.AUTO,
        *,
        keep_recent: int | None = None,
        budget: int | None = None,
        model: Model | None = None,
        cancel: Cancel | None = None,
        why: Why = Why.HAND,
    ) -> Compaction:
        """Moves what is older to smaller sizes; every word stays readable, and ``undo`` takes it back.

        ``budget`` is for the whole prompt afterwards. ``keep_recent`` messages stay word for word. ``model`` is asked
        for a summary instead of the configured one; its failure costs nothing but a ``compaction.degraded`` event.
        ``cancel`` leaves everything as it was.
        """
        return Compactor(self).compact(self._order(strategy, keep_recent, budget, why), model=model, cancel=cancel)

    def undo(self) -> None:
        """Takes the last compaction back."""
        Compactor(self).undo()

    def overflowed(self, said: str, *, status: int = 400) -> Compaction | None:
        """Compacts if this is how a provider refuses a request that is too long; None for any other refusal.

        ``said`` is the body of its answer, or the text of the error.
        """
        from clew.models.overflow import is_overflow

        if not self._engine.config.compaction.on_overflow or not is_overflow(status, said):
            return None
        return self.compact(self._engine.config.compaction.strategy, why=Why.OVERFLOW)

    def _order(self, strategy: str, keep: int | None, budget: int | None, why: Why = Why.HAND) -> Order:
        if strategy not in list(Strategy):
            raise UsageError(f"no strategy {strategy!r}; there are {', '.join(Strategy)}")
        if (keep is not None and keep < 0) or (budget is not None and budget < 1):
            raise UsageError("a compaction keeps 0 or more recent messages, in a budget of 1 token or more")
        self._engine.catch_up(self.info)
        system = self.home_line().system_alone(*self.outgoing.system_and_tools()) if budget is not None else 0
        if budget is not None and budget <= system:
            raise BudgetExceeded(budget, {"system": system})
        tokens = budget - system if budget is not None else self._engine.config.compaction.target_tokens
        order = Order(why=why, strategy=Strategy(strategy), tokens=tokens, keep_recent=keep, cap=budget is not None)
        return aggressive(order) if order.strategy is Strategy.AGGRESSIVE and budget is None else order

    def twin_line(self, line: Line) -> Line:
        """The same line of another handle on this session, for another thread."""
        return Session(self._engine, self.info).line(line.target, line.budget, line.tokenizer)

    def home_line(self) -> Line:
        """Where the session's own model is served, at the budget it has by default."""
        target = home_of(self.info.model)
        return self.line(target, self.limit(), tokenizer_of(self, target))

    def line(self, target: str, budget: int, tokenizer: Tokenizer) -> Line:
        """Where packs for this target and budget stand; kept while the handle lives."""
        name = (target, budget, tokenizer.name)
        if name not in self._lines:
            self._lines[name] = Line(
                self, self.outgoing, self._retriever, target=target, budget=budget, tokenizer=tokenizer
            )
        return self._lines[name]

    # ── health ───────────────────────────────────────────────────────────────────────────────────────

    def health(self) -> Health:
        """How the session is doing; kept up to date as messages are recorded."""
        self._engine.catch_up(self.info)
        return Watching(self).health()

    def drift(self, topic: str | None = None) -> Drift:
        """Rules and how they are kept, contradictions, and how far the work is from ``topic`` or its objective."""
        self._engine.catch_up(self.info)
        return Watching(self).drift(topic)

    def alert(self) -> Alert | None:
        """What somebody should decide now, if anything; what was waved off stays so until things get worse."""
        self._engine.catch_up(self.info)
        return Watching(self).alert()

    def ignore(self) -> None:
        """Waves the present alert off."""
        self._engine.catch_up(self.info)
        Watching(self).ignore()

    def relevance(self, topic: str | None = None) -> dict[str, Relevance]:
        """How relevant each finished segment is to the work as it stands, or to ``topic``, by id and in order."""
        self._engine.catch_up(self.info)
        watching = Watching(self)
        return self.weighing.relevances(watching.items(), topic=topic or watching.topic())

    def pin(
        self,
        text: str = "",
        *,
        kind: str = "custom",
        reason: str = "",
        message: str = "",
        item: str = "",
        by: str = "person",
        scope: str = "project",
    ) -> Item:
        """Marks words, or a whole message, as critical: they stand word for word in every prompt from here on.

        ``item`` is the id of one that was only proposed: it holds from here on, as it is.
        """
        if item:
            return Watching(self).accept(item)
        if message:
            number = self.versions(_number(message, self.info))[-1]
            text = text or self.read_range(number, number)[0].text
        made = Watching(self).pin(pin_of(text, kind, reason, by, scope, message))
        if self._engine.config.critical.profile and made.scope is Scope.USER and made.by == "person":
            take_in_profile(self, {made.source}, by_hand=True)
        return made

    def pins(self, kind: str | None = None) -> list[Item]:
        """Critical items: those in force, and those proposed."""
        self._engine.catch_up(self.info)
        return Watching(self).items(kind)

    def take_in_files(self, home: Path | None = None) -> None:
        """Takes in the rule files of the session's folder (CLAUDE.md, AGENTS.md and their like) and, with ``home``,
        those of the user: their rules are watched, and not pinned twice. For a session of this machine only."""
        self._engine.catch_up(self.info)
        take_in_files(self, home)

    def unpin(self, id: str) -> None:
        Watching(self).unpin(id)

    # ── going on from another session ────────────────────────────────────────────────────────────────

    def resume(self, other: Session | str, *, budget: int = RESUME_TOKENS) -> Recorded:
        """Begins this session with where another one stands: its pack as a text, as a message of Clew's own.

        The text names the other session, so that any part of it can be read by its id.
        """
        origin = self._engine.find(other) if isinstance(other, str) else other
        text = origin.pack(None, budget=budget, record=False).text
        return self.record([Message(role=Role.USER, origin=Origin.CLEW, parts=(Text(text=text),))])

    # ── rewriting the view ───────────────────────────────────────────────────────────────────────────

    def rollback(self, exchanges: int = 1, *, expect: int | None = None) -> None:
        """Takes the last exchanges out of the prompt view; they can still be read by id."""
        if exchanges < 1:
            raise UsageError(f"cannot roll back {exchanges} exchanges; give 1 or more")
        self._write(Record(key="", rollback=exchanges), {"rollback": exchanges}, expect=expect)

    def edit(self, id: str, message: Message | str, *, expect: int | None = None) -> str:
        """A new version of a message, in its place; the old id leads to it, the old version stays readable."""
        number = self.versions(_number(id, self.info))[-1]
        old = self.read_range(number, number)[0]
        new = _with_text(old, message) if isinstance(message, str) else message
        record = Record(key="", message=replace(new, id=""))
        with self._engine.store.transaction():
            info = self._checked(expect)
            entry = self._own_entry(info, Kind.EDIT, record, message=info.messages + 1, replaces=number)
            self._append(replace(info, messages=entry.message), entry)
        return message_id(entry.message)

    def fork(self, id: str, *, at: str | None = None) -> Session:
        """A new session that begins with this one's entries, up to a message; both go on by themselves."""
        until = self.info.messages if at is None else _number(at, self.info)
        return self._engine.copy(self, id, until)

    def _write(self, record: Record, body: dict[str, Any], *, expect: int | None) -> None:
        with self._engine.store.transaction():
            info = self._checked(expect)
            entry = self._own_entry(info, Kind.ROLLBACK, record, body=body)
            self._append(info, entry)

    def _checked(self, expect: int | None) -> SessionInfo:
        info = self.info
        if expect is not None and info.version != expect:
            raise VersionConflict(
                f"session {self.id} was rewritten meanwhile (version {info.version}, not {expect}); read it again"
            )
        return info

    def _own_entry(
        self,
        info: SessionInfo,
        kind: Kind,
        record: Record,
        *,
        body: dict[str, Any] | None = None,
        message: int = 0,
        replaces: int = 0,
    ) -> Entry:
        raw = jsonio.dumps(body) if body is not None else own_body(record)
        at = self._engine.clock.now()
        return Entry(seq=info.entries + 1, kind=kind, format=OWN, body=raw, message=message, replaces=replaces, at=at)

    def _append(self, info: SessionInfo, entry: Entry) -> None:
        self._engine.ledger.write(info.key, [entry])
        changed = replace(info, entries=entry.seq, version=info.version + entry.kind.rewrites, updated=entry.at or 0.0)
        self._engine.store.save_session(changed)
        self._engine.catch_up(changed)
        self._info = changed


def _is_said(one: Incoming) -> bool:
    """True for words of a person: what is not said in the session may have changed since the last ones."""
    return one.record.message is not None and is_request(one.record.message)


def _mark(message: Message) -> bytes:
    return b"\x02".join(identities(message))


def _number(id: str, info: SessionInfo) -> int:
    match = re.fullmatch(r"m(\d+)", id)
    if not match or not 1 <= int(match[1]) <= info.messages:
        raise NotFound(f"no message {id} in session {info.key.id}; it has m1 to m{info.messages}")
    return int(match[1])


def _with_text(old: Message, text: str) -> Message:
    return replace(old, parts=(Text(text=text),), wire=None)
