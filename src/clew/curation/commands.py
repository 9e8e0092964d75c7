"""Output of any command, and anything else: failures, totals, both ends, and every form of line at least once."""

from __future__ import annotations

from clew.curation import jsons, prose
from clew.curation.lines import FILLER, NOISE, STRONG, USEFUL, without_repeats
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
        Rule(r"^[─━═_*=-]{8,}$", NOISE, "rules"),
        Rule(r"^\s*(?:exit|status|state|result|version|error)\b[^\n]{0,20}[:=]", STRONG - 1),
    )
    + FAILURES
)


def reduced(text: str, limit: int) -> str:
    lines = text.split("\n")
    if prose.share_of_prose(lines[:400]) > 0.5:
        return prose.reduced(text, limit)
    if shape := jsons.reduced(text, limit):
        return shape
    return fitted_with_places(without_repeats(with_frames(weighed(lines, _RULES))), limit)
