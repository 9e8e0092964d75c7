"""Forms and elements of replies: JSON, tables, lists, Markdown, letter case, marks; versions, dates, links, amounts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from clew.signals.adherence.checks.reply import Reply, count_words
from clew.signals.adherence.checks.rows import Row, of_answers
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.turn import NOTHING, Judged, Turn
from clew.text.stems import topic_stems

#: How much of a form a reply shows, 0 to 1, and a place where it does.
Look = Callable[[Reply], tuple[float, str]]

#: Longer requests hold words of every purpose.
_MAX_REQUEST = 600
#: A sentence or two need no list and no element; what is left beside the code, where only code was wanted.
_LEAST_WORDS, _FEW_WORDS = 60, 12


def _graded(score: Callable[[Reply], float]) -> Look:
    return lambda said: (score(said), "")


def _first(lines: Callable[[Reply], tuple[str, ...]], *, least: int = 1, without: float = 0.05) -> Look:
    """So many of them are the form, one or two are half of it."""
    return lambda said: (1.0, lines(said)[0]) if len(lines(said)) >= least else (0.5 if lines(said) else without, "")


def _shape(pattern: str) -> Look:
    """What is told by its shape, with the words around it."""

    def look(said: Reply) -> tuple[float, str]:
        found = re.search(pattern, said.prose)
        return (1.0, said.prose[max(0, found.start() - 30) : found.end() + 30]) if found else (0.03, "")

    return look


def _list(said: Reply) -> tuple[float, str]:
    if len(said.bullets) > 1 or len(said.numbers) > 1 or said.has_table:
        return 1.0, ""
    short = sum(1 for line in said.lines if count_words(line) <= 12)
    is_list = len(said.labels) > 2 or (short > 2 and short * 3 > len(said.lines) * 2) or said.json
    return (0.7, "") if is_list else (0.1, "")


def _styled(said: Reply) -> tuple[float, str]:
    """For those who want plain text: a lone list or a name in backticks is not what they mean."""
    line = next((line for line in said.lines if line.startswith(("#", "|")) or "**" in line), "")
    return (1.0, line) if said.marks & {"heading", "bold", "table"} else (0.5 if said.marks else 0.0, "")


def _only_code(said: Reply) -> tuple[float, str]:
    extra = count_words(said.prose)
    return (1.0 if extra <= _FEW_WORDS else 0.5 if extra <= 3 * _FEW_WORDS else 0.1) if said.fences else 0.45, ""


def _case(is_wrong: Callable[[str], bool]) -> Look:
    def look(said: Reply) -> tuple[float, str]:
        letters = [char for char in said.prose if char.lower() != char.upper()]
        share = sum(map(is_wrong, letters)) / max(len(letters), 1)
        return (1.0 if share <= 0.01 else 0.5 if share <= 0.02 else 0.05), ""

    return look


def _last_line(said: Reply) -> tuple[float, str]:
    last = said.prose.rstrip().rstrip('*_`)"').rsplit("\n", 1)[-1]
    return (1.0 if last.endswith("?") else 0.05), last


_MONTH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
#: By how many marks of Markdown there are.
_MARKED = (0.05, 0.9, 1.0)
_EMOJI = "[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u2728\u274c\u2753\u2757\u2764\u27a1\u2b50\U0001f1e6-\U0001f1ff]"
_LOOKS: dict[str, Look] = {
    "only json": _graded(lambda said: {"all": 1.0, "some": 0.25, "looks": 0.5}.get(said.json, 0.03)),
    "json": _graded(lambda said: {"all": 1.0, "some": 0.95, "looks": 0.7}.get(said.json, 0.03)),
    "table": lambda said: (1.0, next(line for line in said.lines if "|" in line or "<" in line)) if said.has_table else (0.04, ""),
    "numbered": _first(lambda said: said.numbers, least=2),
    "bullets": _first(lambda said: said.bullets, least=2),
    "list": _list,
    "styled": _styled,
    "markdown": _graded(lambda said: _MARKED[min(2, len(said.marks - {"list"}))] if said.marks != {"list"} else 0.6),
    "headings": _first(lambda said: said.headings),
    "only code": _only_code,
    "code": _first(lambda said: tuple(body for _, body in said.fences), without=0.3),
    "bold": _graded(lambda said: 1.0 if "bold" in said.marks else 0.1),
    "lower case": _case(str.isupper),
    "upper case": _case(str.islower),
    "prose": _graded(lambda said: 0.1 if said.has_table or len(said.bullets + said.numbers) > 4 else 1.0),
    "question": _last_line,
    "emojis": _first(lambda said: tuple(re.findall(_EMOJI, said.prose))),
    "commas": _shape(","),
    "exclamation marks": _shape(r"\w!"),
    "em dashes": _shape("—|[a-z] -- [a-z]"),
    "question marks": _shape(r"\w\?"),
    "contractions": _shape(r"(?i)\b(?:\w+n't|i'm|(?:i|you|we|they)'(?:ve|re|ll|d)|(?:it|that|he|she|there|here|what|let)'s)\b"),
    "first person": _shape(r"\b(?:I|I'm|I've|I'll|me|my|mine)\b"),
    "version numbers": _shape(r"\bv?\d+\.\d+(?:\.\d+)?\b|\bversion \d+"),
    "percentages": _shape(r"\d\s?(?:%|percent)"),
    "links": _shape(r"https?://|\]\([^)\s]{4,}\)|\bwww\."),
    "amounts": _shape(r"[$€£¥]\s?\d|\d\s?(?:dollars|euros|usd|eur|gbp)\b"),
    "complexity": _shape(r"\bO\("),
}  # fmt: skip
_IN = (
    r"\b(?:in|as|into|us(?:e|ing)|with|an?|no|any|of|without|avoid|never|prefer|than|via|to|like|includ(?:e|ing)|valid"
    r"|return|output|structured|clear|provide|present|follow|draw|make (?:it|this)|have|add) (?:[a-z-]+ ){0,4}?"
)
_GIVE = r"\b(?:includ(?:e|ing)|provide|mention|give|cite|add|specify|state|list|show)\b[^.;]*"
#: Form, how rules call it, whether it can be wanted (+) or forbidden (-), and the group of which the first one counts.
_CALLED: tuple[tuple[str, str, str, str], ...] = (
    ("only json", r"\b(?:only|just|nothing but)\b[^.;]{0,20}\bjson\b|\bjson (?:only|and nothing else)\b", "+", "json"),
    ("json", rf"{_IN}json\b(?! (?:file|api|schema|pars|key|field))", "+-", "json"),
    ("table", rf"{_IN}tables?\b(?! of contents)", "+-", "list"),
    ("numbered", r"\bnumbered (?:list|steps?|points?|items?|format)|\bordered list", "+-", "list"),
    ("bullets", rf"(?:{_IN}|\A)bullet(?:s|ed|[ -]points?|[ -]?lists?)?\b(?! under| over)", "+-", "list"),
    ("list", rf"{_IN}(?<!mailing )lists?\b(?: format| form|$|[?.,;]| of (?:steps|things|items))", "+", "list"),
    ("plain text", r"\bplain text\b", "+", "markdown"),
    ("markdown", rf"{_IN}markdown\b(?! (?:table|link|checkbox|render|support|file|syntax for))", "+-", "markdown"),
    ("headings", rf"{_IN}(?:headings|section headers|subheadings|headers)\b", "+-", ""),
    ("only code", r"\b(?:only|just|nothing but)\b[^.;]{0,16}(?<!claude )\bcode\b(?! \w)|\bcode only\b", "+", "code"),
    ("code", rf"{_IN}(?:code (?:blocks?|fences?|snippets?|examples?)|fenced code|example code)\b", "+-", "code"),
    ("bold", r"\b(?:in bold|(?:use|no|avoid|any) bold|bold(?:ed|face)? (?:text|font|type|formatting|key|important))\b", "+-", ""),
    ("lower case", r"\b(?:all )?lower[ -]?case\b", "+", ""),
    ("upper case", r"\b(?:all )?(?:upper[ -]?case|capital letters|all[ -]caps|capitals)\b", "+-", ""),
    ("prose", r"\bparagraph (?:format|form|style)\b|\bin (?:plain |flowing |running )?(?:prose|paragraphs)\b", "+", ""),
    ("question", r"\bend(?:s|ing)?\b[^.;]{0,40}\bwith (?:a|one)\b[^.;]{0,20}\bquestion\b", "+", ""),
    ("emojis", r"\bemojis?\b|\bemoticons?\b", "+-", ""),
    ("commas", r"\bcommas?\b", "-", ""),
    ("exclamation marks", r"\bexclamation (?:marks?|points?)\b", "-", ""),
    ("em dashes", r"\bem[ -]?dash(?:es)?\b", "-", ""),
    ("contractions", r"\bcontractions?\b", "-", ""),
    ("first person", r"\bfirst[ -]person\b", "-", ""),
    ("question marks", r"\bquestion marks?\b", "-", ""),
    ("version numbers", rf"{_GIVE}\bversions?(?: numbers?| details?| info\w*)\b", "+", "element"),
    ("percentages", rf"{_GIVE}\bpercent(?:age)?s?\b", "+", "element"),
    ("links", rf"{_GIVE}\b(?:links?|urls?|hyperlinks?)\b", "+", "element"),
    ("amounts", rf"{_GIVE}\b(?:(?:dollar|exact) amounts?|(?:cost|price) (?:breakdowns?|figures?))\b", "+", "element"),
    ("complexity", rf"{_GIVE}\b(?:time|space|big[ -]o) complexity\b", "+", "element"),
)  # fmt: skip
#: Forbidden only where there is much of it: for a reader to say.
_SOME = re.compile(r"\b(?:nested|long|deep|more|multi|redundant|unnecessary|extra|default)\b")
_FOR = re.compile(
    r"\s+(?:for|in) (?!all\b|every|each|any|your|me\b|my\b|clarity|better|eas|readab|emphasis|structure|future|the\b"
    r"|this|responses|answers|repl|chat|messages|our|format)([a-z ]{3,40})"
)
_OF_LONGER = {"table", "bullets", "numbered", "list", "markdown", "headings", "code", "bold", "emojis"}


def judge_form(turn: Turn, forbidden: bool, form: str, purpose: frozenset[str], is_due: bool) -> Judged:
    """A reply is of that form, or is not; with a ``purpose``, if the request is about it. One that is not due by its
    topic may lack the form for want of anything to show."""
    if purpose and (len(turn.request) > _MAX_REQUEST or not purpose & turn.asked):
        return NOTHING
    form, forbidden = (
        ("styled", True) if form == "plain text" or (form == "markdown" and forbidden) else (form, forbidden)
    )
    score, evidence = _LOOKS[form](turn.said)
    if forbidden:
        return Judged(1.0 - score, sure=score < 0.3 or score > 0.75, evidence=evidence)
    if not is_due and score < 0.3:
        return Judged(0.4, sure=False, evidence=f"without {form}")
    is_short = form in _OF_LONGER and turn.said.words < _LEAST_WORDS
    sure = score >= 0.7 or (score <= 0.25 and not is_short)
    return Judged(score, sure=sure, evidence=evidence or turn.said.text[:100])


def _form_row(form: str, asks: str, signs: str, group: str) -> Row:
    def read(rule: Rule, found: re.Match[str]) -> Iterator[tuple[str, frozenset[str], bool]]:
        purpose = _FOR.match(rule.body[found.end() :])
        for_what = frozenset(topic_stems(purpose[1])) if purpose and not rule.is_question else frozenset[str]()
        is_partly = rule.forbids_at(found.end()) and _SOME.search(rule.body[max(0, found.start() - 20) : found.end()])
        if not is_partly:
            yield form, for_what, bool(rule.topic) or group != "element"

    fits = (lambda rule: rule.is_about_reply) if group == "code" else of_answers
    return Row(asks, judge_form, read, fits, signs, is_told=True, of_reply=True, group=group or form)


_DATES = {
    r"yyyy-mm-dd|\biso(?: ?8601)?\b|year-month-day": r"\b\d{4}-\d\d-\d\d\b",
    r"month day,? year|\bmmmm? dd?,? yyyy": rf"\b{_MONTH} \d{{1,2}},? \d{{4}}\b",
    r"mm/dd/yyyy|dd/mm/yyyy": r"\b\d\d?/\d\d?/\d{4}\b",
    r"day month year|dd mmmm? yyyy": rf"\b\d{{1,2}} {_MONTH} \d{{4}}\b",
}


def judge_dates(turn: Turn, pattern: str) -> Judged:
    """Full dates are written in that way."""
    right, wrong = _shape(pattern)(turn.said), _shape("|".join({*_DATES.values()} - {pattern}))(turn.said)
    if right[0] < 1.0:
        return Judged(0.1, evidence=wrong[1]) if wrong[0] == 1.0 else NOTHING
    return Judged(0.5 if wrong[1] else 1.0, sure=not wrong[1], evidence=right[1])


def _dates(rule: Rule, _: re.Match[str]) -> Iterator[tuple[str]]:
    yield from ((looks,) for called, looks in _DATES.items() if re.search(called, rule.text.lower()))


ROWS = (
    *(_form_row(*row) for row in _CALLED),
    Row(r"\bdates?\b", judge_dates, _dates, lambda rule: rule.is_about_reply, of_reply=True, group="dates"),
)
