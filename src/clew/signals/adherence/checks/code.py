"""Code: how new lines are written, and idioms that must not come in. Lines are counted by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.signals.adherence.checks.rows import Row, of_work
from clew.signals.adherence.checks.rule import RuleSentence
from clew.signals.adherence.checks.turn import KEPT, NOTHING, CheckedTurn, Judgement
from clew.signals.adherence.checks.work import LANGUAGES

#: So many of all lines have to speak against a habit.
_SHARE = 0.7

_SINGLE, _DOUBLE = r"(?<![\w'])'[^'\"\n\\]{1,80}'(?!\w)", r'(?<![\w"])"[^\'"\n\\]{1,80}"(?!")'
_PLAIN = r"^(?!\s*(?:<|\*|#|//|\"\"\"|'''))"
_STATEMENT = r"^\s*(?:(?:const|let|var|return|import|export \{|throw|await)\b.*[\w)\]'\"`]|[\w.]+\(.*\))"
_COMMENT = (
    r"^\s*(?!#!|//\s*(?:eslint|@ts|go:|nolint|prettier|biome)|#\s*(?:noqa|type:|pylint|ruff|fmt|mypy|include|define|if"
    r"|endif|pragma|region))(?://|#|/\*|<!--|--\s)\s*\w"
)
#: Said of indentation, or of one against the other, or of nothing else.
_INDENT = (
    r"\A(?=.*\bindent|.*\btabs\b.*\bspaces\b|.*\bspaces\b.*\btabs\b|\W*(?:\w+ ){0,3}(?:tabs|spaces)\W*\Z)"
    r"(?!.*\d[ -]space).*?"
)
_DEF = r"^\s*(?:async )?def\s+\w+\("
#: Go is indented in one way only.
_INDENTED = " ".join(sorted({*LANGUAGES.values()} - {"go"}))
#: How rules call a habit, its languages, and how lines look that keep it and that break it. Forbidding a habit asks for
#: its opposite.
_HABITS: tuple[tuple[str, str, str, str], ...] = (
    (r"\bsingle[ -]quot(?:es?|ed)\b", "js ts python ruby php", _PLAIN + ".*?" + _SINGLE, _PLAIN + ".*?" + _DOUBLE),
    (r"\bdouble[ -]quot(?:es?|ed)\b", "js ts python ruby php", _PLAIN + ".*?" + _DOUBLE, _PLAIN + ".*?" + _SINGLE),
    (r"\bsemi-?colons?\b", "js ts", _STATEMENT + r";\s*$", _STATEMENT + r"\s*$"),
    (rf"{_INDENT}\btabs\b", _INDENTED, r"^\t", r"^ {2}"),
    (rf"{_INDENT}\bspaces\b", _INDENTED, r"^ {2}", r"^\t"),
    (r"\btype (?:hints?|annotations?)\b", "python", _DEF + r"(?:[^()]*:|.*->|\s*(?:self|cls)?\s*\))",
     _DEF + r"(?!\s*(?:self|cls)?\s*\))[^():]*\)\s*:"),
)  # fmt: skip
#: How people call an idiom, how it looks, and the languages it is found in.
_IDIOMS: tuple[tuple[str, str, str], ...] = (
    (r"any\b(?= types?\b| in t|\s*$|[.,])|type any\b", r"[:<,|(]\s*any\b|\bas any\b", "ts"),
    (r"var\b", r"^\s*var\s+\w", "js ts"),
    (r"console\.?\s?logs?\b", r"\bconsole\.log\(", "js ts"),
    (r"print statements?\b|print\(\)|prints\b", r"^\s*print\(", "python"),
    (r"default exports?\b", r"^\s*export default\b", "js ts"),
    (r"(?:wildcard|star) imports?\b", r"^\s*(?:from\s+\S+\s+import\s+\*|import\s+(?:\*\s+from|[\w.]+\.\*;))", ""),
    (r"relative imports?\b", r"^\s*(?:from\s+\.|import\b.*from\s+['\"]\.)|require\(['\"]\.", "python js ts"),
    (r"bare excepts?\b", r"^\s*except\s*:", "python"),
    (r"unwrap\b", r"\.unwrap\(\)", "rust"),
    (r"(?:eslint-disable|@?ts-ignore)\b", r"eslint-disable|@ts-ignore", "js ts"),
    (r"todo comments?\b|todos\b", r"(?://|#)\s*TODO\b", ""),
    (r"(?:code |inline )?comments(?: (?:to|in) (?:the |your |my )?code)?\W*$", _COMMENT, ""),
)  # fmt: skip
_AVOID = r"(?:ever )?(?:(?:us|add|leav|writ|introduc|put|hav|includ)\w*\s+(?:in )?)?(?P<what>.+)"
_RATHER = r"(?:, (?:and |but )?(?:never|not|no)|\b(?:instead of|rather than|over)) (?P<what>.+)"
_LINE_LENGTH = (
    r"\blines?\b[^.;]{0,30}?(?:under|below|at most|than|max(?:imum)?(?: of)?|to|within|exceed|over)\s"
    r"(\d{2,3}) (?:char|col)|\b(\d{2,3})[ -](?:char(?:acter)?|column)s? (?:line|per line)"
)

_LANGUAGES = re.compile(r"\b(python|py|typescript|tsx?|javascript|jsx?|golang|rust|java|ruby|php|css|sql)\b")


def named_language(body: str) -> str:
    """The one language that a rule is for; empty for all."""
    match = _LANGUAGES.search(body)
    return LANGUAGES[match[1]] if match else ""


def judge_lines(turn: CheckedTurn, forbidden: bool, good: str, bad: str, languages: str, least: int) -> Judgement:
    """New lines look one way and not the other, or the other way round where that is forbidden: so many that do not,
    and most of all, are a breach."""
    good, bad = (bad, good) if forbidden else (good, bad)
    lines = list(_lines(turn, languages, with_tests=least > 1))
    kept = sum(1 for _, line in lines if good and re.search(good, line))
    broken = [(call, line) for call, line in lines if re.search(bad, line)]
    if not broken:
        return KEPT if kept or (lines and least == 1) else NOTHING
    sure = least == 1 or (len(broken) >= least and len(broken) / (kept + len(broken)) > _SHARE)
    return Judgement(0.1 if sure else 0.5, sure=sure, evidence=broken[0][1].strip(), call=broken[0][0])


def _lines(turn: CheckedTurn, languages: str, *, with_tests: bool) -> Iterator[tuple[int, str]]:
    """New lines of code in those languages, in all without any."""
    for code in turn.work.code:
        is_meant = with_tests or not re.search(r"(?i)\btests?\b|\bspec\b|test_", code.path)
        if is_meant and (not languages or code.language in languages.split()):
            yield from ((code.call, line) for line in code.added_lines)


def _idiom(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[str, str, str, int]]:
    what = re.sub(r"«\d+»", lambda mark: rule.quote(mark[0]).lower(), match["what"])
    for text in (what, re.sub(r"^(?:(?:any|the|stray|debug|more) )+", "", what)):
        for called, looks, languages in _IDIOMS:
            if re.match(called, text):
                yield looks, "", languages, 1
                return


def _line_length(rule: RuleSentence, match: re.Match[str]) -> Iterator[tuple[bool, str, str, str, int]]:
    yield False, "", rf"^(?!.*http).{{{int(match[1] or match[2]) + 1},}}", named_language(rule.body), 1


def _habit_row(asks: str, languages: str, good: str, bad: str) -> Row:
    def read(rule: RuleSentence, _: re.Match[str]) -> Iterator[tuple[str, str, str, int]]:
        named = named_language(rule.body)
        if not named or named in languages.split():
            yield good, bad, named or languages, 3

    return Row(asks, judge_lines, read, of_work, "+-", is_told=True, group=good + bad)


ROWS = (
    *(_habit_row(*row) for row in _HABITS),
    Row(_AVOID, judge_lines, _idiom, of_work, is_told=True, at_head=True, group="name"),
    Row(_RATHER, judge_lines, _idiom, of_work, "-", is_told=True, group="name"),
    Row(_LINE_LENGTH, judge_lines, _line_length, of_work, "+-"),
)
