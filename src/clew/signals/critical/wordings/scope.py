"""How far what somebody said reaches: the task at hand, the project, or all they do with an assistant."""

from __future__ import annotations

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.wordings.table import PARTS
from clew.text.phrases import any_of, has_match

#: Terms after which a rule is over.
_FOR_NOW = any_of(
    "for now|this time|just (?:this )?once|right now|at the moment|temporarily|today|tonight|tomorrow",
    "for this (?:one|task|pr|commit|change|issue|ticket|branch|file|test|fix|step|feature)",
)
#: What is at hand. It bounds an order, but not what is to be done always or never: "never commit without asking first".
_AT_HAND = any_of(
    "here|yet",
    "in this (?:pr|commit|file|function|branch|change|test|task|step|case|method)",
    "this (?:pr|commit|branch|task|change|fix|ticket)",
)
#: The same of an order; "code first" is a manner, and a first language or name is nobody's task.
_FIRST = any_of("first")
#: Work that is done once and is then done; and words by which it is asked for.
_WORK = (
    "(?:refactor|implement|add|fix|create|build|move|rename|change|update|remove|delete|write|make|extract|split|merge"
    "|investigate|debug|review|check|look|try|run|test|explore|understand|figure|rewrite|replace|convert|migrate|clean"
    "|improve|extend|introduce|simplify|restructure|port|upgrade|set|design|plan|find|generate|publish|release|deploy)"
)
_ASKED_ONCE = any_of(
    rf"(?:(?:i|we)(?:'d| would) (?:like|love)|(?:i|we) (?:want|need)|i wanna)(?: you)?(?: to)?(?: also| now)? {_WORK}",
    rf"(?:let's|lets|can you|could you|would you|help me(?: to)?|also|then|next|now|maybe)(?: please)? {_WORK}",
    "try (?:with|it|this|that|the|both|another|again|an?|one|some)|(?:investigate|explore|debug|figure out)",
    start=r"^\W*(?:(?:ok|okay|so|now|next|and|then|great|cool|yes|hi|hey|please|well|first"
    r"|for (?:each|all|both) of (?:them|these|those))\W+){0,3}",
)
_GENERAL = any_of("always|never|every|each|all|only|whenever|must|anything|any ?time")
_OF_THESE = any_of("for (?:each|all|both) of (?:them|these|those)", start=r"^\W*")
_SELF_TOLD = {ItemKind.PREFERENCE, ItemKind.CUSTOM}
_FIRST_OF_SOMEBODY = any_of("(?:my|your|his|her|their) first")
_EVERY_TIME = any_of("always|never")
#: Words by which something holds for good, whatever else the sentence names.
_STANDING = any_of(
    PARTS["LASTING"], PARTS["LATER"], "never (?:ever )?[^.?!]* again", "for (?:good|ever)|forever|permanently"
)
#: "I'd prefer" speaks of the choice at hand where "I prefer" speaks of oneself.
_THIS_TIME = any_of("i(?:'d| would)(?: [a-z]+)? prefer")
_ABOUT_REPLIES = any_of(
    "when(?:ever)? i ask|answers?|repl(?:y|ies)|respon(?:d|ses?)|explain|explanations?|emojis?|apologi[sz]e|call me",
    "tell me|ask me|show me|give me|speak|talk|to me|bullet points|my questions|summari[sz]e|your messages",
    "(?:prefer|rather|like|want) you|spelling|language|tone",
)


def scope_of(plain: str, kind: ItemKind, usual: Scope | None = None) -> Scope:
    """How far words (in small letters) of this kind reach; ``usual``: how far their wording does."""
    if is_standing(plain):
        usual = None if usual is Scope.TASK else usual
    elif usual is not Scope.PROJECT and _is_for_task(plain, kind):
        return Scope.TASK
    if usual is not None:
        return usual
    is_about_replies = kind is ItemKind.PREFERENCE or has_match(_ABOUT_REPLIES, plain)
    return Scope.USER if is_about_replies else Scope.PROJECT


def is_standing(plain: str) -> bool:
    """True for words (in small letters) that say for how long they hold: for good."""
    return has_match(_STANDING, plain)


def is_asked_once(plain: str) -> bool:
    """True for words (in small letters) that ask for a piece of work at hand: what is done then is no rule."""
    if is_standing(plain) or not has_match(_ASKED_ONCE, plain):
        return False
    return has_match(_OF_THESE, plain) or not has_match(_GENERAL, plain)


def _is_for_task(plain: str, kind: ItemKind) -> bool:
    is_first = kind not in _SELF_TOLD and has_match(_FIRST, plain) and not has_match(_FIRST_OF_SOMEBODY, plain)
    is_at_hand = (has_match(_AT_HAND, plain) or is_first) and not has_match(_EVERY_TIME, plain)
    is_choice = kind is ItemKind.PREFERENCE and has_match(_THIS_TIME, plain) and not has_match(_ABOUT_REPLIES, plain)
    return has_match(_FOR_NOW, plain) or is_at_hand or is_choice
