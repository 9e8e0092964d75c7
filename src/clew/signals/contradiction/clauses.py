"""Statements, clause by clause: words with their weights, the quantities they give, and how each clause speaks.

Linear in the text; sizes are capped, so that one statement costs little whatever was pasted into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from clew.signals.contradiction.quantities import Quantity, quantities_in
from clew.signals.contradiction.words import Word, is_past, plainly, words_in
from clew.text.memo import remember
from clew.text.sentences import spans
from clew.text.vocabulary import words

#: Of a longer statement this much is read: what people state, they state early.
MAX_CHARS = 6_000
MAX_CLAUSES = 40
#: A sentence longer than this is a listing or data.
MAX_SENTENCE = 1_200
#: A shorter piece belongs to what comes before.
_MIN_CLAUSE = 12

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
#: Said of what may be, is planned or tried, or by somebody else: it claims nothing.
_SUPPOSES = re.compile(
    r"\b(?:if|whether|when|whenever|once|might|could|would|maybe|perhaps|suppose|imagine|wonder\w*|unless|assuming"
    r"|in case|for example|e\.g|for instance|unsure|not (?:sure|certain|know|understand|think)|no idea|probably"
    r"|possibly|likely|seems?|i think|deciding|between|either|versus|compar\w+|thinking (?:about|of)|considering"
    r"|plan\w*|want\w*|wanna|hop(?:e|ing)|aim\w*|going to|gonna|should|suggest\w*|recommend\w*|looking (?:to|for|into)"
    r"|need(?:ed|s)? (?:to|help)|how to|i'd like|i'll|let's|let me|make sure|try\w*|trouble|struggling|stuck|curious"
    r"|focus\w*|working on|says?|said|claims|prints|complains|according to|told|docs|documentation|they|their|his|her"
    r"|competitors?|other (?:team|project|company|repo)s?)\b|^[\"“'‘>]",
)
#: Told as a change.
_TURNS = re.compile(
    r"\b(?:no longer|any ?more|now|instead(?! of)|from now on|going forward|as of|recently|used to|previously|after all"
    r"|actually|correction|wait|update[ds]?|updating|for now|temporar\w+|initially|at first|until|second thought"
    r"|was wrong|forget|scratch that|new|went with|took over|just (?:found|learned|heard)"
    r"|(?:mov|migrat|switch|chang|upgrad|bump|increas|decreas|reduc|rais|lower|extend|reschedul|adjust|revis|replac"
    r"|renam|convert|downgrad|shorten|postpon|shift|grow|improv|rewr|swap)\w*)\b"
)
#: How things happen to be: states, measures, and what was so at one time.
_PASSES = re.compile(
    r"\b(?:yet|today|this|right now|at the moment|so far|just|still|there (?:is|are|was|were)|again|tonight|currently"
    r"|did not|have not|has not|had not|(?:is|are|was|were|not|be) (?:being |not )?\w+ing|not work|works?|was|were|got"
    r"|pass(?:es|ed)?|fail\w*|broken|crash\w*|finish\w*|done|missing|green|ready|flaky|pending|merged|empty|installed"
    r"|blocked|available|offline|online|left|remaining|coverage|latency|usage|accuracy|throughput|progress|speed"
    r"|average|score|took|takes?|performance|bug|error|problem|issue|typo|wrong|know|sure|understand|feel|need)\b"
)
_DENIALS = words("not never no nor none nothing nobody neither cannot hardly without avoid")
_NO_DENIALS = frozenset({"not only", "no longer"})
_SPEAKER = words("i we i've we've i'm we're")
_ADVERBS = words("just already also finally recently really actually even only have am are")


@dataclass(frozen=True, kw_only=True)
class Clause:
    """What stands between two cuts. ``core`` holds the words that say something, with their weights; ``said`` all words
    in lower case. How it speaks is worked out when it is first asked for: most clauses are only filed.
    """

    text: str
    sentence: int
    words: tuple[Word, ...]
    said: tuple[str, ...]
    core: Mapping[str, float]
    stems: frozenset[str]
    quantities: tuple[Quantity, ...]
    asks: bool

    @cached_property
    def plain(self) -> str:
        return " ".join(self.said)

    @cached_property
    def claims(self) -> bool:
        """False for a question, and for what is only supposed, planned, tried or quoted."""
        return not self.asks and not _SUPPOSES.search(self.plain)

    @cached_property
    def is_negated(self) -> bool:
        return _is_denied(self.said)

    @cached_property
    def turns(self) -> bool:
        """It tells of a change."""
        return bool(_TURNS.search(self.plain))

    @cached_property
    def passes(self) -> bool:
        """It tells how things happen to be."""
        return bool(_PASSES.search(self.plain))

    @cached_property
    def does(self) -> bool:
        """Somebody tells what they did or do."""
        return any(_tells_deed(self.said, at) for at, word in enumerate(self.said) if word in _SPEAKER)


@remember(2_048)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of a statement in order, without code blocks, pasted logs and data."""
    text = text[:MAX_CHARS]
    found: list[Clause] = []
    for at, (start, end) in enumerate(spans(text)):
        if end - start <= MAX_SENTENCE and _is_prose(text[start:end]):
            found.extend(_clauses(text[start:end], at))
        if len(found) >= MAX_CLAUSES:
            break
    return tuple(found[:MAX_CLAUSES])


def _is_prose(sentence: str) -> bool:
    """Pasted logs, prompts and data are full of signs; rows of tables are no sentences."""
    return sentence[0] != "|" and len(_SIGN.findall(sentence)) <= max(_FEW_SIGNS, len(sentence) * _SIGNS)


def _clauses(sentence: str, number: int) -> Iterator[Clause]:
    pieces = list(_pieces(sentence))
    is_question = sentence.rstrip("`*_\"'“”) ").endswith("?")
    asking = asked = False
    for at, piece in enumerate(pieces):
        tells = bool(_TELLING.match(piece))
        asking = bool(_QUESTION.match(piece)) or (asking and not tells)
        is_last = at == len(pieces) - 1 and not (asked and tells)
        asked = asked or asking
        yield _clause(piece, number, asks=asking or (is_question and is_last))


def _pieces(sentence: str) -> Iterator[str]:
    begin = 0
    for match in _CUT.finditer(sentence):
        if match.end() - begin >= _MIN_CLAUSE:
            yield sentence[begin : match.end()]
            begin = match.end()
    yield sentence[begin:]


def _clause(text: str, number: int, *, asks: bool) -> Clause:
    quantities = tuple(quantities_in(text))
    found = tuple(_words_outside(words_in(text), quantities))
    return Clause(
        text=text,
        sentence=number,
        words=found,
        said=plainly(found),
        core=_core(found),
        stems=frozenset(word.stem for word in found),
        quantities=quantities,
        asks=asks,
    )


def _core(found: Sequence[Word]) -> dict[str, float]:
    core: dict[str, float] = {}
    for word in found:
        if word.weight:
            core[word.stem] = max(word.weight, core.get(word.stem, 0.0))
    return core


def _words_outside(found: Sequence[Word], quantities: Sequence[Quantity]) -> Iterator[Word]:
    """The words that are no part of a quantity."""
    waiting = list(reversed(quantities))
    for word in found:
        while waiting and waiting[-1].end <= word.start:
            waiting.pop()
        if not (waiting and waiting[-1].start < word.end):
            yield word


def _is_denied(said: tuple[str, ...]) -> bool:
    """Whether there is one denial, or something is off: two of them make none."""
    found = [at for at, word in enumerate(said) if word in _DENIALS and " ".join(said[at : at + 2]) not in _NO_DENIALS]
    is_off = said[-1:] == ("off",) or said[-3:] == ("off", "by", "default")
    return (len(found) + is_off) % 2 == 1


def _tells_deed(said: Sequence[str], at: int) -> bool:
    """ "I deployed", "we have written", "I'm using": somebody tells what they did or do."""
    after = [word for word in said[at + 1 : at + 5] if word not in _ADVERBS and not word.endswith("ly")]
    is_at_it = said[at] in {"i'm", "we're"} or said[at + 1 : at + 2] in [("am",), ("are",)]
    return bool(after) and (after[0].endswith("ing") if is_at_it else is_past(after[0]))
