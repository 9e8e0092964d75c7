"""Selection of the pieces that together say most for what they cost: weighted coverage, solved greedily.

Every piece has features (words in their order, names, names bound to a file) and every feature a weight. A
feature counts once, however many pieces have it, so a line that repeats what is there already is worth little.
The best value for its cost is taken first; ties fall to the earlier piece. A smaller budget takes a prefix of
what a larger one takes, so the exact fit can be found by trying prefixes.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

#: A piece whose value fell by less than this since it was last rated is not compared with the others again.
_CLOSE_ENOUGH = 0.97
_AIMED_TRIES = 6


class Piece(NamedTuple):
    """Something that may be shown. Its features are distinct.

    The first piece chosen of a ``group`` also pays the cost of opening it; -1 is no group.
    """

    cost: float
    features: tuple[int, ...]
    group: int = -1


def choose_pieces(
    pieces: Sequence[Piece], weights: Sequence[float], group_costs: Sequence[float], *, room: float
) -> list[int]:
    """Returns the indexes of the pieces to show, best first, until the room is used up."""
    # A feature that is covered weighs nothing from then on, and an open group costs nothing; the last is "no group".
    left, worth_of, opening = room, [*weights], [*group_costs, 0.0]
    weight_of = worth_of.__getitem__

    def worth(piece: Piece) -> float:
        cost, features, group = piece
        return sum(map(weight_of, features)) / (cost + opening[group])

    heap = [(-worth(piece), at) for at, piece in enumerate(pieces)]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap and left > 0:
        claimed, at = heapq.heappop(heap)
        now = -worth(pieces[at])
        if now == 0.0:
            continue
        if heap and now > heap[0][0] * _CLOSE_ENOUGH and now != claimed:
            heapq.heappush(heap, (now, at))
            continue
        cost, features, group = pieces[at]
        price = cost + opening[group]
        if price > left:
            continue
        left -= price
        chosen.append(at)
        opening[group] = 0.0
        for feature in features:
            worth_of[feature] = 0.0
    return chosen


def longest_fitting_prefix(costs: Sequence[float], size: Callable[[int], int], limit: int, *, slack: int = 0) -> int:
    """Returns the largest number of first pieces whose exact size is within the limit; 0 is assumed to fit.

    ``costs`` are estimates: the better they are, the fewer sizes are measured.
    A result that leaves no more than ``slack`` unused is good enough.
    """
    ahead = [0.0, *accumulate(costs)]
    low, high, low_size, scale, tries = 0, len(costs), size(0), 1.0, 0
    while low < high and limit - low_size > slack:
        tries += 1
        aimed = bisect_right(ahead, ahead[low] + (limit - low_size) / scale) - 1
        # Estimates that lead nowhere are given up: halving always ends.
        probe = min(max(aimed, low + 1), high) if tries <= _AIMED_TRIES else (low + high + 1) // 2
        measured = size(probe)
        scale = max((measured - low_size) / max(ahead[probe] - ahead[low], 1e-9), 1e-9)
        if measured <= limit:
            low, low_size = probe, measured
        else:
            high = probe - 1
    return low
