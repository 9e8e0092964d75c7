"""Elements that replies have to hold, told by their form: versions, percentages, dates, links, sources, amounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_SHAPES = {
    "version numbers": r"\bv?\d+\.\d+(?:\.\d+)?\b|\bversion \d+",
    "percentages": r"\d\s?(?:%|percent)",
    "dates": rf"(?i)\b\d{{4}}-\d\d-\d\d\b|\b{_MONTH}\.? \d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b"
    rf"|\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b",
    "links": r"https?://|\]\([^)\s]{4,}\)|\bwww\.",
    "sources": r"(?i)https?://|\[\d+\]|\bet al\b|\((?:19|20)\d\d\)|\baccording to\b|\bsources?:|\breferences?:"
    r"|\bstud(?:y|ies)\b|\bjournal\b",
    "amounts": r"[$€£¥]\s?\d|\d\s?(?:dollars|euros|usd|eur|gbp)\b",
    "examples": r"(?i)\b(?:for example|e\.g\.|for instance|such as|example|imagine|like when)\b|```",
    "complexity": r"\bO\(",
    "numbers": r"\d",
}
_CALLED: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("version numbers", r"\bversions?(?: numbers?| details?| info\w*)\b"),
        ("percentages", r"\bpercent(?:age)?s?\b"),
        ("links", r"\b(?:links?|urls?|hyperlinks?)\b"),
        ("sources", r"\b(?:sources?|citations?|references to)\b"),
        ("amounts", r"\b(?:dollar|exact) amounts?\b|\b(?:cost|price) (?:breakdowns?|figures?)\b"),
        ("complexity", r"\b(?:time|space|big[ -]o) complexity\b"),
        ("dates", r"\b(?:exact |specific )?dates\b"),
        ("examples", r"\b(?:concrete |practical |relevant |real |specific )?examples\b(?= to| when|$|[.?!]|,)"),
    )
)  # fmt: skip
_INCLUDE = re.compile(r"\b(?:includ(?:e|ing)|provide|mention|give|cite|add|specify|state|list|show)\b")
#: A short reply may have nothing to tell of: only a longer one lacks something.
_LEAST_WORDS = 40

_DATE_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (r"\b\d{4}-\d\d-\d\d\b", re.compile(r"yyyy-mm-dd|\biso(?: ?8601)?\b|year-month-day")),
    (rf"(?i)\b{_MONTH} \d{{1,2}},? \d{{4}}\b", re.compile(r"month day,? year|\bmmmm? dd?,? yyyy")),
    (r"\b\d\d?/\d\d?/\d{4}\b", re.compile(r"mm/dd/yyyy|dd/mm/yyyy")),
    (rf"(?i)\b\d{{1,2}} {_MONTH} \d{{4}}\b", re.compile(r"day month year|dd mmmm? yyyy")),
)


@dataclass(frozen=True, slots=True)
class Holds:
    """The reply shows the element somewhere. Its lack is a breach only where the request was of the rule's topic."""

    element: str
    is_topical: bool = False
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        found = re.search(_SHAPES[self.element], turn.said.text)
        if found:
            return Judged(1.0, evidence=turn.said.text[max(0, found.start() - 30) : found.end() + 30])
        sure = (
            self.is_topical and turn.said.words >= _LEAST_WORDS and self.element not in {"examples", "sources", "dates"}
        )
        return Judged(0.2 if sure else 0.4, sure=sure, evidence=f"without {self.element}")


@dataclass(frozen=True, slots=True)
class Dates:
    """Full dates are written in that way."""

    pattern: str
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        right = re.search(self.pattern, turn.said.prose)
        others = [form for form, _ in _DATE_FORMATS if form != self.pattern]
        wrong = next((found for form in others if (found := re.search(form, turn.said.prose))), None)
        if wrong and not right:
            return Judged(0.1, evidence=turn.said.prose[max(0, wrong.start() - 30) : wrong.end() + 30])
        return Judged(1.0 if not wrong else 0.5, sure=not wrong, evidence=right[0]) if right else NOTHING


def elements(rule: Rule) -> Iterator[Holds | Dates]:
    """The elements that a rule wants in replies."""
    if not rule.is_about_reply or rule.forbids:
        return
    if re.search(r"\bdates?\b", rule.body):
        text = rule.text.lower()
        for form, called in _DATE_FORMATS:
            if called.search(text):
                yield Dates(form)
                return
    verb = _INCLUDE.search(rule.body)
    if verb is None or rule.is_negated_before(verb.end()):
        return
    for name, called in _CALLED:
        if called.search(rule.body[verb.end() :]):
            yield Holds(name, is_topical=bool(rule.topic))
            return
