"""The order of documents: words and meaning, each as a share of the best. Figures are those of one collection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest

from clew.ports import Postings
from clew.retrieval.bm25 import own_scores, rarity, scores_with_neighbours
from clew.retrieval.fusion import Nearness, shares_of_best
from clew.retrieval.vector_rows import NearnessScale

#: The share of a part's relevance that the parts beside it are given, by how far away they are: what belongs together
#: stands together.
NEIGHBOURS = (0.3, 0.15)
_SHARES = {sign * step: share for step, share in enumerate(NEIGHBOURS, 1) for sign in (-1, 1)}
#: Most documents that are put in order.
_MOST = 1_000
#: The share of a query's words that the best has to have for its words to count in full beside its meaning.
_ENOUGH_WORDS = 0.5


@dataclass(frozen=True, slots=True)
class CloseDocuments:
    """How near documents are to a query, and what nearness means to the embedder."""

    nearness: Nearness
    scale: NearnessScale

    def nearness_of(self, number: int) -> float | None:
        """Returns how near one is on the scale; None without a vector."""
        product = self.nearness.product(number)
        return None if product is None else self.scale.rescale(product)


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document's number and score; ``why`` has the score's parts, ``nearness`` is as ``FoundDocument`` has it."""

    number: int
    score: float
    why: Mapping[str, float] = field(default_factory=dict)
    nearness: float | None = None


def order_documents(
    words: Sequence[str], postings: Sequence[Postings], sizes: Sequence[int], *, close: CloseDocuments | None = None
) -> list[RankedDocument]:
    """Returns documents that have words of the query, or are near it by meaning, best first; of equals the newest."""
    own = own_scores(postings, sizes)
    by_words = shares_of_best(scores_with_neighbours(own, sizes, shares=_SHARES, need=lambda _: 1.0))
    if close is None:
        ranked = [RankedDocument(number, share, {"words": share}) for number, share in by_words.items()]
    else:
        ranked = _fuse_scores(by_words, close, sizes, weight=_weight(words, postings, sizes))
    return nlargest(_MOST, ranked, key=lambda one: (one.score, one.number))


def _fuse_scores(
    by_words: Mapping[int, float], close: CloseDocuments, sizes: Sequence[int], *, weight: float
) -> list[RankedDocument]:
    """Words and meaning, half each. What has no vector yet counts by its words as if its meaning agreed with them."""
    nearest = [one for one in close.nearness.nearest if one < len(sizes) and sizes[one]]
    most = max((close.nearness_of(one) or 0.0 for one in nearest), default=0.0)
    ranked: list[RankedDocument] = []
    for number in dict.fromkeys([*by_words, *nearest]):
        words, near = weight * by_words.get(number, 0.0), close.nearness_of(number)
        meaning = words if near is None else near / max(most, near) if near > 0 else 0.0
        if words or meaning:
            why = {"words": words / 2, "meaning": meaning / 2}
            ranked.append(RankedDocument(number, (words + meaning) / 2, why, near))
    return ranked


def _weight(words: Sequence[str], postings: Sequence[Postings], sizes: Sequence[int]) -> float:
    """How much words count beside meaning: in full if the best document has enough of the query, rare words counting
    for more.
    """
    count = len(sizes) - sizes.count(0)
    worth = {posting.word: rarity(posting.total, count) for posting in postings}
    whole = sum(worth.get(word) or rarity(0, count) for word in words)
    held: defaultdict[int, float] = defaultdict(float)
    for posting in postings:
        for number in posting.numbers:
            held[number] += worth[posting.word]
    return min(1.0, max(held.values(), default=0.0) / (_ENOUGH_WORDS * whole)) if whole else 0.0
