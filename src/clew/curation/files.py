"""Files that were read, when an epoch ends, and the echo of edits: what is there, not how it is written."""

from __future__ import annotations

import re

from clew.curation import commands, grammars, jsons, logs, outlines, prose
from clew.curation.gaps import fitted
from clew.curation.lines import FILLER, NOISE, PLAIN, STRONG, USEFUL, Line, without_repeats
from clew.curation.numbering import Source, source
from clew.curation.weighing import FAILURES, weighed

_PROSE = frozenset({"md", "mdx", "rst", "adoc", "org", "tex"})
#: Anything may be kept in these: notes, or what a command said.
_PLAIN = frozenset({"txt", "out", "output", "err"})
_DATA = frozenset({"csv", "tsv", "log", "lock", "sum", "snap", "map", "svg"})
#: Shorter lines (a brace, an else) stand everywhere.
_MIN_TELLING = 6
_SNIPPET = re.compile(r"\. Here's the result of running `cat -n`[^\n]{0,60}:?$")


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
    if ending in _PLAIN:
        return commands.reduced(whole, limit)
    outline = None if ending in _DATA else outlines.reduced(found, limit, language=ending)
    return outline or fitted(without_repeats(weighed(text.split("\n"), FAILURES)), limit)


def _numbered_headings(found: Source) -> str:
    """Headings with the line they stand on, so that the section can be read again."""
    if not found.numbers:
        return "\n".join(found.lines)
    rows = zip(found.numbers, found.lines, strict=True)
    return "\n".join(f"{line}  (line {at})" if line.startswith("#") else line for at, line in rows)


def edit_reduced(text: str, limit: int, *, written: str = "") -> str:
    """What an edit's echo says of it: what was written stands in the call, so where it begins and ends is enough.

    What stands around it is new, and comes before the rest of it.
    """
    lines = text.split("\n")
    found = source(lines)
    if not found.numbers:
        return fitted(without_repeats(weighed(lines, FAILURES, otherwise=PLAIN)), limit)
    out = [Line(_SNIPPET.sub(".", line), STRONG) for line in found.above]
    out += _echoed(found, written)
    out += [Line(line, STRONG) for line in found.below]
    return fitted(out, limit)


def _echoed(found: Source, written: str) -> list[Line]:
    """Every line with its number; what was written weighs most where it begins and ends, least between."""
    new = {line for row in written.split("\n") if len(line := row.strip()) >= _MIN_TELLING}
    places = [at for at, line in enumerate(found.lines) if line.strip() in new]
    first, last = (places[0], places[-1]) if places else (len(found.lines), -1)
    out: list[Line] = []
    for at, (number, line) in enumerate(zip(found.numbers, found.lines, strict=True)):
        said = len(line.strip())
        weight = USEFUL + 1 if at in {first, last} else FILLER if first < at < last or said < _MIN_TELLING else PLAIN
        weight += 2 * outlines.is_definition(line[:400])
        out.append(Line(f"{number} {line}", weight) if said else Line("", NOISE))
    return out
