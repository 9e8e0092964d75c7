"""Places in files that lines speak of, so that a failure's place stays visible when its words do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.curation.gaps import fitted
from clew.curation.lines import VITAL, Line, chosen, ranked, scanned

#: path.ext:12 and path.ext(12,3); File "path", line 12. A name is bounded, so that no line is read twice over.
_PLACE = re.compile(
    r"([\w@~+%$./\\-]{1,200}\.[A-Za-z][\w+]{0,9})(?::|\()(\d{1,7})\b|"
    r'File "([^"\n]{1,300})", line (\d{1,7})|\bin ([\w./\\-]{1,200}\.\w{1,9}) on line (\d{1,7})'
)
#: Share of the limit that the list of further places may take.
_SHARE = 4


def places(line: str) -> Iterator[tuple[str, str]]:
    """Paths with a line number."""
    for found in _PLACE.finditer(scanned(line)[:800]):
        path, number = next(pair for pair in zip(found.groups()[::2], found.groups()[1::2], strict=True) if pair[0])
        yield path, number


def fitted_with_places(lines: Sequence[Line], limit: int) -> str:
    """The lines that fit; of failures that do not, at least the places."""
    kept = chosen(lines, limit, ranks=ranked(lines))
    vital = [line for line in lines if line.weight >= VITAL]
    if all(at in kept for at, line in enumerate(lines) if line.weight >= VITAL):
        return fitted(lines, limit)
    shown = fitted(lines, limit * (_SHARE - 1) // _SHARE)
    further = _further(vital, shown, limit // _SHARE)
    return f"{shown}\n{further}" if further else shown


def _further(vital: Sequence[Line], shown: str, limit: int) -> str:
    """ "also at a.go:12,80; b.go:3", as far as the limit goes."""
    found: dict[str, list[str]] = {}
    for line in vital:
        for path, number in places(line.text):
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
