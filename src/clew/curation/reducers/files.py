"""Files that were read, when an epoch ends, and the echo of edits: what is there, not how it is written."""

from __future__ import annotations

import re

from clew.curation.line_fit import fit_lines
from clew.curation.line_rules import FAILURE_RULES, weigh_lines
from clew.curation.lines import (
    FILLER,
    NOISE,
    PLAIN,
    STRONG,
    USEFUL,
    SourceFile,
    WeightedLine,
    demote_repeats,
    parse_source,
)
from clew.curation.reducers import commands, jsons, logs, outlines, prose

_PROSE = frozenset({"md", "mdx", "rst", "adoc", "org", "tex"})
#: Anything may be kept in these: notes, or what a command said.
_ANY_TEXT = frozenset({"txt", "out", "output", "err"})
_DATA = frozenset({"csv", "tsv", "log", "lock", "sum", "snap", "map", "svg"})
#: Shorter lines (a brace, an else) stand everywhere.
_MIN_CHARS = 6
_SNIPPET = re.compile(r"\. Here's the result of running `cat -n`[^\n]{0,60}:?$")


def reduce(text: str, limit: int, *, path: str = "", first: int = 0) -> str:
    """A file by what it is: an outline of code, the shape of data, the sentences of prose."""
    extension = path.rsplit(".", 1)[-1].lower() if "." in path else ""
    file = parse_source(text.rstrip("\n").split("\n"), first)
    whole = "\n".join(file.lines)
    if extension == "log" or logs.share_of_stamped(file.lines[:200]) > 0.6:
        return logs.reduce(whole, limit)
    if shape := jsons.reduce(whole, limit):
        return shape
    if extension in _PROSE or (extension not in outlines.EXTENSIONS and prose.share_of_prose(file.lines[:400]) > 0.5):
        return prose.reduce(_numbered_headings(file), limit)
    if extension in _ANY_TEXT:
        return commands.reduce(whole, limit)
    outline = None if extension in _DATA else outlines.reduce(file, limit, language=extension)
    return outline or fit_lines(demote_repeats(weigh_lines(text.split("\n"), FAILURE_RULES)), limit)


def _numbered_headings(file: SourceFile) -> str:
    """Headings with the line they stand on, so that the section can be read again."""
    if not file.numbers:
        return "\n".join(file.lines)
    rows = zip(file.numbers, file.lines, strict=True)
    return "\n".join(f"{line}  (line {number})" if line.startswith("#") else line for number, line in rows)


def reduce_edit(text: str, limit: int, *, written: str = "") -> str:
    """What an edit's echo says of it: what was written stands in the call, so where it begins and ends is enough.

    What stands around it is new, and comes before the rest of it.
    """
    lines = text.split("\n")
    file = parse_source(lines)
    if not file.numbers:
        return fit_lines(demote_repeats(weigh_lines(lines, FAILURE_RULES, otherwise=PLAIN)), limit)
    out = [WeightedLine(_SNIPPET.sub(".", line), STRONG) for line in file.above]
    out += _weigh_echo(file, written)
    out += [WeightedLine(line, STRONG) for line in file.below]
    return fit_lines(out, limit)


def _weigh_echo(file: SourceFile, written: str) -> list[WeightedLine]:
    """Every line with its number; what was written weighs most where it begins and ends, least between."""
    new = {line for row in written.split("\n") if len(line := row.strip()) >= _MIN_CHARS}
    places = [index for index, line in enumerate(file.lines) if line.strip() in new]
    first, last = (places[0], places[-1]) if places else (len(file.lines), -1)
    out: list[WeightedLine] = []
    for index, (number, line) in enumerate(zip(file.numbers, file.lines, strict=True)):
        chars = len(line.strip())
        weight = (
            USEFUL + 1 if index in {first, last} else FILLER if first < index < last or chars < _MIN_CHARS else PLAIN
        )
        weight += 2 * outlines.is_definition(line[:400])
        out.append(WeightedLine(f"{number} {line}", weight) if chars else WeightedLine("", NOISE))
    return out
