"""Compacting by hand: what it would do, doing it, and taking it back.

A compaction is one entry of the ledger. Every line of the session follows it with its next pack; taken back, each goes
on with what it had before. Nothing is held while a model works: what was recorded meanwhile stays, and of two
compactions at once only one is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.compaction.pieces import Piece
from clew.compaction.policy import LEAST_FREED
from clew.compaction.prices import price_of
from clew.digests.stored import stored
from clew.domain import Compaction, Kind, Message, Order, Size, Story, Strategy, Summarized
from clew.engine.lines import Line
from clew.engine.strategies import Strategies
from clew.engine.summarising import Summariser
from clew.engine.turns import Made, Turn
from clew.errors import ModelCancelled, UsageError, VersionConflict
from clew.history.sending import EPOCH
from clew.history.transcript import as_text
from clew.packing.allocation import budget_for
from clew.packing.formats import SUMMARY
from clew.packing.inputs import InputKind
from clew.ports import Cancel, Model
from clew.text.names import counted_names

if TYPE_CHECKING:
    from clew.engine.session import Session

_AT_STAKE, _REMEMBERED = 24, 12
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What could be done: tokens by what they are, what would be saved, and how full the prompt would be then."""

    critical: int
    summarizable: int
    removable: int
    tokens_saved: int
    utilization: float
    new_utilization: float
    segments: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A segment that would no longer be sent word for word: what would stand for it, and how relevant it is."""

    id: str
    messages: str
    tokens: int
    becomes: str
    header: str
    relevance: float
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a compaction would do: what the model would no longer see, what that costs, and which names would be gone.

    ``written_tokens`` would be written to the provider's cache anew, for ``cost`` dollars.
    """

    compaction: Compaction
    changes: tuple[Change, ...]
    at_stake: tuple[str, ...]
    written_tokens: int
    cost: float


class Compactor:
    def __init__(self, session: Session) -> None:
        self._session = session

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────

    def suggestion(self) -> Suggestion:
        """Without laying anything out: segments by what may become of them."""
        session, config = self._session, self._session.engine.config.compaction
        limit = session.limit()
        pieces = Strategies(session, session.outgoing).pieces(session.info.messages + 1)
        critical = sum(piece.tokens for piece in pieces if piece.is_critical)
        removable = sum(piece.tokens for piece in pieces if piece.may_go)
        total = sum(piece.tokens for piece in pieces)
        after = min(total, max(config.target_tokens, critical))
        return Suggestion(
            critical=critical,
            removable=removable,
            summarizable=max(total - removable - critical, 0),
            tokens_saved=total - after,
            utilization=round(total / limit, 3),
            new_utilization=round(after / limit, 3),
            segments=tuple(pieces),
        )

    def preview(self, order: Order) -> Preview:
        line, before, after = self._planned(order)
        after = after if after.tokens < before.tokens * (1 - LEAST_FREED) else before
        price = price_of(self._session.info.model, self._session.engine.config.prices)
        shown = {message.id for message in before.tail}
        words = _words(after)
        lost = [message for message in before.tail if message.id not in {one.id for one in after.tail}]
        return Preview(
            compaction=self._told(order, before, after, undo=""),
            changes=tuple(self._changes(after, shown)),
            at_stake=tuple(_at_stake(lost, words)),
            written_tokens=after.tokens - (before.tokens - self._context(line, before)),
            cost=(after.tokens - (before.tokens - self._context(line, before))) * price.cache_write / _MILLION,
        )

    # ── doing ────────────────────────────────────────────────────────────────────────────────────────

    def compact(self, order: Order, *, model: Model | None = None, cancel: Cancel | None = None) -> Compaction:
        session, events = self._session, self._session.engine.events
        version, known = session.info.version, session.outgoing.lead().order
        events.emit("compaction.started", session=session.id, reason=str(order.why), strategy=str(order.strategy))
        try:
            self._summarize(order, model, cancel)
            _, before, after = self._planned(order)
            if after.tokens >= before.tokens * (1 - LEAST_FREED):
                return self._spared(order, before)
            self._commit(order, version=version, known=known)
            done = self._told(order, before, after, undo=f"clew compact {session.id} --undo")
        except BaseException as error:
            events.emit("compaction.failed", session=session.id, reason=str(error) or type(error).__name__)
            raise
        told = {
            "before": done.before.tokens,
            "after": done.after.tokens,
            "strategy": str(done.strategy),
            "rung": done.rung,
        }
        events.emit("compaction.complete", session=session.id, reason=str(order.why), compaction=done, **told)
        return done

    def _spared(self, order: Order, before: Made) -> Compaction:
        """Nothing was done: it would not have been worth it."""
        events, reason = self._session.engine.events, "there is too little to gain"
        told = self._told(order, before, before, undo="")
        events.emit("compaction.failed", session=self._session.id, reason=reason)
        return replace(told, before=told.after, reason=reason, summarized=Summarized(messages=0, into=0))

    def _summarize(self, order: Order, model: Model | None, cancel: Cancel | None) -> None:
        """Asks a model, if there is one and the strategy has a use for what it says."""
        if cancel and cancel.is_set:
            raise ModelCancelled("the compaction was cancelled")
        summariser = Summariser(self._session, model)
        if order.strategy in {Strategy.AUTO, Strategy.SUMMARIZE} and summariser.can_write:
            _, _, after = self._planned(order)
            if after.epoch.strategy == Strategy.SELECTIVE:  # what is wanted fits word for word: no need to ask
                return
            summariser.write(until=after.epoch.cut - 1, tokens=order.tokens, cancel=cancel)

    def undo(self) -> None:
        """Takes the last compaction back, by hand or not: each line goes on with the epoch it had before."""
        session = self._session
        with session.engine.store.transaction():
            session.engine.catch_up(session.info)
            lead = session.outgoing.lead()
            rows = [row for _, row in session.outgoing.rows().scan(EPOCH, EPOCH + "~")]
            last = max([lead.order, *(row["undo"][-1][0] for row in rows if row["undo"])])
            if not last:
                raise UsageError(f"session {session.id} has no compaction to take back")
            about = {"undo": last}
            if last == lead.order:
                about["before"] = session.outgoing.about(last).get("before", 0)
            session.outgoing.write(Kind.COMPACTION, about)
        session.engine.events.emit("compaction.undone", session=session.id)

    def _commit(self, order: Order, *, version: int, known: int) -> None:
        session = self._session
        with session.engine.store.transaction():
            session.engine.catch_up(session.info)
            if session.info.version != version or session.outgoing.lead().order != known:
                raise VersionConflict(f"session {session.id} was rewritten or compacted meanwhile; nothing was done")
            session.outgoing.write(Kind.COMPACTION, {"compaction": stored(order), "before": known})

    def _planned(self, order: Order) -> tuple[Line, Made, Made]:
        """The pack as it would be now, and as it would be afterwards; nothing is written."""
        line, turn = self._line()
        before = line.made(turn, record=False)
        return line, before, line.thought(turn, order)

    def _line(self) -> tuple[Line, Turn]:
        session = self._session
        system, tools = session.outgoing.system_and_tools()
        config = session.engine.config.packing
        budget = budget_for(session.limit(), "", kind=InputKind.USER_QUERY, packing=config)
        turn = Turn(system=system, tools=tools, budget=budget, input=None)
        return session.home_line(), turn

    def _context(self, line: Line, made: Made) -> int:
        return made.tokens - line.system_tokens(made.turn)

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────

    def _told(self, order: Order, before: Made, after: Made, *, undo: str) -> Compaction:
        story = self._session.digested().story()
        sent = {message.id for message in after.tail if message.id}
        shown = {section.name: section for section in after.epoch.sections}
        into = sum(len(shown[name].sources) for name in ("timeline", "chunks", "summaries") if name in shown)
        into += SUMMARY in shown
        gone = len({m.id for m in before.tail if m.id}) - len(sent)
        return Compaction(
            before=self._size_before(before),
            after=Size(after.tokens, len(sent)),
            preserved=_preserved(self._session, after, sent),
            summarized=Summarized(messages=max(gone, 0), into=into if gone > 0 else 0),
            remembers=(*self._critical(after), *_remembers(story, _words(after))),
            strategy=Strategy(after.epoch.strategy or order.strategy),
            rung=after.epoch.rung,
            undo=undo,
            reason=str(order.why),
        )

    def _critical(self, after: Made) -> list[str]:
        """Critical items that stand in the prompt."""
        words = _words(after)
        return [f"{item.kind}: {item.text}" for item in self._session.pins() if item.is_in_force and item.text in words]

    def _size_before(self, before: Made) -> Size:
        """What was sent; where nothing was yet, all there is: it may be more than would fit."""
        messages = len({m.id for m in before.tail if m.id})
        if self._session.home_line().current() is not None or not before.epoch.snapshot:
            return Size(before.tokens, messages)
        return Size(max(before.tokens, self._session.tokens()), max(messages, self._session.info.messages))

    def _changes(self, after: Made, shown: set[str]) -> list[Change]:
        sources = {section.name: set(section.sources) for section in after.epoch.sections}
        digested, weighed = self._session.digested(), self._session.relevance()
        out = []
        for segment, id in self._session.outline():
            numbers = range(segment.first, segment.last + 1)
            if segment.left or not any(f"m{n}" in shown and not after.epoch.sends(n) for n in numbers):
                continue
            lines = any(f"m{n}" in sources.get("work", ()) for n in numbers)
            becomes = "summary" if id in sources.get("summaries", ()) else "lines" if lines else "header"
            trio = digested.trio(segment.id)
            relevance = weighed.get(id)
            out.append(
                Change(
                    id=id,
                    messages=f"m{segment.first}–m{segment.last}",
                    tokens=segment.tokens,
                    becomes=becomes,
                    header=trio.header.line if trio else "",
                    relevance=relevance.score if relevance else 1.0,
                    because=relevance.explained if relevance else "under way",
                )
            )
        return out


def _words(made: Made) -> str:
    return made.epoch.snapshot + "\n" + as_text(made.tail)


def _at_stake(lost: list[Message], words: str) -> list[str]:
    """Names that stood in what goes, most often used first, and that stand nowhere afterwards."""
    counts: dict[str, int] = {}
    for message in lost:
        for name, number in counted_names(_unescaped(as_text([message]))).items():
            counts[name] = counts.get(name, 0) + number
    gone = [name for name, number in counts.items() if number > 1 and name not in words]
    return sorted(gone, key=lambda name: (-counts[name], name))[:_AT_STAKE]


def _unescaped(text: str) -> str:
    """Arguments of calls are shown as JSON, where a tab would become a letter of the name behind it."""
    return text.replace("\\t", " ").replace("\\n", " ")


def _preserved(session: Session, after: Made, sent: set[str]) -> dict[str, int]:
    """By kind, what stands in the prompt afterwards: decisions, requests, older messages, and the newest."""
    recent = sum(int(id[1:]) >= after.epoch.cut for id in sent)
    words = " ".join(_words(after).split())
    decisions = {one for trio in session.digested().trios() for one in trio.summary.decisions}
    shown = {section.name: section for section in after.epoch.sections}
    found = {
        "decision": sum(" ".join(one.split()) in words for one in sorted(decisions)),
        "request": len(shown["requests"].sources) if "requests" in shown else 0,
        "relevant_messages": len(sent) - recent,
    }
    kinds: dict[str, int] = {}
    for item in session.pins():
        if item.is_in_force and " ".join(item.text.split()) in words:
            kinds[item.kind] = kinds.get(item.kind, 0) + 1
    kinds["decision"] = kinds.get("decision", 0) + found.pop("decision")
    return {name: number for name, number in (kinds | found).items() if number} | {"recent_messages": recent}


def _remembers(story: Story, words: str) -> tuple[str, ...]:
    plain = " ".join(words.split())
    facts = [
        ("goal", story.objective),
        ("asked last", story.asked),
        *(("decided", fact) for fact in story.decisions),
        ("open failure", story.failure),
        *(("next", fact) for fact in story.next_steps),
    ]
    told = [f"{name}: {fact.text} ({fact.source})" for name, fact in facts if fact and _is_in(fact.text, plain)]
    return tuple(dict.fromkeys(told))[:_REMEMBERED]


def _is_in(text: str, words: str) -> bool:
    """Longer texts are quoted by their beginning."""
    return " ".join(text.split())[:40] in words
