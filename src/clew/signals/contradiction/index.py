"""Which earlier statements a new one is held against: those that share its rarest subjects, so many and no more.

The caller keeps a row for each key with the statements filed under it; the cost of a new statement does not grow with
what was said before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.signals.contradiction.clash import Statement
from clew.signals.contradiction.clauses import clauses_of
from clew.signals.contradiction.words import NAME, PLAIN

#: Keys a statement is filed under, statements looked at of one key (the newest), statements compared in the end.
MAX_KEYS, MAX_OF_KEY, MAX_CANDIDATES = 24, 32, 32

Lookup = Callable[[str], Sequence[str]]


def keys_of(text: str) -> frozenset[str]:
    """The subjects of a statement, under which it is filed: names first, then words that say something."""
    return frozenset(_ranked_keys(text))


def candidates(new: Statement, lookup: Lookup) -> tuple[str, ...]:
    """Ids of the earlier statements worth comparing, likeliest first: by how many subjects they share, and how rare
    those are.

    ``lookup`` gives the ids of the statements filed under a key, oldest first."""
    worth: dict[str, float] = {}
    for key in _ranked_keys(new.text):
        filed = lookup(key)
        for id in filed[-MAX_OF_KEY:]:
            worth[id] = worth.get(id, 0.0) + 1 / len(filed)
    worth.pop(new.id, None)
    newest = {id: index for index, id in enumerate(worth)}
    best = sorted(worth, key=lambda key: (-worth[key], -newest[key]))
    return tuple(best[:MAX_CANDIDATES])


def _ranked_keys(text: str) -> list[str]:
    weights: dict[str, float] = {}
    for clause in clauses_of(text):
        for word, weight in clause.core.items():
            weights[word] = max(weight, weights.get(word, 0.0))
    names = [word for word, weight in weights.items() if weight >= NAME]
    plain = [word for word, weight in weights.items() if PLAIN <= weight < NAME]
    return (names + plain or list(weights))[:MAX_KEYS]
