"""Format: rules that want replies in some form, or not in it: JSON, tables, lists, Markdown, emojis, letter case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.form_shares import FORMS
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.text.stems import topic_stems

#: Longer requests hold words of every purpose.
_MAX_REQUEST = 600
#: A sentence or two need no list, no heading and no Markdown.
_LEAST_WORDS = 60
_OF_LONGER = frozenset(
    {"table", "bullets", "numbered", "list", "markdown", "headings", "code", "tagged code", "bold", "emojis"}
)


@dataclass(frozen=True, slots=True)
class Format:
    """A reply has to be, or must not be, of that form; where a ``purpose`` is given, if the request is about it."""

    form: str
    forbidden: bool = False
    purpose: frozenset[str] = frozenset()
    of_reply: bool = True

    def judge(self, turn: Turn) -> Judged:
        if self.purpose and (len(turn.request) > _MAX_REQUEST or not self.purpose & turn.asked):
            return NOTHING
        score, evidence = FORMS[self.form](turn.said)
        if not self.forbidden:
            is_short = self.form in _OF_LONGER and turn.said.words < _LEAST_WORDS
            return Judged(
                score, sure=score >= 0.7 or (score <= 0.25 and not is_short), evidence=evidence or turn.said.text[:100]
            )
        return Judged(1.0 - score, sure=score < 0.3 or score > 0.75, evidence=evidence)


# ── how rules ask for them ───────────────────────────────────────────────────────────────────────────

_SHAPES = (
    r"(?:format|form|structure|object|output|block|document|file|syntax|list|style|layout|for|to|only|with|$|[.,;?!])"
)
_CALLED = {
    "only json": r"\b(?:only|just|nothing but)\b[^.;]{0,20}\bjson\b|\bjson (?:only|and nothing else)\b",
    "json": rf"\b(?:in|as|into|using|valid|a|an|structured|return|output)\b (?:[a-z]+ ){{0,2}}json\b\s*{_SHAPES}",
    "table": r"\b(?:in|as|into|using|with|use|make it|present|draw|of|follow|a|no|avoid|any|include)\b (?:[a-z]+ ){0,4}"
    r"tables?\b(?! of contents)",
    "numbered": r"\bnumbered (?:list|steps?|points?|items?|format)|\bordered list",
    "bullets": r"\b(?:in|as|use|using|with|no|any|into|a|without|avoid|never|prefer|than|of|via|to)\b (?:[a-z]+ )?"
    r"bullet(?:s|ed|[ -]points?|[ -]?lists?)?\b|\Abullet",
    "list": r"\b(?:in|as|into|use|using|make it|make this|provide|neat|detailed|structured|of|a)\b (?:[a-z]+ ){0,2}"
    r"(?<!mailing )lists?\b(?: format| form|$|[?.,;]| of (?:steps|things|items))",
    "steps": r"\bstep[ -]by[ -]step\b",
    "some markdown": r"\bplain text\b",
    "markdown": r"\b(?:in|use|using|as|with|a|an|structured|no|any|without|avoid|like)\b (?:[a-z-]+ ){0,3}markdown\b"
    r"(?! (?:table|link|checkbox|render|support|file|syntax for))",
    "headings": r"\b(?:use|using|with|include|have|add|no|any|avoid|clear)\b (?:[a-z]+ ){0,2}"
    r"(?:headings|section headers|subheadings|headers)\b",
    "tagged code": r"\bsyntax[ -]highlight",
    "only code": r"\b(?:only|just|nothing but)\b[^.;]{0,16}\bcode\b(?! (?:in|from|that|review))|\bcode only\b"
    r"|\bno (?:explanations?|commentary|prose)\b|\bwithout (?:any )?(?:explanations?|commentary)\b",
    "code": r"\b(?:code (?:blocks?|fences?|snippets?|examples?)|fenced code|example code)\b",
    "emojis": r"\bemojis?\b|\bemoticons?\b",
    "bold": r"\b(?:in bold|(?:use|no|avoid|any) bold|bold(?:ed|face)? (?:text|font|type|formatting|key|important))\b",
    "lower case": r"\b(?:all )?lower[ -]?case\b",
    "upper case": r"\b(?:all )?(?:upper[ -]?case|capital letters|all[ -]caps|capitals)\b",
    "prose": r"\bparagraph (?:format|form|style)\b|\bin (?:plain |flowing |running )?(?:prose|paragraphs)\b",
    "letter": r"\b(?:as|form of|like) an? (?:[a-z]+ ){0,2}(?:e-?mail|letter)\b|\b(?:e-?mail|letter) format\b"
    r"|\bformal greeting\b",
    "question": r"\bend(?:s|ing)?\b[^.;]{0,40}\bwith (?:a|one)\b[^.;]{0,20}\bquestion\b",
    "comma": r"\bcommas?\b",
    "exclamation": r"\bexclamation (?:marks?|points?)\b",
    "em dash": r"\bem[ -]?dash(?:es)?\b",
    "contraction": r"\bcontractions?\b",
    "first person": r"\bfirst[ -]person\b",
    "question mark": r"\bquestion marks?\b",
}
_PHRASES = tuple((form, re.compile(pattern)) for form, pattern in _CALLED.items())
#: Nothing but a reply has them, so that a rule need not name it: "no emojis".
_OF_REPLIES = frozenset({"emojis", "exclamation", "em dash", "contraction", "bullets", "only json", "markdown"})
_PLAIN_PHRASES = tuple((form, pattern) for form, pattern in _PHRASES if form in _OF_REPLIES)
#: Told of only when they are forbidden: nobody asks for a comma.
_ONLY_FORBIDDEN = frozenset({"comma", "exclamation", "em dash", "contraction", "first person", "question mark"})
#: Too vague when forbidden.
_ONLY_WANTED = frozenset(
    {"steps", "letter", "prose", "question", "only code", "only json", "tagged code", "list", "lower case"}
)
#: Of the same family, the first one found is what is meant.
_FAMILIES = (
    frozenset({"only json", "json"}),
    frozenset({"numbered", "bullets", "list", "table"}),
    frozenset({"some markdown", "markdown"}),
    frozenset({"tagged code", "only code", "code"}),
)
#: Named in rules on code as well, where they are no form of a reply.
_OF_CODE = frozenset(
    {"json", "table", "list", "lower case", "upper case", "headings", "comma", "letter", "bold", "steps", "numbered"}
)
_FOR = re.compile(
    r"\s+(?:for|in) (?!all\b|every|each|any|your|me\b|my\b|clarity|better|easy|easier|readab|emphasis|structure"
    r"|future|the\b|this|responses|answers|repl|chat|messages|our|format)([a-z ]{3,40})"
)
_NOT = re.compile(
    r"\b(?:instead of|rather than|no|without|avoid|never|don't|do not|not|refrain|omit|skip|exclude|zero|free of)\b"
)
_SOME = re.compile(r"\b(?:nested|long|deep|more|multi|redundant|unnecessary|extra|default)\b")


def formats(rule: Rule) -> Iterator[Format]:
    """The forms that a rule asks of replies, or forbids."""
    found: set[str] = set()
    for form, pattern in _PHRASES if rule.is_about_reply else _PLAIN_PHRASES:
        match = pattern.search(rule.body)
        if match is None or any(form in family and family & found for family in _FAMILIES):
            continue
        if (form in _OF_CODE and rule.is_about_code) or rule.is_about_questions:
            continue
        if wanted := _wanted(rule, form, match):
            found.add(form)
            yield wanted


def _wanted(rule: Rule, form: str, match: re.Match[str]) -> Format | None:
    forbidden = _is_forbidden(rule, match)
    if forbidden and _SOME.search(rule.body[max(0, match.start() - 20) : match.end()]):
        return None
    if form == "some markdown":
        return None if forbidden else Format("some markdown", forbidden=True)
    if form == "markdown" and forbidden:
        return Format("some markdown", forbidden=True)
    if form == "only code" and re.match(r"no|without", match[0]):
        return Format(form) if rule.is_about_code or "code" in rule.body else None
    if form in (_ONLY_WANTED if forbidden else _ONLY_FORBIDDEN):
        return None
    return Format(form, forbidden=forbidden, purpose=_purpose(rule, match))


def _purpose(rule: Rule, match: re.Match[str]) -> frozenset[str]:
    """What the form is for ("tables for comparisons"); nothing where it is for everything, or for the reader's sake."""
    found = _FOR.match(rule.body[match.end() :])
    return frozenset(topic_stems(found[1])) if found and not rule.is_asked else frozenset()


def _is_forbidden(rule: Rule, match: re.Match[str]) -> bool:
    clause = re.split(r"[,;.]|\bbut\b", rule.body[: match.end()])[-1]
    negated = rule.forbids and "," not in rule.head[: max(0, match.start() - (len(rule.body) - len(rule.head)))]
    return bool(_NOT.search(clause)) or negated
