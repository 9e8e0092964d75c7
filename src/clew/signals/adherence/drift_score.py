"""How far a session has drifted, as one number."""

from __future__ import annotations

from collections.abc import Iterable

#: One broken rule is a warning (.3), three are critical (.6): each takes this share of what is left.
_A_RULE = 0.3
_A_CONTRADICTION = 0.15
#: Work off the topic is no alarm by itself: at its worst it stays just below a warning.
_MOST_BY_TOPIC = 0.25
_TOPIC_FROM = 0.6
_WEIGHTS = {"preference": 0.5}
#: From this score on a contradiction is a finding; and for how many messages one counts as drift.
SURE, _FRESH_MESSAGES = 0.6, 200


def drift_score(broken: Iterable[str], topic: float = 0.0, contradictions: Iterable[float] = ()) -> float:
    """0 to 1: rules that are broken now, by their kinds; contradictions by their scores; and work off the topic."""
    left = 1.0
    for kind in broken:
        left *= 1.0 - _A_RULE * _WEIGHTS.get(kind, 1.0)
    for score in contradictions:
        left *= 1.0 - _A_CONTRADICTION * _clamp(score)
    off = max(0.0, _clamp(topic) - _TOPIC_FROM) / (1.0 - _TOPIC_FROM)
    return round(1.0 - left * (1.0 - _MOST_BY_TOPIC * off), 4)


def fresh_scores(clashes: Iterable[tuple[int, float]], messages: int) -> list[float]:
    """How sure the contradictions of the newest messages are, one for each message that denies something.

    Each is given by the number of that message and its score; ``messages`` is how many there are.
    """
    best: dict[int, float] = {}
    for number, score in clashes:
        if score >= SURE and number > messages - _FRESH_MESSAGES:
            best[number] = max(score, best.get(number, 0.0))
    return list(best.values())


def _clamp(score: float) -> float:
    return min(1.0, max(0.0, score))
