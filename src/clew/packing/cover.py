"""The fit: the pieces that together say most, for what they cost.

Every piece has features (words in their order, names, names bound to a file) and every feature a weight. A
feature counts once, however many pieces have it, so a line that repeats what is there already is worth little.
The best value for its cost is taken first; ties fall to the earlier piece. A smaller budget takes a prefix of
what a larger one takes, so the exact fit can be found by trying prefixes.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: A piece whose value fell by less than this since it was weighed need not be weighed against the others again.
_CLOSE_ENOUGH = 0.999


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that may be shown. ``group`` is opened by its first piece, at a cost of its own; -1 is none."""

    cost: float
    features: tuple[int, ...]
    group: int = -1


def covered(
    pieces: Sequence[Piece], weights: Sequence[float], group_costs: Sequence[float], *, room: float
) -> list[int]:
    """Indexes of the pieces to show, best first, until the room is used up."""
    left, have, opened = room, bytearray(len(weights)), bytearray(len(group_costs))

    def cost(piece: Piece) -> float:
        opening = group_costs[piece.group] if piece.group >= 0 and not opened[piece.group] else 0.0
        return piece.cost + opening

    def worth(piece: Piece) -> float:
        return sum(weights[feature] for feature in piece.features if not have[feature]) / cost(piece)

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
        price = cost(pieces[at])
        if price > left:
            continue
        left -= price
        chosen.append(at)
        if pieces[at].group >= 0:
            opened[pieces[at].group] = 1
        for feature in pieces[at].features:
            have[feature] = 1
    return chosen


def longest_fitting(count: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to count for which the first n pieces fit; 0 fits always or the caller has to say so."""
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
