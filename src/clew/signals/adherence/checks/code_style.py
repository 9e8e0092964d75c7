"""How lines of code are written: quotes, semicolons, indentation, comments, type hints, length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clew.signals.adherence.checks.code import added, named_language, pieces
from clew.signals.adherence.checks.rule import Rule
from clew.signals.adherence.checks.values import NOTHING, Judged, Turn
from clew.signals.adherence.checks.work import Written
from clew.text.vocabulary import words

_JS = frozenset({"js", "ts"})
#: Languages with two kinds of quotation marks for one thing.
_QUOTING = frozenset({"js", "ts", "python", "ruby", "php"})
#: So few cases tell nothing of a habit.
_LEAST_CASES, _LEAST_INDENTED = 3, 8

_SINGLE, _DOUBLE = re.compile(r"(?<![\w'])'[^'\"\n\\]{1,80}'(?!\w)"), re.compile(r'(?<![\w"])"[^\'"\n\\]{1,80}"(?!")')
_STATEMENT = re.compile(
    r"^\s*(?:(?:const|let|var|return|import|export \{|throw|await)\b.*[\w)\]'\"`]|[\w.]+\(.*\));?\s*$"
)
_COMMENT = re.compile(r"^\s*(?://|#|/\*|<!--|--\s)\s*\w")
_DIRECTIVE = re.compile(
    r"^\s*(?:#!|//\s*(?:eslint|@ts|go:|nolint|prettier|biome)|#\s*(?:noqa|type:|pylint|ruff|fmt|mypy|include|define"
    r"|if|endif|pragma|region))"
)
_ARGUMENT = re.compile(r"\b(?!self\b|cls\b)\w")
_DEF = re.compile(r"^\s*(?:async )?def\s+\w+\(([^()]{0,300})\)\s*(->)?")


def _with(line: re.Pattern[str], against: re.Pattern[str], lines: list[str]) -> tuple[int, int, str]:
    """Cases for and against a habit, and the first case against."""
    bad = [one for one in lines if against.search(one)]
    return sum(1 for one in lines if line.search(one)), len(bad), bad[0] if bad else ""


@dataclass(frozen=True, slots=True)
class Style:
    """A habit of lines: so many cases have to speak against it before it is broken."""

    habit: str
    number: int = 0
    language: str = ""
    of_reply: bool = False

    def judge(self, turn: Turn) -> Judged:
        good = bad = 0
        first, call = "", -1
        for one in pieces(turn):
            if self.language and one.language != self.language:
                continue
            kept, broken, line = self._cases(one)
            good, bad = good + kept, bad + broken
            if broken and not first:
                first, call = line.strip(), one.call
        if good + bad == 0:
            return NOTHING
        if not bad:
            return Judged(1.0)
        share = bad / (good + bad)
        strict = self.habit in {"no comments", "line length"}
        sure = (bad >= 1 and strict) or (bad >= _LEAST_CASES and share > 0.7)
        return Judged(0.1 if sure else 0.5, sure=sure, evidence=first, call=call)

    def _cases(self, one: Written) -> tuple[int, int, str]:
        lines = [line[:400] for line in added(one)[:2000]]
        if self.habit in {"single quotes", "double quotes"}:
            if one.language not in _QUOTING:
                return 0, 0, ""
            plain = [line for line in lines if not line.lstrip().startswith(("<", "*", "#", "//", '"""', "'''"))]
            return _with(_SINGLE, _DOUBLE, plain) if self.habit == "single quotes" else _with(_DOUBLE, _SINGLE, plain)
        if self.habit in {"semicolons", "no semicolons"}:
            ends = [line for line in lines if one.language in _JS and _STATEMENT.match(line)]
            with_ = [line for line in ends if line.rstrip().endswith(";")]
            without = [line for line in ends if not line.rstrip().endswith(";")]
            good, bad = (with_, without) if self.habit == "semicolons" else (without, with_)
            return len(good), len(bad), bad[0] if bad else ""
        return self._more_cases(one, lines)

    def _more_cases(self, one: Written, lines: list[str]) -> tuple[int, int, str]:
        if self.habit in {"tabs", "spaces"}:
            tabs, spaces = (
                [line for line in lines if line[0] == "\t"],
                [line for line in lines if line.startswith("  ")],
            )
            if one.language == "go":
                return 0, 0, ""
            good, bad = (tabs, spaces) if self.habit == "tabs" else (spaces, tabs)
            return len(good), len(bad), bad[0] if bad else ""
        if self.habit == "indent":
            return _indented(one, self.number)
        if self.habit == "no comments":
            bad = [line for line in lines if _COMMENT.match(line) and not _DIRECTIVE.match(line)]
            return len(lines) - len(bad), len(bad), bad[0] if bad else ""
        if self.habit == "type hints":
            defs = [found for line in lines if one.language == "python" and (found := _DEF.match(line))]
            bare = [found[0] for found in defs if not found[2] and ":" not in found[1] and _ARGUMENT.search(found[1])]
            return len(defs) - len(bare), len(bare), bare[0] if bare else ""
        long = [line for line in lines if len(line) > self.number and "http" not in line]
        return len(lines) - len(long), len(long), long[0] if long else ""


def _indented(one: Written, width: int) -> tuple[int, int, str]:
    """Whole files only: a piece of one may begin at any depth."""
    if one.old or one.call < 0 or one.language == "go":
        return 0, 0, ""
    lines = [line for line in one.new.split("\n") if line.startswith(" ") and not line.lstrip().startswith("*")]
    bad = [line for line in lines if (len(line) - len(line.lstrip(" "))) % width]
    steps = {len(line) - len(line.lstrip(" ")) for line in lines}
    if width < 4 and lines and all(step % (2 * width) == 0 for step in steps) and len(lines) > 8:
        bad = lines
    return (len(lines) - len(bad), len(bad), bad[0] if bad else "") if len(lines) >= _LEAST_INDENTED else (0, 0, "")


_HABITS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (habit, re.compile(pattern))
    for habit, pattern in (
        ("single quotes", r"\bsingle[ -]quot(?:es?|ed)\b"),
        ("double quotes", r"\bdouble[ -]quot(?:es?|ed)\b"),
        ("semicolons", r"\bsemi-?colons?\b"),
        ("type hints", r"\btype (?:hints?|annotations?)\b"),
        ("no comments", r"\b(?:code |inline )?comments\b"),
        ("indent", r"\b(\d|two|four|eight)[ -]spaces?\b(?=.{0,20}\bindent)|\bindent\w* (?:with|by|using|of|is"
                   r"|to)?\s?(\d|two|four|eight)[ -]spaces?\b"),
        ("tabs", r"\btabs\b"),
        ("spaces", r"\bspaces\b"),
        ("line length", r"\blines?\b[^.;]{0,30}?(?:under|below|at most|no longer than|max(?:imum)?(?: of)?|to"
                        r"|within|exceed|over|longer than)\s(\d{2,3}) (?:char|col)"
                        r"|\b(\d{2,3})[ -](?:char(?:acter)?|column)s? (?:line|per line)"),
    )
)  # fmt: skip
#: Comments elsewhere, or only those of some kind: whether one is needless is for a reader to say.
_SOME_COMMENTS = re.compile(
    r"\b(?:prs?|review|issue|github|existing|delet\w*|remov\w*|todo|unnecessary|redundant|obvious|excessive|many"
    r"|useless|verbose|trivial|unneeded|self-explanatory|that|which|about|change|in)\b"
)
_WIDTHS = {"two": 2, "four": 4, "eight": 8}
_STATED = words("use using with prefer indent keep add write put end omit no without avoid never always format")


def styles(rule: Rule) -> Iterator[Style]:
    """What a rule says of how lines of code are written."""
    if rule.is_asked or not _STATED.intersection(rule.body.split()):
        return
    for habit, pattern in _HABITS:
        found = pattern.search(rule.body)
        if found is None:
            continue
        number = next((group for group in found.groups() if group), "") if found.groups() else ""
        negated = _clause_negated(rule, found)
        made = _habit(habit, number, negated=negated, rule=rule)
        if made:
            yield made
            return


def _habit(habit: str, number: str, *, negated: bool, rule: Rule) -> Style | None:
    language = named_language(rule.body)
    if habit == "no comments":
        wanted = negated and re.search(r"\b(?:add|write|include|leave|put|code|no|without)\b", rule.body)
        plain = not _SOME_COMMENTS.search(rule.body)
        return Style(habit, language=language) if wanted and plain else None
    if habit in {"indent", "line length"}:
        size = _WIDTHS.get(number) or int(number or 0)
        return Style(habit, size, language) if size else None
    opposite = {"single quotes": "double quotes", "double quotes": "single quotes", "semicolons": "no semicolons"}
    opposite |= {"tabs": "spaces", "spaces": "tabs"}
    if habit in {"tabs", "spaces"} and not re.search(
        r"\bindent|\Ause (?:tabs|spaces)\b(?! to| for (?!ind))|\btabs\b.*\bspaces\b|\bspaces\b.*\btabs\b", rule.body
    ):
        return None
    if not negated:
        return Style(habit, language=language)
    return Style(opposite[habit], language=language) if habit in opposite else None


def _clause_negated(rule: Rule, found: re.Match[str]) -> bool:
    clauses = re.split(r"[,;.]|\bbut\b", rule.body[: found.start()])
    if re.search(r"\b(?:instead of|rather than|over|not|no|without|avoid|never|don't|do not|omit|skip)\b", clauses[-1]):
        return True
    return rule.forbids and len(clauses) == 1
