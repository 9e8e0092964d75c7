"""What speaks against taking a sentence at its word: it asks, reports, supposes or doubts.

All of it works on one sentence in small letters, and on where in it the wording of a rule was found.
"""

from __future__ import annotations

import re

from clew.signals.critical.wordings.table import Strength, Wording
from clew.text.phrases import any_of, has_match

# ── reports, guesses, doubts ─────────────────────────────────────────────────────────────────────────

_REPORTED = any_of(
    "says?|said|states?|stated|mentions?|mentioned|claims?|claimed|recommends?|recommended|suggests?|suggested"
    "|advise[sd]?",
    "insists?|insisted|told (?:me|us)|warns?|warned|argues?|wrote|writes|taught|thinks?|believes?|complains?|reads",
    "according to|apparently|supposedly|as per the|the docs|documentation|readme|stack ?overflow|error message",
)
_OWN_REPORT = any_of(
    r"(?:i|we|i've|i have|like you|as you)(?: \w+)? (?:said|told|mentioned|stated|suggested?|recommend|think|believe)",
    r"as (?:stated|mentioned) in my",
)
_SUPPOSED = any_of(
    r"what if|suppose|supposing|imagine|let's say|say we|for (?:example|instance)|e\.g|such as|hypothetically|wonder",
    "wondering|whether|in theory|would be (?:nice|cool|interesting) to|pretend|thinking (?:about|of)|considering if",
)
_IF = any_of("if|whether|unless|in case")
_POLITE_IF = any_of(
    "(?:great|nice|appreciate|prefer|better|helpful|love|like|good|grateful|wonderful|help|rather)(?: it)? if you"
)
_DOUBTFUL = any_of(
    "maybe|perhaps|might|possibly|probably|i guess|not sure (?:if|whether|that)|could be|somehow|i suppose"
)

# ── questions ────────────────────────────────────────────────────────────────────────────────────────

_SMALL = r"\W*(?:and |so |but |or |then |also |hmm,? |ok,? |okay,? )*"
_ASKING = re.compile(
    _SMALL
    + r"(?:can|could|would|will|do|does|did|is|are|was|were|should|shall|may|might|have|has|what|what's|how|how's|why"
    r"|which|who|whose|when|where|any|isn't|aren't|don't|doesn't|didn't|won't|wouldn't|couldn't|shouldn't|can't|am)\s"
)
#: Questions that need no mark to be one.
_ASKING_PLAINLY = re.compile(
    _SMALL + r"(?:(?:can|could|would|should|shall|may|might|do|did|will|have|are|were|aren't|don't|didn't|won't|can't"
    r"|couldn't|shouldn't) (?:i|we|you|it|they|there|this|that)|(?:is|was|does|isn't|doesn't) (?:it|this|that|there"
    r"|the|he|she|anyone)|how|why|what|what's|which|who|any (?:idea|chance|reason))\s"
)
#: The same in front of "I prefer": only a verb that asks makes a question of it.
_ASKING_OF_ONESELF = re.compile(
    r"\W*(?:can|could|would|will|do|does|did|should|shall|may|might|have|is|are|how|why|what)\s|.*\b(?:can|could"
    r"|would|do|does|did|should|shall|may|might)\s+\Z"
)
#: Where a question begins behind a statement.
_THEN_ASKS = re.compile(
    r"(?:can|could|would|will) (?:you|we)|how (?:can|do|should|would) (?:i|we)|what (?:do|are|is|would)|do you"
    r"|is (?:it|there|that)|are there|should i|was that"
)
_BORDER = re.compile(
    r"[,;:–—]\s|\s-\s|\b(?:so|but|because|since|that|and|as|given|considering|though|although|while)\s"
)
_MARKS = (", ", "; ", ": ", " - ")
_LEADS_ON = ("so", "and", "but", "then", "or", "now")


def stated_until(plain: str, start: int, end: int, wording: Wording | None) -> int | None:
    """How far the statement goes, without a question that follows it; None if it is a question itself."""
    if wording is not None and wording.asks:
        return len(plain)
    states = wording is not None and wording.states
    is_question = plain.rstrip("*_`)\"'”’ ").endswith(("?", "？"))
    asks = _asks(plain, start, is_question=is_question, states=states)
    tail = _THEN_ASKS.search(plain, end)
    if asks and (is_question or tail is None):
        return None
    if tail is None:
        return len(plain) if not is_question or (states and not asks) else None
    cut = _without_lead(plain[: tail.start()])
    if cut > end:
        return cut
    return len(plain) if states else None


def most_allowed(plain: str, start: int, end: int) -> Strength | None:
    """How sure the words around let one be; None if the sentence only reports or supposes."""
    before = plain[:start]
    clause = before[_last_mark(before) :]
    if has_match(_REPORTED, before) and not has_match(_OWN_REPORT, plain[:end]):
        return None
    if has_match(_SUPPOSED, clause):
        return None
    if has_match(_IF, clause) and not has_match(_POLITE_IF, plain[:end]):
        return None
    return Strength.WEAK if has_match(_DOUBTFUL, clause) or has_match(_DOUBTFUL, plain[start:end]) else Strength.STRONG


def _asks(plain: str, start: int, *, is_question: bool, states: bool) -> bool:
    before = plain[:start]
    clause = before[_last_border(before) :]
    if states:
        return _ASKING_OF_ONESELF.match(clause) is not None
    asking = _ASKING if is_question else _ASKING_PLAINLY
    return asking.match(plain[_last_mark(before) :]) is not None and asking.match(clause or plain) is not None


def _last_border(before: str) -> int:
    return max((match.end() for match in _BORDER.finditer(before)), default=0)


def _last_mark(before: str) -> int:
    return max(before.rfind(mark) for mark in _MARKS) + 1


def _without_lead(head: str) -> int:
    """The length of a statement without the small words that lead from it to a question."""
    head = head.rstrip()
    for word in _LEADS_ON:
        if head.endswith((f" {word}", f",{word}")):
            head = head[: -len(word)].rstrip()
    return len(head.rstrip(" ,;:-–—"))
