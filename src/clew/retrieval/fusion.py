"""The order of what was found: words and meaning, the messages around, who speaks, and when.

Figures are those of one session. Without vectors the order goes by words alone; a message that has no vector yet counts
as one of middling nearness.

Who is meant by a name in a query: somebody whose name stands before what they say, or whom the others call by it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from clew.ports import Postings
from clew.retrieval.bm25 import WordStatistics, need_of_neighbours, own_scores, scores_with_neighbours
from clew.retrieval.words import words_of

#: A name that fewer messages hold is nobody's who speaks here.
_LEAST, _LEAST_SHARE = 5, 0.03
#: How many times as often one side says the name, so that it is the other's.
_RATIO = 3

Find = Callable[[Sequence[str]], Sequence[Postings]]
#: Marks of a message: a person wrote it; it is a short question; from the third bit on, the number of its label.
PERSON, QUESTION, LABEL_BITS = 1, 2, 2
#: What nearness by meaning counts beside words.
MEANING = 1.5
#: How many of the best are looked at more closely.
_POOL = 200
#: How far around a message its region reaches, how many of the best there speak for it, and how much that counts.
_REACH, _SPEAKING, _REGION = 8, 3, 0.3
#: What it is worth that somebody speaks whom the query names, or the asker, that the time fits, that it is a question.
_NAMED, _ASKER, _TIME, _ASKING = 0.2, 0.4, 0.5, -0.1


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known of each message, at its number: words (0: not to be found) and marks; and the labels by number."""

    sizes: Sequence[int]
    marks: Sequence[int] = ()
    labels: Sequence[str] = ()

    def mark(self, number: int) -> int:
        return self.marks[number] if number < len(self.marks) else 0


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near texts are to the query by meaning: the nearest, and any one by its number, as a share of the nearest
    from 0 to 1; ``product`` is that of the vectors, None for a text without one. ``made_of`` says what was
    compared: where it is equal, so is all else.
    """

    nearest: Sequence[int]
    of: Callable[[int], float]
    product: Callable[[int], float | None] = lambda _: None
    made_of: Hashable = None


@dataclass(frozen=True, slots=True)
class Preference:
    """Whom and when a query asks for: labels by number, whether it names a person or their partner, whether the asker
    is meant, and the messages of the time that it names.
    """

    labels: Collection[int] = ()
    persons: bool | None = None
    asker: bool = False
    in_time: Collection[int] | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A message and its score; ``why`` has the score's parts."""

    number: int
    score: float
    why: Mapping[str, float] = field(default_factory=dict, compare=False)


def rank(
    postings: Sequence[Postings],
    figures: Figures,
    *,
    limit: int,
    nearness: Nearness | None = None,
    preference: Preference | None = None,
) -> list[Ranked]:
    """The most relevant messages, best first, of equals the newest."""
    preference = preference or Preference()
    words = shares_of_best(word_scores(postings, figures))
    scores = message_scores(words, figures, nearness=nearness, preference=preference)
    pool = nlargest(max(_POOL, limit), ((score + in_time_score(one, preference), one) for one, score in scores.items()))
    scale = 1.0 + MEANING if nearness else 1.0
    ranked = rank_pool([number for _, number in pool], words, scores, figures, preference, scale=scale)
    return sorted(ranked, key=lambda ranked: (-ranked.score, -ranked.number))[:limit]


def word_scores(
    postings: Sequence[Postings], figures: Figures, statistics: WordStatistics | None = None
) -> dict[int, float]:
    """What messages are worth by words, theirs and those of their neighbours."""
    return scores_with_neighbours(own_scores(postings, figures.sizes, statistics), figures.sizes)


def message_scores(
    words: Mapping[int, float], figures: Figures, *, nearness: Nearness | None, preference: Preference
) -> dict[int, float]:
    """Shares by words, and by meaning where that is known; of messages that either finds, or the time that is named."""
    added = [*(nearness.nearest if nearness else ()), *(preference.in_time or ())]
    numbers = {*words, *(one for one in added if one < len(figures.sizes) and figures.sizes[one])}
    return {number: words.get(number, 0.0) + (MEANING * nearness.of(number) if nearness else 0.0) for number in numbers}


def rank_pool(
    pool: Sequence[int],
    words: Mapping[int, float],
    scores: Mapping[int, float],
    figures: Figures,
    preference: Preference,
    *,
    scale: float,
) -> list[Ranked]:
    """The messages of the pool with all that makes up their scores, as parts of ``scale``."""
    return [_rank_message(number, words.get(number, 0.0), scores, figures, preference, scale=scale) for number in pool]


def shares_of_best(scores: Mapping[int, float]) -> dict[int, float]:
    """Each as a share of the best."""
    most = max(scores.values(), default=1.0)
    return {number: score / most for number, score in scores.items()}


def _rank_message(
    number: int, words: float, scores: Mapping[int, float], figures: Figures, preference: Preference, *, scale: float
) -> Ranked:
    near = [scores.get(index, 0.0) for index in range(number - _REACH, number + _REACH + 1)]
    around = sorted(near, reverse=True)[:_SPEAKING]
    why = {
        "words": words,
        "meaning": scores[number] - words,
        "around": _REGION * need_of_neighbours(figures.sizes[number]) * sum(around) / _SPEAKING,
        "speaker": scale * _speaker(figures.mark(number), preference),
        "time": scale * in_time_score(number, preference),
    }
    parts = {name: round(part / scale, 6) for name, part in why.items() if part}
    return Ranked(number, round(sum(parts.values()), 6), parts)


def _speaker(mark: int, preference: Preference) -> float:
    label, person = mark >> LABEL_BITS, bool(mark & PERSON)
    is_named = label in preference.labels or (not label and person is preference.persons)
    return _NAMED * is_named + _ASKER * (preference.asker and person) + _ASKING * bool(mark & QUESTION)


def in_time_score(number: int, preference: Preference) -> float:
    """What it is worth that a message is of the time that the query names."""
    return _TIME * (preference.in_time is not None and number in preference.in_time)


@dataclass(frozen=True, slots=True)
class Speakers:
    """The names of those who speak, their labels, and whether the person or their partner is named; None: neither."""

    names: tuple[str, ...] = ()
    labels: frozenset[int] = frozenset()
    persons: bool | None = None


def find_speakers(names: Sequence[str], figures: Figures, find: Find) -> Speakers:
    """Which of these names are those of speakers."""
    found: list[str] = []
    labels: set[int] = set()
    persons: set[bool] = set()
    for name in names:
        own = {index for index, label in enumerate(figures.labels, 1) if name.casefold() in label.split()}
        side = None if own or figures.labels else _side(name, figures, find)
        labels |= own
        if side is not None:
            persons.add(side)
        if own or side is not None:
            found.append(name)
    return Speakers(tuple(found), frozenset(labels), persons.pop() if len(persons) == 1 else None)


def _side(name: str, figures: Figures, find: Find) -> bool | None:
    """True when those who are no persons call somebody so, False when persons do; None when it is no such name."""
    sayings = [number for one in find(words_of(name)[:1]) for number in one.numbers]
    if len(sayings) < max(_LEAST, _LEAST_SHARE * len(figures.sizes)):
        return None
    spoken = [figures.mark(number) & PERSON for number, size in enumerate(figures.sizes) if size]
    persons = sum(figures.mark(number) & PERSON for number in sayings) / max(sum(spoken), 1)
    others = sum(not figures.mark(number) & PERSON for number in sayings) / max(len(spoken) - sum(spoken), 1)
    if others > _RATIO * persons:
        return True
    return False if persons > _RATIO * others else None
