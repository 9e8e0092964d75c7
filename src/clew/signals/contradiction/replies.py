"""A reply against what a person decided: which rule does a sentence deny that tells what the assistant did?

Quiet on purpose. A rule is denied by another quantity of the same thing being set, by what it forbids being done, and
by what it chose being replaced. What is offered, asked, planned, explained, or told of others or of the past is no
deed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.signals.contradiction.clash import Statement
from clew.signals.contradiction.clauses import Clause, clauses_of
from clew.signals.contradiction.words import PLAIN, Word, is_past, stems
from clew.text.memo import remember
from clew.text.sentences import spans
from clew.text.stems import statement_stem
from clew.text.vocabulary import words

_SURENESS = 0.85
#: Of a longer reply the rest is a report; more sentences than these tell the same; longer ones are data.
_MAX_REPLY, _MAX_SENTENCES, _MAX_SENTENCE = 12_000, 40, 500

#: A sentence without any of these tells of no deed: it is not even read.
_TELLS = re.compile(
    r"\b(?:i|we|i['’]ve|we['’]ve|now|been)\b|^\W*(?:also |and |then )?(?:\w+ed|set|made)\b", re.IGNORECASE
)
#: Offered, or told of others and of what was before.
_NO_DEED = re.compile(
    r"\b(?:could|would|might|may|should|shall|if|whether|recommend|suggest|consider\w*|alternativ\w+|options?|prefer"
    r"|want|wish|propose|please|(?:you|we|i) can|let me|happy to|feel free|unless|or else|e\.g|for example|such as"
    r"|for instance|until|once|when|previous\w*|used to|originally|formerly|legacy|existing|upstream|old|older|earlier"
    r"|before|their|they|third-party|competitors?|histor\w+|had|by default in|already|still|said|says|asked|no longer"
    r"|that used|which used|revert\w*|undid|fixed)\b|^[\"“'‘]"
)
_DID = re.compile(
    r"(?:\b(?:i've|we've|i have|we have|i|we|been|and)\s(?:also |now |just |then |\w+ly )?"
    r"|^(?:also |and |then |finally )?)([a-z]+)\b"
)
_NOW = re.compile(r"\b(?:is|are) now\b")
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|replac(?:ed|ing)|swapp?ed(?: out)?|dropped) (?:the |our )?"
    r"([\w.+#-]{2,40})",
    re.IGNORECASE,
)
_SPARED = re.compile(r"\b(?:instead of|rather than|avoid\w*|out of)\b")
#: What is forbidden, but not always.
_CONDITION = re.compile(r"\b(?:without|unless|except|until|before|only|if|when|while|yet|explicit\w*)\b", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:at most|not? (?:be )?(?:more|\w+er) than|max(?:imum)?|under|below|up to|less than|within)\b"
)
_AT_LEAST = re.compile(r"\b(?:at least|no less than|min(?:imum)?|more than|above|or more|and up)\b")
_LIMIT = re.compile(r"\b(?:limits?|limited|max(?:imum)?|min(?:imum)?|cap(?:ped)?|and up|at (?:most|least)|up to)\b")

_SETTING = stems(
    "set configure raise lower increase decrease change limit cap bump make update use allow reduce extend adjust"
    " upgrade downgrade implement default be switch pin define enforce shorten expose bind listen restrict double"
)
_CHANGING = stems("touch change edit modify update alter add remove delete rename refactor rewrite move adjust patch")
_ADDING = stems("add introduce install include create write put bring import generate make commit use")
_TAKING_AWAY = stems("remove delete drop exclude purge strip clear clean redact ignore untrack")
#: What may be done where a verb is forbidden; of all others, only that one.
_LIKE = dict.fromkeys(stems("touch change edit modify update alter"), _CHANGING) | dict.fromkeys(
    stems("add introduce install include create have contain import use") | {""}, _ADDING
)
#: Only tell how much, or that something is ruled.
_GENERIC = stems(
    "limit maximum minimum max min least most only project repository default thing size large long expiry expire"
    " agree decide keep need must be"
)
_PREPOSITIONS = words("in into for on to from at with of within inside under by before after as without")
_FORBIDDING = words("not never no avoid cannot")
_CHOOSING = stems("use prefer adopt choose pick decide agree stick settle standardize")
_WORD = re.compile(r"[^\W_][\w'’+#]{0,47}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A rule, by its id, that a reply denies: ``score`` 0 to 1 how surely, the sentence that does, and what it is
    about: what was ruled / what was done."""

    rule: str
    score: float
    evidence: str
    about: str


@dataclass(frozen=True, slots=True)
class _Order:
    """A clause of a rule: what it is about, the verb and the things that it forbids, and what it chose."""

    clause: Clause
    subject: frozenset[str]
    verb: str
    things: frozenset[str]
    forbidden: str
    chosen: frozenset[str]


def find_denials(reply: str, rules: Sequence[Statement]) -> tuple[Denial, ...]:
    """The rules that a reply denies, in the order of their ids, each once with the first sentence that does."""
    known = {one.id: orders for one in rules if (orders := _orders(one.text))}
    cues = frozenset().union(*(one.subject | one.things | one.chosen for orders in known.values() for one in orders))
    found: dict[str, Denial] = {}
    for sentence in _sentences(reply[:_MAX_REPLY], cues) if cues else ():
        for clause in clauses_of(sentence):
            verbs = _deeds(clause)
            for id, orders in known.items() if verbs else ():
                about = "" if id in found else next(filter(None, (_denial(one, clause, verbs) for one in orders)), "")
                if about:
                    evidence = " ".join(sentence.split())
                    found[id] = Denial(rule=id, score=_SURENESS, evidence=evidence, about=about)
    return tuple(sorted(found.values(), key=lambda one: one.rule))


# ── what was done ────────────────────────────────────────────────────────────────────────────────────


def _sentences(text: str, cues: frozenset[str]) -> Iterator[str]:
    """The sentences that may tell of a deed to something among the cues; no quotations."""
    count = 0
    for start, end in spans(text):
        sentence = text[start:end]
        if len(sentence) > _MAX_SENTENCE or not _TELLS.search(sentence):
            continue
        is_quoted = text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(">")
        if is_quoted or cues.isdisjoint(map(_stem, _WORD.findall(sentence))):
            continue
        count += 1
        if count > _MAX_SENTENCES:
            return
        yield sentence


_stem = remember(1 << 14)(statement_stem)


def _deeds(clause: Clause) -> frozenset[str]:
    """The verbs of what the clause tells that was done; none for an offer, a question or the past."""
    if clause.asks or _NO_DEED.search(clause.plain):
        return frozenset()
    done = [statement_stem(word) for word in _DID.findall(clause.plain) if is_past(word)]
    return frozenset(done or (["be"] if _NOW.search(clause.plain) else []))


# ── what was ruled ───────────────────────────────────────────────────────────────────────────────────


@remember(1_024)
def _orders(text: str) -> tuple[_Order, ...]:
    """A rule as it is compared; one that asks, or holds only if something is so, comes to nothing."""
    found = clauses_of(text)
    if any(one.asks or one.said[:1] in [("if",), ("when",), ("unless",)] for one in found):
        return ()
    is_conditional = bool(_CONDITION.search(text))
    return tuple(_order(one, is_conditional=is_conditional) for one in found if one.core)


def _order(clause: Clause, *, is_conditional: bool) -> _Order:
    at = next((at for at, word in enumerate(clause.said) if word in _FORBIDDING), None)
    subject, chosen = _telling(clause.words) - _GENERIC, frozenset(_chosen(clause))
    if at is None or is_conditional or not clause.is_negated or at + 1 >= len(clause.words):
        return _Order(clause, subject, "", frozenset(), "", chosen)
    after = clause.words[at + 1 :]
    # A verb is forbidden, or a thing: "no inline styles".
    verb, rest = ("", after) if clause.said[at] == "no" else (after[0].stem, after[1:])
    stop = next((place for place, word in enumerate(rest) if word.raw.lower() in _PREPOSITIONS), len(rest))
    things = _telling(rest[:stop] or rest)
    said = " ".join(word.raw for word in after[: len(after) - len(rest) + (stop or len(rest))])
    return _Order(clause, subject, verb, things, said, chosen)


def _telling(found: Sequence[Word]) -> frozenset[str]:
    heavy = [word.stem for word in found if word.weight >= PLAIN]
    return frozenset(heavy or [word.stem for word in found if word.weight])


def _chosen(clause: Clause) -> Iterator[str]:
    """What is to be used, up to what it is used for."""
    at = next((at for at, word in enumerate(clause.words) if word.stem in _CHOOSING), None)
    for word in clause.words[at + 1 :] if at is not None and not clause.is_negated else ():
        if word.raw.lower() in {"for", "with", "as", "in"}:
            return
        if word.weight >= PLAIN:
            yield word.stem


# ── the one against the other ────────────────────────────────────────────────────────────────────────


def _denial(order: _Order, deed: Clause, verbs: frozenset[str]) -> str:
    """What was ruled / what was done; nothing where the deed is no matter of the rule."""
    return _other_quantity(order, deed, verbs) or _replacement(order, deed) or _forbidden(order, deed, verbs)


def _other_quantity(order: _Order, deed: Clause, verbs: frozenset[str]) -> str:
    if verbs.isdisjoint(_SETTING) or not order.subject or not order.subject <= deed.stems:
        return ""
    for old in order.clause.quantities:
        like = [one for one in deed.quantities if one.dimension == old.dimension]
        if like and all(one.amount != old.amount for one in like):
            new = like[-1]
            if not _is_within(order.clause, old.amount, deed, new.amount):
                return f"{order.clause.text[old.start : old.end]} / {deed.text[new.start : new.end]}"
    return ""


def _is_within(rule: Clause, ruled: float | str, deed: Clause, done: float | str) -> bool:
    """At most 10 allows 5, unless it is the limit itself that was set."""
    if isinstance(ruled, str) or isinstance(done, str) or _LIMIT.search(deed.text):
        return False
    bound = _AT_MOST if done < ruled else _AT_LEAST
    return bool(bound.search(rule.plain))


def _replacement(order: _Order, deed: Clause) -> str:
    for match in _INSTEAD.finditer(deed.text) if order.chosen else ():
        name = match[1].rstrip(".,")
        if statement_stem(name) in order.chosen:
            return f"{name} / {match[0].rstrip('.,')}"
    return ""


def _forbidden(order: _Order, deed: Clause, verbs: frozenset[str]) -> str:
    if not order.things or not order.things <= deed.stems or deed.is_negated or _SPARED.search(deed.text):
        return ""
    is_done = not verbs.isdisjoint(_LIKE.get(order.verb, {order.verb}))
    is_taken_away = order.verb not in _CHANGING and not verbs.isdisjoint(_TAKING_AWAY)
    return f"not {order.forbidden} / {order.forbidden}" if is_done and not is_taken_away else ""
