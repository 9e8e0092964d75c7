"""Lines of an output: cleaned and capped as text, and with a weight that says what each is worth to a reader.

Reducers give the weights; :mod:`clew.curation.line_fit` chooses by them, so that all reducers cut in the same way.

Line numbers that tools print before each line of a file, taken off and kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

#: "  218→text", "218\\ttext", "99:text", "12. text", " 12 | text".
_NUMBERED = re.compile(r"\s{0,10}(\d{1,7})(→|\t|: ?|\.(?= )| ?\| ?|(?=$))(.*)", re.DOTALL)
#: Weights: what goes unsaid, what fills the room, what a reader looks for, what must stay.
NOISE, FILLER, PLAIN, USEFUL, STRONG, VITAL = 0, 1, 2, 4, 7, 9

#: Longer lines are shown by their beginning and end.
MAX_LINE = 400
#: Nothing looks further into a line than this, so that one endless line costs no more than many.
_SCAN_LINE = 4_000
#: Labels of lines whose absence needs few words, or none.
BRIEF, SILENT = "…", "-"
_MIN_RUN = 4
_MAX_LINES, _MAX_ALARMS = 20_000, 2_000
_ALARM = re.compile(r"[Ee]rror|ERROR|[Ff]ail|FAIL|[Pp]anic|[Ee]xception|FATAL|[Ff]atal")

#: Lengths are bounded, so that an opening that nothing closes is given up soon.
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b\n]{0,512}(?:\x07|\x1b\\)|\x1b[ -/]{0,4}[0-~]?"
)
_UNPRINTABLE = dict.fromkeys([*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F)])
_SURROGATES = re.compile(r"[\ud800-\udfff]")
#: Counts, times and sizes. A hash or an id is no such thing: it may be the one thing that somebody asked for.
#: What stands before the first digit is looked at after it: a pattern that begins with a digit is found faster.
_VARIABLE = re.compile(r"\d(?:(?<!\w\d)\d*(?:[.:,]\d+)*(?:ms|s|m|h|%|[kKMG]?i?B)?\b|(?<=[A-Za-z_-]\d)\d{0,2}(?!\w))")
#: Bars, spinners, percentages of a download: states that the next line replaces.
_PROGRESS = re.compile(
    r"^\W{0,8}(?:\d{1,3}(?:\.\d+)?\s?%|[█▉▊▋▌▍▎▏░▒▓■□▪━─╸=#>.\-]{8,}|[⠁-⣿◐◓◑◒|/\\-]\s)"
    r"|[█▓▒░━]{4}|\b\d{1,3}%\s*[|\[(]|\|\s*\d{1,3}%|\d{1,3}%\s+\d+(?:\.\d+)?\s?[kKMG]i?B"
)


class WeightedLine(NamedTuple):
    """A line, its weight, the group in which it takes turns with others, and its label in the note of a gap."""

    text: str
    weight: int = PLAIN
    group: str = ""
    label: str = ""


def clean_lines(text: str) -> list[str]:
    """The lines as a terminal would have left them: no colours, no controls, what overwrote instead of what was."""
    text = without_surrogates(text).replace("\r\n", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():  # nearly always: no line needs a look of its own
        return [line.rstrip() for line in text.split("\n")]
    return [_clean_line(line) for line in text.split("\n")]


def without_surrogates(text: str) -> str:
    """Halves of characters, which no encoding has, are replaced; nearly no text has any."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def _clean_line(line: str) -> str:
    if line.isprintable():
        return line.rstrip()
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if part.strip()), "")
    if "\x1b" in line or "\x9b" in line:
        line = _ANSI.sub("", line)
    return line.translate(_UNPRINTABLE).rstrip()


def collapse_equal_lines(lines: Iterable[str]) -> list[str]:
    """Runs of equal lines as one with its count; blank ones say nothing the second time."""
    out: list[str] = []
    before, count = None, 0
    for line in lines:
        if line == before:
            count += 1
            out[-1] = f"{line} [×{count:,}]" if line else ""
        else:
            before, count = line, 1
            out.append(line)
    return out


def cap_lines(lines: Sequence[str]) -> list[str]:
    """As many lines as are worth weighing: both ends, and what sounds like failure between them."""
    if len(lines) <= _MAX_LINES:
        return list(lines)
    half = _MAX_LINES // 2
    alarms = [line for line in lines[half:-half] if _ALARM.search(line[:MAX_LINE])][:_MAX_ALARMS]
    left_out = len(lines) - _MAX_LINES - len(alarms)
    return [*lines[:half], f"… {left_out:,} lines …", *alarms, *lines[-half:]]


def clip(line: str, chars: int = MAX_LINE) -> str:
    """The line, or its beginning and end with what is missing between them counted."""
    if len(line) <= chars:
        return line
    head, tail = chars * 2 // 3, chars // 4
    return f"{line[:head]} …{len(line) - head - tail:,} chars… {line[-tail:]}"


def scan_prefix(line: str) -> str:
    """As much of a line as a pattern may look at."""
    return line[:_SCAN_LINE]


def template(line: str) -> str:
    """The line with numbers taken out: lines that differ in these alone are of one form."""
    return " ".join(_VARIABLE.sub("<*>", line[:MAX_LINE]).split())


def is_progress(line: str) -> bool:
    """True for bars, spinners and percentages."""
    if "%" not in line and (line.isascii() or not any(sign in line for sign in "█▓▒░━⠋")):
        return False
    return _PROGRESS.search(line[:200]) is not None


def demote_repeats(lines: Sequence[WeightedLine]) -> list[WeightedLine]:
    """Of a run of lines of one form all but the first and the last become noise; what must stay is left as it is."""
    forms = [(line.group or template(line.text)) if line.weight < STRONG else "" for line in lines]
    out, start = list(lines), 0
    while start < len(lines):
        end = start + 1
        while end < len(lines) and forms[start] and forms[end] == forms[start]:
            end += 1
        if end - start >= _MIN_RUN:
            for middle in range(start + 1, end - 1):
                if lines[middle].weight != NOISE:
                    out[middle] = lines[middle]._replace(weight=NOISE, label="like these")
        start = end
    return out


class SourceFile(NamedTuple):
    """Lines of a file, the number of each (none where nobody knows) and what stands above and below them."""

    lines: list[str]
    numbers: Sequence[int]
    above: list[str]
    below: list[str]


def parse_source(lines: Sequence[str], first: int = 0) -> SourceFile:
    """The file's own lines; numbers that count up by one are taken off, and believed where they jump."""
    matches = [_NUMBERED.fullmatch(line) for line in lines]
    starts = [index for index, match in enumerate(matches) if match]
    if len(starts) * 10 < len(lines) * 6 or not _counts_up(matches, starts):
        return SourceFile(list(lines), range(first, first + len(lines)) if first else (), [], [])
    inside, numbers = list[str](), list[int]()
    for index in range(starts[0], starts[-1] + 1):
        match = matches[index]
        inside.append(match[3] if match else lines[index])
        numbers.append(int(match[1]) if match else numbers[-1])
    return SourceFile(inside, numbers, list(lines[: starts[0]]), list(lines[starts[-1] + 1 :]))


def is_numbered(lines: Sequence[str]) -> bool:
    """True when nearly all lines begin with numbers that count up."""
    if sum(1 for line in lines if line.lstrip()[:1].isdigit()) * 10 < len(lines) * 8:
        return False
    matches = [_NUMBERED.fullmatch(line[:400]) for line in lines]
    starts = [index for index, match in enumerate(matches) if match]
    return len(starts) >= 3 and len(starts) * 10 >= len(lines) * 8 and _counts_up(matches, starts)


def _counts_up(matches: Sequence[re.Match[str] | None], starts: Sequence[int]) -> bool:
    numbers = [int(match[1]) for index in starts if (match := matches[index])]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) > 1 and steps * 10 >= (len(numbers) - 1) * 8
