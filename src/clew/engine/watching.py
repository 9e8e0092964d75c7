"""Health, drift and critical items of a session, read from what is watched as it grows: a check reads a few rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from clew.domain import Alert, Contradiction, Drift, Health, Json, Kind, Requirement, RuleState
from clew.domain.critical import Item, ItemKind, ItemState, Scope
from clew.engine.projecting import SessionRows
from clew.errors import NotFound, UsageError
from clew.history.overview import Overview, row_name
from clew.history.sending import EPOCH, Sending
from clew.signals.critical_merging import is_same_rule
from clew.signals.projection import ACT, CLASH, RULE, Watch, epoch_total, items_in, standing_of
from clew.signals.standing import Standing

if TYPE_CHECKING:
    from clew.engine.session import Session

_WARNING, _CRITICAL = 0.7, 0.9
_DRIFT_WARNING, _DRIFT_CRITICAL = 0.3, 0.6
_LEVELS = ("good", "warning", "critical")
#: Contradictions that are told, the newest; and how many messages one counts for drift.
_CLASHES, _FRESH_MESSAGES = 20, 200
#: From this score on a contradiction is worth an alarm.
_SURE = 0.6
#: Segments whose relevance says how relevant what is older is.
_WEIGHED = 16
_MOST_REMINDERS = 3
#: From this share of their cap on, critical items are about to crowd each other out.
_FULL = 0.8
#: Windows that there are; one that was assumed and proved too small is the next of them.
_WINDOWS = (200_000, 400_000, 1_000_000, 2_000_000)
#: Who can mark an item: what an assistant marks says so wherever it is shown.
_MAKERS = ("person", "assistant")
#: An alert that was waved off comes back when the prompt has grown by this share of the limit.
_WORSE = 0.1


class Watching:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows = SessionRows(session.engine.store, session.key, Watch.name)

    # ── critical items ───────────────────────────────────────────────────────────────────────────────

    def items(self, kind: str | None = None) -> list[Item]:
        """Those in force, and those proposed."""
        if kind is not None and kind not in list(ItemKind):
            raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
        return [item for item in items_in(self._rows) if item.is_live and (kind is None or item.kind == kind)]

    def item(self, id: str) -> Item:
        found = next((item for item in items_in(self._rows) if item.id == id), None)
        if found is None:
            raise NotFound(f"no critical item {id} in session {self._session.id}; `clew pins` lists them")
        return found

    def pin(self, about: Json) -> Item:
        """The item that comes of it: a new one, or the one that says so already."""
        session = self._session
        cap = session.engine.config.critical.cap_tokens
        if (size := session.engine.count(about["text"])) > cap:
            raise UsageError(
                f"{size} tokens are more than critical items may take ({cap}); pin the sentences that matter"
            )
        with session.engine.store.transaction():
            session.outgoing.write(Kind.PIN, {"pin": about | {"created": session.engine.clock.now()}})
            now = Watching(session)
            rows = now._rows.scan(ACT, ACT + "~", last=1)
            made = rows[0][1].get("ids", ()) if rows else ()
            found = [item for item in now.items() if item.id in made] or now._saying(about["text"])
            return found[-1]

    def _saying(self, text: str) -> list[Item]:
        return [item for item in self.items() if is_same_rule(item.text, text)]

    def accept(self, id: str) -> Item:
        """What was proposed is in force from here on."""
        item = self.item(id)
        if item.state is not ItemState.PROPOSED:
            raise UsageError(f"{id} is {item.state}, not proposed; pin its words to have it again")
        self._session.outgoing.write(Kind.PIN, {"accept": id, "text": item.text})
        return Watching(self._session).item(id)

    def unpin(self, id: str) -> None:
        item = self.item(id)
        if not item.is_live:
            raise NotFound(f"{id} is {item.state} already")
        self._session.outgoing.write(Kind.PIN, {"unpin": id, "text": item.text})

    def _is_left(self, source: str) -> bool:
        if not source.startswith("m"):
            return False
        raw = self._session.engine.store.row(self._session.key, Overview.name, row_name(int(source[1:])))
        return bool(raw and orjson.loads(raw).get("left"))

    def _rules(self, items: list[Item]) -> list[tuple[Item, Standing]]:
        """Items in force, with how each stands."""
        how = {name.removeprefix(RULE): row for name, row in self._rows.scan(RULE, RULE + "~")} if items else {}
        return [(item, standing_of(how.get(item.id, {}))) for item in items if item.is_in_force]

    # ── drift ────────────────────────────────────────────────────────────────────────────────────────

    def drift(self, topic: str | None = None) -> Drift:
        return self._drift(self.items(), topic)

    def _drift(self, items: list[Item], topic: str | None) -> Drift:
        from clew.signals.adherence import drift_score

        rules = self._rules(items)
        broken = [item for item, how in rules if how.state is RuleState.BROKEN]
        clashes, off = self._clashes(), self._off_topic(topic)
        return Drift(
            drift_score=drift_score([str(item.kind) for item in broken], off, self._fresh(clashes)),
            topic_drift=off,
            missing=tuple(item.text for item in broken),
            reminders=tuple(reminder(item, how) for item, how, _ in self._lapses(rules)),
            requirements=tuple(_requirement(item, how) for item, how in rules),
            contradictions=tuple(clashes),
        )

    def reminders(self) -> list[tuple[Item, Standing, str]]:
        """Rules of people to bring back to mind, each with its lapse; none that was reminded of already."""
        rules = [(item, how) for item, how in self._rules(self.items()) if item.by != "assistant"]
        return [(item, how, lapse) for item, how, lapse in self._lapses(rules) if lapse != how.reminded]

    def has_lapsed(self, since: int) -> bool:
        """True when rules were broken after a message, and so many that the session has drifted far."""
        is_new = any(how.since and _number(how.since) > since for _, how in self._rules(self.items()))
        return is_new and self.drift().drift_score >= _DRIFT_CRITICAL

    def _lapses(self, rules: list[tuple[Item, Standing]]) -> list[tuple[Item, Standing, str]]:
        """Rules that are broken now, then those nothing has touched for long; few of them."""
        turns = self._state().get("turns", 0)
        found = [(item, how, lapse) for item, how in rules if (lapse := how.lapse(turns))]
        found.sort(key=lambda one: one[1].state is not RuleState.BROKEN)
        return found[:_MOST_REMINDERS]

    def topic(self) -> str:
        """What the work is about now: the latest request, and what the session is for."""
        return "\n".join(filter(None, (self._state().get("request", ""), self._session.digested().objective())))

    def _off_topic(self, topic: str | None) -> float:
        from clew.signals.adherence_topic import topic_drift

        state = self._state()
        aim = topic or self._session.digested().objective()
        return topic_drift(aim, state.get("replies", ()), "" if topic else state.get("request", "")) if aim else 0.0

    def _clashes(self) -> list[Contradiction]:
        """The newest, in order; of those of one message the surest first."""
        found = [row for _, row in self._rows.scan(CLASH, CLASH + "~", last=_CLASHES)]
        live = [row for row in found if not (self._is_left(row["earlier"]) or self._is_left(row["later"]))]
        names = ("earlier", "later", "score", "about", "speaker")
        told = [Contradiction(**{name: row[name] for name in names}) for row in live]
        return sorted(told, key=lambda one: (_number(one.later), -one.score))

    def _fresh(self, clashes: list[Contradiction]) -> list[float]:
        """How sure the contradictions of the newest messages are, one for each message."""
        first = self._session.info.messages - _FRESH_MESSAGES
        return [one.score for one in _surest(clashes) if _number(one.later) > first]

    # ── health ───────────────────────────────────────────────────────────────────────────────────────

    def health(self) -> Health:
        session, state, items = self._session, self._state(), self.items()
        found = self._drift(items, None)
        used, limit = self._used(state), _limit(session.limit(), int(state.get("sent", 0)))
        share = used / limit
        rules = [item for item in items if item.is_in_force]
        critical = sum(session.engine.count(item.text) for item in rules if item.by != "file")
        growth = float(state.get("grown", 0.0))
        return Health(
            health=_level(share, found.drift_score),
            tokens_used=used,
            tokens_limit=limit,
            utilization=round(share, 4),
            relevance_score=session.weighing.score(items, last=_WEIGHED),
            drift_score=found.drift_score,
            drift_detected=found.drift_score >= _DRIFT_WARNING,
            compaction_needed=share >= session.engine.config.compaction.soft_share,
            critical_ratio=round(min(critical / used, 1.0), 4) if used else 0.0,
            critical_items=len(rules),
            growth_rate=round(growth, 1),
            turns_left=max(int((limit - used) / growth), 0) if growth > 0 else None,
            suggestions=tuple(self._suggestions(used, share, critical, found)),
            findings=tuple(_findings(found)),
        )

    def _used(self, state: Json) -> int:
        """What the next prompt takes: what the provider counted last, or the newest epoch came to, and what came
        since; without either, all there is."""
        session, total = self._session, int(state.get("total", 0))
        if state.get("sent"):
            return int(state["sent"]) + max(total - int(state["sent_at"]), 0)
        rows = SessionRows(session.engine.store, session.key, Sending.name)
        epochs = [row["seq"] for _, row in rows.scan(EPOCH, EPOCH + "~") if row["seq"] and row.get("is_short")]
        if not epochs:
            return total
        before = self._rows.get(epoch_total(max(epochs))) or 0
        return int(session.outgoing.about(max(epochs))["epoch"].get("after", 0)) + max(total - before, 0)

    def _suggestions(self, used: int, share: float, critical: int, found: Drift) -> list[str]:
        config, told = self._session.engine.config, []
        if share >= _WARNING and used > 2 * config.compaction.target_tokens:
            told.append(f"compact now: frees about {(used - config.compaction.target_tokens) // 1000}k tokens")
        if critical > _FULL * config.critical.cap_tokens:
            told.append(
                f"critical items take {critical} of {config.critical.cap_tokens} tokens: unpin some (`clew pins`)"
            )
        broken = [one for one in found.requirements if one.state is RuleState.BROKEN]
        if broken:
            first = min((_number(one.since) for one in broken if one.since), default=0)
            told.append(f"{len(broken)} rule{'s' if len(broken) > 1 else ''} broken since m{first}")
        return told

    # ── alerts ───────────────────────────────────────────────────────────────────────────────────────

    def alert(self) -> Alert | None:
        """What somebody should decide now; None while all is good, or no worse than what was waved off."""
        found, waved = self.health(), self._state().get("ignored") or {}
        is_worse = (
            _LEVELS.index(found.health) > _LEVELS.index(waved.get("health", "good"))
            or found.utilization >= waved.get("utilization", 0.0) + _WORSE
            or not set(found.findings) <= set(waved.get("findings", ()))
        )
        if found.health == "good" or not is_worse:
            return None
        return Alert(health=found.health, utilization=found.utilization, findings=found.findings)

    def ignore(self) -> None:
        """Waves the present alert off."""
        found = self.health()
        about = {"health": found.health, "utilization": found.utilization, "findings": list(found.findings)}
        self._session.outgoing.write(Kind.ALERT, {"ignored": about})

    def _state(self) -> Json:
        state: Json = self._session.engine.state(self._session.key, Watch.name) or {}
        return state


def _requirement(item: Item, how: Standing) -> Requirement:
    return Requirement(
        id=item.id,
        text=item.text,
        state=how.state,
        score=how.score,
        evidence=how.message,
        quote=how.evidence,
        since=how.since,
    )


def reminder(item: Item, how: Standing) -> str:
    """A rule as it is brought back to mind."""
    is_broken = how.state is RuleState.BROKEN
    return f"{item.text} ({item.id}, broken in {how.message})" if is_broken else f"{item.text} ({item.id})"


def _number(id: str) -> int:
    return int(id[1:])


def _surest(clashes: list[Contradiction]) -> list[Contradiction]:
    """Those worth an alarm, one for each message that denies something."""
    best = {one.later: one for one in reversed(clashes) if one.score >= _SURE}
    return list(best.values())[::-1]


def _limit(assumed: int, sent: int) -> int:
    """What may be sent: at least what the provider has taken."""
    return assumed if sent <= assumed else next((one for one in _WINDOWS if one >= sent), sent)


def _level(share: float, drift: float) -> str:
    if share >= _CRITICAL or drift >= _DRIFT_CRITICAL:
        return "critical"
    return "warning" if share >= _WARNING or drift >= _DRIFT_WARNING else "good"


def _findings(found: Drift) -> list[str]:
    broken = [one for one in found.requirements if one.state is RuleState.BROKEN]
    told = [f"{one.id} broken in {one.evidence}: {one.text}" for one in broken]
    return [
        *told,
        *(f"{one.later} contradicts {one.earlier}: {one.about}" for one in _surest(list(found.contradictions))),
    ]


def pin_of(text: str, kind: str, reason: str, by: str, scope: str, source: str) -> dict[str, Any]:
    """What is written of an item that somebody pins; what cannot be meant is a UsageError."""
    if not text.strip():
        raise UsageError("a critical item needs words")
    if kind not in list(ItemKind):
        raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
    if by not in _MAKERS:
        raise UsageError(f"critical items are marked by {' or '.join(_MAKERS)}, not by {by!r}")
    if scope not in list(Scope):
        raise UsageError(f"no scope {scope!r}; there are {', '.join(Scope)}")
    return {"text": text.strip(), "kind": kind, "reason": reason, "by": by, "scope": scope, "source": source}
