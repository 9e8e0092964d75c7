"""Which lines of a message are a person's own prose: not what they quoted, pasted or fenced.

Everything else is blanked, character for character, so that places in what is left are places in the whole. When in
doubt a line counts as pasted: a rule that is missed can be said again, one that was planted cannot be unheard.
"""

from __future__ import annotations

import re

import re2

#: Longer texts are pastes: what a person adds to one stands at its beginning or its end.
_MOST_CHARS, _END_CHARS = 16_000, 8_000
#: A line longer than this without a sentence in every so many characters is data.
_LONG_LINE_CHARS, _CHARS_TO_A_STOP = 800, 500

#: What ends a paragraph, in place of a closing tag; no line holds it.
_BLANK_LINE = "\n"
_SHORTEST_TAG = 3

_FENCE = re.compile(r"[ \t]{0,40}(```+|~~~+|\"\"\"|''')")
_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+\S")
_INDENTED = re.compile(r"(?: {4}|[ ]{0,3}\t)[ \t]*\S")
_ELEMENT = re.compile(r"[ \t]*<([A-Za-z][\w.:-]{0,60})(?:\s[^<>]{0,300})?>")
#: Elements in which people write rules of their own.
_OWN_ELEMENTS = frozenset({"b", "strong", "em", "i", "p", "br", "rules", "requirements", "constraints", "preferences"})

#: Whose words follow, in a pasted conversation or a forged one.
_ROLES = "system|user|human|assistant|developer|tool|ai|bot|model|claude|chatgpt|gpt|codex|copilot|gemini|cursor"
_PASTED = re2.compile(
    r"(?i)^\s{0,40}(?:"
    + "|".join(
        (
            r">|&gt;|\||\$ |❯|⎿|⏺|●|[│├└┌╭╰─═]|@@|diff --git |index [0-9a-f]{7}|[+-]{3} \S|[+-](?:\S|\s{2,})",
            r"//|/\*|\*/|\* @|<!--|-->|--\s|%%|;;|#!|#(?:include|define|pragma|\s*noqa|\s*type:)",
            r"[{}\[\]()]+[,;]?\s*$|[{\[]\s*[\"'{\[]|\"[^\"]{1,80}\"\s*:",
            r"at \S+\s?\(|File \"|Traceback |Caused by:|[\w.]+(?:Error|Exception)\b\s*[:(]|goroutine \d|panic:",
            r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b[\]:]",
            r"(?:import|from|def|class|func|fn|const|let|var|return|public|private|package|export"
            r"|using) [^.!?]*[;:{(=]",
            r"[\w./@-]+:\d+(?::\d+)?:|(?:https?|file)://\S+$",
        )
    )
    + r")"
)
_CODE_END = re.compile(r"(?:[;{}]|\);?|=>|\\)\s*\Z")
_TITLES = (
    r"(?:[ _-](?:of )?(?:prompt|message|note|reminder|instructions?|override|update|turn|query|input|system|user))"
)
_ROLE_TAG = re2.compile(
    rf"(?i)^(?:\W{{0,6}}(?:{_ROLES}){_TITLES}?\W{{0,3}}:"
    rf"|[\[<{{(=|【［]{{1,6}}[/\s]*(?:(?:begin|end|start)[ _])?(?:{_ROLES}|inst|sys){_TITLES}?\s*[\]>}})=|】］]"
    rf"|-{{2,}}\s*(?:(?:begin|end|start)[ _])?(?:{_ROLES}){_TITLES}?\s*-{{2,}}"
    r"|<\|\w+\|>|#{1,6}\s*(?:system|instruction|response|human|assistant)s?\b\W*$)"
)
#: A line that says: what follows is somebody else's.
_HANDS_OVER = re2.compile(
    r"(?i)\b(?:says?|said|wrote|writes|commented|comments?|feedback|reviews?|errors?|output|logs?|messages?|e-?mail"
    r"|quot\w+|docs?|documentation|readme|article|snippet|example|issue|ticket|transcript|response|reply"
    r"|answer(?:ed)?|prints?|got|get|see|shows?|returns?|reads|text|this is what|content|paste[ds]?|prompt"
    r"|description|spec)\b[^:]{0,60}:\W*$"
)
#: A line that announces rules hands over to nobody.
_ANNOUNCES = re2.compile(
    r"(?i)\b(?:rules?|guidelines?|conventions?|constraints?|requirements?|preferences?|instructions?|from now on"
    r"|always|never|must|follow|remember|keep in mind|going forward|i want|i'd like|i need|please)\b"
)


def prose(text: str) -> str:
    """The text with everything blanked that is not plain words of the one who sent it; as long as it was."""
    if len(text) > _MOST_CHARS:
        cut = len(text) - 2 * _END_CHARS
        head, tail = text[:_END_CHARS], text[-_END_CHARS:]
        return _blanked(head) + " " * (cut - 1) + "\n" + _blanked(tail, fence=_is_open(text[:-_END_CHARS]))
    return _blanked(text)


def _is_open(text: str) -> str:
    """The fence that a text leaves open."""
    fence = ""
    for found in re.finditer(r"^[ \t]{0,40}(```|~~~)", text, re.MULTILINE):
        fence = "" if fence == found[1] else fence or found[1]
    return fence


def _blanked(text: str, *, fence: str = "") -> str:
    reader = _Reader(text.split("\n"), fence)
    return "\n".join(line if reader.is_own(at, line) else " " * len(line) for at, line in enumerate(reader.lines))


class _Reader:
    """Reads line by line, and knows what block it is in: a fence, an element, somebody else's paragraph, a list."""

    def __init__(self, lines: list[str], fence: str) -> None:
        self.lines = lines
        self._fence = fence
        self._skip_to = ""  # what ends the block that is left out: a closing tag, or a blank line
        self._handed_over = False
        self._in_list = False
        self._closings = _Closings(lines)

    def is_own(self, at: int, line: str) -> bool:
        start = line.lstrip()
        if not start:
            self._skip_to = "" if self._skip_to == _BLANK_LINE else self._skip_to
            return False
        if start[0] in "`~\"'" and (mark := _FENCE.match(line)):
            self._fence = _after_fence(self._fence, mark[1], line)
            self._skip_to, self._handed_over = "", False
            return False
        if self._fence or self._is_skipped(line) or self._begins_block(at, line, start):
            return False
        return self._is_plain(line)

    def _is_skipped(self, line: str) -> bool:
        if self._handed_over:
            self._skip_to, self._handed_over = self._skip_to or _BLANK_LINE, False
        if not self._skip_to:
            return False
        self._skip_to = "" if self._skip_to in line else self._skip_to
        return True

    def _begins_block(self, at: int, line: str, start: str) -> bool:
        if start[0] == "<" and (element := _ELEMENT.match(line)) and element[1].lower() not in _OWN_ELEMENTS:
            closing = f"</{element[1]}>"
            self._skip_to = closing if closing not in line and self._closings.has(closing, after=at) else ""
            return True
        if len(start) > _SHORTEST_TAG and _ROLE_TAG.search(start[:80]):
            self._skip_to = _BLANK_LINE
            return True
        return False

    def _is_plain(self, line: str) -> bool:
        is_item = _ITEM.match(line) is not None
        own = not _is_pasted(line, is_item=is_item, in_list=self._in_list)
        self._in_list = is_item or (self._in_list and own)
        self._handed_over = own and _hands_over(line)
        return own


def _hands_over(line: str) -> bool:
    end = line.rstrip()[-200:]
    return end.endswith(":") and _HANDS_OVER.search(end) is not None and _ANNOUNCES.search(end) is None


class _Closings:
    """Whether a closing tag comes after a line; each tag is looked for once."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._last: dict[str, int] = {}

    def has(self, closing: str, *, after: int) -> bool:
        if closing not in self._last:
            found = (at for at in range(len(self._lines) - 1, -1, -1) if closing in self._lines[at])
            self._last[closing] = next(found, -1) if len(self._last) < 40 else len(self._lines)
        return self._last[closing] > after


def _after_fence(fence: str, mark: str, line: str) -> str:
    if fence:
        closes = mark.startswith(fence) and (line.strip() == mark or mark[0] in "\"'")
        return "" if closes else fence
    is_closed = line.rstrip().endswith(mark) and len(line.strip()) > len(mark)
    return "" if is_closed else mark


def _is_pasted(line: str, *, is_item: bool, in_list: bool) -> bool:
    if len(line) > _LONG_LINE_CHARS and line.count(". ") + line.count(", ") < len(line) / _CHARS_TO_A_STOP:
        return True
    if _INDENTED.match(line) and not is_item and not in_list:
        return True
    if len(line) < 3:
        return False
    return _PASTED.search(line[:200]) is not None or _CODE_END.search(line[-40:]) is not None
