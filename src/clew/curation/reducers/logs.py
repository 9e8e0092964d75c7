"""Log lines: failures, the first line of every form, both ends; then the forms that were repeated, with counts.

A form is what lines have in common that differ in a name or a number. A line is compared with forms of as many words
that begin alike, and with a bounded number of these, so that a log of any content takes time in proportion to its
length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from operator import eq

from clew.curation.line_fit import fit_lines
from clew.curation.line_rules import FAILURE_RULES, LineRule, LineRules, weigh_lines
from clew.curation.lines import FILLER, NOISE, PLAIN, STRONG, USEFUL, WeightedLine, clip, template
from clew.curation.stack_traces import weigh_stack_frames

#: What stands where lines of one form differ.
VARIABLE = "<*>"
#: Words at the beginning that lines of one form share; the last word of a line is never among them.
_SAME_FIRST_WORDS = 2
#: Words that a line must share with a form to be of it.
_MIN_SHARED = 0.5
#: Forms of one beginning that a line is compared with: comparing is what takes time.
_MAX_COMPARED = 12
_STAMP = re.compile(
    r"[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?\S{0,12}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|"
    r"\d\d:\d\d:\d\d(?:[.,]\d{1,6})?|\d{10,13}(?:\.\d{1,6})?)[\])]?|\[? {0,4}\d{1,7}\.\d{3,6}\]"
)
_LEVEL = re.compile(
    r"[\[(<|]?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|trace|debug|info|warn|error)[\])>|:]?\s|"
    r"time=\S|level=\w|[IWEF]\d{4} "
)
_RULES = (
    LineRules(
        LineRule(
            r"\b(?:ERROR|FATAL|CRITICAL|PANIC|SEVERE)\b|level=(?:error|fatal)|\"level\":\"(?:error|fatal)\"|^E\d{4} ",
            STRONG + 2,
            follow=2,
        ),
        LineRule(r"\bWARN(?:ING)?\b|level=warn|\"level\":\"warn|^W\d{4} ", STRONG - 1),
        LineRule(r"\b(?:TRACE|DEBUG)\b|level=(?:debug|trace)", FILLER),
    )
    + FAILURE_RULES
)
_MAX_FORMS = 12
_MIN_REPEATED = 5
_MAX_CHARS = 400


def reduce(text: str, limit: int) -> str:
    """Failures and the first of every form in their place; what was repeated is counted at the end."""
    weighted, forms = _weigh_by_form(weigh_stack_frames(weigh_lines(text.split("\n"), _RULES)))
    tail = _format_forms(forms)
    return "\n".join([fit_lines(weighted, max(limit - len(tail), limit // 2)), *([tail] if tail else [])])


def share_of_stamped(lines: Sequence[str]) -> float:
    """How much of a text begins with a time or a level."""
    filled = [line.lstrip()[:80] for line in lines if line.strip()]
    return sum(1 for line in filled if _STAMP.match(line) or _LEVEL.match(line)) / len(filled) if filled else 0.0


def _weigh_by_form(lines: Sequence[WeightedLine]) -> tuple[list[WeightedLine], list[tuple[int, str]]]:
    """Lines of a form that was seen before weigh less; and every form with how often it came."""
    forms = LineForms()
    out: list[WeightedLine] = []
    for line in lines:
        if not line.text.strip():
            out.append(line._replace(weight=NOISE))
            continue
        form = forms.count(_STAMP.sub("", line.text[:_MAX_CHARS].lstrip(), count=1))
        out.append(_weigh_occurrence(line, forms.counts[form], str(form)))
    repeated = [(count, forms.text(form)) for form, count in forms.counts.items() if count >= _MIN_REPEATED]
    return out, sorted(repeated, key=lambda form: (-form[0], form[1]))


def _weigh_occurrence(line: WeightedLine, nth: int, form: str) -> WeightedLine:
    if line.weight >= STRONG:
        return line._replace(group=form)
    if nth == 1:
        return line._replace(weight=max(line.weight, USEFUL), group="")
    return line._replace(weight=min(line.weight, PLAIN), group=form, label="of forms below")


def _format_forms(forms: Sequence[tuple[int, str]]) -> str:
    rows = [f"{count:,}× {clip(form, 160)}" for count, form in forms[:_MAX_FORMS]]
    return "\n".join([f"repeated ({len(forms):,} forms):", *rows]) if rows else ""


class LineForms:
    """Forms of the lines that were counted, and how often each came."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self._words: list[list[str]] = []
        self._of_line: dict[str, int] = {}
        self._of_beginning: dict[tuple[int | str, ...], list[int]] = {}

    def count(self, line: str) -> int:
        """The number of the line's form, which now came once more."""
        plain = template(line)
        form = self._of_line.get(plain)
        if form is None:
            form = self._of_line[plain] = self._find_or_add(plain.split())
        self.counts[form] += 1
        return form

    def text(self, form: int) -> str:
        """The form's words, with a mark for each that differs from line to line."""
        return " ".join(self._words[form])

    def _find_or_add(self, words: list[str]) -> int:
        known = self._of_beginning.setdefault(_beginning(words), [])
        nearest = max(known, key=lambda form: self._count_shared(form, words), default=None)
        if nearest is not None and self._count_shared(nearest, words) >= _MIN_SHARED * len(words):
            self._words[nearest] = _in_common(self._words[nearest], words)
            return nearest
        self._words.append(words)
        if len(known) < _MAX_COMPARED:
            known.append(len(self._words) - 1)
        return len(self._words) - 1

    def _count_shared(self, form: int, words: Sequence[str]) -> int:
        """Words that are the same; a mark is the same as a mark, where both have a number."""
        return sum(map(eq, self._words[form], words))


def _in_common(form: Sequence[str], words: Sequence[str]) -> list[str]:
    return [word if word == other else VARIABLE for word, other in zip(form, words, strict=True)]


def _beginning(words: Sequence[str]) -> tuple[int | str, ...]:
    """What lines of one form share: how many words, and the first of them, whatever numbers they hold."""
    first = words[: min(_SAME_FIRST_WORDS, len(words) - 1)]
    return (len(words), *(VARIABLE if VARIABLE in word or any(map(str.isdigit, word)) else word for word in first))
