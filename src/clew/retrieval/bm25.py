"""Relevance by BM25, from the figures of one session alone.

A word counts once in a message, however often it stands there: what is said again and again in a long reply or a tool's
output is no surer a sign than what a person said once. A message is also lifted by its neighbours, for an answer
seldom repeats the words of its question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from heapq import nlargest
from math import log

from clew.ports import Postings

#: How much the length of a message tells, from not at all (0) to in full (1); and how strongly.
B, K1 = 0.75, 0.9
#: The share of a message's relevance that each of its neighbours is given.
NEIGHBOURS = 0.5


def rank_messages(
    postings: Sequence[Postings], sizes: Sequence[int], limit: int, *, neighbours: Sequence[float] = (NEIGHBOURS,)
) -> list[tuple[int, float]]:
    """The most relevant messages with their scores, best first, of equals the newest.

    ``sizes`` has the number of words of each message at its number, 0 for those that are not to be found.
    ``neighbours`` are the shares of a message's relevance that those beside it are given, the nearest first.
    """
    own = _own_scores(postings, sizes)
    steps = [(sign * distance, share) for distance, share in enumerate(neighbours, 1) for sign in (-1, 1)]
    scores = [0.0] * (len(sizes) + len(neighbours))
    for number, score in own.items():
        scores[number] += score
        for step, share in steps:
            scores[number + step] += share * score
    near = {number + step for step in (0, *(step for step, _ in steps)) for number in own}
    best = nlargest(limit, ((scores[number], number) for number in near if 0 <= number < len(sizes) and sizes[number]))
    return [(number, score) for score, number in best]


def _own_scores(postings: Sequence[Postings], sizes: Sequence[int]) -> dict[int, float]:
    """What each message is worth by its own words, and the share that its length leaves of that."""
    count = len(sizes) - sizes.count(0)
    rarities: defaultdict[int, float] = defaultdict(float)
    for one in postings:
        rarity = log(1 + (max(count - one.total, 0) + 0.5) / (one.total + 0.5))
        for number in one.numbers:
            rarities[number] += rarity
    mean = sum(sizes) / max(count, 1)
    fixed, by_word = 1 + K1 * (1 - B), K1 * B / max(mean, 1)
    return {
        number: rarity * (K1 + 1) / (fixed + by_word * sizes[number])
        for number, rarity in rarities.items()
        if number < len(sizes) and sizes[number]
    }
