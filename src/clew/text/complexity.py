"""How complex a query is: how much it asks for, judged by its form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from clew.text.names import names_in, paths_in
from clew.text.sentences import sentences


class Complexity(StrEnum):
    """How much a query asks for. Only ``high`` changes the shares; the other two are for reports."""

    SIMPLE = "simple"
    MEDIUM = "medium"
    HIGH = "high"


#: A question stands before or after pasted text, so this many sentences of each end are read.
_END_SENTENCES = 100
#: Work that spans things: comparing, designing, moving, changing in many places. Stems, as many languages share
#: them; in a path (docs/architecture) they are but names.
_SPANNING = re.compile(
    r"(?<![\w/.-])(compar|contrast|versus|vs\b(?! ?code)|trade-?offs?\b|pros and cons|alternativ|redesign|design"
    r"|ar[ck]hite[ck]t|arquitec?t|restructur|reorgani|refa[ck]tor|rewrit|migra|across\b|throughout\b|everywhere\b"
    r"|end[- ]to[- ]end)",
    re.IGNORECASE,
)
#: Words that join a further wish to the one before.
_JOINED = re.compile(r"\b(?:and then|also|additionally|furthermore|as well as|afterwards|finally)\b", re.IGNORECASE)
_QUESTION_ENDS = ("?", "？", "؟")
#: From this number on, names and paths are many; no more are looked for.
_MANY_THINGS = 6
#: A point for each step that a count reaches; words that span things weigh double.
_MEDIUM_POINTS, _HIGH_POINTS = 2, 4


def complexity(query: str) -> Complexity:
    """Judges how complex a query is by its form alone, without a model."""
    ends = _ends(sentences(query))  # fenced code is no prose: pasting much is not asking much
    text = "\n".join(ends)
    spanning = 2 * _steps_reached(len({word.lower() for word in _SPANNING.findall(text)}), (1, 2))
    wishes = _steps_reached(sum(part.endswith(_QUESTION_ENDS) for part in ends) + len(_JOINED.findall(text)), (2, 4))
    size = _steps_reached(len(ends), (3, 8))
    things = _steps_reached(
        len(names_in(text, limit=_MANY_THINGS)) + len(paths_in(text, limit=_MANY_THINGS)), (3, _MANY_THINGS)
    )
    points = spanning + wishes + size + things
    # A pasted trace is long and full of names, and yet one wish: size and names alone do not make a query complex.
    if points >= _HIGH_POINTS and (spanning or wishes > 1):
        return Complexity.HIGH
    return Complexity.MEDIUM if points >= _MEDIUM_POINTS else Complexity.SIMPLE


def _steps_reached(count: int, steps: Sequence[int]) -> int:
    """How many of the steps the count has reached."""
    return sum(count >= step for step in steps)


def _ends(parts: tuple[str, ...]) -> tuple[str, ...]:
    return parts if len(parts) <= 2 * _END_SENTENCES else parts[:_END_SENTENCES] + parts[-_END_SENTENCES:]
