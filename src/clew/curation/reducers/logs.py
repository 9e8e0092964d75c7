"""Log lines: failures, the first line of every form, both ends; then the forms that were repeated, with counts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.curation.line_fit import fit_lines
from clew.curation.line_forms import LineForms
from clew.curation.line_rules import FAILURE_RULES, LineRule, LineRules, weigh_lines
from clew.curation.lines import FILLER, NOISE, PLAIN, STRONG, USEFUL, WeightedLine, clip
from clew.curation.stack_traces import weigh_stack_frames

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
    found, forms = _weigh_by_form(weigh_stack_frames(weigh_lines(text.split("\n"), _RULES)))
    told = _format_forms(forms)
    return "\n".join([fit_lines(found, max(limit - len(told), limit // 2)), *([told] if told else [])])


def share_of_stamped(lines: Sequence[str]) -> float:
    """How much of a text begins with a time or a level."""
    said = [line.lstrip()[:80] for line in lines if line.strip()]
    return sum(1 for line in said if _STAMP.match(line) or _LEVEL.match(line)) / len(said) if said else 0.0


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
