"""Statements, clause by clause: words with their weights, values, and whether a clause denies, asks, supposes, replaces.

Linear in the text; sizes are capped, so that one statement costs little whatever was pasted into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from clew.signals import facts_lexicon as lexicon
from clew.signals.facts_values import Quantity, quantities_in
from clew.signals.facts_words import NAME, Word, is_past, words_in
from clew.text.sentences import Span, spans
from clew.text import vocabulary

#: Of a longer statement this much is read: what people state, they state early.
MAX_CHARS = 6_000
MAX_CLAUSES = 40
#: A sentence longer than this is a listing or data.
MAX_SENTENCE = 1_200

#: Signs that prose has few of; a share of the characters, and how many are none of our business.
_SIGN = re.compile(r"[{}\[\]<>|=\\/;\"_#$@~^&*+:]")
_SIGNS, _FEW_SIGNS = 0.08, 5

_PRONOUN = r"(?:I|we|you|it|they|he|she|this|that|there|these|those|my|our|the|its)\b"
_ASKING = (
    r"(?:can|could|would|will|do|does|did|is|are|should|shall|have|has|am) "
    r"(?:you|we|i|it|there|the|this|that|my|our|someone|they|any)\b|(?:what|how|why|where|which|who)(?:'s|’s)? (?!I )"
)
#: Where a clause ends and another begins.
_CUT = re.compile(
    rf"[;:—]\s|\s[-–]\s|[,(]\s?(?=(?:but|so|and|which|because|since|while|though|although|however|then|also|or|plus|yet"
    rf"|especially|considering|given|not)\b|{_PRONOUN}|{_ASKING})"
    rf"|\s(?=(?:but|because|although|though|whereas|while|considering|however|so)\s)"
    rf"|\s(?=(?:since|as|and|given that|especially since)\s{_PRONOUN})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf"\W*(?:(?:so|and|but|also|hmm|ok|okay|well|then|or),? ){{0,2}}(?:{_ASKING}|any |got any )", re.IGNORECASE
)
#: Said of what may be: it claims nothing.
_OPEN = re.compile(
    r"\b(?:if|whether|might|could|would|maybe|perhaps|suppose|imagine|wonder(?:ing)?|in case|unless|assuming|for example|e\.g"
    r"|not sure|n['’]t sure|unsure|not certain|n['’]t (?:know|understand|think)|no idea|probably|possibly|likely|seems?|i think|deciding|between|torn|either|versus|compar(?:e|ing))\b",
    re.IGNORECASE,
)
#: Said of what is to come.
_PLANNED = re.compile(
    r"\b(?:thinking (?:about|of)|considering (?!i\b|we\b|that\b|my\b|our\b|the\b|it\b)|plan(?:ning)? (?:to|on)|want(?:ed)? to|wanna|hop(?:e|ing)|aim(?:ing)? to"
    r"|going to|gonna|should|suggest(?:ed|s|ion)?|recommend(?:ed|s)?|looking (?:to|for|into)|need to|how to|i['’]d like"
    r"|i['’]ll|let['’]s|let me|without|make sure|instead of using)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not(?! only)|never|no(?! longer)|nor|none|nothing|nobody|neither|cannot|hardly)\b|n['’]t\b|\bwithout\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\bno longer\b|\bnot any ?more\b|\banymore\b|\bactually,|^\W*(?:actually|correction|scratch that|wait|update)\b"
    r"|\binstead(?! of\b)|\bchanged (?:my|our) minds?\b|\bon second thought\b|\bi was wrong\b|\bforget (?:what|about)\b"
    r"|\bfrom now on\b|\bgoing forward\b|\bas of (?:today|now)\b|\brecently\b|\bjust (?:found|learned|heard)\b|\bafter all\b"
    r"|\b(?:mov|migrat|switch|chang|upgrad|bump|increas|decreas|reduc|rais|lower|extend|reschedul|adjust|updat|revis"
    r"|replac|renam|convert|port|downgrad|shorten|push|postpon|shift|grow|improv|drop|rewrit|rewrot|swap)(?:e|ed|es|ing|s|ped|n)?\b"
    r"|\bmoved\b|\bnow\b|\bnew\b|\bgrew\b|\brose\b|\bused to\b|\bpreviously\b|\bwent with\b|\bwas .{0,40}\bbut\b|\blet['’]s (?:go|use|make|do)\b",
    re.IGNORECASE,
)
_REJECTS = re.compile(
    r"\b(?:instead of|rather than|over|not|never|no longer|without|don['’]t|doesn['’]t|do not|does not|aren['’]t|isn['’]t"
    r"|won['’]t|cannot|can['’]t|avoid|no|from|than|unlike|nor|stop using|drop(?:ped|ping)?|replac(?:e|ed|ing))\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:i|we|my|our)(?:['’](?:ve|m|re|d|ll))?\b", re.IGNORECASE)
#: Somebody tells what they did, or are at; and what they have, which shows it.
_DEED = re.compile(
    r"\b(?:i|we)['’ ](?:ve|have) (?!to\b|a\b|an\b|no\b|\d)|\b(?:i|we)['’ ]?(?:m|am|re|are) (?:\w+ly )?(?!try|plan|think|consider|look|wonder"
    r"|hop|go|hav|struggl|focus|gett|interest|start|ask|need)\w+ing\b|\b(?:i|we) (?:just |already |also )?(?!agreed|decided|need)\w+ed\b"
    r"|\b(?:i|we) (?:just |already |also )?(?:met|went|wrote|built|made|took|got|did|bought|sent|ran|began|gave|found|felt|saw|set"
    r"|put|spent|paid|won|taught|spoke|ate|flew|drove)\b",
    re.IGNORECASE,
)
_HAVING = re.compile(
    r"\b(?:i|we)['’ ]?(?:ve|have)\b|\b(?:i|we) (?:had|chose|read|kept|was|were|use|run|have|keep|deploy|store|host)\b"
    r"|\b(?:my|our) (?:\w+ ){0,2}(?:is|are|was|were|has|have|runs?|uses?)\b",
    re.IGNORECASE,
)
_TRYING = re.compile(
    r"\b(?:trying to|try to|having (?:some |a bit of )?(?:trouble|issues|problems)|need (?:some )?help|struggling|stuck|confused"
    r"|curious|focus(?:ing)? on|working on|want)\b",
    re.IGNORECASE,
)
_NORM = re.compile(
    r"\b(?:always|never|must|have to|every|each|nobody|anybody|everybody|decided|agreed|rule|policy|convention|by default"
    r"|we use|we keep|we don['’]t|we do not|at most|at least|maximum|minimum|limit(?:ed)?|required|support|supports"
    r"|prefer|avoid|shall|standard|pinned?|may|cannot|everywhere)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"\b(?:yet|today|this (?:morning|afternoon|evening|week|time)|right now|at the moment|so far|just now|still|there (?:is|are|was|were)"
    r"|again|any more|tonight|currently|(?:is|are|was|were|not) running|(?:was|were|got|has|have|had|been) never|never (?:\w+ed|got|ran|went|came|made)|did(?:n['’]t| not)|(?:have|has|had)(?:n['’]t| not))\b",
    re.IGNORECASE,
)
#: A clause that tells something although the one before asked.
_STATES = re.compile(
    r"\W*(?:(?:and|but|so|considering|since|because|as|given(?: that)?|especially since|also|though|while) )?(?:i|we|my|our)\b",
    re.IGNORECASE,
)
#: What may stand before a verb that refuses; and how many words that say something a denial reaches.
_LEADING = vocabulary.words("please we i you always to must should so and but they let's")
_DENIED = 5
#: "On" and "off" as states of a switch, not as prepositions.
_SWITCHED = re.compile(
    r"\b(?:is|are|be|turn(?:ed|s)?|switch(?:ed)?|defaults? (?:to|is)) (?:on|off)(?: by default|\W|$)(?! ?(?:the|a|port|it|our)\b)",
    re.IGNORECASE,
)
#: How sentences begin, and headings do not.
_SENTENCE = re.compile(
    r"\W*(?:(?:and|but|so|because|since|as|also|then) )?(?:the|a|an|my|our|your|its|this|that|these|those|each|every|all|there|we|i|it|you|they)\b"
    r"(?:\W+\w+){2}",
    re.IGNORECASE,
)
_MARKS = "`*_\"'“”"


@dataclass(frozen=True, slots=True)
class Clause:
    """What stands between two cuts. ``core`` holds the words that say something, with their weights; ``modified`` what
    stands right before each; ``choices``, ``poles`` and ``scopes`` are words by their class, ``rejected`` those that are
    turned down, ``denied`` those that a denial is about. ``is_open``: it says what may be; ``norm``: it says how things are to be; ``passing``: how they happen to be; ``tries``:
    somebody is at it."""

    text: str
    span: Span
    sentence: Span
    words: tuple[Word, ...]
    core: Mapping[str, float]
    names: frozenset[str]
    modified: Mapping[str, str]
    quantities: tuple[Quantity, ...]
    choices: Mapping[str, frozenset[str]]
    poles: Mapping[str, frozenset[str]]
    scopes: Mapping[str, frozenset[str]]
    rejected: frozenset[str]
    denied: frozenset[str]
    negated: bool
    asks: bool
    supposes: bool
    is_open: bool
    turns: bool
    first_person: bool
    does: bool
    done: bool
    orders: bool
    norm: bool
    passing: bool
    tries: bool
    has_verb: bool


@lru_cache(maxsize=2_048)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of a statement in order, without code blocks."""
    text = text[:MAX_CHARS]
    found: list[Clause] = []
    for start, end in spans(text):
        if end - start <= MAX_SENTENCE and _is_prose(text[start:end]):
            found.extend(_clauses(text, start, end))
        if len(found) >= MAX_CLAUSES:
            break
    return tuple(found[:MAX_CLAUSES])


def _is_prose(sentence: str) -> bool:
    """Pasted logs, prompts and data are full of signs."""
    return len(_SIGN.findall(sentence)) <= max(_FEW_SIGNS, len(sentence) * _SIGNS)


def _clauses(text: str, start: int, end: int) -> Iterator[Clause]:
    cuts = [match.end() for match in _CUT.finditer(text, start, end)]
    is_question = text[start:end].rstrip(_MARKS + ") ").endswith("?")
    pieces = list(_long_enough([start, *cuts, end]))
    asking = asked = False
    for at, (begin, stop) in enumerate(pieces):
        opens, tells = _QUESTION.match(text, begin, stop), _STATES.match(text, begin, stop)
        asking = bool(opens) or (asking and not tells)
        last = at == len(pieces) - 1 and not (asked and tells)
        asked = asked or asking
        yield _clause(text, (begin, stop), sentence=(start, end), asks=asking or (is_question and last))


def _long_enough(cuts: list[int]) -> Iterator[Span]:
    """Pieces of at least three words or so; shorter ones belong to what comes before."""
    begin = cuts[0]
    for at, cut in enumerate(cuts[1:], 1):
        if cut - begin >= 12 or at == len(cuts) - 1:
            yield begin, cut
            begin = cut


def _clause(text: str, span: Span, *, sentence: Span, asks: bool) -> Clause:
    said = text[span[0] : span[1]]
    quantities = tuple(quantities_in(text, *span))
    found = tuple(_outside(words_in(text, *span), quantities))
    stems = {word.stem for word in found}
    rejected = frozenset(_rejected(text, span, found))
    core: dict[str, float] = {}
    for word in found:
        if word.weight:
            core[word.stem] = max(word.weight, core.get(word.stem, 0.0))
    return Clause(
        text=said,
        span=span,
        sentence=sentence,
        words=found,
        core=core,
        names=frozenset(one for one, weight in core.items() if weight >= NAME),
        modified=_modified(found),
        quantities=quantities,
        choices=_by_class(stems, lexicon.CHOICES),
        poles=_by_class(stems if _SWITCHED.search(said) else stems - {"on", "off"}, lexicon.POLES),
        scopes=_by_class(stems, lexicon.SCOPES),
        rejected=rejected,
        denied=_denied(text, span, found),
        negated=_is_negated(said, found),
        asks=asks,
        supposes=bool(_OPEN.search(said) or _PLANNED.search(said)),
        is_open=bool(_OPEN.search(said)),
        turns=bool(_TURNED.search(said)),
        first_person=bool(_FIRST.search(said)),
        does=bool(_DEED.search(said)),
        done=bool(_DEED.search(said) or _HAVING.search(said)),
        orders=_orders(found),
        norm=bool(_NORM.search(said)),
        has_verb=bool(_SENTENCE.match(said)) or any(_is_verb(word) for word in found),
        tries=bool(_TRYING.search(said)),
        passing=bool(_PASSING.search(said)) or bool(stems & lexicon.STATES),
    )


def _outside(words: list[Word], quantities: tuple[Quantity, ...]) -> Iterator[Word]:
    """The words that are no part of a quantity."""
    waiting = list(reversed(quantities))
    for word in words:
        while waiting and waiting[-1].end <= word.start:
            waiting.pop()
        if not (waiting and waiting[-1].start < word.end and word.start < waiting[-1].end):
            yield word


def _by_class(stems: set[str], table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for one in sorted(stems & table.keys()):
        name = table[one]
        found[name] = found.get(name, frozenset()) | {lexicon.SAME.get(one, one)}
    return found


def _rejected(text: str, span: Span, words: tuple[Word, ...]) -> Iterator[str]:
    """The few words right after one that turns them down."""
    for match in _REJECTS.finditer(text, *span):
        after = (word for word in words if word.start >= match.end())
        yield from (lexicon.SAME.get(word.stem, word.stem) for _, word in zip(range(4), after, strict=False))


def _is_verb(word: Word) -> bool:
    raw = word.raw.lower()
    return word.stem in lexicon.VERBS or raw.endswith(("n't", "n’t", "'s", "'re", "'ve", "'m")) or is_past(raw)


def _is_negated(said: str, words: tuple[Word, ...]) -> bool:
    return bool(_NEGATED.search(said)) != bool(_refusal(words))


def _refusal(words: tuple[Word, ...]) -> Word | None:
    """A verb that refuses, where it opens the clause or follows the one who speaks."""
    first = next((word for word in words if word.stem not in _LEADING), None)
    return first if first and first.stem in lexicon.REFUSALS else None


def _denied(text: str, span: Span, words: tuple[Word, ...]) -> frozenset[str]:
    """What the denial is about: the words that say something after it."""
    found = _NEGATED.search(text, *span)
    refusing = _refusal(words)
    if not found and not refusing:
        return frozenset()
    start = found.end() if found else refusing.end if refusing else 0
    after = [word.stem for word in words if word.start >= start and word.weight]
    return frozenset(after[:_DENIED])


def _modified(words: tuple[Word, ...]) -> dict[str, str]:
    """Each word that says something, with the one right before it: free plan, request timeout."""
    found: dict[str, str] = {}
    for before, word in pairwise(words):
        if word.weight and before.weight:
            found.setdefault(word.stem, before.stem)
    return found


def _orders(words: tuple[Word, ...]) -> bool:
    """One deed asked for: it says what to do now, not what holds."""
    first = next((word for word in words if word.weight or word.stem in lexicon.ONE_OFF), None)
    opening = words[0].stem if words else ""
    if any(word.stem == "be" for word in words[1:4]):
        return False
    asked = opening in lexicon.ONE_OFF or opening in {"please", "now", "then", "let's", "also", "and"}
    return bool(first and asked and first.stem in lexicon.ONE_OFF and first.stem not in lexicon.STANDING)
