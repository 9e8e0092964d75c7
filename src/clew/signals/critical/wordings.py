"""All wordings of what should last, in the order they are tried, and how a sentence is searched for them."""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.limits import FENCED, LIMITS, NEEDS
from clew.signals.critical.oneself import ONESELF
from clew.signals.critical.other_languages import ELSEWHERE
from clew.signals.critical.rules import EVER, PROJECTS, WAYS
from clew.signals.critical.wishes import DECISIONS, WANTS
from clew.signals.critical.words import LASTING, OCCASION, Wording
from clew.text.phrases import any_of

#: Room for the automaton's states; it starts anew when they are full.
_AUTOMATON_BYTES = 32 << 20

WORDINGS = (*EVER, *WANTS, *LIMITS, *FENCED, *WAYS, *DECISIONS, *PROJECTS, *NEEDS, *ELSEWHERE, *ONESELF)


@cache
def _together() -> Any:
    """All wordings as one automaton: one pass over a sentence tells which of them it holds."""
    options = re2.Options()
    options.max_mem = _AUTOMATON_BYTES
    together = re2.Set.SearchSet(options)
    for wording in WORDINGS:
        together.Add(wording.pattern)
    together.Compile()
    return together


def wordings_in(plain: str) -> list[Wording]:
    """The wordings that a sentence in small letters holds, in the order in which they are to be tried."""
    return [WORDINGS[at] for at in sorted(_together().Match(plain) or ())]


#: Lines that announce a list of rules, and what its items are.
LEADS = (
    (ItemKind.CONSTRAINT, Scope.TASK, any_of("constraints?|restrictions?|limitations?")),
    (ItemKind.REQUIREMENT, Scope.TASK, any_of("requirements?|must[- ]haves?|non-negotiables?")),
    (ItemKind.PREFERENCE, Scope.USER, any_of("(?:my|some|our) preferences?|i prefer|i like")),
    (ItemKind.DECISION, Scope.PROJECT, any_of("decisions?|we(?:'ve| have)? (?:decided|agreed)")),
    (
        ItemKind.INSTRUCTION,
        Scope.PROJECT,
        any_of(
            "rules?|guidelines?|conventions?|code style|coding standards?|principles",
            *LASTING,
            "always|never",
            rf"^(?:please )?{OCCASION}",
        ),
    ),
)
