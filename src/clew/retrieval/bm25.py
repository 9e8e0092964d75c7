"""Relevance by BM25, from the figures of one session alone; a search over many gives those of all.

A word counts once in a message, however often it stands there: what is said again and again in a long reply or a tool's
output is no surer a sign than what a person said once. A message is also lifted by its neighbours, for an answer
seldom repeats the words of its question; what came before it counts for more, and a long message stands on its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import log

from clew.ports import Postings

#: How much the length of a message tells, from not at all (0) to in full (1); and how strongly.
B, K1 = 0.75, 0.9
#: The share of a neighbour's relevance that a message is given, by how far behind it the neighbour stands.
NEIGHBOURS = {1: 0.7, -1: 0.4, 2: 0.2, -2: 0.2}
#: Words from which on a message needs its neighbours less and less to be understood.
SELF_CONTAINED = 50
#: Most messages that lift their neighbours: the best.
_LIFTING = 400


def rarity(total: int, count: int) -> float:
    """What a word is worth that ``total`` of ``count`` messages hold."""
    return log(1 + (max(count - total, 0) + 0.5) / (total + 0.5))


@dataclass(frozen=True, slots=True)
class WordStatistics:
    """What scores rest on: how many messages there are, how many words one has on average, and how many hold a word."""

    messages: int
    mean_size: float
    totals: Mapping[str, int]


def statistics_of(postings: Sequence[Postings], sizes: Sequence[int]) -> WordStatistics:
    """The statistics of one session."""
    count = len(sizes) - sizes.count(0)
    return WordStatistics(count, mean_size([sizes]), {posting.word: posting.total for posting in postings})


def mean_size(sizes: Sequence[Sequence[int]]) -> float:
    """Words that a message has on average, over all sessions whose sizes are given."""
    count = sum(len(of_one) - of_one.count(0) for of_one in sizes)
    return sum(map(sum, sizes)) / max(count, 1)


def own_scores(
    postings: Sequence[Postings], sizes: Sequence[int], statistics: WordStatistics | None = None
) -> dict[int, float]:
    """What each message is worth by its own words, and the share that its length leaves of that.

    ``sizes`` has the number of words of each message at its number, 0 for those that are not to be found.
    ``statistics`` are those of the session, unless others are given.
    """
    known = statistics or statistics_of(postings, sizes)
    rarities: defaultdict[int, float] = defaultdict(float)
    for posting in postings:
        worth = rarity(known.totals[posting.word], known.messages)
        for number in posting.numbers:
            rarities[number] += worth
    fixed, by_word = 1 + K1 * (1 - B), K1 * B / max(known.mean_size, 1)
    return {
        number: worth * (K1 + 1) / (fixed + by_word * sizes[number])
        for number, worth in rarities.items()
        if number < len(sizes) and sizes[number]
    }


def need_of_neighbours(size: int) -> float:
    """How much a message of so many words is to be understood from those around it, from 0 to 1."""
    return min(1.0, SELF_CONTAINED / size)


def scores_with_neighbours(
    own: Mapping[int, float],
    sizes: Sequence[int],
    *,
    shares: Mapping[int, float] = NEIGHBOURS,
    need: Callable[[int], float] = need_of_neighbours,
) -> dict[int, float]:
    """Own scores, and what neighbours add to them; those that only neighbours make relevant are among them.

    ``shares`` are those that a neighbour gives, and ``need`` how much of it one of a size takes.
    """
    given: defaultdict[int, float] = defaultdict(float)
    for number in nlargest(_LIFTING, own, key=own.__getitem__):
        score = own[number]
        for step, share in shares.items():
            given[number + step] += share * score
    return {
        number: own.get(number, 0.0) + given.get(number, 0.0) * need(sizes[number])
        for number in own.keys() | given.keys()
        if 0 < number < len(sizes) and sizes[number]
    }
