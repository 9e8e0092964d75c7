"""Output of any command, and anything else: failures, totals, both ends, and every form of line at least once."""

from __future__ import annotations

from clew.curation import jsons, prose
from clew.curation.lines import FILLER, MAX_LINE, NOISE, SILENT, STRONG, USEFUL, without_repeats
from clew.curation.places import fitted_with_places
from clew.curation.stacks import with_frames
from clew.curation.weighing import FAILURES, Rule, Rules, weighed

_RULES = (
    Rules(
        Rule(r"^commit [0-9a-f]{7,40}|^\*? ?[0-9a-f]{7,12} \S|^(?:\* |\+ )\S", USEFUL + 1),
        Rule(r"^(?:Author|AuthorDate|Committer|CommitDate|Merge|Date): ", FILLER, "authors and dates"),
        Rule(
            r"^\s*(?:modified|deleted|new file|renamed|both modified):|^[ MADRCU?]{2} \S|^(?:On branch|HEAD) ", USEFUL
        ),
        Rule(r"^[─━═_*=-]{8,}$", NOISE, SILENT),
        Rule(r"^\s*(?:exit|status|state|result|version|error)\b[^\n]{0,20}[:=]", STRONG - 1),
    )
    + FAILURES
    + Rules(Rule(r"[a-z]_[a-z]|[a-z][A-Z][a-z]|\b[0-9a-f]{7,40}\b|[\w-]/[\w-]+\.\w{1,5}\b", USEFUL - 1))
)


def reduced(text: str, limit: int) -> str:
    lines = text.split("\n")
    if prose.share_of_prose(lines[:400]) > 0.5:
        return prose.reduced(text, limit)
    if shape := jsons.reduced(text, limit):
        return shape
    lines = [_shaped(line, limit) for line in lines]
    return fitted_with_places(without_repeats(with_frames(weighed(lines, _RULES))), limit)


def _shaped(line: str, limit: int) -> str:
    """A long line that is JSON, by its shape instead of its beginning and end."""
    if len(line) <= 2 * MAX_LINE or line[0] not in "{[":
        return line
    return (jsons.reduced(line, max(MAX_LINE, limit // 8)) or line).replace("\n", " ")
