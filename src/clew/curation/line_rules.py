"""Rules that give lines their weights by pattern: of a table, the first rule that matches a line decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import re2

from clew.curation.lines import NOISE, PLAIN, STRONG, USEFUL, VITAL, WeightedLine, is_progress, scan_prefix, template

#: "web-1  | ", "[lint] ", "@org/core build: ": worth stripping when several lines have it.
TASK_PREFIX = r"(?!Tests? )[@\w][\w./@-]{0,60} [\w:.-]{1,30}: "
_PREFIX = re.compile(rf"\[[\w:.@/-]{{1,40}}\] |[\w.-]{{1,40}} +\| |{TASK_PREFIX}(?:{TASK_PREFIX})?")
_ALARM = re.compile(r"(?i)err|fail|warn|fatal|panic|exception|test result")
_MIN_PREFIXED = 3
#: Room for the states of a table; with less they are thrown away and worked out again all the time.
_MAX_MEMORY = 16 << 20


@dataclass(frozen=True, slots=True)
class LineRule:
    """Lines with this pattern have this weight; ``follow`` lines after it, up to a blank one, are nearly worth it.

    ``label`` is what such lines are called when they are left out.
    """

    pattern: str
    weight: int
    label: str = ""
    follow: int = 0


class LineRules:
    """A table of rules; all are matched at once, in time linear in the line."""

    def __init__(self, *rules: LineRule) -> None:
        self._rules = rules
        options = re2.Options()
        options.max_mem = _MAX_MEMORY
        self._set = re2.Set.SearchSet(options)
        for rule in rules:
            self._set.Add(rule.pattern)
        self._set.Compile()

    def first_match(self, line: str) -> LineRule | None:
        """The first rule of the table that the line matches."""
        match = self._set.Match(scan_prefix(line).encode())
        return self._rules[min(match)] if match else None

    def __add__(self, other: LineRules) -> LineRules:
        return LineRules(*self._rules, *other._rules)


def weigh_lines(lines: Sequence[str], rules: LineRules, *, otherwise: int = PLAIN) -> list[WeightedLine]:
    """Every line with its weight; what follows a failure belongs to it."""
    out: list[WeightedLine] = []
    left = follow_weight = 0
    prefixes = _prefixes(lines)
    bare = {prefix.rstrip() for prefix in prefixes}
    for text in lines:
        if not text or text in bare:
            left = 0
            out.append(WeightedLine("", otherwise))
            continue
        line, rule = _weigh_line(text, _without_prefix(prefixes, text) if prefixes else text, rules, otherwise)
        left -= 1
        if rule is not None and rule.follow:
            left, follow_weight = rule.follow, rule.weight - 1
        elif left >= 0 and line.weight != NOISE:
            line = line._replace(weight=max(line.weight, follow_weight))
        out.append(line)
    return out


def without_prefixes(lines: Sequence[str]) -> list[str]:
    """The lines without what task runners and containers put before each line of what they run."""
    prefixes = _prefixes(lines)
    return [_without_prefix(prefixes, line) for line in lines] if prefixes else list(lines)


def _prefixes(lines: Sequence[str]) -> tuple[str, ...]:
    counter = Counter(match[0] for line in lines if (match := _PREFIX.match(line)))
    return tuple(
        sorted(prefix for prefix, count in counter.items() if count >= _MIN_PREFIXED and not _ALARM.search(prefix))
    )


def _without_prefix(prefixes: tuple[str, ...], line: str) -> str:
    return next((line[len(prefix) :] for prefix in prefixes if line.startswith(prefix)), line)


def _weigh_line(text: str, plain: str, rules: LineRules, otherwise: int) -> tuple[WeightedLine, LineRule | None]:
    rule = rules.first_match(plain)
    if rule is None and is_progress(text):
        return WeightedLine(text, NOISE, label="progress"), None
    weight = otherwise if rule is None else rule.weight
    group = template(text) if weight >= USEFUL else ""
    return WeightedLine(text, weight, group, rule.label if rule else ""), rule


#: Where something went wrong, in whatever program said so. Counts of nothing are no failure.
FAILURE_RULES = LineRules(
    LineRule(r"(?i)\b(?:0|no|without) (?:errors?|failures?|failed|warnings?|problems?|issues?)\b", USEFUL),
    LineRule(r"(?i)^\s*(?:exit(?:ed)? (?:code|status|with)|process exited|command (?:failed|exited))", STRONG),
    LineRule(r"^\s*(?:[\w.$]*(?:Error|Exception|Panic|Failure)\b(?::|$)|Caused by:|Uncaught )", VITAL, follow=3),
    LineRule(
        r"^(?:\S+\s){0,3}?\S*[\w\-]\.\w+[:(]\d+(?:[:,]\d+)?\)?:?\s.*?(?i:error|fatal|undefined|cannot)",
        VITAL,
        follow=3,
    ),
    LineRule(
        r"(?i)^\W{0,8}(?:\[?[\w./@-]+\]?:? )?\W{0,4}"
        r"(?:error|fatal|panic|fail(?:ed|ure|ures)?|exception|critical|abort(?:ed)?|err!|traceback)\b",
        VITAL,
        follow=3,
    ),
    LineRule(
        r"(?i)\b(?:error|errors|fatal|panic(?:ked)?|exception|failed|failure|traceback|segmentation fault|core dumped|"
        r"cannot|could not|couldn't|unable to|not found|no such file|permission denied|refused|timed out|undefined|"
        r"unresolved|unexpected|invalid|conflict|denied|killed|out of memory|deadlock)\b",
        STRONG,
    ),
    LineRule(r"(?i)\b(?:warning|warn|deprecated|caution)\b", USEFUL),
    LineRule(
        r"(?i)^\W{0,6}(?:total|summary|result|results|done|finished|completed|success|succeeded|ok|passed)\b", USEFUL
    ),
    LineRule(
        r"(?i)\b\d+ (?:passed|failed|errors?|warnings?|files?|changed|insertions?|deletions?|packages?|tests?)\b",
        USEFUL,
    ),
    LineRule(r"^\s*(?:\$|>>>|#{1,6}) \S|^={3,} .* ={3,}$|^-{3,} .* -{3,}$|^\S.*:$", USEFUL),
    LineRule(r"[\w\-]\.\w+:\d+\b|https?://\S", USEFUL - 1),
)
