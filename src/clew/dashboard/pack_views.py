"""Packs as the page shows them: what a budget would hold, what leaves it and why, and the exact prompt. Looking commits
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from clew.codecs.jsonio import indented
from clew.dashboard.endpoint import Endpoint
from clew.dashboard.replays import Replays
from clew.dashboard.session_views import PartView, part_view
from clew.domain import Output
from clew.domain.epochs import SectionReport
from clew.engine.engine import Engine
from clew.packing.report import Omission

Target = Literal["", "text", "anthropic", "openai-chat", "openai-responses", "gemini"]
#: Headings of sections in a snapshot, in each of its formats; where a line says what it is drawn from; and ids.
_HEADING = re.compile(r"(?:<|## |=+ )(?:clew[- ])?([\w-]+)")
_BEGINNING = re.compile(r"p\d+ \[[^\]]*\]|(?:[mx]\d[\w.]*[,–; -]*)+|- .*\([^()]*\bm\d+\)")
_ID = re.compile(r"\b(?:m\d+|x\d+(?:\.\d+)?)\b")


@dataclass(frozen=True, slots=True)
class PackView:
    """A pack: its sections with their tokens, what is not sent word for word and why, and the prompt itself."""

    session: str
    target: str
    budget: int
    tokens: int
    epoch: int
    digest: str
    counted: str
    shares: dict[str, float]
    sections: tuple[SectionReport, ...]
    left_out: tuple[Omission, ...]
    sent: tuple[str, ...]
    prompt: str


def pack(engine: Engine, *, id: str, budget: int | None = None, query: str = "", target: Target = "") -> PackView:
    """Returns the pack that would be sent for a budget and a question: for a provider, or as the session goes on, told
    as text. Nothing is recorded.
    """
    found = Replays.of(engine, id).pack(query, budget=budget, target=target)
    prompt = found.text if target in ("", "text") else indented(found.request())
    return PackView(
        session=found.session,
        target=found.target,
        budget=found.budget,
        tokens=found.tokens,
        epoch=found.epoch,
        digest=found.digest,
        counted=found.counted,
        shares=found.shares,
        sections=found.sections,
        left_out=found.left_out,
        sent=tuple(message.id for message in found.content.messages if message.id),
        prompt=prompt,
    )


@dataclass(frozen=True, slots=True)
class Window:
    """The window as a bar: its sections in order with their tokens, where compaction begins, the limit, the reserve
    for the answer, and what is free.
    """

    sections: tuple[SectionReport, ...]
    used: int
    soft: int
    limit: int
    window: int


def window(engine: Engine, *, id: str) -> Window:
    """Returns what fills the window: the sections of the prompt that would be sent now, against its limits."""
    session = engine.find(id)
    found, limit = Replays.of(engine, id).pack(), session.limit()
    return Window(
        found.sections,
        found.tokens,
        int(limit * engine.config.compaction.soft_share),
        limit,
        session.reader.window().tokens,
    )


@dataclass(frozen=True, slots=True)
class KeptLine:
    """What the prompt tells of a message or segment instead of sending it: in which section, from where, and in which
    words.
    """

    section: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class SentOutputs:
    """How a part of a session stands in the prompt: messages that are sent, outputs as they are sent, by call, and what
    is told of the rest.
    """

    sent: tuple[str, ...]
    outputs: dict[str, PartView]
    kept: tuple[KeptLine, ...]


def sent_outputs(engine: Engine, *, id: str, part: str) -> SentOutputs:
    """Returns how a part of a session stands in the prompt that would be sent now: its messages and outputs that are
    sent, and the lines that tell of the rest.
    """
    session = engine.find(id)
    found = Replays.of(engine, id).pack()
    wanted = {message.id for message in session.messages(part)}
    outputs = {
        part.call_id: part_view(part, None)
        for message in found.content.messages
        if message.id in wanted
        for part in message.parts
        if isinstance(part, Output)
    }
    sent = tuple(message.id for message in found.content.messages if message.id in wanted)
    names = {section.name for section in found.sections}
    kept = kept_lines(found.content.snapshot, names)
    return SentOutputs(sent, outputs, tuple(line for line in kept if line.source in wanted or line.source == part))


def kept_lines(snapshot: str, sections: Collection[str]) -> Iterator[KeptLine]:
    """Yields what a snapshot tells under each id: a line that begins with it or names it as its source, and the
    indented lines below.
    """
    section, sources, lines = "", tuple[str, ...](), list[str]()
    for line in [*snapshot.split("\n"), ""]:
        if line.startswith(" ") and lines:
            lines.append(line)
            continue
        yield from (KeptLine(section, source, "\n".join(lines)) for source in sources)
        heading = _HEADING.match(line)
        if heading and heading[1] in sections:
            section, sources, lines = heading[1], (), []
        else:
            begin = _BEGINNING.match(line)
            sources, lines = tuple(dict.fromkeys(_ID.findall(begin[0] if begin else ""))), [line]


ENDPOINTS = (
    Endpoint("GET", "/api/sessions/{id}/pack", pack, is_replay=True),
    Endpoint("GET", "/api/sessions/{id}/window", window),
    Endpoint("GET", "/api/sessions/{id}/sent", sent_outputs),
)
