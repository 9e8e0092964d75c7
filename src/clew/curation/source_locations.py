"""Source locations (path and line number) in outputs: those of failures stay visible when their words do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.curation.line_fit import choose_lines, fit_lines, rank_lines
from clew.curation.lines import VITAL, WeightedLine, scan_prefix

#: path.ext:12 and path.ext(12,3); File "path", line 12. A name is bounded, so that no line is read twice over.
_LOCATION = re.compile(
    r"([\w@~+%$./\\-]{1,200}\.[A-Za-z][\w+]{0,9})(?::|\()(\d{1,7})\b|"
    r'File "([^"\n]{1,300})", line (\d{1,7})|\bin ([\w./\\-]{1,200}\.\w{1,9}) on line (\d{1,7})'
)
#: The list of further locations may take one part in so many of the limit.
_SHARE = 4


def locations(line: str) -> Iterator[tuple[str, str]]:
    """Paths with a line number, as compilers and runtimes write them."""
    for found in _LOCATION.finditer(scan_prefix(line)[:800]):
        path, number = next(pair for pair in zip(found.groups()[::2], found.groups()[1::2], strict=True) if pair[0])
        yield path, number


def fit_lines_with_locations(lines: Sequence[WeightedLine], limit: int) -> str:
    """The lines that fit; of failures that do not, at least the locations."""
    kept = choose_lines(lines, limit, ranks=rank_lines(lines))
    vital = [line for line in lines if line.weight >= VITAL]
    if all(at in kept for at, line in enumerate(lines) if line.weight >= VITAL):
        return fit_lines(lines, limit)
    shown = fit_lines(lines, limit * (_SHARE - 1) // _SHARE)
    further = _further_locations(vital, shown, limit // _SHARE)
    return f"{shown}\n{further}" if further else shown


def _further_locations(vital: Sequence[WeightedLine], shown: str, limit: int) -> str:
    """ "also at a.go:12,80; b.go:3", as far as the limit goes."""
    found: dict[str, list[str]] = {}
    for line in vital:
        for path, number in locations(line.text):
            if f"{path}:{number}" not in shown and number not in found.setdefault(path, []):
                found[path].append(number)
    out, left = list[str](), limit
    for path, numbers in found.items():
        one = f"{path}:{','.join(numbers)}"
        left -= len(one) + 2
        if left < 0:
            break
        if numbers:
            out.append(one)
    return f"also at {'; '.join(out)}" if out else ""
