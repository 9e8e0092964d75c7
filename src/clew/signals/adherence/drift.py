"""Drift: how far a session has come from its rules and its topic, as one number.

Topic drift is how far recent work is from what it is for, told apart from a change of task that a person asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from math import log

from clew.text.stems import topic_stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: One broken rule is a warning (.3), three are critical (.6): each takes this share of what is left.
_A_RULE = 0.3
_A_CONTRADICTION = 0.15
#: Work off the topic is no alarm by itself: at its worst it stays just below a warning.
_MOST_BY_TOPIC = 0.25
_TOPIC_FROM = 0.6
_WEIGHTS = {"preference": 0.5}
#: From this score on a contradiction is a finding; and for how many messages one counts as drift.
SURE, _FRESH_MESSAGES = 0.6, 200
#: The words that tell an objective from others; a long plan is known by its rarest ones.
_MAX_TERMS = 16
_MAX_STEMS = 4_000
#: Work that shows so much of its objective is on topic.
_ENOUGH = 0.3
#: The least weight of a word: of one in every text, and of one in none, a slip of the pen as often as a topic.
_LEAST_WEIGHT = 0.3
#: Fewer words of an objective say too little to drift from.
_LEAST_TERMS = 4
#: Fewer words of the work say nothing of what it is about.
_LEAST_WORK = 8
#: A shorter request ("yes, go on") goes on with what was asked before.
_OBJECTIVE_WORDS = 6


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


def objective_in(state: Mapping[str, Any]) -> str:
    """The newest request before the present one that says by itself what is wanted; of the state of a session."""
    earlier: list[str] = state.get("earlier") or []
    return next((words for words in reversed(earlier) if len(words.split()) >= _OBJECTIVE_WORDS), "")


def drift_in(state: Mapping[str, Any]) -> float:
    """How far the replies in the state of a session are from its objective and its latest request."""
    objective, request = objective_in(state), state.get("request", "")
    return topic_drift(objective, state.get("replies", ()), request) if objective or request else 0.0


def topic_drift(
    objective: str,
    recent: Sequence[str],
    request: str = "",
    *,
    df: Callable[[str], float] | None = None,
    is_named: bool = False,
) -> float:
    """0 to 1: 0 where recent work takes up the words of the objective or of the latest request, 1 where of neither.

    ``df`` gives the share of a session's texts that hold a stem: rare words tell more. Without words to compare, 0:
    nobody knows. Somebody who has named the topic (``is_named``) means its words, however few they are.
    """
    work = frozenset(islice((stem for text in reversed(recent) for stem in topic_stems(text)), _MAX_STEMS))
    least = 1 if is_named else _LEAST_TERMS
    aims = [terms for aim in (objective, request) if len(terms := _terms(aim, df)) >= least]
    if len(work) < _LEAST_WORK or not aims:
        return 0.0
    closest = max(_coverage(terms, work) for terms in aims)
    return round(max(0.0, 1.0 - closest / _ENOUGH), 4)


def _terms(aim: str, df: Callable[[str], float] | None) -> dict[str, float]:
    """The telling words of an aim with their weights."""
    terms = dict.fromkeys(stem for stem in islice(topic_stems(aim), _MAX_STEMS) if not any(map(str.isdigit, stem)))
    weights = {stem: _weight(df(stem)) if df else 1.0 for stem in terms}
    best = sorted(weights, key=lambda stem: -weights[stem])[:_MAX_TERMS]
    return {stem: weights[stem] for stem in best}


def _weight(share: float) -> float:
    """Rarity: 1 for a word of one text in ten or fewer, and a third of it for one that is in every second."""
    if share <= 0.0:
        return _LEAST_WEIGHT
    return min(1.0, max(_LEAST_WEIGHT, log(1.0 / min(1.0, share)) / log(10.0)))


def _coverage(terms: dict[str, float], work: frozenset[str]) -> float:
    total = sum(terms.values())
    return sum(weight for stem, weight in terms.items() if stem in work) / total if total else 0.0
