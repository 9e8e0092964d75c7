"""What was retrieved for replies that nobody has judged yet: with packs, by Clew's own tools, or by the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clew.codecs import jsonio
from clew.domain import Message, Output, RetrievedSpan, RetrievedUnit, SentInput
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.handed_out import HandedOut, rankable
from clew.engine.read.reader import SessionReader
from clew.retrieval.feedback import FeedbackProjection, FeedbackState
from clew.retrieval.words import words_of

#: Of a client's own prompt it is not known where it begins; so many messages before a search are taken for in sight.
_IN_SIGHT = 50
#: Answers of tools that are larger hold more than a page of ours.
_MAX_ANSWER_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRetrieval:
    """Units that were retrieved when the session had ``after`` messages. ``name`` is how the ledger names it, if it
    does. The reply that follows also saw the words of ``standing`` texts and the messages that it ``sees``, but for
    those ``hidden`` because they hold the units themselves.
    """

    name: tuple[str, int] | None
    after: int
    units: tuple[RetrievedUnit, ...]
    sees: Callable[[int], bool]
    standing: frozenset[str] = frozenset()
    hidden: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class _Sight:
    """What the prompts of an epoch show beside the input: messages by number, and words that stand before them."""

    epoch: int = 0
    sees: Callable[[int], bool] = lambda _: True
    standing: frozenset[str] = frozenset()


class OpenRetrievals:
    """Reads what is open in one session."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader, log: PromptLog) -> None:
        self._ledger, self._reader, self._log = ledger, reader, log
        self._sight = _Sight()

    def waiting(self) -> list[tuple[str, int, int]]:
        """Returns what is open by the ledger, and how many messages there were then. It is quick."""
        state = self._ledger.state(FeedbackProjection.name)
        return [(kind, number, after) for kind, number, after in FeedbackState(**state).open] if state else []

    def load(self, waiting: Sequence[tuple[str, int, int]]) -> Iterator[OpenRetrieval]:
        """Yields what is open, with the units."""
        for kind, number, after in waiting:
            retrieval = self._sent_retrieval(number) if kind == "sent" else self._answered_retrieval(number)
            yield retrieval or OpenRetrieval(name=(kind, number), after=after, units=(), sees=lambda _: True)

    def handed_out(self, handed: HandedOut, recorded: Sequence[Message]) -> OpenRetrieval:
        """Returns what a caller was handed. Outputs that were recorded since, before a reply, may hold it."""
        units = tuple(unit if unit.text else self._with_text(unit) for unit in handed.units)
        until = next((message.number for message in recorded if message.calls or message.role == "assistant"), 0)
        hidden = frozenset(message.number for message in recorded if message.outputs and message.number < until)
        standing = frozenset(words_of("\n".join(handed.queries)))
        return OpenRetrieval(
            name=None, after=handed.after, units=units, sees=_in_sight(handed.after), standing=standing, hidden=hidden
        )

    def _sent_retrieval(self, seq: int) -> OpenRetrieval | None:
        sent = self._log.sent_input(seq)
        epochs = self._log.epochs(sent.stream)
        sight = self._sight_of(epochs.seq if epochs else 0)
        return OpenRetrieval(
            name=("sent", seq),
            after=sent.after,
            units=tuple(_unit(sent, span) for span in sent.retrieved),
            sees=sight.sees,
            standing=sight.standing,
        )

    def _sight_of(self, seq: int) -> _Sight:
        """What the prompts of an epoch show; it is read once, and stands as long as the epoch does."""
        if self._sight.epoch != seq and seq:
            epoch = self._log.epoch(seq)
            system = [message.text for message in self._log.system_and_tools()[0]]
            texts = [epoch.snapshot, epoch.system, epoch.modules, *system]
            self._sight = _Sight(seq, epoch.sends, frozenset(words_of("\n".join(texts))))
        return self._sight if seq else _Sight()

    def _answered_retrieval(self, number: int) -> OpenRetrieval | None:
        """The units of an answer that one of Clew's own tools gave."""
        messages = self._reader.read_range(number, number)
        outputs = [output for message in messages for output in message.outputs]
        units = tuple(unit for output in outputs for unit in _answer_units(output, self._ledger.id))
        if not units:
            return None
        name, hidden = ("output", number), frozenset({number})
        return OpenRetrieval(name=name, after=number, units=units, sees=_in_sight(number), hidden=hidden)

    def _with_text(self, unit: RetrievedUnit) -> RetrievedUnit:
        number = self._reader.number_of(unit.id)
        text = "\n".join(message.text for message in self._reader.read_range(number, number))
        return RetrievedUnit(id=unit.id, text=text, ranked=unit.ranked, asked=unit.asked)


def _in_sight(after: int) -> Callable[[int], bool]:
    return lambda number: number > after - _IN_SIGHT


def _unit(sent: SentInput, span: RetrievedSpan) -> RetrievedUnit:
    text = sent.injected[span.at].text[span.start : span.end]
    return RetrievedUnit(id=span.id, text=text, ranked=rankable(span.id), asked=span.asked)


def _answer_units(output: Output, session: str) -> Iterator[RetrievedUnit]:
    """What an answer hands out of this very session, or of registered knowledge; of another text nothing."""
    answer = _parse_answer(output.text)
    if answer.get("session") not in (session, None):
        return
    for result in _dicts(answer.get("results")):
        named = [id for id in result.get("messages") or () if isinstance(id, str)]
        text = str(result.get("text") or result.get("header") or "")
        yield RetrievedUnit(id=str(result["id"]), text=text, ranked=rankable(next(iter(named), str(result["id"]))))
    read: dict[str, list[str]] = {}
    for result in _dicts(answer.get("items")):
        read.setdefault(str(result["id"]), []).append(str(result.get("text", "")))
    for id, texts in read.items():
        yield RetrievedUnit(id=id, text="\n".join(texts), ranked=rankable(id), asked=True)


def _parse_answer(text: str) -> Mapping[str, Any]:
    try:
        value = jsonio.loads(text.encode()) if len(text) <= _MAX_ANSWER_CHARS else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _dicts(values: Any) -> list[dict[str, Any]]:
    members = values if isinstance(values, list) else []
    return [member for member in members if isinstance(member, dict) and isinstance(member.get("id"), str)]
