"""Numbers with their nouns."""

from __future__ import annotations


def pluralise(number: int, noun: str) -> str:
    """Returns the number and the noun as they are read together: 1 message, 2 messages, 1 reply, 0 replies."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"
    return f"{number} {plural}"
