"""Output of any command, and anything else: failures, totals, both ends, and every form of line at least once."""

from __future__ import annotations

from clew.curation.line_rules import FAILURE_RULES, LineRule, LineRules, weigh_lines
from clew.curation.lines import FILLER, MAX_LINE, NOISE, SILENT, STRONG, USEFUL, demote_repeats
from clew.curation.reducers import jsons, prose
from clew.curation.stack_traces import fit_lines_with_locations, weigh_stack_frames

_RULES = (
    LineRules(
        LineRule(r"^commit [0-9a-f]{7,}|^\*? ?[0-9a-f]{7,12} \S|^(?:\* |\+ )\S", USEFUL + 1),
        LineRule(r"^(?:Author|AuthorDate|Committer|CommitDate|Merge|Date): ", FILLER, "authors and dates"),
        LineRule(
            r"^\s*(?:modified|deleted|new file|renamed|both modified):|^[ MADRCU?]{2} \S|^(?:On branch|HEAD) ", USEFUL
        ),
        LineRule(r"^[─━═_*=-]{8,}$", NOISE, SILENT),
        LineRule(r"^\s*(?:exit|status|state|result|version|error)\b(?: \w+)?\s*[:=]", STRONG - 1),
    )
    + FAILURE_RULES
    + LineRules(LineRule(r"[a-z]_[a-z]|[a-z][A-Z][a-z]|\b[0-9a-f]{7,}\b|[\w-]/[\w-]+\.\w{1,5}\b", USEFUL - 1))
)


def reduce(text: str, limit: int) -> str:
    """Failures and totals first; text that is prose or JSON is reduced as such."""
    lines = text.split("\n")
    if prose.share_of_prose(lines[:400]) > 0.5:
        return prose.reduce(text, limit)
    if shape := jsons.reduce(text, limit):
        return shape
    lines = _with_json_shapes(lines, limit)
    return fit_lines_with_locations(demote_repeats(weigh_stack_frames(weigh_lines(lines, _RULES))), limit)


def _with_json_shapes(lines: list[str], limit: int) -> list[str]:
    """Long lines that are JSON, by their shape instead of their beginning and end; they share the room."""
    long = sum(1 for line in lines if _is_long_json(line))
    share = max(MAX_LINE, limit * 3 // 4 // max(long, 1))
    return [row for line in lines for row in (_shape_of(line, share) if _is_long_json(line) else (line,))]


def _is_long_json(line: str) -> bool:
    return len(line) > 2 * MAX_LINE and line[0] in "{["


def _shape_of(line: str, limit: int) -> list[str]:
    return (jsons.reduce(line, limit) or line).split("\n")
