"""Which words of a query every store looks up in full: the rare ones."""

from __future__ import annotations

from collections.abc import Sequence


def select_rare_words(held: Sequence[tuple[int, str]], limit: int) -> list[str]:
    """The rarest words of ``held``, while their totals come to at most ``limit``; the first one in any case."""
    room, selected = limit, list[str]()
    for total, word in held:
        if selected and total > room:
            break
        selected.append(word)
        room -= total
    return selected


__all__ = ["select_rare_words"]
