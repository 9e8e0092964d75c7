"""The encoder's verdicts: what people said, read a second time, in the background, by a better model.

Recording decides with the core tier, at once and always alike. What the encoder finds beyond that is an entry of its
own, so that packs of every handle and process see it from then on and everything can be rebuilt without the encoder. It
adds and confirms, and ends what recording kept of words that are surely not meant to last.

How far each version of the encoder has read is stored with the session, and moves in the transaction that appends the
verdict: whoever comes next reads on from there, and of two who read the same one writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from clew.cancellation import Cancel
from clew.codecs import jsonio
from clew.domain import EntryKind, Json
from clew.domain.critical import Candidate
from clew.domain.ids import message_number
from clew.domain.values import fields_of
from clew.engine.background import Job
from clew.engine.health.external_rules import ExternalRules
from clew.engine.health.pins import Pins
from clew.engine.health.reading_mark import ReadingMark, Unread, read_entry
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.services import Services
from clew.foreground import give_way
from clew.history.overview import OverviewProjection, row_name
from clew.ports import HEARD, Rows
from clew.signals.learned.tier import Reading, Relation, SentenceInContext
from clew.signals.projection import SignalsProjection
from clew.signals.statements import earlier_statements

if TYPE_CHECKING:
    from clew.signals.learned.encoder import EncoderTier

#: Statements whose verdict is one entry, and entries that are looked through for them. Other work in the background
#: gets its turn between two verdicts, and what was read since the last is read again where a process is killed.
_STATEMENTS, _ENTRIES = 16, 500


@dataclass(slots=True)
class _Verdict:
    """What the encoder made of statements: candidates, those that recording kept and it denies, contradictions."""

    heard: list[Json] = field(default_factory=list)
    denied: list[Json] = field(default_factory=list)
    clashes: list[Json] = field(default_factory=list)

    @property
    def is_told(self) -> bool:
        return bool(self.heard or self.denied or self.clashes)

    def add(self, other: _Verdict) -> None:
        self.heard += other.heard
        self.denied += other.denied
        self.clashes += other.clashes


class EncoderVerdicts:
    """Has the encoder read one session. Each thread has one of its own."""

    def __init__(
        self,
        ledger: SessionLedger,
        services: Services,
        *,
        pins: Pins,
        rules: ExternalRules,
        for_other_thread: Callable[[], EncoderVerdicts],
    ) -> None:
        self._ledger, self._services, self._pins, self._rules = ledger, services, pins, rules
        self._for_other_thread = for_other_thread

    @property
    def is_available(self) -> bool:
        """Whether there is an encoder, and it is switched on; it is not loaded."""
        from clew.signals.learned.encoder import is_installed

        return self._services.config.critical.encoder and is_installed()

    def reach(self) -> int:
        """Returns the number of the last message that was read."""
        return self._mark().message

    def schedule(self) -> None:
        """Has what was not read yet read in the background, if there is an encoder."""
        if self.is_available:
            self._submit(lambda cancel: self._for_other_thread()._read_in_turns(cancel))

    def _read_in_turns(self, cancel: Cancel) -> None:
        if self.read_next(cancel):
            self._submit(self._read_in_turns)

    def _submit(self, job: Job) -> None:
        self._services.background.submit((self._ledger.key, "verdicts"), job)

    def read_next(self, cancel: Cancel) -> bool:
        """Reads the next few statements and writes the verdict. Returns whether some entries are still unread.

        What was read is written, also when it is called off. The encoder is loaded where somebody has said something.
        """
        if not self.is_available or not self._ledger.is_stored:
            return False
        begin, end = self._mark(), self._ledger.info.entries
        if begin.seq >= end:
            return False
        reached, verdict = begin, _Verdict()
        for mark, unread in self._passed_entries(begin):
            try:
                verdict.add(self._read(unread, cancel))
            except _CalledOffError:
                break
            reached = mark
        is_left = begin.seq < reached.seq < end
        if reached.message > begin.message or verdict.is_told or is_left:
            is_left = not self._write(begin, reached, verdict) or is_left
        return is_left and not cancel.is_set

    # ── what is unread ───────────────────────────────────────────────────────────────────────────────

    def _mark(self) -> ReadingMark:
        raw = self._ledger.cached_value(HEARD, _tier())
        return ReadingMark(**jsonio.loads(raw)) if raw else ReadingMark()

    def _passed_entries(self, mark: ReadingMark) -> Iterator[tuple[ReadingMark, list[Unread]]]:
        """Entries in order, as the place that is reached with each, and what people say in it, plans aside."""
        count = 0
        for entry, record in islice(self._ledger.read(after=mark.seq, shared=True), _ENTRIES):
            mark, unread = read_entry(mark, entry, record.message)
            count += len(unread)
            yield mark, unread
            if count >= _STATEMENTS:
                return

    # ── reading and writing ──────────────────────────────────────────────────────────────────────────

    def _read(self, unread: Sequence[Unread], cancel: Cancel) -> _Verdict:
        """What the encoder makes of statements that still stand."""
        from clew.signals.contradiction.by_encoder import contradictions_by
        from clew.signals.critical.candidates import candidates_in

        verdict = _Verdict()
        for statement in unread:
            if not self._stands(statement.said.source):
                continue
            model, sentence = _EncoderAtWork(cancel), statement.said
            candidates = candidates_in(
                sentence, at=statement.at, tier=model, before=statement.before, is_played=statement.is_played
            )
            for candidate in candidates:
                if candidate.denied:
                    verdict.denied.append({"source": candidate.source, "text": candidate.text})
                elif not candidate.lifts:
                    verdict.heard.append(_as_json(candidate))
            earlier = earlier_statements(self._ledger.rows(SignalsProjection.name), sentence.source, sentence.text)
            standing = {id: text for id, text in earlier.items() if self._stands(id)}
            verdict.clashes += contradictions_by(model, sentence, standing)
        return verdict

    def _write(self, begin: ReadingMark, reached: ReadingMark, verdict: _Verdict) -> bool:
        """Appends the verdict on what still stands and moves the mark. Returns False, and writes nothing, where
        somebody else has moved it meanwhile, or the session is gone.
        """
        give_way(to_commit=True)
        with self._ledger.transaction():
            if not self._ledger.is_stored or self._mark() != begin:
                return False
            heard, denied = (
                [row for row in candidates if self._stands(row["source"])]
                for candidates in (verdict.heard, verdict.denied)
            )
            clashes = [
                clash for clash in verdict.clashes if self._stands(clash["earlier"]) and self._stands(clash["later"])
            ]
            if heard or denied or clashes:
                self._pins.take_in_profile()
                verdict_row = {"tier": _tier(), "heard": heard, "denied": denied, "clashes": clashes}
                self._ledger.append(EntryKind.PIN, {"verdict": verdict_row})
                self._teach({row["source"] for row in (*heard, *denied)})
            self._ledger.cache_values(HEARD, {_tier(): jsonio.dumps(fields_of(reached))})
            return True

    def _teach(self, sources: set[str]) -> None:
        """What a named user says of themselves live joins their profile; of a file, whoever imports it decides."""
        info = self._ledger.info
        if sources and self._services.config.critical.profile and info.named and not info.source:
            self._rules.teach_profile(sources)

    def _stands(self, id: str) -> bool:
        """False for a message that was edited or rolled back since."""
        row = self._overview().get(row_name(message_number(id))) or {"left": True}
        return not row.get("left") and "replaced_by" not in row

    def _overview(self) -> Rows:
        return self._ledger.rows(OverviewProjection.name, alone=True)


class _CalledOffError(Exception):
    """Whoever wanted the verdict wants it no longer."""


class _EncoderAtWork:
    """The encoder, one text at a time, until it is called off."""

    def __init__(self, cancel: Cancel) -> None:
        self.name, self._cancel = _tier(), cancel

    def read(self, sentences: Sequence[SentenceInContext]) -> list[Reading]:
        return [self._go_on().read([sentence])[0] for sentence in sentences]

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        return [self._go_on().compare([pair])[0] for pair in pairs]

    def _go_on(self) -> EncoderTier:
        from clew.signals.learned.encoder import encoder

        if self._cancel.is_set:
            raise _CalledOffError
        return encoder()


def _tier() -> str:
    from clew.signals.learned.encoder import versioned_name

    return versioned_name()


def _as_json(candidate: Candidate) -> Json:
    return fields_of(candidate) | {"span": list(candidate.span)}
