"""What an assistant tells that it did: the clauses of a reply that say how things are from now on, and by which verbs.

Quiet on purpose: what is offered, asked, explained, found, undone or told of others or of the past is no deed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from clew.signals.facts.clauses import Clause, clauses_of
from clew.signals.facts.denials import plainly
from clew.signals.facts.lexicon import stems
from clew.signals.facts.words import is_past
from clew.text.sentences import spans
from clew.text.stems import statement_stem
from clew.text.vocabulary import words

#: Of a longer reply the rest is a report; more sentences than these tell the same.
MAX_CHARS, MAX_SENTENCES = 12_000, 60
_MAX_SENTENCE = 500
#: How surely something was done: told as done, as so from now on, as what comes next.
DONE, NOW, NEXT = 1.0, 0.95, 0.75

#: A sentence without any of these tells of no deed: it is not even read.
_TELLS = re.compile(
    r"\b(?:i|we|i['’]\w+|we['’]\w+|now|been|were|was|let me)\b|^\W*(?:also |and |then )?\w+ed\b"
    r"|^\W*(?:set|put|made|wrote|built|chose)\b|\b(?:set|\w+ed) to\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_][\w'’+#]{0,47}")
_OFFERS = re.compile(
    r"\b(?:could|would|might|may|should|shall|if|whether|recommend|suggest|consider\w*|alternativ\w+|options?|prefer"
    r"|want|wish|propose|please|you can|we can|i can|let me know|happy to|feel free|unless|or else|e\.g|for example"
    r"|for instance|such as|until|once|when|without having)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:previous\w*|used to|originally|formerly|legacy|existing|upstream|old|older|earlier|before|their|they"
    r"|third-party|vendor['’]s|competitors?|history|historical\w*|had|by default in|already|still|said|says|asked"
    r"|wrote that|that used|which used|no longer)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\W*(?:if|when|unless|once|should|in case)\b", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\bleft (?:out|off)\b", re.IGNORECASE)
#: To find something is not to do it, to undo it even less.
_LOOKS = stems(
    "find notice see read check look verify confirm review test try compare learn understand explain mention search"
    " keep leave fix revert undo discover inspect trace analyze investigate think believe know assume hear remember"
    " respect follow honor avoid ensure stay examine consider roll spot wonder ask debug grep list show"
)
_AWAY = stems("remove delete drop exclude purge strip clear clean redact ignore untrack")
_PRONOUNS = words("it they this that these")
_LEADS = words("also and then finally additionally")
_SELF = words("i we i've we've")
_NEXT = words("i'll we'll")
_ABOUT = frozenset({"i will", "we will", "let me"})
_BEING = words("is are be can has have was were been")
_SMALL = words("have has been also now then just already finally simply let")
_REACH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """A clause that tells of a deed, the sentence it stands in, the stems of its verbs and of its other words that tell
    of no past (a line that logs), how surely it was done, and what "it" is, where the clause only says that."""

    clause: Clause
    sentence: str
    verbs: frozenset[str]
    present: frozenset[str]
    surely: float
    it: frozenset[str]

    @property
    def takes_away(self) -> bool:
        return not self.verbs.isdisjoint(_AWAY)


def deeds_in(reply: str, cues: frozenset[str]) -> Iterator[Deed]:
    """The deeds that a reply tells of, in order; only sentences with a stem among the cues are read."""
    for sentence in _sentences(reply[:MAX_CHARS]):
        if cues.isdisjoint(map(statement_stem, _WORD.findall(sentence))):
            continue
        before: frozenset[str] = frozenset()
        depends = False
        for clause in clauses_of(sentence):
            depends = depends or bool(_IF.match(clause.text))
            deed = None if depends else _deed(clause)
            if deed:
                it = before if clause.words[0].stem in _PRONOUNS else frozenset()
                yield replace(deed, sentence=" ".join(sentence.split()), it=it)
            before = frozenset(clause.core)


def _sentences(text: str) -> Iterator[str]:
    count = 0
    for start, end in spans(text):
        sentence = text[start : min(end, start + _MAX_SENTENCE + 1)]
        if len(sentence) > _MAX_SENTENCE or not _TELLS.search(sentence) or _is_quotation(text, start):
            continue
        count += 1
        if count > MAX_SENTENCES:
            return
        yield sentence


def _is_quotation(text: str, start: int) -> bool:
    return text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(">")


def _deed(clause: Clause) -> Deed | None:
    if clause.asks or clause.is_quoted or _OFFERS.search(clause.text) or _ELSEWHERE.search(clause.text):
        return None
    said = plainly(clause.words)
    for surely, verbs in ((DONE, _done(said)), (NEXT, _next(said)), (NOW, _now(said))):
        if verbs:
            is_deed = verbs[0] not in _LOOKS or _LEFT_OUT.search(clause.text)
            return _made(clause, said, frozenset(verbs), surely) if is_deed else None
    return None


def _made(clause: Clause, said: Sequence[str], verbs: frozenset[str], surely: float) -> Deed:
    present = frozenset(statement_stem(word) for word in said if not is_past(word))
    return Deed(clause=clause, sentence="", verbs=verbs, present=present, surely=surely, it=frozenset())


def _done(said: Sequence[str]) -> list[str]:
    """What somebody speaking says they did, what has been done, and a deed told in short."""
    begin = _begin(said)
    if begin is None:
        return []
    first = next((at for at in range(begin, min(begin + _REACH, len(said))) if _is_verb(said[at])), None)
    return [statement_stem(word) for word in said[first:] if _is_verb(word)] if first is not None else []


def _begin(said: Sequence[str]) -> int | None:
    """Behind which word a deed is told: "I", "has been", none at all ("changed the limit"), or what it was done to."""
    begins = (at + 1 for at, word in enumerate(said) if word in _SELF)
    been = (at + 1 for at, word in enumerate(said) if word == "been")
    opening = next((at for at, word in enumerate(said) if word not in _LEADS), len(said))
    opens = (at for at in (opening,) if at < len(said) and _is_verb(said[at]))
    brief = (at + 1 for at in range(len(said) - 2) if _is_set(said, at))
    return next(chain(begins, been, opens, brief), None)


def _is_set(said: Sequence[str], at: int) -> bool:
    """ "Timeout set to 60 seconds": a deed told in short."""
    return said[at] not in _BEING and _is_verb(said[at + 1]) and said[at + 2] == "to"


def _is_verb(word: str) -> bool:
    return is_past(word) and word not in _SMALL


def _next(said: Sequence[str]) -> list[str]:
    """What somebody is about to do, and then."""
    for at, word in enumerate(said):
        start = at + 1 if word in _NEXT else at + 2 if " ".join(said[at : at + 2]) in _ABOUT else 0
        start = at + 3 if word in {"i'm", "we're"} and said[at + 1 : at + 3] == ["going", "to"] else start
        if start:
            later = [word for before, word in pairwise(said[start:]) if before in _LEADS]
            return [statement_stem(one) for one in [*said[start : start + 1], *later]]
    return []


def _now(said: Sequence[str]) -> list[str]:
    """It is now so: the verb next to "now"."""
    at = said.index("now") if "now" in said else 0
    if at == 0 or said[0] in _SELF:
        return []
    return ["be"] if said[at - 1] in _BEING else [statement_stem(word) for word in said[at + 1 : at + 2]]
