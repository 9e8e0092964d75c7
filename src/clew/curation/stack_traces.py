"""Stack traces: the frames nearest to the failure and in the project's own code stay, the rest is counted. Source
locations (path and line number) of failures stay visible when their words do not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.curation.line_fit import choose_lines, fit_lines, rank_lines
from clew.curation.lines import FILLER, STRONG, USEFUL, VITAL, WeightedLine, scan_prefix

#: path.ext:12 and path.ext(12,3); File "path", line 12. A name is bounded, so that no line is read twice over.
_LOCATION = re.compile(
    r"([\w@~+%$./\\-]{1,200}\.[A-Za-z][\w+]{0,9})(?::|\()(\d{1,7})\b|"
    r'File "([^"\n]{1,300})", line (\d{1,7})|\bin ([\w./\\-]{1,200}\.\w{1,9}) on line (\d{1,7})'
)
#: The list of further locations may take one part in so many of the limit.
_SHARE = 4
#: How many frames are worth a look.
_NEAR_FRAMES = 3
_PYTHON = re.compile(r'\s{0,40}File "[^"\n]{1,300}", line \d+')
_AT = re.compile(r"\s{0,40}at (?:async )?\S")
_GO_FILE = re.compile(r"\t\S{1,300}\.go:\d+(?: \+0x[0-9a-f]+)?$")
#: One look at a line that is none of these, as nearly all are.
_FRAME = re.compile(r'\s{0,40}(?:File "|at \S|at async |\S{1,300}\.go:\d)')
_LIBRARY = re.compile(
    r"site-packages|node_modules|node:|internal/|dist-packages|/usr/lib|\bjava\.base|\bsun\.|\bjdk\.|org\.junit|"
    r"org\.gradle|/go/src/|/libexec/|/rustc/|<frozen |/lib/python"
)
_RAISED = re.compile(r"\s{0,40}[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt|Warning|Failed)?(?::|$)")


def weigh_stack_frames(lines: Sequence[WeightedLine]) -> list[WeightedLine]:
    """The lines, with stack frames weighed by how near to the failure they are."""
    out, index = list(lines), 0
    while index < len(out):
        if not _FRAME.match(out[index].text):
            index += 1
        elif _PYTHON.match(out[index].text):
            index = _weigh_python_frames(out, index)
        elif _AT.match(out[index].text) or _GO_FILE.match(out[index].text):
            index = _weigh_frames_downwards(out, index)
        else:
            index += 1
    return out


def _weigh_python_frames(lines: list[WeightedLine], start: int) -> int:
    """Innermost last: frames from ``start`` on, each with its source below, then what was raised."""
    frames, index = list[int](), start
    while index < len(lines) and lines[index].text.startswith((" ", "\t", "|")):
        if _PYTHON.match(lines[index].text):
            frames.append(index)
        index += 1
    own = [frame for frame in frames if not _LIBRARY.search(lines[frame].text)]
    near = {*frames[-1:], *(own or frames)[-_NEAR_FRAMES:]}
    for first, last in zip(frames, [*frames[1:], index], strict=True):
        _set_weight(lines, range(first, last), STRONG if first in near else FILLER)
    if index < len(lines) and _RAISED.match(lines[index].text):
        lines[index] = lines[index]._replace(weight=VITAL)
        index += 1
    return index


def _weigh_frames_downwards(lines: list[WeightedLine], start: int) -> int:
    """Innermost first, as JavaScript, Java, C# and Go have it; Go names the function on the line above."""
    go = _GO_FILE.match(lines[start].text) is not None
    pattern, step = (_GO_FILE, 2) if go else (_AT, 1)
    frames, index = [start], start + step
    while index < len(lines) and pattern.match(lines[index].text):
        frames.append(index)
        index += step
    own = [frame for frame in frames if not _LIBRARY.search(lines[frame].text)]
    near = {*(own or frames)[:_NEAR_FRAMES], frames[0]}
    for frame in frames:
        below = range(max(0, frame - step + 1), frame + 1)
        _set_weight(lines, below, STRONG if frame in near else FILLER)
    return frames[-1] + 1


def _set_weight(lines: list[WeightedLine], which: range, weight: int) -> None:
    label = "" if weight >= USEFUL else "frames"
    for index in which:
        lines[index] = lines[index]._replace(weight=weight, group="", label=label)


def locations(line: str) -> Iterator[tuple[str, str]]:
    """Paths with a line number, as compilers and runtimes write them."""
    for match in _LOCATION.finditer(scan_prefix(line)[:800]):
        path, number = next(pair for pair in zip(match.groups()[::2], match.groups()[1::2], strict=True) if pair[0])
        yield path, number


def fit_lines_with_locations(lines: Sequence[WeightedLine], limit: int) -> str:
    """The lines that fit; of failures that do not, at least the locations."""
    kept = choose_lines(lines, limit, ranks=rank_lines(lines))
    vital = [line for line in lines if line.weight >= VITAL]
    if all(index in kept for index, line in enumerate(lines) if line.weight >= VITAL):
        return fit_lines(lines, limit)
    shown = fit_lines(lines, limit * (_SHARE - 1) // _SHARE)
    further = _further_locations(vital, shown, limit // _SHARE)
    return f"{shown}\n{further}" if further else shown


def _further_locations(vital: Sequence[WeightedLine], shown: str, limit: int) -> str:
    """ "also at a.go:12,80; b.go:3", as far as the limit goes."""
    places: dict[str, list[str]] = {}
    for line in vital:
        for path, number in locations(line.text):
            if f"{path}:{number}" not in shown and number not in places.setdefault(path, []):
                places[path].append(number)
    out, left = list[str](), limit
    for path, numbers in places.items():
        location = f"{path}:{','.join(numbers)}"
        left -= len(location) + 2
        if left < 0:
            break
        if numbers:
            out.append(location)
    return f"also at {'; '.join(out)}" if out else ""
