"""What was read again after a compaction: outputs that show lines which the same look had shown before it.

Lines count where six or more in a row are the same as before, and where that row stands only once in either output:
pieces of code resemble each other. Of a shorter output, all lines must be the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from clew.audit.compactions import CompactedSpan
from clew.audit.needed_units import WINDOW_MESSAGES
from clew.audit.shown_text import looked_at, output_text, plain_lines
from clew.domain import Call, Message
from clew.ports import TokenCounter

_ROW = 6
#: Less than this is not worth a line of a report.
_LEAST_TOKENS = 40

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """An output after a compaction. ``lines`` are those it shows again, ``of`` counts all it has, and ``earlier`` has
    the messages that had shown them before, those that had most first, each with a line of them.
    """

    subject: str
    number: int
    earlier: tuple[tuple[int, str], ...]
    lines: tuple[str, ...]
    of: int
    tokens: int


def read_again(span: CompactedSpan, count: TokenCounter, *, root: str = "") -> list[Reread]:
    """Finds what the messages behind a compaction read again of what had been read since the one before it."""
    before, after, rereads = _Looks(root), _Looks(root), list[Reread]()
    for message in span.before:
        for subject, number, lines in before.outputs(message):
            before.add(subject, number, lines)
    for message in span.after[:WINDOW_MESSAGES]:
        for subject, number, lines in after.outputs(message):
            seen = after.shown_before(subject, lines)
            fresh = {index: first for index, first in before.shown_before(subject, lines).items() if index not in seen}
            after.add(subject, number, lines)
            text = tuple(lines[index] for index in sorted(fresh))
            tokens = count("\n".join(text)) if text else 0
            if tokens >= _LEAST_TOKENS:
                earlier = _earlier(fresh, lines)
                rereads.append(
                    Reread(subject=subject, number=number, earlier=earlier, lines=text, of=len(lines), tokens=tokens)
                )
    return rereads


def _earlier(fresh: dict[int, int], lines: list[str]) -> tuple[tuple[int, str], ...]:
    """Messages that had shown lines, with the longest of these as an example."""
    most = Counter(fresh.values()).most_common()
    return tuple(
        (number, max((lines[index] for index, first in fresh.items() if first == number), key=len))
        for number, _ in most
    )


class _Looks:
    """What looks at each subject have shown: rows of lines, with the number of the message that showed each last."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._calls: dict[str, Call] = {}
        self._rows: dict[str, dict[Row, int]] = {}

    def outputs(self, message: Message) -> Iterator[tuple[str, int, list[str]]]:
        """Yields what each output of a message is about, the message's number, and its lines."""
        self._calls.update((call.id, call) for call in message.calls)
        for output in message.outputs:
            call = self._calls.pop(output.call_id, None)
            subject = looked_at(call, self._root) if call else ""
            if subject:
                yield subject, message.number, plain_lines(output_text(output))

    def add(self, subject: str, number: int, lines: list[str]) -> None:
        """Adds the lines of an output."""
        rows = self._rows.setdefault(subject, {})
        rows.update((row, number) for _, row in _rows(lines))

    def shown_before(self, subject: str, lines: list[str]) -> dict[int, int]:
        """Returns the places of lines that an earlier output about the subject showed, with its number."""
        rows, numbers = self._rows.get(subject, {}), dict[int, int]()
        for index, row in _rows(lines):
            if row in rows:
                numbers.update(dict.fromkeys(range(index, index + len(row)), rows[row]))
        return numbers


def _rows(lines: list[str]) -> list[tuple[int, Row]]:
    """Rows of lines that stand once in an output, with their places; all of it where it is short."""
    if len(lines) <= _ROW:
        return [(0, tuple(lines))] if lines else []
    rows = [tuple(lines[index : index + _ROW]) for index in range(len(lines) - _ROW + 1)]
    times = Counter(rows)
    return [(index, row) for index, row in enumerate(rows) if times[row] == 1]
