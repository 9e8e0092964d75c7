"""Health, drift and critical items of a session, read from what is watched as it grows: a check reads a few rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from clew.domain import Health, Kind
from clew.domain.critical import Item, ItemKind, ItemState, Scope
from clew.domain.health import Contradiction, Drift, Requirement
from clew.engine.projecting import SessionRows
from clew.errors import NotFound, UsageError
from clew.history.overview import Overview, row_name
from clew.history.sending import EPOCH, Sending
from clew.signals.projection import CLASH, RULE, Watch, items_in

if TYPE_CHECKING:
    from clew.engine.session import Session

_WARNING, _CRITICAL = 0.7, 0.9
_DRIFT_WARNING, _DRIFT_CRITICAL = 0.3, 0.6
#: Clashes that are looked at; older ones have been seen.
_CLASHES = 50
#: From this score on a contradiction is worth an alarm.
_SURE = 0.6
#: The newest replies whose words say what the work is about now.
_RECENT = 6
#: After so many replies without a sign of a rule it may have faded.
_UNTOUCHED_TURNS = 40
_MOST_REMINDERS = 3


class Watching:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows = SessionRows(session.engine.store, session.key, Watch.name)

    # ── critical items ───────────────────────────────────────────────────────────────────────────────

    def items(self, kind: str | None = None) -> list[Item]:
        """Those in force, and those proposed; what was rolled back is no longer so."""
        if kind is not None and kind not in list(ItemKind):
            raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
        live = {ItemState.PINNED, ItemState.PROPOSED}
        found = [item for item in items_in(self._rows) if item.state in live and not self._is_left(item.source)]
        return [item for item in found if kind is None or item.kind == kind]

    def item(self, id: str) -> Item:
        found = next((item for item in items_in(self._rows) if item.id == id), None)
        if found is None:
            raise NotFound(f"no critical item {id} in session {self._session.id}; `clew pins` lists them")
        return found

    def pin(self, about: dict[str, Any]) -> Item:
        session = self._session
        with session.engine.store.transaction():
            session.outgoing.write(Kind.PIN, {"pin": about | {"created": session.engine.clock.now()}})
            return items_in(SessionRows(session.engine.store, session.key, Watch.name))[-1]

    def unpin(self, id: str) -> None:
        self.item(id)
        self._session.outgoing.write(Kind.PIN, {"unpin": id})

    def _is_left(self, source: str) -> bool:
        if not source.startswith("m"):
            return False
        raw = self._session.engine.store.row(self._session.key, Overview.name, row_name(int(source[1:])))
        return bool(raw and orjson.loads(raw).get("left"))

    # ── drift ────────────────────────────────────────────────────────────────────────────────────────

    def drift(self, topic: str | None = None) -> Drift:
        from clew.signals.adherence import drift_score
        from clew.signals.adherence_topic import topic_drift
        from clew.signals.checks import State, Verdict

        state = self._state()
        rules = [item for item in self.items() if item.is_in_force]
        kept = {item.id: self._rows.get(RULE + item.id) or {} for item in rules}
        clashes = self._clashes()
        objective = topic or self._objective()
        recent = [message.text for message in self._session.newest(_RECENT) if message.role == "assistant"]
        off = topic_drift(objective, recent, "" if topic else state.get("request", "")) if objective else 0.0
        broken = [
            Verdict(rule=item.id, state=State.BROKEN, message=row.get("message", ""), kind=str(item.kind))
            for item in rules
            if (row := kept[item.id]).get("state") == "broken"
        ]
        sure = [clash.score for clash in clashes if clash.score >= _SURE]
        return Drift(
            drift_score=drift_score(broken, off, sure),
            topic_drift=off,
            missing=tuple(item.text for item in rules if kept[item.id].get("state") == "broken"),
            reminders=tuple(self._reminders(rules, kept, state.get("turns", 0))),
            requirements=tuple(_requirement(item, kept[item.id]) for item in rules),
            contradictions=tuple(clashes),
        )

    def _objective(self) -> str:
        story = self._session.digested().story()
        return story.objective.text if story.objective else ""

    def _clashes(self) -> list[Contradiction]:
        found = [row for _, row in self._rows.scan(CLASH, CLASH + "~", last=_CLASHES)]
        live = [row for row in found if not (self._is_left(row["earlier"]) or self._is_left(row["later"]))]
        names = ("earlier", "later", "score", "about", "speaker")
        return [Contradiction(**{name: row[name] for name in names}) for row in live]

    def _reminders(self, rules: list[Item], kept: dict[str, Any], turns: int) -> list[str]:
        """For rules that are broken now, then for those nothing has touched for long."""
        broken = [item for item in rules if kept[item.id].get("state") == "broken"]
        idle = [item for item in rules if turns - kept[item.id].get("turn", turns) >= _UNTOUCHED_TURNS]
        told = [f"{item.text} ({item.id}, broken in {kept[item.id].get('message')})" for item in broken]
        told += [f"{item.text} ({item.id})" for item in idle if item not in broken]
        return told[:_MOST_REMINDERS]

    # ── health ───────────────────────────────────────────────────────────────────────────────────────

    def health(self) -> Health:
        session, state = self._session, self._state()
        used, limit = self._used(), session.limit()
        share = used / limit
        found = self.drift()
        rules = [item for item in self.items() if item.is_in_force]
        critical = sum(session.engine.count(item.text) for item in rules)
        growth = float(state.get("grown", 0.0))
        config = session.engine.config.compaction
        needed = share >= config.soft_share
        return Health(
            health=_health(share, found.drift_score),
            tokens_used=used,
            tokens_limit=limit,
            utilization=round(share, 4),
            relevance_score=round(1 - found.topic_drift, 4),
            drift_score=found.drift_score,
            drift_detected=found.drift_score >= _DRIFT_WARNING,
            compaction_needed=needed,
            critical_ratio=round(critical / used, 4) if used else 0.0,
            critical_items=len(rules),
            growth_rate=round(growth, 1),
            turns_left=max(int((limit - used) / growth), 0) if growth > 0 else None,
            suggestions=tuple(self._suggestions(used, share, found)),
            findings=tuple(_findings(found)),
        )

    def _used(self) -> int:
        """What the next prompt takes, going by the newest epoch and what was recorded since; without one, all."""
        session = self._session
        rows = SessionRows(session.engine.store, session.key, Sending.name)
        epochs = [row for _, row in rows.scan(EPOCH, EPOCH + "~") if row["seq"] and row.get("is_short")]
        if not epochs:
            return session.tokens()
        newest = max(epochs, key=lambda row: row["seq"])
        epoch = session.outgoing.about(newest["seq"])["epoch"]
        since = session.tokens_of(range(epoch.get("at", 0) + 1, session.info.messages + 1))
        return int(epoch.get("after", 0)) + since

    def _suggestions(self, used: int, share: float, found: Drift) -> list[str]:
        config, told = self._session.engine.config.compaction, []
        if share >= _WARNING and used > 2 * config.target_tokens:
            told.append(f"compact now: frees about {(used - config.target_tokens) // 1000}k tokens")
        broken = [one for one in found.requirements if one.state == "broken"]
        if broken:
            first = (
                min(int(one.evidence[1:]) for one in broken if one.evidence) if any(b.evidence for b in broken) else 0
            )
            told.append(f"{len(broken)} rule{'s' if len(broken) > 1 else ''} broken since m{first}")
        return told

    def _state(self) -> dict[str, Any]:
        return self._session.engine.state(self._session.key, Watch.name) or {}


def _requirement(item: Item, row: dict[str, Any]) -> Requirement:
    return Requirement(
        id=item.id,
        text=item.text,
        state=row.get("state", "unknown"),
        score=row.get("score", 0.5),
        evidence=row.get("message", ""),
        quote=row.get("evidence", ""),
    )


def _health(share: float, drift: float) -> str:
    if share >= _CRITICAL or drift >= _DRIFT_CRITICAL:
        return "critical"
    return "warning" if share >= _WARNING or drift >= _DRIFT_WARNING else "good"


def _findings(found: Drift) -> list[str]:
    broken = [f"{one.id} broken in {one.evidence}: {one.text}" for one in found.requirements if one.state == "broken"]
    sure = [one for one in found.contradictions if one.score >= _SURE]
    return [*broken, *(f"{one.later} contradicts {one.earlier}: {one.about}" for one in sure)]


def pin_of(text: str, kind: str, reason: str, by: str, scope: str, source: str) -> dict[str, Any]:
    """What is written of an item that somebody pins; what cannot be meant is a UsageError."""
    if not text.strip():
        raise UsageError("a critical item needs words")
    if kind not in list(ItemKind):
        raise UsageError(f"no kind {kind!r} of critical items; there are {', '.join(ItemKind)}")
    if scope not in list(Scope):
        raise UsageError(f"no scope {scope!r}; there are {', '.join(Scope)}")
    return {"text": text.strip(), "kind": kind, "reason": reason, "by": by, "scope": scope, "source": source}
