"""What a line is worth, told by tables of patterns: the first rule of a table that fits a line decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import re2

from clew.curation.lines import NOISE, PLAIN, STRONG, USEFUL, VITAL, Line, is_progress, scanned, template

#: "web-1  | ", "[lint] ", "@org/core build: ": worth stripping when several lines have it.
_TASK = r"(?!Tests? )[@\w][\w./@-]{0,60} [\w:.-]{1,30}: "
_PREFIX = re.compile(rf"\[[\w:.@/-]{{1,40}}\] |[\w.-]{{1,40}} +\| |{_TASK}(?:{_TASK})?")
_ALARM = re.compile(r"(?i)err|fail|warn|fatal|panic|exception|test result")
_MIN_PREFIXED = 3
#: Room for the states of a table; with less they are thrown away and worked out again all the time.
_MAX_MEMORY = 16 << 20


@dataclass(frozen=True, slots=True)
class Rule:
    """Lines with this pattern have this weight; ``follow`` lines after it, up to a blank one, are nearly worth it.

    ``noise`` is what such lines are called when they are left out.
    """

    pattern: str
    weight: int
    noise: str = ""
    follow: int = 0


class Rules:
    """A table of rules, matched all at once in time linear in the line."""

    def __init__(self, *rules: Rule) -> None:
        self._rules = rules
        options = re2.Options()
        options.max_mem = _MAX_MEMORY
        self._set = re2.Set.SearchSet(options)
        for rule in rules:
            self._set.Add(rule.pattern)
        self._set.Compile()

    def first(self, line: str) -> Rule | None:
        found = self._set.Match(scanned(line).encode())
        return self._rules[min(found)] if found else None

    def __add__(self, other: Rules) -> Rules:
        return Rules(*self._rules, *other._rules)


def weighed(lines: Sequence[str], rules: Rules, *, otherwise: int = PLAIN) -> list[Line]:
    """Every line with its weight; what follows a failure belongs to it."""
    out: list[Line] = []
    left = lent = 0
    prefixes = _prefixes(lines)
    bare = {prefix.rstrip() for prefix in prefixes}
    for text in lines:
        if not text or text in bare:
            left = 0
            out.append(Line("", otherwise))
            continue
        line, rule = _one(text, _without(prefixes, text) if prefixes else text, rules, otherwise)
        left -= 1
        if rule is not None and rule.follow:
            left, lent = rule.follow, rule.weight - 1
        elif left >= 0 and line.weight != NOISE:
            line = line._replace(weight=max(line.weight, lent))
        out.append(line)
    return out


def without_prefixes(lines: Sequence[str]) -> list[str]:
    """The lines without what task runners and containers put before each line of what they run."""
    prefixes = _prefixes(lines)
    return [_without(prefixes, line) for line in lines] if prefixes else list(lines)


def _prefixes(lines: Sequence[str]) -> tuple[str, ...]:
    found = Counter(match[0] for line in lines if (match := _PREFIX.match(line)))
    return tuple(
        sorted(prefix for prefix, count in found.items() if count >= _MIN_PREFIXED and not _ALARM.search(prefix))
    )


def _without(prefixes: tuple[str, ...], line: str) -> str:
    return next((line[len(prefix) :] for prefix in prefixes if line.startswith(prefix)), line)


def _one(text: str, said: str, rules: Rules, otherwise: int) -> tuple[Line, Rule | None]:
    rule = rules.first(said)
    if rule is None and is_progress(text):
        return Line(text, NOISE, noise="progress"), None
    weight = otherwise if rule is None else rule.weight
    group = template(text) if weight >= USEFUL else ""
    return Line(text, weight, group, rule.noise if rule else ""), rule


#: Where something went wrong, in whatever program said so. Counts of nothing are no failure.
FAILURES = Rules(
    Rule(r"(?i)\b(?:0|no|without) (?:errors?|failures?|failed|warnings?|problems?|issues?)\b", USEFUL),
    Rule(r"(?i)^\s*(?:exit(?:ed)? (?:code|status|with)|process exited|command (?:failed|exited))", STRONG),
    Rule(r"^\s*(?:[\w.$]*(?:Error|Exception|Panic|Failure)\b(?::|$)|Caused by:|Uncaught )", VITAL, follow=3),
    Rule(
        r"^(?:\S+\s){0,3}?\S*[\w\-]\.\w+[:(]\d+(?:[:,]\d+)?\)?:?\s.*?(?i:error|fatal|undefined|cannot)",
        VITAL,
        follow=3,
    ),
    Rule(
        r"(?i)^\W{0,8}(?:\[?[\w./@-]+\]?:? )?\W{0,4}"
        r"(?:error|fatal|panic|fail(?:ed|ure|ures)?|exception|critical|abort(?:ed)?|err!|traceback)\b",
        VITAL,
        follow=3,
    ),
    Rule(
        r"(?i)\b(?:error|errors|fatal|panic(?:ked)?|exception|failed|failure|traceback|segmentation fault|core dumped|"
        r"cannot|could not|couldn't|unable to|not found|no such file|permission denied|refused|timed out|undefined|"
        r"unresolved|unexpected|invalid|conflict|denied|killed|out of memory|deadlock)\b",
        STRONG,
    ),
    Rule(r"(?i)\b(?:warning|warn|deprecated|caution)\b", USEFUL),
    Rule(r"(?i)^\W{0,6}(?:total|summary|result|results|done|finished|completed|success|succeeded|ok|passed)\b", USEFUL),
    Rule(
        r"(?i)\b\d+ (?:passed|failed|errors?|warnings?|files?|changed|insertions?|deletions?|packages?|tests?)\b",
        USEFUL,
    ),
    Rule(r"^\s*(?:\$|>>>|#{1,6}) \S|^={3,} .* ={3,}$|^-{3,} .* -{3,}$|^\S.*:$", USEFUL),
    Rule(r"[\w\-]\.\w+:\d+\b|https?://\S", USEFUL - 1),
)
