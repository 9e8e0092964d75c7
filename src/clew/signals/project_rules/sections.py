"""What the headings and lines above a sentence make of it: a rule, a description, an example, a step of a recipe."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from clew.text.memo import remember
from clew.text.phrases import any_of, searched


class Section(Enum):
    """What a part of a file is for.

    ``STATED``: even a bare statement in it is a rule, such as "4 spaces". ``TOLD``: it describes. ``EXAMPLE``: it shows
    or recounts, and nothing in it is meant to be followed.
    """

    STATED = "stated"
    RULES = "rules"
    OPEN = "open"
    TOLD = "told"
    EXAMPLE = "example"


_STATED = any_of(
    "rules?|(?:coding |code |naming |style |project |commit |git |file |api )?conventions?|code style|coding style"
    "|style guide(?:lines)?|coding standards?|code standards?|guardrails|constraints|non-negotiables?|do'?s and don'?ts"
    "|prohibited|forbidden|regeln|konventionen|code-?stil|règles|conventions|reglas|convenciones|regras"
)
_STATED_EAST = any_of("规则|规范|约定|ルール|規約|규칙", start="", end="")
_RULES = any_of(
    "guidelines?|philosophy|practices?|principles?|polic(?:y|ies)|standards?|style|formatting|naming|important|critical"
    "|instructions?"
    "|preferences?|expectations?|etiquette|hygiene|safety|security|boundaries|workflow|checklist|tone|voice|behaviou?r"
    "|gotchas?|pitfalls?|always|never|must|don'?ts?|do not|avoid|before|after|when|whenever|what to do|quality"
    "|commits?|pull requests?|prs?|anti-?patterns?|reminders?|requirements|honesty|communication"
    "|richtlinien|wichtig|hinweise|arbeitsweise"
)
_TOLD = any_of(
    "architecture|structure|overview|layout|director(?:y|ies)|folders?|commands?|scripts?|set ?up|install(?:ation)?"
    "|getting started|quick ?start|tech(?:nology)? stack|technolog(?:y|ies)|dependencies|features?|roadmap|status"
    "|mistakes|background|modules?|endpoints?|schemas?|data (?:flow|model)|environment"
    "|how it works|goals?|vision"
    "|troubleshooting|repo map|references?|resources|links|todos?|prerequisites|configuration|why|milestones?"
    "|direction|what (?:this|it) is|key (?:files|concepts|patterns|directories)|concepts|purpose|mission"
    "|architektur|struktur|aufbau|befehle|überblick",
    r"^\W*(?:project |key |main |the |common |useful |important )?(?:usage|build(?:ing)?|files|tools|about|current"
    r"|running|development|components?|stack)\b[^:]{0,20}$",
)
_TOLD_EAST = any_of("架构|结构|命令|目录|概述", start="", end="")
_EXAMPLE = any_of(
    "examples?|good|bad|wrong|right|correct|incorrect|sample|templates?|e\\.g|for instance|beispiele?",
    end=r"\b[^:]{0,30}$",
)
#: What was, not what is to be.
_PAST = any_of("recent changes|changelog|change ?log|release notes|history|what changed|progress log|completed")
#: Steps of a recipe: they hold when somebody cooks it.
_RECIPE = any_of(
    r"^\W*(?:to |how to |adding |creating |running |building |setting up |installing |steps?\b|deploying |writing a )",
    start="",
)
#: Rules all the same.
_WORKING = any_of("how (?:to|we) (?:work|behave|contribute|collaborate|communicate|write|code|answer|respond)")


def section_of(headings: Sequence[str], lead: str) -> Section:
    """What a sentence stands in, by the nearest heading or line above that says so."""
    for words in (lead, *reversed(headings)):
        if found := _told_by(words.lower()):
            return found
    return Section.OPEN


@remember(256)
def _told_by(words: str) -> Section | None:
    if not words:
        return None
    if searched(_EXAMPLE, words) or searched(_PAST, words):
        return Section.EXAMPLE
    if searched(_STATED, words) or searched(_STATED_EAST, words):
        return Section.STATED
    if searched(_WORKING, words):
        return Section.RULES
    if searched(_RECIPE, words):
        return Section.TOLD
    if searched(_RULES, words):
        return Section.RULES
    return Section.TOLD if searched(_TOLD, words) or searched(_TOLD_EAST, words) else None
