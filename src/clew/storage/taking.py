"""Which words of a query are taken as they are, the same for every store."""

from __future__ import annotations

from collections.abc import Sequence


def taken_words(held: Sequence[tuple[int, str]], limit: int) -> list[str]:
    """Of words with the number of their holders, rarest first: those whose holders come to at most ``limit``, but
    at least the first."""
    room, taken = limit, list[str]()
    for total, word in held:
        if taken and total > room:
            break
        taken.append(word)
        room -= total
    return taken


__all__ = ["taken_words"]
