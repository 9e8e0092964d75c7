"""Forms of replies: JSON, tables, lists, Markdown, code alone, letter case, marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from clew.signals.adherence.checks.reply import Reply, count_words
from clew.signals.adherence.checks.rows import Row, of_answers
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import NOTHING, CheckedTurn, Judgement
from clew.text.stems import topic_stems

#: How much of a form a reply shows, 0 to 1, or the pattern that what it must show is known by.
Look = Callable[[Reply], float] | str

#: Longer requests hold words of every purpose.
_MAX_REQUEST = 600
#: A sentence or two need no list and no element; what is left beside the code, where only code was wanted.
_LEAST_WORDS, _FEW_WORDS = 60, 12


def _several(lines: tuple[str, ...], reply: Reply) -> float:
    is_list = len(lines) > 1 or lines == reply.lines
    return 1.0 if is_list else 0.5 if lines else 0.05


def _list(reply: Reply) -> float:
    if len(reply.bullets) > 1 or len(reply.numbers) > 1 or reply.has_table:
        return 1.0
    short = sum(1 for line in reply.lines if count_words(line) <= 12)
    return 0.7 if (short > 2 and short * 3 > len(reply.lines) * 2) or reply.json else 0.1


def _only_code(reply: Reply) -> float:
    extra = count_words(reply.prose) if reply.fences else 2 * _FEW_WORDS
    return 1.0 if extra <= _FEW_WORDS else 0.5 if extra <= 3 * _FEW_WORDS else 0.1


def _score_without(is_wrong: Callable[[str], bool], reply: Reply) -> float:
    letters = [char for char in reply.prose if char.lower() != char.upper()]
    share = sum(map(is_wrong, letters)) / max(len(letters), 1)
    return 1.0 if share <= 0.01 else 0.5 if share <= 0.02 else 0.05


_EMOJI = "[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u2728\u274c\u2753\u2757\u2764\u27a1\u2b50\U0001f1e6-\U0001f1ff]"
_IN = (
    r"\b(?:in|as|into|us(?:e|ing)|with|an?|no|any|of|without|avoid|never|prefer|than|via|to|like|includ(?:e|ing)|valid"
    r"|return|output|structured|clear|provide|present|follow|draw|make (?:it|this)|have|add) (?:[a-z-]+ ){0,4}?"
)
_ONLY = r"\b(?:only|just|nothing but)\b"
#: Form, how rules call it, whether it can be wanted (+) or forbidden (-), the group of which the first one counts, and
#: how it looks.
_FORMS: tuple[tuple[str, str, str, str, Look], ...] = (
    ("only json", rf"{_ONLY}[^.;]{{0,20}}\bjson\b|\bjson (?:only|and nothing else)\b", "+", "json",
     lambda reply: {"all": 1.0, "some": 0.25, "looks": 0.5}.get(reply.json, 0.03)),
    ("json", rf"{_IN}json\b(?! (?:file|api|schema|pars|key|field))", "+-", "json",
     lambda reply: {"all": 1.0, "some": 0.95, "looks": 0.7}.get(reply.json, 0.03)),
    ("table", rf"{_IN}tables?\b(?! of contents)", "+-", "list", lambda reply: 1.0 if reply.has_table else 0.04),
    ("bullets", rf"(?:{_IN}|\A)bullet(?:s|ed|[ -]points?|[ -]?lists?)?\b", "+-", "list",
     lambda reply: _several(reply.bullets, reply)),
    ("list", rf"{_IN}(?<!mailing )lists?\b(?: format| form|$|[?.,;]| of (?:steps|things|items))", "+", "list", _list),
    # A lone list or a name in backticks is not what those mean who want plain text.
    ("plain text", r"\bplain text\b", "+", "markdown",
     lambda reply: 1.0 if reply.marks & {"heading", "bold", "table"} else 0.5 if reply.marks else 0.0),
    ("markdown", rf"{_IN}markdown\b(?! (?:table|link|checkbox|render|support|file|syntax for))", "+-", "markdown",
     lambda reply: 0.6 if reply.marks == {"list"} else (0.05, 0.9, 1.0)[min(2, len(reply.marks - {"list"}))]),
    ("only code", rf"{_ONLY}[^.;]{{0,16}}(?<!claude )\bcode\b(?! \w)|\bcode only\b", "+", "code", _only_code),
    ("lower case", r"\b(?:all )?lower[ -]?case\b", "+", "", partial(_score_without, str.isupper)),
    ("upper case", r"\b(?:all )?(?:upper[ -]?case|capital letters|all[ -]caps|capitals)\b", "+-", "",
     partial(_score_without, str.islower)),
    ("emojis", r"\bemojis?\b|\bemoticons?\b", "+-", "", _EMOJI),
    ("exclamation marks", r"\bexclamation (?:marks?|points?)\b", "-", "", r"\w!"),
    ("em dashes", r"\bem[ -]?dash(?:es)?\b", "-", "", "—|[a-z] -- [a-z]"),
)  # fmt: skip
_LOOKS = {form: look for form, *_, look in _FORMS}
_OF_LONGER = {"table", "bullets", "list", "markdown", "emojis"}
#: Forbidden only where there is much of it: for a reader to say.
_SOME = re.compile(r"\b(?:nested|long|deep|more|multi|redundant|unnecessary|extra|default)\b")
_FOR = re.compile(
    r"\s+(?:for|in) (?!all\b|every|each|any|your|me\b|my\b|clarity|better|eas|readab|emphasis|structure|future|the\b"
    r"|this|responses|answers|repl|chat|messages|our|format)([a-z ]{3,40})"
)


def _look_for(reply: Reply, look: Look) -> tuple[float, str]:
    """How much of it is there, and where."""
    if not isinstance(look, str):
        return look(reply), reply.text[:100]
    match = re.search(look, reply.prose)
    return (1.0, reply.prose[max(0, match.start() - 30) : match.end() + 30]) if match else (0.03, reply.text[-100:])


def judge_form(turn: CheckedTurn, forbidden: bool, form: str, purpose: frozenset[str]) -> Judgement:
    """A reply is of that form, or is not; with a ``purpose``, if the request is about it."""
    if purpose and (len(turn.request) > _MAX_REQUEST or not purpose & turn.request_stems):
        return NOTHING
    if form == "plain text" or (form == "markdown" and forbidden):
        form, forbidden = "plain text", True
    score, evidence = _look_for(turn.parsed_reply, _LOOKS[form])
    if forbidden:
        return Judgement(1.0 - score, sure=score < 0.3 or score > 0.75, evidence=evidence)
    is_short = form in _OF_LONGER and turn.parsed_reply.words < _LEAST_WORDS
    return Judgement(score, sure=score >= 0.7 or (score <= 0.25 and not is_short), evidence=evidence)


def _form_row(form: str, asks: str, signs: str, group: str) -> Row:
    def read(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, frozenset[str]]]:
        purpose = None if rule.is_question else _FOR.match(rule.body[match.end() :])
        is_partly = rule.forbids_at(match.end()) and _SOME.search(rule.body[max(0, match.start() - 20) : match.end()])
        if not is_partly:
            yield form, frozenset(topic_stems(purpose[1] if purpose else ""))

    fits = (lambda rule: rule.is_about_reply) if group == "code" else of_answers
    return Row(asks, judge_form, read, fits, signs, is_told=True, of_reply=True, group=group or form)


ROWS = tuple(_form_row(*row) for *row, _ in _FORMS)
