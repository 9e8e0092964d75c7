"""aider's chat history: one Markdown file for a folder, with a heading where each chat starts.

What a person typed stands after "#### ", what aider reports after "> ", and the rest is the model's. aider
ends the lines of the first two with two spaces. A model writes headings and quotations as well, without
them, so once a file is seen to have such line ends, only lines that have them count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from clew.codecs.fields import parse_timestamp
from clew.codecs.transcripts.markdown_blocks import (
    BlockLine,
    MarkdownBlock,
    block_records,
    read_block,
    text_lines,
    to_record,
)
from clew.domain import Message, Origin, Record, Role, SessionFacts, SkippedRecord, Text
from clew.ports import RawRecord
from clew.text.injected_text import is_injected

NAME = "aider"
_START = "# aider chat started at "
_PREFIXES = {"user": "#### ", "client": "> "}
_MODEL = re.compile(r"> (?:Main model|Models?): (\S+)")
_COMMAND = re.compile(r"/[a-z][a-z-]*(?=\s|$)|!")
#: Commands that hand on what a person wants to know or to have done.
_WITH_REQUEST = {"/ask", "/code", "/architect", "/context"}


class Aider:
    """Codec of aider's chat history, a Markdown file of many chats."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf\r\n\t ").startswith(_START.encode())

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        return block_records(_Chats().block_lines(stream))

    def read(self, body: bytes) -> Record:
        block = read_block(body)
        return to_record(block, _message(block), facts=SessionFacts(client=NAME, model=block.model))


class _Chats:
    """Tells the speaker of each line while a file is read."""

    def __init__(self) -> None:
        self.speaker, self.after_gap = "", False
        self.session = self.at = self.model = ""
        self.started: dict[str, int] = {}
        self.strict = False

    def block_lines(self, stream: BinaryIO) -> Iterator[BlockLine]:
        whole = True
        for text in text_lines(stream):
            if not whole:
                yield BlockLine(text)
            elif not text.strip() or _is_begun(text):
                self.after_gap = self.after_gap or not text.strip()
                yield BlockLine(text, gap=True)
            else:
                yield BlockLine(text, self.begins(text))
                self.after_gap = False
            whole = text.endswith("\n")

    def begins(self, line: str) -> MarkdownBlock | None:
        if self.speaker == "assistant" and line[0] not in "#>":
            return None
        speaker = self.speaker_of(line)
        if speaker == "header":
            self.start(line.removeprefix(_START).strip())
        # An empty line within what a person typed has the prefix too: one without it parts two inputs.
        elif speaker == self.speaker and not (speaker == "user" and self.after_gap):
            self.note_model(line)
            return None
        self.note_model(line)
        self.speaker = speaker
        return MarkdownBlock(speaker=speaker, session=self.session, at=self.at, model=self.model)

    def speaker_of(self, line: str) -> str:
        if line.startswith(_START):
            return "header"
        ends_hard = line.rstrip("\r\n").endswith("  ")
        for speaker, prefix in _PREFIXES.items():
            # A line that is still being written has no end to judge by.
            if line.startswith(prefix) and (ends_hard or not self.strict or not line.endswith("\n")):
                self.strict = self.strict or ends_hard
                return speaker
        return "assistant"

    def start(self, at: str) -> None:
        name = re.sub(r"[^0-9A-Za-z]+", "-", at.replace(" ", "T", 1)).strip("-")
        self.started[name] = times = self.started.get(name, 0) + 1
        self.session = name if times == 1 else f"{name}-{times}"
        self.at, self.model = at, ""

    def note_model(self, line: str) -> None:
        if match := _MODEL.match(line):
            self.model = match[1]


def _is_begun(line: str) -> bool:
    """A last line of which not even the mark of its speaker is whole."""
    return not line.endswith("\n") and any(mark.startswith(line) for mark in (_START, *_PREFIXES.values()))


def _message(block: MarkdownBlock) -> Message | None:
    text = _words(block)
    if block.speaker not in {"user", "client", "assistant"} or not text:
        return None
    by_model = block.speaker == "assistant"
    parts = (Text(text=text),)
    return Message(
        role=Role.ASSISTANT if by_model else Role.USER,
        parts=parts,
        origin=Origin.MODEL if by_model else _origin(block, parts),
        at=parse_timestamp(block.at),
        model=(block.model or None) if by_model else None,
    )


def _words(block: MarkdownBlock) -> str:
    """The text without prefixes and the spaces that end aider's lines."""
    prefix = _PREFIXES.get(block.speaker, "")
    lines = [line.removeprefix(prefix.rstrip()).removeprefix(" ") if prefix else line for line in _lines(block.text)]
    return "\n".join(line.removesuffix("  ") if prefix else line for line in lines).strip("\n\t ")


def _lines(text: str) -> list[str]:
    return [line.rstrip("\r") for line in text.split("\n")]


def _origin(block: MarkdownBlock, parts: tuple[Text, ...]) -> Origin:
    if block.speaker == "client" or _is_command(parts[0].text) or is_injected(parts):
        return Origin.CLIENT
    return Origin.PERSON


def _is_command(text: str) -> bool:
    if not (command := _COMMAND.match(text)):
        return False
    return command[0] not in _WITH_REQUEST or not text[command.end() :].strip()
