"""What was read again after a compaction: outputs that show lines which the same look had shown before it.

Lines count where at least four in a row are the same as before: single lines of code stand in many places. Of an
output of fewer lines, all must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clew.audit.compactions import CompactedSpan
from clew.audit.needed_units import WINDOW_MESSAGES
from clew.audit.shown_text import output_lines
from clew.audit.subjects import looked_at
from clew.domain import Call, Message
from clew.ports import TokenCounter

_ROW = 4
#: Less than this is not worth a line of a report.
_LEAST_TOKENS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """An output after a compaction, and the message before it that showed the same. ``lines`` are those shown again,
    ``of`` counts all it has.
    """

    subject: str
    number: int
    first: int
    lines: tuple[str, ...]
    of: int
    tokens: int


def read_again(span: CompactedSpan, count: TokenCounter, *, root: str = "") -> list[Reread]:
    """Finds what the messages behind a compaction read again of what had been read since the one before it."""
    before = _Looks(root)
    for message in span.before:
        for subject, number, lines in before.outputs(message):
            before.add(subject, number, lines)
    after, found = _Looks(root), list[Reread]()
    for message in span.after[:WINDOW_MESSAGES]:
        for subject, number, lines in after.outputs(message):
            same = before.shared(subject, lines)
            fresh = {at: first for at, first in same.items() if at not in after.shared(subject, lines)}
            after.add(subject, number, lines)
            text = tuple(lines[at] for at in sorted(fresh))
            tokens = count("\n".join(text)) if text else 0
            if tokens >= _LEAST_TOKENS:
                made = Reread(
                    subject=subject,
                    number=number,
                    first=max(fresh.values()),
                    lines=text,
                    of=len(lines),
                    tokens=tokens,
                )
                found.append(made)
    return found


class _Looks:
    """What looks at each subject have shown, as rows of lines."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._calls: dict[str, Call] = {}
        self._rows: dict[str, dict[tuple[str, ...], int]] = {}

    def outputs(self, message: Message) -> Iterator[tuple[str, int, list[str]]]:
        """Yields what each output of a message is about, the message's number, and its lines."""
        self._calls.update((call.id, call) for call in message.calls)
        for output in message.outputs:
            call = self._calls.pop(output.call_id, None)
            subject = looked_at(call, self._root) if call else ""
            if subject:
                yield subject, message.number, output_lines(output)

    def add(self, subject: str, number: int, lines: list[str]) -> None:
        """Adds the lines of an output."""
        known = self._rows.setdefault(subject, {})
        known.update((row, number) for row in _rows(lines))

    def shared(self, subject: str, lines: list[str]) -> dict[int, int]:
        """Returns the places of lines that an earlier output about the subject showed, with its number."""
        known, found = self._rows.get(subject, {}), dict[int, int]()
        for at, row in enumerate(_rows(lines)):
            if row in known:
                found.update(dict.fromkeys(range(at, at + len(row)), known[row]))
        return found


def _rows(lines: list[str]) -> list[tuple[str, ...]]:
    if len(lines) <= _ROW:
        return [tuple(lines)] if lines else []
    return [tuple(lines[at : at + _ROW]) for at in range(len(lines) - _ROW + 1)]
