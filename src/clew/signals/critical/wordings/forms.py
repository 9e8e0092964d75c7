"""What the form of a statement adds to its words: an order that says no while a call is refused, a choice in an answer.

Said as a plain message, "don't check this in" is about the moment. Said instead of letting a commit happen, it is a
limit of the task. Such items carry the occasion on which they were said, without which they cannot be understood.
"""

from __future__ import annotations

import re

from clew.domain.critical import ItemKind
from clew.history.person_words import PersonStatement, StatementKind
from clew.signals.critical.wordings.table import PARTS
from clew.text.phrases import any_of, has_match
from clew.text.tools.calls import call_actions
from clew.text.trim import cut_at_word, one_line

_MAX_OCCASION_CHARS = 120
_FIRST, _DONT = PARTS["FIRST"], PARTS["DONT"]
PLAN_APPROVED = "in the agent's plan, which the user approved"

#: Words after "don't" that forbid nothing: "don't worry", "don't think so".
_NO_BAN = (
    "worry|know|think|mind|understand|see|remember|care|believe|feel|get it|get why|have|need|want|like|you|we|i|they"
)
_BANS = any_of(
    rf"{_DONT}\s+(?:ever\s+)?[a-z]",
    r"(?:let's|lets|let us)\s+(?:not|avoid|never)\s+[a-z]",
    r"(?:never|avoid|stop)\s+[a-z]",
    rf"(?:i|we)\s+{_DONT}\s+want\s",
    r"(?:we|you)\s+(?:should|must|can)(?:n't|not|\s+not)\s+[a-z]",
    start=_FIRST,
    end="",
)
_HARMLESS = any_of(
    rf"{_DONT}\s+(?:{_NO_BAN})", "stop (?:and|it|that|this|here|there|for|now|right|please|a)|never mind", start=_FIRST
)
_WANTED = any_of(rf"(?:i|we)\s+{_DONT}\s+want", start=_FIRST)
_CHOICES = any_of(
    r"(?:(?:let's|lets|we should|we'll|i'd|please)\s+)?"
    r"(?:use|keep|go with|stick (?:with|to)|stay with|choose|pick)\s+\S",
    start=_FIRST,
    end="",
)
_KINDS = {
    "constraint": ItemKind.CONSTRAINT,
    "restriction": ItemKind.CONSTRAINT,
    "requirement": ItemKind.REQUIREMENT,
    "anforderung": ItemKind.REQUIREMENT,
    "要求": ItemKind.REQUIREMENT,
    "rule": ItemKind.INSTRUCTION,
    "regel": ItemKind.INSTRUCTION,
    "规则": ItemKind.INSTRUCTION,
    "convention": ItemKind.INSTRUCTION,
    "policy": ItemKind.INSTRUCTION,
    "decision": ItemKind.DECISION,
    "entscheidung": ItemKind.DECISION,
    "决定": ItemKind.DECISION,
    "remember": ItemKind.CUSTOM,
}
#: A label of few words at the head of a sentence: its last word says what follows.
_LABEL = re.compile(
    r"\W*(?:(?:also|and|ok|okay|please|one|another|the|our|my|an?|die|unsere?|eine?)[,\s]+){0,3}"
    r"(?:([\w-]+)\s+)?(?:note to )?"
    rf"({'|'.join(_KINDS)})s?(?:\s+#?\d+|\s+(?:here|for (?:us|all|everyone)))?\s*(?::\s+|：\s*|\s[–—-]\s+)(?=\S)"
)
#: Words that make a label speak of some other one, or of one that was broken.
_OF_ANOTHER = re.compile(
    r"this|that|these|those|which|what|no|any|every|each|your|his|her|their|same|broken|\w+(?:ed|ing)\Z"
)
#: What follows a label and settles nothing: the label is a word of the sentence, a field of a form, a reference.
_SETTLES_NOTHING = re.compile(
    r"(?:of|in|for|on|from|with|is|are|was|were|has|see|as|by|which|why|how|what|whether|if|should|can|do|does)\b"
    r"|(?:[\w/-]*(?:ed|ing)|none|no|yes|tbd|tba|todo|n/a|unknown|unclear|open|final|later|same)\W*\Z",
)


def kind_by_label(plain: str) -> ItemKind | None:
    """The kind of a sentence (in small letters) that begins with its label; None for any other.

    One word is a value, which only a decision can be.
    """
    label = _LABEL.match(plain)
    value = plain[label.end() :] if label else ""
    if label is None or (label[1] and _OF_ANOTHER.match(label[1])) or _SETTLES_NOTHING.match(value):
        return None
    kind = _KINDS[label[2]]
    is_value = value.isascii() and len(value.split()) == 1
    is_asked = value.rstrip("*_`)\"'”’ ").endswith(("?", "？", ":"))
    return None if is_asked or (is_value and kind is not ItemKind.DECISION) else kind


def kind_by_form(plain: str, form: StatementKind) -> ItemKind | None:
    """What a sentence (in small letters) is for the task at hand, by the form in which it was said; or None."""
    plain = plain.replace("’", "'")
    if plain.endswith("?") or form not in {StatementKind.REFUSAL, StatementKind.ANSWER}:
        return None
    if has_match(_BANS, plain) and (has_match(_WANTED, plain) or not has_match(_HARMLESS, plain)):
        return ItemKind.CONSTRAINT
    is_choice = form is StatementKind.ANSWER and has_match(_CHOICES, plain)
    return ItemKind.DECISION if is_choice else None


def occasion_of(statement: PersonStatement) -> str:
    """Returns how a statement came to be said, on one line; empty for a plain message."""
    if statement.kind is StatementKind.REFUSAL:
        return f"said while refusing {_call_label(statement)}"
    if statement.kind is StatementKind.ANSWER:
        return f'asked "{cut_at_word(one_line(statement.about), _MAX_OCCASION_CHARS)}"'
    return PLAN_APPROVED if statement.kind is StatementKind.PLAN else ""


def _call_label(statement: PersonStatement) -> str:
    if statement.call is None:
        return "a call"
    action = call_actions(statement.call)[0]
    label = f"`{one_line(action.command)}`" if action.command else f"{statement.call.name} {action.path}".strip()
    return cut_at_word(one_line(label), _MAX_OCCASION_CHARS)
