"""Lines of a reply as Markdown reads them: which of them are code or quotations."""

from __future__ import annotations

import re

#: A fence may stand behind the mark of a list item.
_FENCE = re.compile(r"(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?(`{3,}|~{3,})")
#: A line that is one at its very head, or may become one.
_BARE_FENCE = re.compile(r"`{3,}|~{3,}|`{1,2}\Z|~{1,2}\Z")
#: What ends a line that leads to what is shown below it.
_LEADS = (":", "：")
#: Fences and marks stand at the head of a line; the rest of it is only asked for what it holds.
_HEAD_CHARS = 64


class MarkdownLine:
    """The line that is being read, added piece by piece; its properties do not depend on where the pieces are cut."""

    def __init__(self) -> None:
        self._head = ""
        self._goes_on = False
        self._ticks = 0
        self._end = ""

    def add(self, piece: str) -> None:
        piece = piece if self._head else piece.lstrip()
        room = _HEAD_CHARS - len(self._head)
        self._head += piece[:room]
        self._goes_on = self._goes_on or bool(piece[room:].strip())
        self._ticks += piece.count("`")
        self._end = piece.rstrip()[-1:] or self._end

    @property
    def is_blank(self) -> bool:
        return not self._head

    @property
    def is_quoted(self) -> bool:
        return self._head.startswith(">")

    @property
    def in_code(self) -> bool:
        """True after a backtick that has not been closed on this line."""
        return self._ticks % 2 == 1

    @property
    def fence(self) -> str:
        """The fence that this line opens, or nothing; a line with further backticks is inline code."""
        match = _FENCE.match(self._head)
        return match[1] if match and (match[1][0] == "~" or self._ticks == len(match[1])) else ""

    @property
    def may_open_fence(self) -> bool:
        """True for a line that opens a fence at its very head, and for one that may go on so."""
        marks = _BARE_FENCE.match(self._head)
        return marks is not None and (marks[0][0] == "~" or self._ticks == len(marks[0]))

    @property
    def leads_on(self) -> bool:
        """True for a line that announces what stands below it."""
        return self._end in _LEADS

    def closes(self, fence: str) -> bool:
        marks = self._head.rstrip()
        return not self._goes_on and len(marks) >= len(fence) and marks == fence[0] * len(marks)


class MarkdownPosition:
    """The reading position in a Markdown text: the line being read, and the code fence around it if there is one."""

    def __init__(self) -> None:
        self.line = MarkdownLine()
        self._fence = ""
        self._is_announced = self._is_example = False

    def add(self, piece: str) -> None:
        """A line end, or a piece without one."""
        if piece != "\n":
            self.line.add(piece)
            return
        if not self._fence:
            self._fence = self.line.fence
            self._is_example = self._is_announced
            self._is_announced = self._is_announced if self.line.is_blank else self.line.leads_on
        elif self.line.closes(self._fence):
            self._fence = ""
        self.line = MarkdownLine()

    def restart(self, piece: str) -> None:
        """Forgets what stood on the line; it now begins with the piece."""
        self.line = MarkdownLine()
        self.line.add(piece)

    @property
    def fence(self) -> str:
        """The fence that stands open before this line; empty where none does."""
        return self._fence

    @property
    def is_example(self) -> bool:
        """True in a fence to which the line before it has led: what stands in it is shown."""
        return bool(self._fence) and self._is_example

    @property
    def is_verbatim(self) -> bool:
        """True where words are shown, not said: in a code fence or a quoted line."""
        return bool(self._fence) or self.line.is_quoted or bool(self.line.fence)
