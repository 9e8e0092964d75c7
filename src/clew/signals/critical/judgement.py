"""Whether a sentence says something that should last, and what kind of thing.

Questions, guesses, reports of what others say, tales of what happens and orders for the task at hand give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.domain.critical import ItemKind, Scope
from clew.signals.critical.wordings.doubts import most_allowed, stated_until
from clew.signals.critical.wordings.scope import scope_of
from clew.signals.critical.wordings.table import PARTS, Strength, Wording, wordings_in
from clew.text.memo import remember
from clew.text.phrases import any_of, compile_once, has_match

#: A statement longer than this is a sentence without an end; the clauses around the wording are kept.
MAX_CHARS = 400

_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "*": " ", "\u00a0": " "})
_QUOTED = re.compile(
    r"\"[^\"]{1,400}\"|“[^”]{1,400}”|«[^»]{1,400}»|„[^“”]{1,400}[“”]|`[^`]{1,400}`|「[^」]{1,400}」"
    r"|(?<!\w)'[^']{8,400}'(?!\w)"
)
#: Who is greeted or addressed in front of what is said.
_ADDRESS = re.compile(
    r"\W*(?:(?i:hello|hi|hey|dear|good (?:morning|day|afternoon|evening))\b(?: [\w'-]+){0,3}|[A-Z]\w+)[,!:]\s+(?=\w)"
)
_COMMA = re.compile(r"[,;:]\s+(?:(?:and|but|so)\s+)?")

# ── always and never ─────────────────────────────────────────────────────────────────────────────────

_EVER = any_of(r"(always|never)\s+(?:ever\s+)?([a-z][a-z'-]*)", start=PARTS["START"], end="")
#: What may stand before such an order in its sentence: an order, a case, an address.
_OPENERS = re.compile(
    r"\W*(?:if|when|whenever|for|in|on|before|after|during|unless|as|with|every|each|once|at|under|while|please|pls"
    r"|also|and|but|so|remember|note|reminder|important|rule|rules|hey|hi|ok|okay|yes|no|btw|by the way|fyi|again|do"
    r"|don't|use|make|keep|write|run|add|be|respect|only|one more thing|actually|oh|well|just|thanks|from|going"
    r"|moving|ask|check)\b"
)
_THEREFORE = re.compile(r"(?:[,;:.–—]\s*|\s)(?:so|therefore|hence|please|thus)[,:]?\s+\Z|[;:–—]\s+\Z")
_KNOWN_VERB = any_of(PARTS["VERBS"], start="^", end="$")
#: No verbs, or verbs of a tale: "never mind", "never been", "always on".
_TALES = """
a about again ago all also am an and any appear are around as at available because been before being best better
both built but by came can could did does done early ended enough even every exist felt for forgot found from
gave gone good got great had happen happened happy hard has have he here his how i if in into is it just kept knew
known late left less like liked lost made many mind more most much my near no not occur of off on one only or
our out over possible ready said same saw seen sent she shown so some sometimes somewhere succeed sure taken
than that the their them then there they this thought time to told too took true two under up used very was we were
what when where which while who why with without worth would written wrong wrote yet you your
"""
_NO_ORDERS = frozenset(_TALES.split())
#: Words that order only with an object behind them: "always open a PR", but "always open".
_WHAT = r"(?:(?:a|an|the|your|our|my|any|all|every|each|new|both|up|it|them)\b|[\w-]+s\b)"
_WITH_OBJECT = {
    "open": re.compile(rf"\s+(?:{_WHAT}|prs?\b|pull\b)"),
    "free": re.compile(rf"\s+(?:{_WHAT}|memory\b)"),
    "present": re.compile(rf"\s+(?:{_WHAT}|me\b|at least\b)"),
    "work": re.compile(r"\s+(?:on|in|from|within|inside|off|against|directly|only|alone|through|towards?)\s+\w"),
}
_THIRD_PERSON = re.compile(r".*[^su'i]s\Z")
_INFLECTED = re.compile(r".{2,}(?:ing|ed)\Z")
_NOT_INFLECTED = frozenset({"bring", "embed", "exceed", "feed", "need", "proceed", "seed", "speed", "string"})


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """What a sentence comes to; ``start`` and ``end`` say which part of it is the statement.

    A question that follows is no part of it, nor is the beginning of an endless sentence. ``is_fact``: it tells what
    somebody is, and orders nothing.
    """

    kind: ItemKind
    strength: Strength
    scope: Scope
    start: int
    end: int
    is_fact: bool = False


@dataclass(frozen=True, slots=True)
class _WordingHit:
    """Where a wording was found; ``wording`` is None for "always …" and "never …"."""

    kind: ItemKind
    strength: Strength
    start: int
    end: int
    wording: Wording | None = None


@remember(256)
def judge_sentence(text: str) -> SentenceVerdict | None:
    """What one sentence (on one line) says that should last, or None."""
    address = _ADDRESS.match(text)
    front = address.end() if address else 0
    plain = " " * front + lower_in_place(text.translate(_PLAIN))[front:]
    quoted = [match.span() for match in _QUOTED.finditer(plain)]
    for hit in (*_evers(plain), *_wording_hits(plain)):
        if any(start <= hit.start and hit.end <= end for start, end in quoted):
            continue
        stated = stated_until(plain, hit.start, hit.end, hit.wording)
        allowed = most_allowed(plain, hit.start, hit.end)
        if stated is None or allowed is None:
            continue
        scope = scope_of(plain[:stated], hit.kind, hit.wording.scope if hit.wording else None)
        is_fact = hit.wording is not None and hit.wording.is_fact
        if not is_fact or (scope is Scope.USER and allowed > Strength.WEAK):
            start, end = _clauses_around(plain, hit.start, stated)
            return SentenceVerdict(hit.kind, min(hit.strength, allowed), scope, start, end, is_fact)
    return None


def lower_in_place(text: str) -> str:
    """In small letters, each in its place; the few letters that grow when they are made small stay as they are."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _wording_hits(plain: str) -> Iterator[_WordingHit]:
    for wording in wordings_in(plain):
        if wording.along and not has_match(wording.along, plain):
            continue
        for match in compile_once(wording.pattern).finditer(plain):
            if not wording.unless or not has_match(wording.unless, plain[match.end() : match.end() + 60]):
                yield _WordingHit(wording.kind, wording.strength, match.start(), match.end(), wording)


def _evers(plain: str) -> Iterator[_WordingHit]:
    """Orders with "always" or "never"; in the middle of a sentence only behind an order, a case or an address."""
    for match in compile_once(_EVER).finditer(plain):
        before, verb = plain[: match.start(1)], match[2]
        if _is_order(verb, plain[match.end() :]) and (
            not before.strip(" \t-–—\"'(") or _OPENERS.match(before) or _follows(before, verb)
        ):
            kind = ItemKind.INSTRUCTION if match[1] == "always" else ItemKind.CONSTRAINT
            yield _WordingHit(kind, Strength.STRONG, match.start(1), match.end())


def _is_order(word: str, following: str) -> bool:
    """Whether a word may be a verb that orders: in its base form, and none of a tale's."""
    if (wanted := _WITH_OBJECT.get(word)) and not wanted.match(following):
        return False
    is_inflected = _INFLECTED.match(word) is not None and word not in _NOT_INFLECTED
    return word not in _NO_ORDERS and "'" not in word and not is_inflected and not _THIRD_PERSON.match(word)


def _follows(before: str, verb: str) -> bool:
    """Whether an order is the conclusion of what stands before it."""
    return _THEREFORE.search(before) is not None and has_match(_KNOWN_VERB, verb)


def _clauses_around(plain: str, start: int, stated: int) -> tuple[int, int]:
    """Of an endless sentence, the clauses around the wording."""
    if stated <= MAX_CHARS:
        return 0, stated
    first = max(start - MAX_CHARS // 3, 0)
    begin = next((match.end() for match in _COMMA.finditer(plain, first, start)), start) if first else 0
    end = min(stated, begin + MAX_CHARS)
    return begin, end if end == stated else max(plain.rfind(" ", 0, end), start)
