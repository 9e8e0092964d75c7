"""What can be read of a session: its messages, parts and what was drawn from them. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

from clew.digests.projection import Digests
from clew.digests.reading import Digested
from clew.domain import Message, Repair, Role, Segment, SessionInfo, SessionKey, Trio
from clew.engine.projecting import SessionRows
from clew.errors import NotFound
from clew.history import overview, segments
from clew.history.fold import History
from clew.history.normalise import normalised
from clew.history.workmap import WorkMap, WorkMapping, load
from clew.ports import Request
from clew.tokens.models import model as model_info

if TYPE_CHECKING:
    from clew.engine.core import Engine

_WIDER = 8


class Reading:
    def __init__(self, engine: Engine, info: SessionInfo) -> None:
        self._engine, self._info = engine, info

    @property
    def id(self) -> str:
        return self._info.key.id

    @property
    def engine(self) -> Engine:
        return self._engine

    @property
    def key(self) -> SessionKey:
        return self._info.key

    @property
    def info(self) -> SessionInfo:
        """The session's row as it is now in the store."""
        return self._engine.store.session(self._info.key) or self._info

    def newest(self, count: int) -> list[Message]:
        """The newest messages of the prompt view that are no system prompts; read without the rest.

        System prompts, old versions and what was rolled back may stand between them, so the look back widens
        until there are enough.
        """
        last, back = self.info.messages, count
        while True:
            first = max(1, last - back + 1)
            found = self._live(first, last)
            if len(found) >= count or first == 1:
                return found[-count:]
            back *= _WIDER

    def _live(self, first: int, last: int) -> list[Message]:
        history = History()
        for entry, record in self._engine.read_messages(self._info.key, first, last):
            history.add(entry, record)
        rows = self._engine.store.rows(self._info.key, overview.Overview.name, start=overview.row_name(first))
        history.left.update(int(name) for name, row in rows if orjson.loads(row).get("left"))
        return [message for message in history.prompt_view() if message.role is not Role.SYSTEM]

    def view(self, first: int, last: int) -> list[Message]:
        """Messages by number as the prompt view has them, without system prompts."""
        return self._live(first, last)

    def history(self) -> History:
        """All messages, folded from the ledger."""
        history = History()
        for entry, record in self._engine.read(self._info.key, 0, None):
            history.add(entry, record)
        return history

    def messages(self) -> list[Message]:
        """The record view: everything, in recorded order."""
        return self.history().record_view()

    def prompt(self) -> tuple[tuple[Message, ...], tuple[Repair, ...]]:
        """The prompt view made valid, and the repairs that took."""
        return normalised(self.history().prompt_view())

    def request(self, provider: str, *, repair: bool = True) -> tuple[Request, tuple[Repair, ...]]:
        """The prompt view as a provider's request; without ``repair``, just as it was recorded."""
        return self._engine.request(self.history(), provider, repair=repair)

    def segments(self) -> list[Segment]:
        self._engine.catch_up(self.info)
        rows = self._engine.store.rows(self._info.key, segments.Segments.name, start="0")
        values = orjson.loads(b"[" + b",".join(row for _, row in rows) + b"]")
        return [segments.segment_of(name, value) for (name, _), value in zip(rows, values, strict=True)]

    def outline(self) -> list[tuple[Segment, str]]:
        """Every segment with the id that names it best: x7 while it is all of its exchange, else x7.2."""
        found = self.segments()
        several = {one.exchange for one in found if one.part > 1}
        return [(one, one.id if one.exchange in several else one.exchange_id) for one in found]

    def tools_used(self) -> dict[str, dict[str, Any]]:
        self._engine.catch_up(self.info)
        rows = self._engine.store.rows(self._info.key, "tools", start="\x01")
        return {name: orjson.loads(row) for name, row in rows}

    def uses_tools(self) -> bool:
        return bool(self._engine.store.rows(self._info.key, "tools", start="\x01", last=1))

    def read_range(self, first: int, last: int) -> list[Message]:
        """Messages by number, read without touching the rest."""
        history = History()
        for entry, record in self._engine.read_messages(self._info.key, first, last):
            history.add(entry, record)
        return history.record_view()

    def read_newest(self, first: int, last: int) -> list[Message]:
        """As ``read_range``, with the newest version of each message in its place."""
        out: list[Message] = []
        for message in self.read_range(first, last):
            row = self._row(int(message.id[1:])) or {}
            if "place" not in row:
                newest = self.versions(int(message.id[1:]))[-1]
                out += self.read_range(newest, newest) if "replaced_by" in row else [message]
        return out

    def versions(self, number: int) -> list[int]:
        """A message's number and those of the versions that took its place, oldest first."""
        found = [number]
        while (row := self._row(found[-1])) and "replaced_by" in row:
            found.append(row["replaced_by"])
        return found

    def tokens_of(self, numbers: Iterable[int]) -> int:
        """What these messages count for, as it was counted when they came."""
        return sum(row["tokens"] for number in numbers if (row := self._row(number)))

    def _row(self, number: int) -> dict[str, Any] | None:
        raw = self._engine.store.row(self._info.key, overview.Overview.name, overview.row_name(number))
        return orjson.loads(raw) if raw else None

    def limit(self) -> int:
        """What may be sent by default: the window less the reserve for the answer."""
        info = self.info
        window = info.window or model_info(info.model).window
        return max(int(window * (1 - self._engine.config.packing.response_reserve)), 1)

    def digested(self) -> Digested:
        """What was drawn from each segment: digests, trios, the story and the index of names."""
        self._engine.catch_up(self.info)
        rows = SessionRows(self._engine.store, self._info.key, Digests.name)
        return Digested(rows, self._engine.config.digests)

    def trio(self, id: str) -> Trio:
        """A segment at its three sizes: header, summary, and the messages that are the full one."""
        found = self.digested().trio(id)
        if found is None:
            raise NotFound(f"no segment {id} in session {self.id}; `clew show {self.id}` lists them")
        return found

    def replies(self) -> int:
        """How many replies there are: as many calls of a model."""
        return int((self._engine.state(self._info.key, overview.Overview.name) or {}).get("replies", 0))

    def tokens(self) -> int:
        """What all messages count for, as they were recorded."""
        return int((self._engine.state(self._info.key, overview.Overview.name) or {}).get("tokens", 0))

    def work_map(self) -> WorkMap:
        """Files, commands, tests and to-dos as they stand now."""
        self._engine.catch_up(self.info)
        return load(SessionRows(self._engine.store, self._info.key, WorkMapping.name).scan())
