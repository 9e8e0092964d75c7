"""Sessions as the page shows them: lists, one session, its exchanges, their messages, and how its prompt grew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from clew.assistants.clients import resume_command
from clew.compaction.prices import known_price
from clew.dashboard.endpoint import OWNER_MARK, Endpoint
from clew.domain import Call, Message, Opaque, Output, Part, Reasoning, SessionInfo, SessionKey, Text, Usage
from clew.domain.health import Health
from clew.engine.engine import Engine
from clew.engine.read.recall import RecalledPart
from clew.engine.read.size_history import SizeHistory
from clew.engine.session_listing import SessionListing
from clew.errors import NotFound
from clew.history.message_text import part_text, speaker

#: Most characters of a part that are sent at once; the rest is read by its id.
_MOST_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list: what lists know of it, and what its requests cost, as far as the price is known. ``name`` is
    what this API finds it by.
    """

    name: str
    session: SessionListing
    project: str
    branch: str
    cost: float | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A page of sessions, newest first, how many there are, and how many each project and client has."""

    sessions: tuple[SessionRow, ...]
    total: int
    projects: dict[str, int]
    clients: dict[str, int]


def sessions(
    engine: Engine, *, project: str = "", client: str = "", words: str = "", offset: int = 0, limit: int = 50
) -> SessionPage:
    """Returns stored sessions, newest first: of a project or client, or with words in their title or id. Those that
    were just imported say no more than that until the rest is made, in the background.
    """
    infos, wanted = engine.infos(), words.casefold().split()
    found = [
        info
        for info in infos
        if info.is_of_project(project)
        and client in ("", info.client)
        and all(word in f"{info.title} {info.key.id} {info.cwd}".casefold() for word in wanted)
    ]
    page = found[max(offset, 0) : max(offset, 0) + min(max(limit, 1), 500)]
    names, known = session_names(infos), {(info.owner, info.key.id): info for info in page}
    listed = [(one, known[one.user, one.id]) for one in engine.sessions(keys={info.key for info in page}, wait=False)]
    return SessionPage(
        tuple(_row(engine, one, info, names[info.key]) for one, info in listed),
        len(found),
        dict(Counter(_project(info) for info in infos)),
        dict(Counter(info.client for info in infos)),
    )


def session_names(infos: Iterable[SessionInfo]) -> dict[SessionKey, str]:
    """Returns what each session is found by: its id, after its user where several users have one of that id."""
    keys = [info.key for info in infos]
    users = Counter(key.id for key in keys)
    return {key: key.id if users[key.id] == 1 else f"{key.user}{OWNER_MARK}{key.id}" for key in keys}


def _row(engine: Engine, listing: SessionListing, info: SessionInfo, name: str) -> SessionRow:
    price = known_price(info.model, engine.config.prices) if info.usage != Usage() else None
    is_known = listing.health != "unknown"
    branch = engine.find(info.key.id, user=info.key.user).reader.branch() if is_known else ""
    # A sum says nothing of single requests: none of them is taken for a long one, which would cost more.
    cost = price._replace(long_from=0).cost(info.usage) if price else None
    return SessionRow(name, listing, _project(info), branch, cost, info.usage)


def _project(info: SessionInfo) -> str:
    return info.project or info.cwd


@dataclass(frozen=True, slots=True)
class SessionView:
    """One session: its row, health, where it stands as fields and as text, and the command that goes on with it."""

    row: SessionRow
    health: Health
    current: dict[str, Any]
    story: str
    resume: str
    entries: int


def session(engine: Engine, *, id: str) -> SessionView:
    """Returns one session: health, current context, and the client's own command to go on with it."""
    found = engine.find(id)
    listing = next(iter(engine.sessions(keys={found.key})), None)
    if listing is None:
        raise NotFound(f"no session {id!r}")
    current = found.current_context()
    return SessionView(
        _row(engine, listing, found.info, session_names(engine.infos())[found.key]),
        found.health(),
        current.fields(),
        current.text,
        resume_command(found.info.client, found.id),
        found.info.entries,
    )


def size_history(engine: Engine, *, id: str, points: int = 600) -> SizeHistory:
    """Returns how the prompt grew over a session, in about so many points, and where it was compacted."""
    return engine.find(id).reader.size_history(points=points)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment in the list of all: its id, messages, size, the words of its request and its header."""

    id: str
    first: int
    last: int
    tokens: int
    words: str
    header: str
    rolled_back: bool


@dataclass(frozen=True, slots=True)
class Segments:
    """Segments of a session, in order, and how many there are."""

    segments: tuple[SegmentRow, ...]
    total: int


def segments(engine: Engine, *, id: str, offset: int = 0, limit: int = 5_000) -> Segments:
    """Returns the segments of a session, each with its header."""
    found = engine.find(id)
    outline, digests = found.reader.outline(), found.reader.digests()
    rows = []
    for segment, name in outline[max(offset, 0) : max(offset, 0) + max(limit, 1)]:
        trio = digests.trio(segment.id)
        header = trio.header.line if trio else ""
        rows.append(
            SegmentRow(name, segment.first, segment.last, segment.tokens, segment.words, header, segment.rolled_back)
        )
    return Segments(tuple(rows), len(outline))


@dataclass(frozen=True, slots=True)
class PartView:
    """A part of a message as it is shown: text, reasoning, call, output or another kind. ``cut`` is how many characters
    are left out of ``text``.
    """

    kind: str
    text: str
    name: str = ""
    call: str = ""
    status: str = ""
    cut: int = 0


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message as it is shown."""

    id: str
    role: str
    speaker: str
    at: float | None
    model: str
    tokens: int
    thread: str
    parts: tuple[PartView, ...]
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages of a part of a session."""

    id: str
    messages: tuple[MessageView, ...]
    total: int


def messages(engine: Engine, *, id: str, part: str, offset: int = 0, limit: int = 200, whole: bool = False) -> Messages:
    """Returns the messages that an id names (m12, x7, x7.2), long texts cut unless they are asked for whole."""
    found = engine.find(id)
    all = found.messages(part)
    shown = all[max(offset, 0) : max(offset, 0) + max(limit, 1)]
    most = None if whole else _MOST_CHARS
    return Messages(
        part, tuple(message_view(one, found.reader.tokens_of([one.number]), most) for one in shown), len(all)
    )


def message_view(message: Message, tokens: int, most: int | None) -> MessageView:
    """Returns a message as it is shown, each part with at most so many characters."""
    return MessageView(
        message.id,
        str(message.role),
        speaker(message),
        message.at,
        message.model or "",
        tokens,
        message.thread,
        tuple(part_view(part, most) for part in message.parts),
        message.usage,
    )


def part_view(part: Part, most: int | None) -> PartView:
    """Returns a part as it is shown."""
    kind, text, more = _shown_part(part)
    cut = max(len(text) - most, 0) if most is not None else 0
    return PartView(kind, text[:most], cut=cut, **more)


def _shown_part(part: Part) -> tuple[str, str, dict[str, str]]:
    match part:
        case Text():
            return "text", part.text, {}
        case Reasoning():
            return "reasoning", part.text, {}
        case Call():
            return "call", part_text(part), {"name": part.name, "call": part.id}
        case Output():
            return "output", part.text, {"name": part.name or "", "call": part.call_id, "status": str(part.status)}
        case Opaque():
            return "other", part.kind, {}
    return "media", part_text(part), {}


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a session that were read by id."""

    items: tuple[RecalledPart, ...]


def parts(
    engine: Engine, *, id: str, part: str, size: Literal["full", "summary", "header", "digest"] = "full"
) -> Parts:
    """Returns a part of a session by its id, at a size: full, summary, header or digest."""
    return Parts(tuple(engine.find(id).recall(part, size, for_person=True)))


@dataclass(frozen=True, slots=True)
class Tools:
    """What each tool of a session did, by name."""

    tools: dict[str, dict[str, Any]]


def tools(engine: Engine, *, id: str) -> Tools:
    """Returns how often each tool was called, how it ended, and the tokens that it gave."""
    return Tools({name: dict(tally) for name, tally in engine.find(id).reader.tools_used().items()})


ENDPOINTS = (
    Endpoint("GET", "/api/sessions", sessions),
    Endpoint("GET", "/api/sessions/{id}", session),
    Endpoint("GET", "/api/sessions/{id}/sizes", size_history),
    Endpoint("GET", "/api/sessions/{id}/segments", segments),
    Endpoint("GET", "/api/sessions/{id}/messages", messages),
    Endpoint("GET", "/api/sessions/{id}/parts", parts),
    Endpoint("GET", "/api/sessions/{id}/tools", tools),
)
