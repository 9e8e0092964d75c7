"""The index of chunks: which chunks of all modules match a query, and how well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

from clew.domain.modules import Chunk, Module, Priority
from clew.ports import Postings
from clew.retrieval.bm25 import rank_messages
from clew.retrieval.words import query_words, words_of

#: The share of a chunk's relevance that the chunks beside it are given: what belongs together stands together.
_NEIGHBOURS = (0.3, 0.15)
#: Numbers left free behind each module, so that its chunks lift no other's.
_GAP = len(_NEIGHBOURS)
#: What a module's priority is worth among chunks that match alike.
_WEIGHTS = {Priority.HIGH: 1.15, Priority.MEDIUM: 1.0, Priority.LOW: 0.85}
_MOST_RANKED = 400


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk with its module, which is without its text, and its own words."""

    module: Module
    chunk: Chunk
    text: str


class ChunkIndex:
    """Finds chunks by the words of a query. It is made of all modules at once, and never changes."""

    def __init__(self, chunks: Iterable[IndexedChunk]) -> None:
        self._chunks: dict[int, IndexedChunk] = {}
        self._numbers: dict[str, list[int]] = defaultdict(list)
        self._sizes, before = [0] * _GAP, ""
        for one in chunks:
            if one.module.id != before:
                self._sizes += [0] * _GAP
                before = one.module.id
            number = len(self._sizes)
            words = words_of("\n".join((one.module.name, *one.chunk.headings, one.text)))
            self._chunks[number] = one
            self._sizes.append(len(words))
            for word in words:
                self._numbers[word].append(number)

    def ranked(self, query: str) -> list[tuple[IndexedChunk, float]]:
        """Returns chunks that match the query, best first; of equals, in order of module and place."""
        words = [word for word in query_words(query) if word in self._numbers]
        postings = [Postings(word, len(self._numbers[word]), tuple(self._numbers[word])) for word in words]
        best = rank_messages(postings, self._sizes, _MOST_RANKED, neighbours=_NEIGHBOURS)
        found = [(number, score * _WEIGHTS[self._chunks[number].module.priority]) for number, score in best]
        return [(self._chunks[number], score) for number, score in sorted(found, key=lambda one: (-one[1], one[0]))]

    def coverage(self, query: str) -> float:
        """Returns the largest share of the query's words, each by how rare it is, that one chunk has."""
        held: dict[int, float] = defaultdict(float)
        total = 0.0
        for word in query_words(query):
            numbers = self._numbers.get(word, [])
            rarity = log(1 + (len(self._chunks) + 0.5) / (len(numbers) + 0.5))
            total += rarity
            for number in numbers:
                held[number] += rarity
        return max(held.values(), default=0.0) / total if total else 0.0


def matches(module: Module, filters: Mapping[str, object]) -> bool:
    """Returns True when a module has every value asked for; of several values of one name, any will do."""
    return all(_values(wanted) & _values(getattr(module, name, ())) for name, wanted in filters.items())


def _values(value: object) -> set[str]:
    return {str(one) for one in value} if isinstance(value, list | tuple | set | frozenset) else {str(value)}
