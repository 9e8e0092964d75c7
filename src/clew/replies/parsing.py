"""Parses a reply into what the user sees and what the model wrote for the memory of the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.domain import Call, Finding, Housekeeping, Message, Origin, Output, Part, Role, Text, texts
from clew.replies.scanner import ReplyBlock, Scanner
from clew.replies.schema import Refusal, housekeeping_from, parse_json, request_from
from clew.replies.tags import SURE_BEGINNING, has_tag
from clew.replies.values import MAX_REQUESTS, Reply, RetrievalRequest

#: What is wrong with the tags of a block, in words.
_FAULTS = {
    "unclosed": "it was not closed, as in a reply that was cut off",
    "unopened": "a closing tag without a block",
    "amid": "words follow it, and notes count only at the end of a reply",
    "attributes": "its tag must have a name and nothing else",
}


class Stripper:
    """Strips the blocks from a reply as it streams in; not even the beginning of one is shown.

    Together, all that ``feed`` and ``close`` return is the content of ``reply``, however the text was cut.
    """

    def __init__(self) -> None:
        self._scanner = Scanner()
        self._shown: list[str] = []
        self._blocks: list[ReplyBlock] = []

    def feed(self, delta: str) -> str:
        """What may be shown now; the rest waits until it is clear whose it is."""
        return self._show(self._scanner.feed(delta))

    def close(self) -> str:
        """What is left to show at the end of the reply, or of one of its texts: calls may stand between them."""
        rest = self._show(self._scanner.finish())
        self._blocks += self._scanner.blocks
        self._scanner = Scanner()
        return rest

    @property
    def reply(self) -> Reply:
        """The four outputs, once the reply is closed; tool calls come by other ways than text."""
        return _reply("".join(self._shown), self._blocks)

    def _show(self, shown: str) -> str:
        self._shown.append(shown)
        return shown


def parse_reply(text: str, *, calls: Sequence[Call] = ()) -> Reply:
    """Splits a whole reply into its four outputs. It never raises; a text without a block is all content.

    Blocks are taken out wherever they stand; notes count only at the end. Quoted, in a line of code, a quotation or a
    code fence that words follow, they are text.
    """
    return _parse_texts([text], calls)


def _parse_texts(words: Sequence[str], calls: Sequence[Call]) -> Reply:
    """Splits a reply that has several texts; blocks may end each."""
    stripper = Stripper()
    shown = [_strip_text(stripper, text) if SURE_BEGINNING.search(text) else text for text in words]
    return replace(stripper.reply, content="\n".join(filter(None, shown)), calls=tuple(calls))


def _strip_text(stripper: Stripper, text: str) -> str:
    return stripper.feed(text) + stripper.close()


def parse_messages(messages: Sequence[Message]) -> Reply:
    """Splits a reply that came as messages, in order: what the assistant says, and the calls that wait for an output.

    A client may have run other calls by itself, and give their outputs with the answer.
    """
    words = [text for message in messages if message.role is Role.ASSISTANT for text in texts(message.parts) if text]
    return _parse_texts(words, _waiting_calls(messages))


def _waiting_calls(messages: Sequence[Message]) -> list[Call]:
    waiting: list[Call] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, Call) and message.role is Role.ASSISTANT:
                waiting.append(part)
            elif isinstance(part, Output) and not part.server:
                waiting = [call for call in waiting if call.id != part.call_id]
    return waiting


def split_notes(message: Message) -> tuple[Message, Housekeeping | None]:
    """Returns a message without its blocks, and the housekeeping that a model wrote in them, if any.

    Every part keeps its place, so that what was counted of each still holds: a text that was nothing else is
    empty. Costs one search of each text where there is no block.
    """
    if message.role is not Role.ASSISTANT or not any(map(SURE_BEGINNING.search, texts(message.parts))):
        return message, None
    stripper = Stripper()
    parts = tuple(_strip_part(part, stripper) for part in message.parts)
    if parts == message.parts:
        return message, None
    notes = stripper.reply.housekeeping if message.origin is Origin.MODEL else None
    return replace(message, parts=parts, wire=None), notes


def _strip_part(part: Part, stripper: Stripper) -> Part:
    if not isinstance(part, Text) or not SURE_BEGINNING.search(part.text):
        return part
    shown = _strip_text(stripper, part.text)
    return part if shown == part.text else Text(text=shown)


def without_notes(message: Message) -> Message:
    """Returns a message as its user sees it; a text that held nothing else is no part of it."""
    told, _ = split_notes(message)
    if told is message:
        return message
    return replace(told, parts=tuple(part for part in told.parts if not isinstance(part, Text) or part.text))


def _reply(content: str, blocks: Sequence[ReplyBlock]) -> Reply:
    """The last housekeeping counts: it stands where the model was told to put it."""
    notes: list[tuple[int, Housekeeping]] = []
    requests: list[RetrievalRequest] = []
    findings: list[Finding] = []
    for index, block in enumerate(blocks):
        try:
            value = _value(block)
            if isinstance(value, Housekeeping):
                notes.append((index, value))
            elif len(requests) == MAX_REQUESTS:
                raise Refusal("several", f"a reply may have {MAX_REQUESTS} requests")
            else:
                requests.append(value)
        except Refusal as refusal:
            findings.append(_finding(index, block, refusal))
    several = Refusal("several", "a later one took its place")
    findings += [_finding(at, blocks[at], several) for at, _ in notes[:-1]]
    return Reply(
        content=content,
        housekeeping=notes[-1][1] if notes else None,
        requests=tuple(requests),
        findings=tuple(sorted(findings, key=lambda finding: finding.at)),
    )


def _value(block: ReplyBlock) -> Housekeeping | RetrievalRequest:
    if block.fault:
        raise Refusal(block.fault, _FAULTS[block.fault])
    if has_tag(block.content):
        raise Refusal("nested", "another block stands in it")
    data = parse_json(block.content)
    return housekeeping_from(data) if block.name == "housekeeping" else request_from(data)


def _finding(at: int, block: ReplyBlock, refusal: Refusal) -> Finding:
    size = f" ({len(block.content):,} characters were taken out)" if block.content else ""
    return Finding(refusal.rule, at, f"{block.name or 'a block'} ignored: {refusal}{size}")
