"""Statements that say themselves what they are: "Requirement: answers within 200 ms", "The decision: SQLite"."""

from __future__ import annotations

import re

from clew.domain.critical import ItemKind

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
    rf"({'|'.join(_KINDS)})s?(?:\s+#?\d+)?\s*(?::\s+|：\s*|\s[–—-]\s+)(?=\S)"
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
