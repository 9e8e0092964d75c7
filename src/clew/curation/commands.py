"""Output of any command, and anything else: failures, totals, both ends, and every form of line at least once."""

from __future__ import annotations

from clew.curation import jsons, prose
from clew.curation.lines import FILLER, MAX_LINE, NOISE, SILENT, STRONG, USEFUL, without_repeats
from clew.curation.places import fitted_with_places
from clew.curation.stacks import with_frames
from clew.curation.weighing import FAILURES, Rule, Rules, weighed

_RULES = (
    Rules(
        Rule(r"^commit [0-9a-f]{7,}|^\*? ?[0-9a-f]{7,12} \S|^(?:\* |\+ )\S", USEFUL + 1),
        Rule(r"^(?:Author|AuthorDate|Committer|CommitDate|Merge|Date): ", FILLER, "authors and dates"),
        Rule(
            r"^\s*(?:modified|deleted|new file|renamed|both modified):|^[ MADRCU?]{2} \S|^(?:On branch|HEAD) ", USEFUL
        ),
        Rule(r"^[─━═_*=-]{8,}$", NOISE, SILENT),
        Rule(r"^\s*(?:exit|status|state|result|version|error)\b(?: \w+)?\s*[:=]", STRONG - 1),
    )
    + FAILURES
    + Rules(Rule(r"[a-z]_[a-z]|[a-z][A-Z][a-z]|\b[0-9a-f]{7,}\b|[\w-]/[\w-]+\.\w{1,5}\b", USEFUL - 1))
)


def reduced(text: str, limit: int) -> str:
    lines = text.split("\n")
    if prose.share_of_prose(lines[:400]) > 0.5:
        return prose.reduced(text, limit)
    if shape := jsons.reduced(text, limit):
        return shape
    lines = _with_shapes(lines, limit)
    return fitted_with_places(without_repeats(with_frames(weighed(lines, _RULES))), limit)


def _with_shapes(lines: list[str], limit: int) -> list[str]:
    """Long lines that are JSON, by their shape instead of their beginning and end; they share the room."""
    long = sum(1 for line in lines if _is_long_json(line))
    share = max(MAX_LINE, limit * 3 // 4 // max(long, 1))
    return [row for line in lines for row in (_shaped(line, share) if _is_long_json(line) else (line,))]


def _is_long_json(line: str) -> bool:
    return len(line) > 2 * MAX_LINE and line[0] in "{["


def _shaped(line: str, limit: int) -> list[str]:
    return (jsons.reduced(line, limit) or line).split("\n")
