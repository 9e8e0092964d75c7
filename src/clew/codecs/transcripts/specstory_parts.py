"""What an agent said in SpecStory's Markdown: its words, its thoughts, and its use of tools.

A tool's input is written for people, and differently for each tool; of its arguments, only what the file
tells comes back. The output stands last, in a fence of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from clew.domain import Call, Json, Output, Part, Reasoning, Status, Text

_OPENINGS = {
    "<tool-use ": ("</details></tool-use>", "</tool-use>"),
    "<think>": ("</details></think>", "</think>"),
    "<details><summary>Tool use": ("</details>",),
}
_STARTS = tuple(_OPENINGS)
_FENCE = re.compile(r"(`{3,})([^`]*)$")
_NAME = re.compile(r'data-tool-name="([^"]*)"')
_KIND = re.compile(r'data-tool-type="([^"]*)"')
_SUMMARY = re.compile(r"Tool use: \*\*(.+?)\*\*(?:\s*•\s*(.*))?$", re.DOTALL)
_TAGS = re.compile(r"(?:</(?:details|tool-use|think)>\s*)+$")
_RESULT = re.compile(r"\*\*(Result|Output|Error|Answer):\*\* ?(.*)$")
#: What a person answered, on a line of its own.
_ANSWER = "**Answer:**"
_FILE = re.compile(r"(?:Read|Edit|Write|Create|Delete) file: (.+)$")
_NAMED = re.compile(r"(?:^|(?<= ))(path|pattern|include) `([^`]*)`")
_FIELD = re.compile(r"- (\w+): `(.*)`$")
_QUOTED = re.compile(r"\s*`(.*)`\s*$")
#: What the input in quotation marks is called, by the tool's name; else by its kind.
_ARGUMENT = {
    "WebFetch": "url",
    "WebSearch": "query",
    "shell": "command",
    "read": "file_path",
    "write": "file_path",
    "search": "pattern",
}
_FENCED = {"write": "content", "shell": "command"}


def is_rule(line: str) -> bool:
    return line.strip() == "---"


class Elements:
    """Follows the lines of what an agent said: which of them stand inside an element?

    Outputs have fences of their own. Newer files wrap them in a longer fence, which only its like ends; in
    older ones fences nest. Where those do not close in pairs, an end counts that stands right after a fence
    and right before a speaker or a rule.
    """

    def __init__(self) -> None:
        self.count = 0
        self._ends: tuple[str, ...] = ()
        self._fences: list[int] = []
        self._after_fence = self._doubtful = self._follows_fences = False

    def takes(self, line: str) -> bool:
        """True for a line of an element, its first and its last included."""
        stripped = line.strip()
        if self._doubtful and stripped:
            self._doubtful = False
            if is_rule(line) or line.startswith("_**"):
                self._ends = ()
        if not self._ends:
            return self._opens(line)
        after_fence, self._after_fence = self._after_fence, False
        if fence := self._follows_fences and line.startswith("```") and _FENCE.match(line.rstrip()):
            self._after_fence = not fence[2].strip()
            self._fence(len(fence[1]), bool(fence[2].strip()))
        elif stripped in self._ends and self._fences:
            self._doubtful = after_fence and self._fences[-1] == 3
        elif stripped in self._ends:
            self._ends = ()
        return True

    def _opens(self, line: str) -> bool:
        if not line.startswith(_STARTS):
            return False
        ends = next(ends for start, ends in _OPENINGS.items() if line.startswith(start))
        self.count += 1
        self._fences, self._after_fence = [], False
        self._ends = () if line.rstrip().endswith(ends) else ends
        # A thought is a model's own, and need not be written with care.
        self._follows_fences = not any("think" in end for end in self._ends)
        return True

    def _fence(self, ticks: int, has_language: bool) -> None:
        longer = self._fences and self._fences[-1] > 3
        if longer and (has_language or ticks < self._fences[-1]):
            return
        if self._fences and not has_language:
            self._fences.pop()
        else:
            self._fences.append(ticks)


def parts_of(text: str, place: str) -> tuple[Part, ...]:
    """The parts of an agent's block; ``place`` makes the ids of its calls."""
    return tuple(_parts(text, place))


def _parts(text: str, place: str) -> Iterator[Part]:
    elements = Elements()
    marked = [(elements.takes(line) and elements.count, line) for line in text.split("\n")]
    for element, lines in groupby(marked, key=lambda pair: pair[0]):
        content = "\n".join(line for _, line in lines).strip("\n")
        if not element:
            if content.strip():
                yield Text(text=content.strip())
        elif content.startswith("<think>"):
            yield Reasoning(text=_TAGS.sub("", content.partition("</summary>")[2] or content[len("<think>") :]).strip())
        else:
            yield from _tool(content, f"{place}#{element}")


def _tool(element: str, place: str) -> Iterator[Part]:
    opening, _, body = element.partition("</summary>")
    name, kind = _NAME.search(opening), _KIND.search(opening)
    summary = _SUMMARY.search(opening)
    called = name[1] if name else summary[1] if summary else ""
    lines = _TAGS.sub("", body).strip("\n").split("\n")
    given, output = _given_and_output(lines)
    identity = "ss_" + hashlib.sha256(place.encode("utf-8", "replace")).hexdigest()[:24]
    arguments = _summary_arguments(summary) | _arguments(given, called, kind[1] if kind else "")
    answer = output if f"{_ANSWER} {output}" in lines else None
    asked = next((line.strip("* ") for line in given if line.startswith("**")), "") if answer else ""
    yield Call(id=identity, name=called, arguments=arguments | ({"question": asked} if asked else {}))
    content = (Text(text=output),) if output else ()
    yield Output(call_id=identity, content=content, status=_status(lines, output), reason=answer)


def _given_and_output(lines: Sequence[str]) -> tuple[list[str], str]:
    """What the tool was given, and what it gave back: the fence that comes last."""
    fence, after_result = 0, False
    for index, line in enumerate(lines):
        fenced, result = _FENCE.match(line.rstrip()), _RESULT.match(line)
        if fence:
            fence = 0 if fenced and not fenced[2].strip() and len(fenced[1]) >= fence else fence
        elif result and result[2]:
            return list(lines[:index]), "\n".join([result[2], *lines[index + 1 :]]).strip()
        elif result:
            after_result = True
        elif fenced and (after_result or fenced[2].strip() == "text"):
            return list(lines[:index]), _without_fence(lines[index:])
        elif fenced:
            fence = len(fenced[1])
    return list(lines), ""


def _without_fence(lines: Sequence[str]) -> str:
    inner = list(lines[1:])
    while inner and not inner[-1].strip():
        inner.pop()
    if inner and _FENCE.match(inner[-1].rstrip()):
        inner.pop()
    return "\n".join(inner)


def _status(lines: Sequence[str], output: str) -> Status:
    if "**Error:**" in lines or output.startswith("<tool_use_error>"):
        return Status.FAILED
    if output.startswith("The user doesn't want to proceed with this tool use"):
        return Status.CANCELED
    return Status.SUCCESS


def _summary_arguments(summary: re.Match[str] | None) -> Json:
    """Some assistants say in the element's title what the tool was used for."""
    description = (summary[2] or "").strip() if summary else ""
    if match := _FILE.match(description):
        return {"file_path": match[1].strip()}
    return {"description": description} if description else {}


def _arguments(given: Sequence[str], name: str, kind: str) -> Json:
    arguments: Json = {}
    prose: list[str] = []
    lines = iter(given)
    for line in lines:
        fence = _FENCE.match(line.rstrip())
        if fence:
            arguments[_FENCED.get(kind, "input")] = _fence_content(lines, len(fence[1]))
        elif named := _NAMED.findall(line):
            arguments |= named
        elif field := _FIELD.match(line):
            arguments[field[1]] = field[2]
        elif (quoted := _QUOTED.match(line)) and (name in _ARGUMENT or kind in _ARGUMENT):
            arguments[_ARGUMENT.get(name) or _ARGUMENT[kind]] = quoted[1]
        elif line.strip() and not line.startswith(("**Input:**", "**Result:**", "**Error:**")):
            prose.append(line)
    return ({"description": "\n".join(prose).strip()} if prose else {}) | arguments


def _fence_content(lines: Iterator[str], ticks: int) -> str:
    held: list[str] = []
    for line in lines:
        closing = _FENCE.match(line.rstrip())
        if closing and not closing[2].strip() and len(closing[1]) >= ticks:
            break
        held.append(line)
    return "\n".join(held)
