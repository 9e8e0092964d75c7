"""The health monitor: health, drift and alerts of a session, read from a few rows that are kept as it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from clew.compaction.policy import frees_enough
from clew.compaction.presets import target_tokens
from clew.domain import (
    Alert,
    ClippedMessage,
    Contradiction,
    Drift,
    EntryKind,
    Health,
    Json,
    Message,
    Requirement,
    RuleState,
)
from clew.domain.argument_kinds import checks_arguments
from clew.domain.critical import CriticalItem
from clew.domain.health import HEALTH_LEVELS, CountSource, LimitSource, PromptSize
from clew.domain.ids import message_id, message_number
from clew.domain.values import fields_of
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.health.pins import Pins
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.read.relevance import RelevanceScorer
from clew.engine.services import Services
from clew.history.prompt_size import is_limited_by_packs, tokens_in_use
from clew.history.prompt_usage import PromptUsage
from clew.signals.adherence.drift import SURE, drift_in, drift_score, fresh_scores, objective_in, topic_drift
from clew.signals.adherence.rule_record import Standing
from clew.signals.projection import SignalsProjection
from clew.signals.relevance import Relevance
from clew.signals.rows import CLASH, RULE, sizes_in, standing_of
from clew.text.plurals import pluralise

_WARNING, _CRITICAL = 0.7, 0.9
_DRIFT_WARNING, _DRIFT_CRITICAL = 0.3, 0.6
#: How many of the newest contradictions are reported.
_CLASHES = 20
#: Newest segments whose relevance is averaged.
_WEIGHED = 16
_MOST_REMINDERS = 3
#: From this share of their cap on, Clew suggests to unpin critical items.
_FULL = 0.8
#: Newest messages that are looked at for one that is larger than what may be sent.
_NEWEST = 4
#: A dismissed alert comes back when the prompt has grown by this share of the limit.
_WORSE = 0.1


@checks_arguments
class HealthMonitor:
    """Reads how a session is doing. It writes nothing but the dismissal of an alert."""

    def __init__(
        self,
        ledger: SessionLedger,
        reader: SessionReader,
        services: Services,
        *,
        pins: Pins,
        log: PromptLog,
        scorer: RelevanceScorer,
    ) -> None:
        self._ledger, self._reader, self._services = ledger, reader, services
        self._pins, self._log, self._scorer = pins, log, scorer

    def _state(self) -> Json:
        state: Json = self._ledger.state(SignalsProjection.name) or {}
        return state

    def _rules(self, items: list[CriticalItem]) -> list[tuple[CriticalItem, Standing]]:
        """Items with how each stands."""
        rows = self._ledger.rows(SignalsProjection.name).scan(RULE, RULE + "~") if items else []
        how = {name.removeprefix(RULE): row for name, row in rows}
        return [(item, standing_of(how.get(item.id, {}))) for item in items]

    # ── relevance ────────────────────────────────────────────────────────────────────────────────────

    def relevance(self, topic: str | None = None) -> dict[str, Relevance]:
        """Returns how relevant each finished segment is to the current work, or to ``topic``, by id and in order."""
        return self._scorer.scores(self._pins.items(), topic=topic or self.topic())

    # ── drift ────────────────────────────────────────────────────────────────────────────────────────

    def drift(self, topic: str | None = None) -> Drift:
        """Returns rules and whether they are kept, contradictions, and the distance from ``topic`` or the objective."""
        return self._drift(self._pins.items(), topic)

    def _drift(self, items: list[CriticalItem], topic: str | None) -> Drift:
        rules = self._rules(items)
        broken = [item for item, how in rules if how.state is RuleState.BROKEN]
        clashes, off = self._clashes(), self._off_topic(topic)
        return Drift(
            drift_score=drift_score([str(item.kind) for item in broken], off, self._fresh_scores(clashes)),
            topic_drift=off,
            missing=tuple(item.text for item in broken),
            reminders=tuple(reminder(item, how) for item, how, _ in self._lapses(rules)),
            requirements=tuple(_requirement(item, how) for item, how in rules),
            contradictions=tuple(clashes),
        )

    def reminders(self) -> list[tuple[CriticalItem, Standing, str]]:
        """Returns rules that should be brought back to mind, each with its standing and lapse.
        Those of the assistant, and lapses that were reminded of already, are left out.
        """
        rules = [(item, how) for item, how in self._rules(self._pins.items()) if item.by != "assistant"]
        return [(item, how, lapse) for item, how, lapse in self._lapses(rules) if lapse != how.reminded]

    def has_lapsed(self, since: int) -> bool:
        """Returns True when rules were broken after message ``since`` and the session has drifted far."""
        is_new = any(how.since and message_number(how.since) > since for _, how in self._rules(self._pins.items()))
        return is_new and self.drift().drift_score >= _DRIFT_CRITICAL

    def _lapses(self, rules: list[tuple[CriticalItem, Standing]]) -> list[tuple[CriticalItem, Standing, str]]:
        """Rules that are broken now, then those nothing has touched for long; few of them."""
        turns = self._state().get("turns", 0)
        lapses = [(item, how, lapse) for item, how in rules if (lapse := how.lapse(turns))]
        lapses.sort(key=lambda entry: entry[1].state is not RuleState.BROKEN)
        return lapses[:_MOST_REMINDERS]

    def topic(self) -> str:
        """Returns what the work is about now: the latest request, and the one before that it may go on with."""
        return "\n".join(filter(None, (self._state().get("request", ""), objective_in(self._state()))))

    def _off_topic(self, topic: str | None) -> float:
        state = self._state()
        return topic_drift(topic, state.get("replies", ()), is_named=True) if topic else drift_in(state)

    def _clashes(self) -> list[Contradiction]:
        """The newest, in order; of those of one message the surest first."""
        clashes = [row for _, row in self._ledger.rows(SignalsProjection.name).scan(CLASH, CLASH + "~", last=_CLASHES)]
        numbers = {message_number(row[name]) for row in clashes for name in ("earlier", "later")} - {0}
        gone = self._reader.rolled_back(numbers)
        live = [row for row in clashes if not gone & {message_number(row["earlier"]), message_number(row["later"])}]
        names = ("earlier", "later", "score", "about", "speaker", "earlier_text", "later_text")
        contradictions = [Contradiction(**{name: row[name] for name in names if name in row}) for row in live]
        return sorted(
            contradictions, key=lambda contradiction: (message_number(contradiction.later), -contradiction.score)
        )

    def _fresh_scores(self, clashes: list[Contradiction]) -> list[float]:
        """How sure the contradictions of the newest messages are, one for each message."""
        return fresh_scores(
            ((message_number(clash.later), clash.score) for clash in clashes), self._reader.info.messages
        )

    # ── health ───────────────────────────────────────────────────────────────────────────────────────

    def size(self) -> PromptSize:
        """Returns how large the next prompt is, of what may be sent: the budget that packs are made with, else what the
        window allows.
        """
        usage = self._reader.usage()
        (used, counted_by), window = self._tokens_used(usage, self._ratio()), self._reader.window(usage)
        is_packed = is_limited_by_packs(fields_of(usage))
        return PromptSize(
            tokens_used=used,
            used_source=counted_by,
            tokens_limit=usage.budget if is_packed else self._reader.limit_of(window),
            limit_source=LimitSource.BUDGET if is_packed else window.source,
            window=window.tokens,
        )

    def level(self, size: PromptSize) -> str:
        """Returns good, warning or critical, as ``health`` does, and reads no more of the session than that takes."""
        share = size.tokens_used / size.tokens_limit
        broken = [str(item.kind) for item, how in self._rules(self._pins.items()) if how.state is RuleState.BROKEN]
        clashes = self._fresh_scores(self._clashes())
        least, most = (_level(share, drift_score(broken, off, clashes)) for off in (0.0, 1.0))
        return least if least == most else _level(share, drift_score(broken, self._off_topic(None), clashes))

    def health(self) -> Health:
        """Returns the health of the session: its size, drift, critical items, suggestions and findings."""
        items, config, size = self._pins.items(), self._services.config, self.size()
        drift = self._drift(items, None)
        used, limit = size.tokens_used, size.tokens_limit
        share = used / limit
        sizes = self._sizes(items)
        critical, capped = sum(sizes.values()), sum(sizes[item.id] for item in items if item.by != "file")
        growth = self._reader.usage().growth(self._ratio())
        return Health(
            health=_level(share, drift.drift_score),
            tokens_used=used,
            tokens_limit=limit,
            utilization=size.utilization,
            relevance_score=self._scorer.average(items, last=_WEIGHED),
            drift_score=drift.drift_score,
            drift_detected=drift.drift_score >= _DRIFT_WARNING,
            compaction_needed=share >= config.compaction.soft_share,
            critical_ratio=round(min(critical / used, 1.0), 4) if used else 0.0,
            critical_items=len(items),
            growth_rate=round(growth, 1),
            turns_left=max(int((limit - used) / growth), 0) if growth > 0 else None,
            suggestions=tuple(self._suggestions(size, capped, drift)),
            findings=(*_findings(drift), *self._oversized_messages(limit)),
            used_source=size.used_source,
            limit_source=size.limit_source,
            window=size.window,
            tokens_recorded=self._reader.tokens(),
        )

    def _sizes(self, items: list[CriticalItem]) -> dict[str, int]:
        """Tokens of items by id, as they were counted when recorded; what is not recorded yet is counted now."""
        sizes = sizes_in(self._ledger.rows(SignalsProjection.name))
        return {item.id: sizes.get(item.id) or self._services.tokenizers.count(item.text) for item in items}

    def _oversized_messages(self, limit: int) -> Iterator[str]:
        """Messages of which only a part is sent, or will be, because they are larger than their room."""
        newest, last = self._log.newest_epoch(), self._reader.info.messages
        started = newest[1].started_at if newest else 0
        clipped = {message_number(clip.id): clip for clip in newest[1].clipped} if newest else {}
        sent = self._log.last_sent()
        if sent and sent.clipped and started <= sent.after < last:
            number, size = sent.after + 1, (self._tokens(sent.input), self._tokens(sent.clipped))
            clipped[number] = ClippedMessage(id=message_id(number), tokens=size[0], shown=size[1])
        for entry in clipped.values():
            yield f"{entry.id} is larger than its room: {entry.shown:,} of its {entry.tokens:,} tokens are sent"
        for number in range(max(last - _NEWEST, started) + 1, last + 1):
            tokens = ceil(self._reader.tokens_of([number]) * self._ratio())
            if tokens > limit and number not in clipped:
                yield f"m{number} has {tokens:,} tokens, more than the {limit:,} that may be sent: a part of it is sent"

    def _tokens(self, messages: Sequence[Message]) -> int:
        from clew.tokens.counts import count_message

        tokenizer = self._reader.tokenizer(self._reader.info.model)
        return sum(count_message(message, tokenizer) for message in messages)

    def _tokens_used(self, usage: PromptUsage, ratio: float) -> tuple[int, CountSource]:
        """What the next prompt takes. What Clew counted is estimated as the session's model counts."""
        if not usage.counted and usage.packed and not self._log.is_followed(usage.packed_by):
            usage.packed = 0  # it was rewritten since: the next pack begins anew
        if usage.counted and not usage.is_estimate:
            by = CountSource.PROVIDER
        else:
            by = CountSource.PACK if usage.counted or usage.packed else CountSource.RECORD
        return tokens_in_use(fields_of(usage), ratio), by

    def _ratio(self) -> float:
        """How many tokens the session's model makes of a recorded one, at most."""
        return self._reader.tokenizer(self._reader.info.model).ratio

    def _suggestions(self, size: PromptSize, critical: int, drift: Drift) -> list[str]:
        config, advice = self._services.config, [*self._what_makes_room(size)]
        if critical > _FULL * config.critical.cap_tokens:
            cap = config.critical.cap_tokens
            taken = f"{critical} of {cap} tokens" if config.display.tokens else f"{critical / cap:.0%} of their room"
            advice.append(f"critical items take {taken}: unpin some")
        broken = [requirement for requirement in drift.requirements if requirement.state is RuleState.BROKEN]
        if broken:
            first = min((message_number(rule.since) for rule in broken if rule.since), default=0)
            advice.append(f"{pluralise(len(broken), 'rule')} broken since m{first}")
        clashes = _surest(list(drift.contradictions))
        if clashes and drift.drift_score >= _DRIFT_WARNING:
            newest = f"the newest in {clashes[-1].later}"
            advice.append(f"{pluralise(len(clashes), 'contradiction')}, {newest}: say which statement holds")
        return advice

    def _what_makes_room(self, size: PromptSize) -> Iterator[str]:
        """A compaction, where it halves what is not system prompt, or where the prompt is so large that less will do;
        where even that frees too little, what else there is."""
        config, used, limit = self._services.config, size.tokens_used, size.tokens_limit
        system = ceil(self._reader.tokens_of(self._log.state().system) * self._ratio())
        system = min(system + max(self._reader.usage().unrecorded, 0), used)
        left = min(target_tokens(config.compaction, limit), int(max(limit - system, 0) * config.packing.epoch_fill))
        freed, is_large = used - system - left, used >= min(config.compaction.soft_share, _CRITICAL) * limit
        if (used >= _WARNING * limit and freed > left) or (is_large and frees_enough(used, used - freed)):
            about = f"{freed // 1000}k" if freed >= 1000 else str(freed)
            yield f"compact now: frees about {about} tokens" if config.display.tokens else "compact now"
        elif used >= _CRITICAL * limit:
            yield "compacting frees too little: make system prompt and tools smaller, or give it a larger window"

    # ── alerts ───────────────────────────────────────────────────────────────────────────────────────

    def critical_item(self, id: str) -> CriticalItem:
        """Returns a critical item by its id, also one that is no longer in force. Raises NotFound."""
        return self._pins.item(id)

    def alert(self) -> Alert | None:
        """Returns what somebody should decide now; None while all is good, or no worse than what was dismissed."""
        report, waved = self.health(), self._state().get("ignored") or {}
        is_worse = (
            HEALTH_LEVELS.index(report.health) > HEALTH_LEVELS.index(waved.get("health", "good"))
            or report.utilization >= waved.get("utilization", 0.0) + _WORSE
            or not set(report.findings) <= set(waved.get("findings", ()))
        )
        if report.health == "good" or not is_worse:
            return None
        return Alert(health=report.health, utilization=report.utilization, findings=report.findings)

    def dismiss_alert(self) -> None:
        """Dismisses the present alert, by an entry in the ledger."""
        report = self.health()
        about = {"health": report.health, "utilization": report.utilization, "findings": list(report.findings)}
        self._ledger.append(EntryKind.ALERT, {"ignored": about})


def _requirement(item: CriticalItem, how: Standing) -> Requirement:
    return Requirement(
        id=item.id,
        text=item.text,
        state=how.state,
        score=how.score,
        evidence=how.message,
        quote=how.evidence,
        since=how.since,
        broken=how.broken,
        breach=how.breach,
    )


def reminder(item: CriticalItem, how: Standing) -> str:
    """Returns the text that reminds of a rule."""
    is_broken = how.state is RuleState.BROKEN
    return f"{item.text} ({item.id}, broken in {how.message})" if is_broken else f"{item.text} ({item.id})"


def _surest(clashes: list[Contradiction]) -> list[Contradiction]:
    """Those worth an alarm, one for each message that denies something."""
    best = {clash.later: clash for clash in reversed(clashes) if clash.score >= SURE}
    return list(best.values())[::-1]


def _level(share: float, drift: float) -> str:
    if share >= _CRITICAL or drift >= _DRIFT_CRITICAL:
        return "critical"
    return "warning" if share >= _WARNING or drift >= _DRIFT_WARNING else "good"


def _findings(drift: Drift) -> list[str]:
    broken = [requirement for requirement in drift.requirements if requirement.state is RuleState.BROKEN]
    lines = [f"{rule.id} broken in {rule.evidence}: {rule.text}" for rule in broken]
    return [
        *lines,
        *(f"{clash.later} contradicts {clash.earlier}: {clash.about}" for clash in _surest(list(drift.contradictions))),
    ]
