"""A pack: what is sent, and the report of what was kept, shrunk and left out, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from clew.domain import Message, Origin, Role, Segment, Text
from clew.errors import BudgetExceeded
from clew.history.normalise import safe_cuts
from clew.packing.formats import FORMATS, Section, written
from clew.packing.snapshot import Count, Told, snapshot
from clew.ports import Tokenizer
from clew.tokens.counting import count_message

#: The newest messages may take this share of the room word for word.
_TAIL_SHARE = 0.5
#: Below this a snapshot says too little to be worth its marks.
_MIN_SNAPSHOT_TOKENS = 200


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A segment that is not sent word for word: what stands for it, what it holds, and why."""

    id: str
    shown_as: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Messages to send, with the snapshot at their head; ``tokens`` counts all of them."""

    sections: tuple[Section, ...]
    messages: tuple[Message, ...]
    tokens: int
    first_whole: str = ""


def digest_of(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()


def planned_text(messages: Sequence[Message], told: Told, query: str, *, budget: int, count: Count) -> tuple[str, Plan]:
    """A pack as one text: the snapshot of everything, then the question."""
    asked = (Section("input", 1, query),) if query else ()
    room = budget - (count(written(asked, FORMATS["text"])) + 1 if asked else 0)
    sections = (*snapshot(messages, told, budget=room, count=count, format=FORMATS["text"]), *asked)
    text = written(sections, FORMATS["text"])
    return text, Plan(sections=sections, messages=(), tokens=count(text))


def planned(
    messages: Sequence[Message], told: Told, query: str, *, budget: int, tokenizer: Tokenizer, provider: str, extra: int
) -> Plan:
    """A valid history that fits: all of it if it does, else a snapshot and the newest steps word for word.

    ``messages`` are normalised; ``extra`` is what system prompt and tools take.
    """
    asked = (Message(role=Role.USER, origin=Origin.PERSON, parts=(Text(text=query),)),) if query else ()
    sizes = [count_message(message, tokenizer) for message in messages]
    input_tokens = sum(count_message(message, tokenizer) for message in asked)
    room = budget - extra - input_tokens
    if sum(sizes) <= room:
        whole = (*messages, *asked)
        return Plan(sections=(), messages=whole, tokens=extra + input_tokens + sum(sizes))
    if room < _MIN_SNAPSHOT_TOKENS:
        raise BudgetExceeded(budget, {"system": extra, "input": input_tokens, "snapshot": _MIN_SNAPSHOT_TOKENS})
    cut = _cut(messages, sizes, int(room * _TAIL_SHARE))
    tail_tokens = sum(sizes[cut:])
    frame = count_message(Message(role=Role.USER, parts=(Text(text=""),)), tokenizer)
    sections = snapshot(
        messages[:cut], told, budget=room - tail_tokens - frame, count=tokenizer.count, format=FORMATS[provider]
    )
    head = _headed(messages[cut:], written(sections, FORMATS[provider]))
    sent = (*head, *asked)
    total = extra + sum(count_message(message, tokenizer) for message in sent)
    return Plan(
        sections=sections, messages=sent, tokens=total, first_whole=messages[cut].id if cut < len(messages) else ""
    )


def _cut(messages: Sequence[Message], sizes: Sequence[int], room: int) -> int:
    """The earliest safe cut after which everything fits word for word."""
    cuts = safe_cuts(messages)
    best, total, at = len(messages), 0, len(messages)
    for cut in reversed(cuts):
        total += sum(sizes[cut:at])
        at = cut
        if total > room:
            break
        best = cut
    return best


def _headed(tail: Sequence[Message], text: str) -> tuple[Message, ...]:
    """The snapshot stands at the head of the first user message."""
    part = Text(text=text)
    if tail and tail[0].role is Role.USER and not tail[0].outputs:
        return (replace(tail[0], parts=(part, *tail[0].parts), wire=None), *tail[1:])
    return (Message(role=Role.USER, origin=Origin.CLEW, parts=(part,)), *tail)


def left_out(segments: Sequence[tuple[Segment, str]], first_whole: int, shown: set[str]) -> tuple[LeftOut, ...]:
    """Every segment that is not sent whole, with what stands for it."""
    out = []
    for segment, id in segments:
        if first_whole and segment.first >= first_whole:
            continue
        lines = any(f"m{number}" in shown for number in range(segment.first, segment.last + 1))
        as_what, why = ("lines", "shortened to fit the budget") if lines else ("header", "older than what fits")
        out.append(LeftOut(id, as_what, segment.tokens, "rolled back" if segment.left else why))
    return tuple(out)
