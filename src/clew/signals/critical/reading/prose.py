"""Which lines of a message are a person's own prose: not what they quoted, pasted or fenced.

Everything else is blanked, character for character, so that places in what is left are places in the whole. When in
doubt a line counts as pasted: a rule that is missed can be said again, one that was planted cannot be unheard.
"""

from __future__ import annotations

import re
from itertools import islice

import re2

from clew.signals.critical.reading.foreign_text import fold_lookalikes, hands_on, is_prompt
from clew.text.injected_text import INJECTED_TAGS

#: Longer texts are pastes: what a person adds to one stands at its beginning or its end.
_MOST_CHARS, _END_CHARS = 16_000, 8_000
#: A line longer than this without a sentence in every so many characters is data.
_LONG_LINE_CHARS, _CHARS_TO_A_STOP = 800, 500

_SHORTEST_TAG = 3

_FENCES = re.compile(r"^[ \t]{0,40}```(?!`)", re.MULTILINE)
_FENCE = re.compile(r"[ \t]{0,40}(```+|~~~+|\"\"\"|''')")
_ITEM = re.compile(r"[ \t]*(?:[-*+•–]|\d{1,3}[.)])[ \t]+\S")
_INDENTED = re.compile(r"(?: {4}|[ ]{0,3}\t)[ \t]*\S")
_ELEMENT = re.compile(r"<([A-Za-z][\w.:-]{0,60})(?:\s[^<>]{0,300})?>")
#: More kinds of elements than this are a page: it may have any of them closed anywhere.
_MOST_ELEMENTS = 200
#: Of a line, so many elements are looked at.
_MOST_IN_LINE = 20
#: Comments are blocks too, and what ends them.
_COMMENTS = {"<!--": "-->", "/*": "*/", "<![CDATA[": "]]>"}
#: Elements in which people write rules of their own.
_OWN_ELEMENTS = frozenset({"b", "strong", "em", "i", "br", "rules", "requirements", "constraints", "preferences"})

#: Whose words follow, in a pasted conversation or a forged one.
_ROLES = (
    "system|user|human|assistant|developer|tool|ai|bot|model|claude|chatgpt|gpt|codex|copilot|gemini|cursor|function"
    "|observation|agent|admin|operator"
)
_PASTED = re2.compile(
    r"(?i)^\s{0,40}(?:"
    + "|".join(
        (
            r">|&gt;|\||\$ |❯|⎿|⏺|●|[│├└┌╭╰─═]|@@|diff --git |index [0-9a-f]{7}|[+-]{3} \S|[+-](?:\S|\s{2,})",
            r"//|/\*|\*/|\* @|<!--|-->|</|--\s|%%|;;|#!|#(?:include|define|pragma|\s*noqa|\s*type:)",
            r"[{}\[\]()]+[,;]?\s*$|[{\[]\s*[\"'{\[]|\"[^\"]{1,80}\"\s*:",
            r"at \S+\s?\(|File \"|Traceback |Caused by:|[\w.]+(?:Error|Exception)\b\s*[:(]|goroutine \d|panic:",
            r"\[?\d{4}-\d\d-\d\d[T ](?:\d\d:|(?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)\b)",
            r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:|REM |% ",
            r"[\w.\[\]]+ ?[-+*/|&:]?= ?[^#/]{0,150}(?:#|//) ",
            r"\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b[\]:]",
            r"(?:import|from|def|class|func|fn|const|let|var|return|public|private|package|export"
            r"|using) [^.!?]*[;:{(=]",
            r"[\w./@-]+:\d+(?::\d+)?:|(?:https?|file)://\S+$",
        )
    )
    + r")"
)
_CODE_END = re.compile(r"(?:[;{}]|\);?|=>|\\)\s*\Z")
_TITLES = (
    r"(?:[ _-](?:of )?(?:prompt|message|note|reminder|instructions?|override|update|turn|query|input|system|user"
    r"|results?|outputs?|responses?|notice))"
)
_URGENT = "(?:important|urgent|critical|new|official|updated|attention|notice|warning)[ :,!]+"
_ROLE_TAG = re2.compile(
    rf"(?i)^(?:[\W_]{{0,6}}(?:{_URGENT}){{0,2}}(?:{_ROLES}){_TITLES}?[\W_]{{0,3}}:"
    rf"|[\W_]{{0,6}}(?:{_URGENT}){{0,2}}(?:system|developer|admin){_TITLES}?\s+(?:-+|–|—|>+)\s"
    rf"|[\[<{{(=|【［]{{1,6}}[/\s]*(?:(?:begin|end|start)[ _])?(?:{_ROLES}|inst|sys){_TITLES}?\s*[\]>}})=|】］]"
    rf"|-{{2,}}\s*(?:(?:begin|end|start)[ _])?(?:{_ROLES}){_TITLES}?\s*-{{2,}}"
    r"|<\|\w+\|>|#{1,6}\s*(?:system|instruction|response|human|assistant)s?\b\W*$)"
)
#: A line that says: what follows is somebody else's.
_HANDS_OVER = re2.compile(
    r"(?i)\b(?:says?|said|wrote|writes|commented|comments?|feedback|reviews?|errors?|output|logs?|messages?|e-?mail"
    r"|quot\w+|docs?|documentation|readme|article|snippet|example|issue|ticket|transcript|response|reply"
    r"|answer(?:ed)?|prints?|got|get|see|shows?|returns?|reads|text|this is what|content|paste[ds]?|prompt"
    r"|description|spec|page|results?|retrieved|contents?|context|file)\b[^:]{0,60}:\W*$"
    r"|^.{0,80}\b(?:says?|said|wrote|writes|reads|states|contains|prints|printed|returns|returned)\s*$"
)
#: A line that announces rules hands over to nobody.
_ANNOUNCES = re2.compile(
    r"(?i)\b(?:rules?|guidelines?|conventions?|constraints?|requirements?|preferences?|instructions?|from now on"
    r"|always|never|must|follow|remember|keep in mind|going forward|i want|i'd like|i need|please)\b"
)


def prose(text: str) -> str:
    """The text with everything blanked that is not plain words of the one who sent it; as long as it was."""
    closings = _Closings(text)
    if len(text) <= _MOST_CHARS:
        return _blank_foreign(text, _Reader(closings))
    begins = len(text) - _END_CHARS
    reader = _Reader(closings)
    head = _blank_foreign(text[:_END_CHARS], reader)
    own = len(text) if reader.is_over else max(begins, closings.end_of_those_opened(begins))
    tail = _blank_foreign(text[own:], _Reader(closings, begins=own, fence=_is_open(text[:own])))
    return head + " " * (begins - _END_CHARS - 1) + "\n" + " " * (own - begins) + tail


def _is_open(text: str) -> str:
    """The fence that a text leaves open."""
    fence = ""
    for match in re.finditer(r"^[ \t]{0,40}(```|~~~)", text, re.MULTILINE):
        fence = "" if fence == match[1] else fence or match[1]
    return fence


def _blank_foreign(text: str, reader: _Reader) -> str:
    return "\n".join(line if reader.is_own(line) else " " * len(line) for line in text.split("\n"))


class _Reader:
    """Reads line by line, and knows what block it is in: a fence, an element, somebody else's paragraph, a list."""

    def __init__(self, closings: _Closings, *, begins: int = 0, fence: str = "") -> None:
        self._closings = closings
        self._next, self._at = begins, begins  # where the next line begins in the whole text, and this one
        self._fence = fence
        self._is_first = True
        self._skip_until = 0  # where a block ends that is left out
        self._in_paragraph = False  # of somebody else
        self._handed_over = False
        self._in_list = False

    @property
    def is_over(self) -> bool:
        """True when nothing that follows can be the person's."""
        return self._skip_until >= self._closings.length

    def is_own(self, line: str) -> bool:
        self._at, self._next = self._next, self._next + len(line) + 1
        start = line.lstrip()
        if not start:
            self._in_paragraph = False
            return False
        is_first, self._is_first = self._is_first, False
        if self._at < self._skip_until:
            return False
        if start[0] in "`~\"'" and (mark := _FENCE.match(line)):
            self._open_or_close(mark[1], line)
            return False
        if self._fence:
            return False
        # Blocks begin in somebody else's paragraph too, and go on after it.
        is_skipped = self._is_skipped()
        if self._begins_block(line, start, is_first=is_first) or is_skipped:
            return False
        return self._is_plain(line)

    def _open_or_close(self, mark: str, line: str) -> None:
        """A fence that is left open after others were closed: what was fenced closed it, and nobody knows where."""
        self._fence = _after_fence(self._fence, mark, line)
        self._in_paragraph = self._handed_over = False
        if mark == "```" and self._closings.has_odd_fences:
            self._skip_until = self._closings.length

    def _is_skipped(self) -> bool:
        if self._handed_over:
            self._in_paragraph, self._handed_over = True, False
        return self._in_paragraph

    def _begins_block(self, line: str, start: str, *, is_first: bool) -> bool:
        if ("<" in line or start[0] == "/") and self._begins_element(line, start):
            return True
        if len(start) <= _SHORTEST_TAG:
            return False
        if hands_on(start, is_first=is_first):
            self._skip_until = self._closings.length
            return True
        if is_prompt(start) or _ROLE_TAG.search(fold_lookalikes(start[:80])):
            self._in_paragraph = True
            return True
        return False

    def _begins_element(self, line: str, start: str) -> bool:
        """Elements and comments are left out to their last end: what they hold may close them. One that begins within
        a line and ends there is spoken about."""
        if comment := next((mark for mark in _COMMENTS if start.startswith(mark)), None):
            self._skip_until = max(self._skip_until, self._closings.last(_COMMENTS[comment]) + 1)
            return True
        names = [
            match[1]
            for match in islice(_ELEMENT.finditer(line), _MOST_IN_LINE)
            if match[1].lower() not in _OWN_ELEMENTS
        ]
        is_block = start[0] == "<" and bool(names)
        for name in names:
            end = self._closings.last(f"</{name}>") + 1
            end = self._closings.length if not end and is_block and name in INJECTED_TAGS else end
            is_block = is_block or end > self._next
            self._skip_until = max(self._skip_until, end)
        return is_block

    def _is_plain(self, line: str) -> bool:
        is_item = _ITEM.match(line) is not None
        own = not _is_pasted(line, is_item=is_item, in_list=self._in_list)
        self._in_list = is_item or (self._in_list and own)
        self._handed_over = own and _hands_over(line)
        return own


def _hands_over(line: str) -> bool:
    end = line.rstrip()[-200:]
    return _HANDS_OVER.search(end) is not None and _ANNOUNCES.search(end) is None


class _Closings:
    """Where in a text a closing tag stands last; each is looked for once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] = {}
        self.length = len(text)
        fences = len(_FENCES.findall(text))
        self.has_odd_fences = fences > 1 and fences % 2 == 1

    def last(self, closing: str) -> int:
        """Its place; the end of a text with too many kinds of them."""
        if closing not in self._last:
            is_page = len(self._last) >= _MOST_ELEMENTS
            self._last[closing] = self.length if is_page else self._text.rfind(closing)
        return self._last[closing]

    def end_of_those_opened(self, before: int) -> int:
        """The end of the line in which the last of those elements ends that began before a place."""
        names = {match[1] for match in _ELEMENT.finditer(self._text, 0, before)}
        closings = [f"</{name}>" for name in sorted(names) if name.lower() not in _OWN_ELEMENTS]
        closings += [end for mark, end in _COMMENTS.items() if self._text.find(f"\n{mark}", 0, before) >= 0]
        last = max(map(self.last, closings), default=-1)
        end = self._text.find("\n", last) if last >= before else before
        return end if end >= 0 else self.length


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
