"""What nobody says in a rule file, blanked: code, comments, tables, examples, the settings a file may open with.

Each character keeps its place, so that places in what is left are places in the whole. One pass, linear time.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"([ \t]{0,40})(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?(`{3,}|~{3,})([^\n]*)")
_ITEM = re.compile(r"[ \t]{0,40}(?:[-*+•–]|\d{1,3}[.)])[ \t]+\S")
_INDENTED = re.compile(r"(?: {4}|[ ]{0,3}\t)[ \t]*\S")
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+(?:\[![A-Za-z]{1,20}\][ \t]*\Z)?")
_TAG_LINE = re.compile(r"[ \t]*</?[A-Za-z][\w.:-]{0,60}(?:\s[^<>]{0,300})?/?>[ \t]*\Z")
_SHOWN = r"(examples?|(?:good|bad)[-_]example|pre|code|script|style)"
_EXAMPLE = re.compile(rf"[ \t]*<{_SHOWN}(?:\s[^<>]{{0,300}})?>", re.IGNORECASE)
_CLOSING = re.compile(rf"^[ \t]*</{_SHOWN}>", re.IGNORECASE | re.MULTILINE)
#: A run of ticks, and the signs before it that may escape its first.
_TICKS = re.compile(r"(?<!\\)(\\*)(`+)")


def code_spans(line: str) -> list[tuple[int, int]]:
    """Where `code` stands in a line: between two runs of equally many ticks, as markdown has it."""
    runs = [(match.start(2) + len(match[1]) % 2, match.end()) for match in _TICKS.finditer(line)]
    following: dict[int, list[int]] = {}
    for position in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[position][1] - runs[position][0], []).append(position)
    spans, position = [], 0
    while position < len(runs):
        alike = following[runs[position][1] - runs[position][0]]
        while alike and alike[-1] <= position:
            alike.pop()
        closing = alike[-1] if alike and runs[position][1] > runs[position][0] else -1
        if closing > 0:
            spans.append((runs[position][0], runs[closing][1]))
        position = max(closing, position) + 1
    return spans


def mask_unsaid(text: str) -> str:
    """The text with everything blanked that nobody says in it; as long as it was."""
    reader = _MaskReader(with_plain_ends(text))
    return "\n".join(reader.mask_line(line) for line in reader.lines)


def left_open(text: str) -> list[str]:
    """The lines that close what the end of a text is still in: a fence, a comment, an example."""
    reader = _MaskReader(with_plain_ends(text))
    for line in reader.lines:
        reader.mask_line(line)
    fence = reader.indent + reader.fence if reader.fence else ""
    return [line for line in (fence, "-->" if reader.in_comment else "", reader.ends_with) if line]


def with_plain_ends(text: str) -> str:
    """The text with lines that end as Unix has it, each character in its place."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


class _MaskReader:
    """Reads line by line, and knows what block it is in."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.fence, self.indent, self.in_comment = "", "", False
        self.ends_with = ""  # the closing tag of the example that is left out
        self._closings = {match[1].lower(): match.start() for match in _CLOSING.finditer(text)}
        self._at = 0
        self._in_list, self._after_blank = False, True
        self._in_settings = _has_settings(self.lines)

    def mask_line(self, line: str) -> str:
        start, self._at = self._at, self._at + len(line) + 1
        if self._in_settings:
            self._in_settings = not (start and line.strip() == "---")
            return " " * len(line)
        if self.fence:
            self.fence = "" if _closes(line, self.fence) else self.fence
            return " " * len(line)
        quoted = _QUOTE.match(line)
        line = " " * quoted.end() + line[quoted.end() :] if quoted else line
        # A fence may name anything behind its ticks, and a comment may hold fences.
        if not self.in_comment and self._begins_fence(line):
            return " " * len(line)
        line = self._without_comments(line)
        return line if self._is_plain(line, start) else " " * len(line)

    def _is_plain(self, line: str, start: int) -> bool:
        if not line.strip():
            self._after_blank = True
            return False
        is_item = _ITEM.match(line) is not None
        is_code = self._after_blank and not self._in_list and _INDENTED.match(line) is not None
        self._in_list = (is_item and not is_code) or (self._in_list and (not self._after_blank or line[0] in " \t"))
        self._after_blank = is_code
        return not (is_code or self._is_example(line, start) or _is_form(line))

    def _begins_fence(self, line: str) -> bool:
        mark = _FENCE.match(line)
        if mark is None or (mark[2][0] == "`" and "`" in mark[3]):
            return False
        self.indent, self.fence = mark[1], mark[2]
        self._after_blank = True
        return True

    def _is_example(self, line: str, start: int) -> bool:
        if self.ends_with:
            self.ends_with = "" if line.lstrip().lower().startswith(self.ends_with) else self.ends_with
            return True
        element = _EXAMPLE.match(line)
        if element is None:
            return False
        name = element[1].lower()
        is_closed = f"</{name}>" in line.lower() or self._closings.get(name, -1) <= start
        self.ends_with = "" if is_closed else f"</{name}>"
        return True

    def _without_comments(self, line: str) -> str:
        if not self.in_comment and "<!--" not in line:
            return line
        shown = _without_code(line)
        kept, position = [], 0
        while position < len(line):
            spans = line.find("-->", position) if self.in_comment else shown.find("<!--", position)
            end = len(line) if spans < 0 else spans + 3 * self.in_comment
            kept.append(" " * (end - position) if self.in_comment else line[position:end])
            self.in_comment = self.in_comment != (spans >= 0)
            position = end
        return "".join(kept)


def _without_code(line: str) -> str:
    """The line with code and escaped brackets blanked: no comment opens there."""
    pieces, position = [], 0
    for start, end in code_spans(line):
        pieces += [line[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, line[position:]]).replace("\\<", "  ")


def _has_settings(lines: list[str]) -> bool:
    """Whether a file opens with a block of settings between two rules, as some clients have it."""
    return lines[0].strip() == "---" and any(line.strip() == "---" for line in lines[1:60])


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def _is_form(line: str) -> bool:
    """A row of a table, or a tag alone on its line."""
    return line.lstrip().startswith("|") or _TAG_LINE.match(line) is not None
