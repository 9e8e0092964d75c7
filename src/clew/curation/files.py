"""Files that were read, when an epoch ends, and the echo of edits: what is there, not how it is written."""

from __future__ import annotations

from clew.curation import grammars, jsons, logs, outlines, prose
from clew.curation.gaps import fitted
from clew.curation.lines import PLAIN, STRONG, USEFUL, Line, without_repeats
from clew.curation.numbering import Source, source
from clew.curation.weighing import FAILURES, weighed

_PROSE = frozenset({"md", "mdx", "rst", "txt", "adoc", "org", "tex"})
_DATA = frozenset({"csv", "tsv", "log", "lock", "sum", "snap", "map", "svg"})


def reduced(text: str, limit: int, *, path: str = "", first: int = 0) -> str:
    """A file by what it is: an outline of code, the shape of data, the sentences of prose."""
    ending = path.rsplit(".", 1)[-1].lower() if "." in path else ""
    found = source(text.rstrip("\n").split("\n"), first)
    whole = "\n".join(found.lines)
    if ending == "log" or logs.share_of_stamped(found.lines[:200]) > 0.6:
        return logs.reduced(whole, limit)
    if shape := jsons.reduced(whole, limit):
        return shape
    if ending in _PROSE or (ending not in grammars.ENDINGS and prose.share_of_prose(found.lines[:400]) > 0.5):
        return prose.reduced(_numbered_headings(found), limit)
    outline = None if ending in _DATA else outlines.reduced(found, limit, language=ending)
    return outline or fitted(without_repeats(weighed(text.split("\n"), FAILURES)), limit)


def _numbered_headings(found: Source) -> str:
    """Headings with the line they stand on, so that the section can be read again."""
    if not found.first:
        return "\n".join(found.lines)
    rows = enumerate(found.lines, found.first)
    return "\n".join(f"{line}  (line {at})" if line.startswith("#") else line for at, line in rows)


def edit_reduced(text: str, limit: int) -> str:
    """What an edit's echo says of it; of the lines shown, those that define something and the ends."""
    lines = text.split("\n")
    found = source(lines)
    if not found.above and not found.first:
        return fitted(without_repeats(weighed(lines, FAILURES, otherwise=PLAIN)), limit)
    out = [Line(line, STRONG) for line in found.above]
    for at, line in enumerate(found.lines, found.first):
        weight = USEFUL if outlines.is_definition(line[:400]) else PLAIN
        out.append(Line(f"{at} {line}", weight if line.strip() else 0))
    out += [Line(line, STRONG) for line in found.below]
    return fitted(out, limit)
