"""Statements, clause by clause: words with their weights, the values they give, and how each clause speaks.

Linear in the text; sizes are capped, so that one statement costs little whatever was pasted into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from clew.signals.contradiction.words import Value, Word, values_in, words_in
from clew.text.memo import remember
from clew.text.sentences import spans
from clew.text.vocabulary import words

#: Of a longer statement this much is read: what people state, they state early.
_MAX_CHARS, _MAX_CLAUSES = 6_000, 40
#: A sentence longer than this is a listing or data; a shorter piece than this belongs to what comes before.
_MAX_SENTENCE, _MIN_CLAUSE = 1_200, 12
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
#: Verbs as they stand in "have done", where that is not the word with -ed.
_PASTS = words(
    "written wrote rewrote rewritten met went gone used built made did done had took taken taught bought thought"
    " told said kept left lost paid sent spent chose chosen began begun ran run known knew seen saw gave given got"
    " gotten held led heard felt found flown driven eaten ate drunk spoken spoke broken forgotten understood won"
    " worn ridden sold slept swum thrown dealt drawn fallen grown put read shot sung lent meant been set cut let"
    " hit come become beaten bitten blown dug fed fought hung hidden hurt laid lit rung shaken shown sought stolen"
    " stuck torn woken wound"
)
#: "I deployed", "we have written", "I'm using": somebody tells what they did or do.
_SKIPPED = r"(?:(?:just|already|also|finally|even|only|have|\w+ly) ){0,4}"
_DEED = re.compile(
    rf"\b(?:i|we|i've|we've) {_SKIPPED}(?:\w{{3,}}ed|{'|'.join(sorted(_PASTS))})\b"
    rf"|\b(?:i'm|we're|i am|we are) {_SKIPPED}\w+ing\b"
)
_DENIALS = words("not never no nor none nothing nobody neither cannot hardly without avoid")
_NO_DENIALS = frozenset({"not only", "no longer"})


@dataclass(frozen=True, kw_only=True)
class Clause:
    """What stands between two cuts; ``sentence`` is the number of its sentence. ``core`` holds the stems that say
    something, with their weights. How it speaks is worked out when it is first asked for: most clauses are only filed.
    """

    text: str
    sentence: int
    words: tuple[Word, ...]
    values: tuple[Value, ...]
    asks: bool

    @cached_property
    def core(self) -> Mapping[str, float]:
        core: dict[str, float] = {}
        for word in self.words:
            if word.weight:
                core[word.stem] = max(word.weight, core.get(word.stem, 0.0))
        return core

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(word.stem for word in self.words)

    @cached_property
    def plain(self) -> str:
        """In lower case, every "n't" as "not"."""
        lower = (word.raw.lower().replace("’", "'") for word in self.words)
        return " ".join("not" if word.endswith("n't") else word for word in lower)

    @cached_property
    def claims(self) -> bool:
        """False for a question, and for what is only supposed, planned, tried or quoted."""
        return not self.asks and not _SUPPOSES.search(self.plain)

    @cached_property
    def tells_deed(self) -> bool:
        return _DEED.search(self.plain) is not None

    @cached_property
    def is_negated(self) -> bool:
        """Whether there is one denial, or something is off: two of them make none."""
        plain = self.plain.split()
        indexes = [index for index, word in enumerate(plain) if word in _DENIALS]
        denials = sum(" ".join(plain[index : index + 2]) not in _NO_DENIALS for index in indexes)
        return (denials + self.plain.endswith((" off", " off by default"))) % 2 == 1


@remember(2_048)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of a statement in order, without code blocks, pasted logs and data."""
    text = text[:_MAX_CHARS]
    clauses: list[Clause] = []
    for number, (start, end) in enumerate(spans(text)):
        if end - start <= _MAX_SENTENCE and _is_prose(text[start:end]):
            clauses.extend(_clauses(text[start:end], number))
        if len(clauses) >= _MAX_CLAUSES:
            break
    return tuple(clauses[:_MAX_CLAUSES])


def is_past(word: str) -> bool:
    """A verb as it stands in "have done", or of what was; in lower case."""
    return word in _PASTS or (len(word) > 4 and word.endswith("ed"))


def _is_prose(sentence: str) -> bool:
    """Pasted logs, prompts and data are full of signs; rows of tables are no sentences."""
    return sentence[0] != "|" and len(_SIGN.findall(sentence)) <= max(_FEW_SIGNS, len(sentence) * _SIGNS)


def _clauses(sentence: str, number: int) -> Iterator[Clause]:
    pieces = list(_pieces(sentence))
    is_question = sentence.rstrip("`*_\"'“”) ").endswith("?")
    asking = asked = False
    for index, piece in enumerate(pieces):
        tells = bool(_TELLING.match(piece))
        asking = bool(_QUESTION.match(piece)) or (asking and not tells)
        is_last = index == len(pieces) - 1 and not (asked and tells)
        asked = asked or asking
        values = tuple(values_in(piece))
        yield Clause(
            text=piece,
            sentence=number,
            words=tuple(_words_beside(values, words_in(piece))),
            values=values,
            asks=asking or (is_question and is_last),
        )


def _pieces(sentence: str) -> Iterator[str]:
    begin = 0
    for match in _CUT.finditer(sentence):
        if match.end() - begin >= _MIN_CLAUSE:
            yield sentence[begin : match.end()]
            begin = match.end()
    yield sentence[begin:]


def _words_beside(values: Sequence[Value], indexes: Sequence[Word]) -> Iterator[Word]:
    """The words that are no part of a value."""
    waiting = list(reversed(values))
    for word in indexes:
        while waiting and waiting[-1].end <= word.start:
            waiting.pop()
        if not (waiting and waiting[-1].start < word.end):
            yield word
