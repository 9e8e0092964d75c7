"""How relevant each part of a session is to the work as it stands: how near it is, what later messages pick up of it,
how close it is to the topic, and whether it holds something critical.

Held against which parts recorded sessions came back to soon after, what is picked up tells most, nearness and topic
little by themselves; together they tell more than any alone. The weights are round, for the figures hardly move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

#: How much each kind of evidence can do by itself.
_RECENCY, _REFERENCES, _TOPIC = 0.5, 0.8, 0.3
#: Messages after which nearness begins to fade, and the power by which it does.
_FADING, _POWER = 20.0, 0.8
#: So many rare names, just picked up, make a part as good as needed.
_PICKED_UP = 8.0
_EXPLAINED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPart:
    """A run of messages, with the names it holds and how close it is to the topic, 0 to 1."""

    id: str
    last: int
    tokens: int
    names: frozenset[str]
    topic: float = 0.0
    is_critical: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """``score`` 0 to 1, with what it is made of; ``picked_up`` are the names that later messages speak of most."""

    id: str
    tokens: int
    score: float
    recency: float = 0.0
    references: float = 0.0
    topic: float = 0.0
    is_critical: bool = False
    picked_up: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """Why, in a few words."""
        reasons = [f"recency {self.recency:.2f}"]
        if self.picked_up:
            reasons.append(f"picked up later {self.references:.2f} ({', '.join(self.picked_up)})")
        reasons += [f"topic {self.topic:.2f}"] if self.topic else []
        return "; ".join(["critical", *reasons] if self.is_critical else reasons)


def relevances(parts: Sequence[SessionPart], *, now: int, newest: Mapping[str, int]) -> list[Relevance]:
    """Of parts in their order, when the session has ``now`` messages.

    ``newest`` are names of messages after the last part, each with the number of the newest message that has it.
    """
    holders = Counter(name for part in parts for name in part.names)
    rarity = {name: log(1 + len(parts) / count) for name, count in holders.items()}
    spoken = dict(newest)
    out: list[Relevance] = []
    for part in reversed(parts):
        weights = {name: rarity[name] * _near(now - spoken[name]) for name in part.names if name in spoken}
        out.append(_weigh_part(part, now, weights))
        for name in part.names:
            spoken.setdefault(name, part.last)
    return out[::-1]


def _weigh_part(part: SessionPart, now: int, weights: Mapping[str, float]) -> Relevance:
    recency = _near(now - part.last)
    references = 1 - exp(-sum(weights[name] for name in sorted(weights)) / _PICKED_UP)
    score = 1 - (1 - _RECENCY * recency) * (1 - _REFERENCES * references) * (1 - _TOPIC * part.topic)
    return Relevance(
        id=part.id,
        tokens=part.tokens,
        score=1.0 if part.is_critical else round(score, 4),
        recency=round(recency, 4),
        references=round(references, 4),
        topic=round(part.topic, 4),
        is_critical=part.is_critical,
        picked_up=tuple(sorted(weights, key=lambda name: (-weights[name], name))[:_EXPLAINED]),
    )


def _near(age: int) -> float:
    return float((1 + max(age, 0) / _FADING) ** -_POWER)
