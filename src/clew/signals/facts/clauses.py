"""Statements, clause by clause: words with their weights, the values they give, and how each clause speaks.

Linear in the text; sizes are capped, so that one statement costs little whatever was pasted into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from clew.signals.facts import lexicon
from clew.signals.facts.denials import denied, head, plainly, rejected
from clew.signals.facts.marks import Marks, marks_in
from clew.signals.facts.moods import Mood, mood_of
from clew.signals.facts.values import Quantity, quantities_in
from clew.signals.facts.words import NAME, Word, is_past, words_in
from clew.text.memo import remember
from clew.text.sentences import Span, spans

#: Of a longer statement this much is read: what people state, they state early.
MAX_CHARS = 6_000
MAX_CLAUSES = 40
#: A sentence longer than this is a listing or data.
MAX_SENTENCE = 1_200
#: A shorter piece belongs to what comes before.
_MIN_CLAUSE = 12
#: Words that may stand before a verb and tell which of several is meant.
_OPENING = 6

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
    r"[;:—]\s|\s[-–]\s|[,(]\s?(?=(?:but|so|and|which|because|since|while|though|although|however|then|also|or|plus|yet"
    rf"|especially|considering|given|not)\b|{_PRONOUN}|{_ASKING})"
    r"|\s(?=(?:but|because|although|though|whereas|while|considering|however|so)\s)"
    rf"|\s(?=(?:since|as|and|given that|especially since)\s{_PRONOUN})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    rf"\W*(?:(?:so|and|but|also|hmm|ok|okay|well|then|or),? ){{0,2}}(?:{_ASKING}|any |got any )", re.IGNORECASE
)
#: A clause that tells something although the one before asked.
_TELLING = re.compile(
    r"\W*(?:(?:and|but|so|considering|since|because|as|given(?: that)?|especially since|also|though|while) )?"
    r"(?:i|we|my|our)\b",
    re.IGNORECASE,
)
#: "On" and "off" as states of a switch, not as prepositions.
_SWITCHED = re.compile(
    r"\b(?:is|are|be|turn(?:ed|s)?|switch(?:ed)?|defaults? (?:to|is)) (?:on|off)(?: by default|\W|$)"
    r"(?! ?(?:the|a|port|it|our)\b)",
    re.IGNORECASE,
)
_SIDED = re.compile(
    r"\b(?:on|to|at) the (?:left|right)\b|\b(?:left|right)[- ]"
    r"(?:side|sidebar|hand|column|panel|corner|aligned|margin|edge|menu|arrow|border|pane)\b",
    re.IGNORECASE,
)
#: How sentences begin, and headings do not.
_SENTENCE = re.compile(
    r"\W*(?:(?:and|but|so|because|since|as|also|then) )?(?:the|a|an|my|our|your|its|this|that|these|those|each|every"
    r"|all|there|we|i|it|you|they)\b(?:\W+\w+){2}",
    re.IGNORECASE,
)
#: Somebody or something other than the one who speaks says what follows.
_SAYS = re.compile(
    r"\b(?:says|complains|claims that|prints|according to|told (?:me|us)|mentions|(?:docs|documentation|logs|they"
    r"|people|manual|readme) say|(?:he|she|they) said)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\s*[\"“'‘>][^\"“”‘’]+[\"”'’][\s.,;!?]*")
#: "At most 3 retries" rules as much as a sentence does.
_BOUND = re.compile(r"\b(?:max(?:imum)?|min(?:imum)?|at (?:most|least)|no more than)\b", re.IGNORECASE)
_MARKS = "`*_\"'“”) "


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """What stands between two cuts. ``core`` holds the words that say something, with their weights; ``modified`` what
    stands right before each; ``choices``, ``poles`` and ``scopes`` are words by their class, ``rejected`` those that
    are turned down, ``denied`` those that a denial is about, ``head`` those before the verb and ``kinds`` the
    opposites that tell which of these is meant (private methods, the left column). ``marks`` are those of the
    sentence, or of the one before where it has none; ``is_quoted`` where somebody or something else says it."""

    text: str
    span: Span
    sentence: Span
    words: tuple[Word, ...]
    stems: frozenset[str]
    core: Mapping[str, float]
    names: frozenset[str]
    modified: Mapping[str, str]
    quantities: tuple[Quantity, ...]
    choices: Mapping[str, frozenset[str]]
    poles: Mapping[str, frozenset[str]]
    scopes: Mapping[str, frozenset[str]]
    rejected: frozenset[str]
    denied: frozenset[str]
    head: frozenset[str]
    kinds: frozenset[str]
    marks: Marks
    asks: bool
    is_sentence: bool
    is_quoted: bool
    mood: Mood


@remember(2_048)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of a statement in order, without code blocks."""
    text = text[:MAX_CHARS]
    found: list[Clause] = []
    marks: Marks = {}
    for start, end in spans(text):
        if end - start <= MAX_SENTENCE and _is_prose(text[start:end]):
            marks = marks_in(text, start, end) or marks
            found.extend(_clauses(text, (start, end), marks))
        if len(found) >= MAX_CLAUSES:
            break
    return tuple(found[:MAX_CLAUSES])


def _is_prose(sentence: str) -> bool:
    """Pasted logs, prompts and data are full of signs; rows of tables are no sentences."""
    if sentence.startswith("|"):
        return False
    return len(_SIGN.findall(sentence)) <= max(_FEW_SIGNS, len(sentence) * _SIGNS)


def _clauses(text: str, sentence: Span, marks: Marks) -> Iterator[Clause]:
    start, end = sentence
    cuts = [match.end() for match in _CUT.finditer(text, start, end)]
    is_question = text[start:end].rstrip(_MARKS).endswith("?")
    pieces = list(_long_enough([start, *cuts, end]))
    asking = asked = False
    said = _SAYS.search(text, start, end)
    for at, (begin, stop) in enumerate(pieces):
        opens, tells = _QUESTION.match(text, begin, stop), _TELLING.match(text, begin, stop)
        asking = bool(opens) or (asking and not tells)
        last = at == len(pieces) - 1 and not (asked and tells)
        asked = asked or asking
        is_quoted = bool(said and said.end() <= stop) or bool(_QUOTED.fullmatch(text, begin, stop))
        clause = _clause(text, (begin, stop), sentence=sentence, asks=asking or (is_question and last))
        yield replace(clause, marks=marks, is_quoted=is_quoted)


def _long_enough(cuts: Sequence[int]) -> Iterator[Span]:
    begin = cuts[0]
    for at, cut in enumerate(cuts[1:], 1):
        if cut - begin >= _MIN_CLAUSE or at == len(cuts) - 1:
            yield begin, cut
            begin = cut


def _clause(text: str, span: Span, *, sentence: Span, asks: bool) -> Clause:
    said = text[span[0] : span[1]]
    quantities = tuple(quantities_in(text, *span))
    found = tuple(_outside(words_in(text, *span), quantities))
    stems = frozenset(word.stem for word in found)
    core, plain = _core(found), plainly(found)
    return Clause(
        text=said,
        span=span,
        sentence=sentence,
        words=found,
        stems=stems,
        core=core,
        names=frozenset(one for one, weight in core.items() if weight >= NAME),
        modified=_modified(found),
        quantities=quantities,
        choices=_by_class(stems, lexicon.CHOICES),
        poles=_by_class(_without_prepositions(stems, said), lexicon.POLES),
        scopes=_by_class(stems, lexicon.SCOPES),
        rejected=rejected(found, plain),
        denied=denied(found, plain),
        head=head(found),
        kinds=_kinds(found, head(found)),
        marks={},
        asks=asks,
        is_sentence=any(map(_is_verb, found)) or bool(_SENTENCE.match(said) or _BOUND.search(said)),
        is_quoted=False,
        mood=mood_of(found, plain),
    )


def _core(words: Sequence[Word]) -> dict[str, float]:
    core: dict[str, float] = {}
    for word in words:
        if word.weight:
            core[word.stem] = max(word.weight, core.get(word.stem, 0.0))
    return core


def _outside(words: Sequence[Word], quantities: Sequence[Quantity]) -> Iterator[Word]:
    """The words that are no part of a quantity."""
    waiting = list(reversed(quantities))
    for word in words:
        while waiting and waiting[-1].end <= word.start:
            waiting.pop()
        if not (waiting and waiting[-1].start < word.end and word.start < waiting[-1].end):
            yield word


def _by_class(stems: frozenset[str], table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for one in sorted(stems & table.keys()):
        name = table[one]
        found[name] = found.get(name, frozenset()) | {lexicon.SAME.get(one, one)}
    return found


_SWITCHES, _SIDES = frozenset({"on", "off"}), frozenset({"leav", "right"})


def _without_prepositions(stems: frozenset[str], said: str) -> frozenset[str]:
    """Without what only looks like an opposite: "on the table", "left out", "that's right"."""
    if not stems.isdisjoint(_SWITCHES) and not _SWITCHED.search(said):
        stems -= _SWITCHES
    if not stems.isdisjoint(_SIDES) and not _SIDED.search(said):
        stems -= _SIDES
    return stems


def _is_verb(word: Word) -> bool:
    raw = word.raw.lower()
    return word.stem in lexicon.VERBS or raw.endswith(("n't", "n’t", "'s", "'re", "'ve", "'m")) or is_past(raw)


def _kinds(words: Sequence[Word], before: frozenset[str]) -> frozenset[str]:
    pairs = ((one, after) for one, after in pairwise(words[:_OPENING]) if one.stem in lexicon.POLES)
    found = (
        one for one, after in pairs if after.weight and one.end + 1 == after.start and {one.stem, after.stem} & before
    )
    return frozenset(lexicon.SAME.get(one.stem, one.stem) for one in found)


def _modified(words: Sequence[Word]) -> dict[str, str]:
    """Each word that says something, with the one right before it: free plan, request timeout."""
    found: dict[str, str] = {}
    for before, word in pairwise(words):
        if word.weight and before.weight:
            found.setdefault(word.stem, before.stem)
    return found
