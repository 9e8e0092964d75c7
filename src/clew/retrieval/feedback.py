"""Feedback: what replies used of what was retrieved, and how little that may move a score.

Each judgement counts as one, and half as much after so many judged replies. A use counts for more than an ignored unit,
because most of what a search brings in is not needed. Scores move by at most 15 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.domain import UnitUse
from clew.domain.ids import message_id
from clew.retrieval.documents import FoundDocument
from clew.retrieval.fusion import Ranked
from clew.text.plurals import pluralise

#: The most that a score moves, as a share of it.
MOST = 0.15
#: Judged replies after which a judgement counts half.
HALF_LIFE = 50
#: What a use counts, in ignored units, and how much of either it takes before the factor moves far.
_USE, _INERTIA = 3.0, 8.0
#: A factor nearer to 1 than this changes nothing.
_LEAST = 0.005
#: Most units that an epoch remembers the use of: those that move most.
_MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class Tally:
    """Judgements of one unit. ``weight_used`` and ``weight_ignored`` are what they still count at the reply ``turn``,
    counted in judged replies.
    """

    used: int = 0
    ignored: int = 0
    weight_used: float = 0.0
    weight_ignored: float = 0.0
    turn: int = 0

    def at_turn(self, turn: int) -> Tally:
        """Returns the same tally as it counts at a later reply."""
        fade = 0.5 ** (max(turn - self.turn, 0) / HALF_LIFE)
        weights = (round(self.weight_used * fade, 4), round(self.weight_ignored * fade, 4))
        return Tally(self.used, self.ignored, *weights, max(turn, self.turn))

    def with_judgement(self, *, used: bool, turn: int) -> Tally:
        """Returns the tally with one more judgement."""
        now = self.at_turn(turn)
        if used:
            return replace(now, used=now.used + 1, weight_used=now.weight_used + 1)
        return replace(now, ignored=now.ignored + 1, weight_ignored=now.weight_ignored + 1)

    def plus(self, other: Tally) -> Tally:
        """Returns the judgements of both, as they count now."""
        weights = (self.weight_used + other.weight_used, self.weight_ignored + other.weight_ignored)
        return Tally(self.used + other.used, self.ignored + other.ignored, *weights, max(self.turn, other.turn))

    @property
    def factor(self) -> float:
        """What a score is multiplied by."""
        used, ignored = _USE * self.weight_used, self.weight_ignored
        return round(1 + MOST * (used - ignored) / (used + ignored + _INERTIA), 4)

    @property
    def use(self) -> UnitUse:
        """The counts and the factor."""
        return UnitUse(self.used, self.ignored, self.factor)


def strongest(uses: Mapping[str, UnitUse]) -> dict[str, UnitUse]:
    """Returns the uses that move a score, in order of id; of very many, those that move it most."""
    moving = [(-abs(use.factor - 1), id) for id, use in uses.items() if abs(use.factor - 1) >= _LEAST]
    return {id: uses[id] for _, id in sorted(sorted(moving)[:_MOST_KEPT], key=lambda pair: pair[1])}


def rank_by_use(ranked: Sequence[Ranked], uses: Mapping[str, UnitUse]) -> list[Ranked]:
    """Returns ranked messages in the order of their scores with feedback, which ``why`` names as a part of them."""
    if not uses:
        return list(ranked)
    moved = (_move_score(one, uses.get(message_id(one.number))) for one in ranked)
    return sorted(moved, key=lambda one: (-one.score, -one.number))


def _move_score(one: Ranked, use: UnitUse | None) -> Ranked:
    if use is None or use.factor == 1:
        return one
    score = round(one.score * use.factor, 6)
    return replace(one, score=score, why={**one.why, "feedback": round(score - one.score, 6)})


def document_by_use(found: FoundDocument, use: UnitUse | None) -> FoundDocument:
    """Returns a document with its score as feedback moves it, which ``why`` names as a part of it."""
    if use is None or use.factor == 1:
        return found
    score = found.score * use.factor
    return replace(found, score=score, why={**found.why, "feedback": round(score - found.score, 6)})


def documents_by_use(found: Sequence[FoundDocument], uses: Mapping[str, UnitUse]) -> Sequence[FoundDocument]:
    """Returns documents in the order of their scores with feedback; of equals the earlier one."""
    if not uses:
        return found
    return sorted((document_by_use(one, uses.get(one.document.id)) for one in found), key=lambda one: -one.score)


def describe(use: UnitUse | None) -> str:
    """Returns a use in words; empty for a unit that nobody judged."""
    if use is None or not use.used + use.ignored:
        return ""
    return f"used {pluralise(use.used, 'time')}, ignored {pluralise(use.ignored, 'time')} by replies"


def precision(kinds: Mapping[str, Iterable[int]]) -> dict[str, dict[str, float]]:
    """Returns for each kind of unit how many were retrieved, how many of them used, and the share of these."""
    told = {}
    for kind, (retrieved, used) in sorted(kinds.items()):
        told[kind] = {"retrieved": retrieved, "used": used, "precision": round(used / retrieved, 4) if retrieved else 0}
    return told
