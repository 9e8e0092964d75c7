"""Reading what the projection keeps: headers, summaries, digests, the names index and the story as it is now."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clew.config import DigestConfig
from clew.digests.borders import Borders
from clew.digests.drafts import Draft, finished
from clew.digests.projection import DRAFT, NAME, TOLD, TRIO, after
from clew.digests.stored import restored
from clew.digests.story import evolve
from clew.digests.trio import trio
from clew.domain import Digest, Story, Trio
from clew.history.segments import Segments, row_name
from clew.ports import Rows

_SEGMENT = re.compile(r"x(\d{1,7})(?:\.(\d{1,5}))?")


class Digested:
    """One session's digests, by segment. What is still under way is finished for the reader, not in the rows."""

    def __init__(self, rows: Rows, config: DigestConfig) -> None:
        self._rows, self._config = rows, config
        self._segments = rows.of(Segments.name)
        self._borders = Borders(self._segments)

    def trios(self, *, last: int | None = None) -> list[Trio]:
        """Segments in order, those that were rolled back left out; with ``last``, only so many from the end."""
        rows = self._rows.scan(TRIO, after(TRIO), last=last)
        done = [(name.removeprefix(TRIO), row) for name, row in rows]
        found = [restored(Trio, row) for name, row in done if not self._borders.is_left(name)]
        name = self._open()
        if name and not self._borders.is_left(name):
            found.append(trio(self._digest(name), self._config))
        return found[-last:] if last else found

    def trio(self, id: str) -> Trio | None:
        """A segment's sizes by its id; x7 is the first segment of its exchange."""
        name = self._name(id)
        if row := self._rows.get(TRIO + name):
            return restored(Trio, row)
        return trio(self._digest(name), self._config) if self._rows.get(DRAFT + name) else None

    def digest(self, id: str) -> Digest | None:
        name = self._name(id)
        return self._digest(name) if self._rows.get(DRAFT + name) else None

    def story(self) -> Story:
        """The story of what is in the prompt view, the segment under way included."""
        told = [name.removeprefix(TOLD) for name, _ in self._rows.scan(TOLD, after(TOLD), last=1)]
        if told and self._borders.is_left(told[0]):
            told = [name.removeprefix(TOLD) for name, _ in self._rows.scan(TOLD, after(TOLD))]
        base = max((name for name in told if not self._borders.is_left(name)), default="")
        story = restored(Story, self._rows.get(TOLD + base)) if base else Story()
        name = self._open()
        return evolve(story, self._digest(name)) if name and not self._borders.is_left(name) else story

    def objective(self) -> str:
        """What the session is for, in the words of the story as it was when the last segment ended."""
        told = self._rows.scan(TOLD, after(TOLD), last=1)
        if told and not self._borders.is_left(told[0][0].removeprefix(TOLD)):
            return str((told[0][1].get("objective") or {}).get("text", ""))
        objective = self.story().objective
        return objective.text if objective else ""

    def held(self, id: str) -> frozenset[str]:
        """Names and files that a segment holds, as far as it has come; read without making a digest."""
        row = self._rows.get(DRAFT + self._name(id)) or {}
        return frozenset((*row.get("names", ()), *row.get("files", ())))

    def segments_of(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Which finished segments hold each of the names; names that none does are left out."""
        found = {name: self._rows.get(NAME + name) for name in names}
        return {name: tuple(ids) for name, ids in found.items() if ids}

    def names(self) -> dict[str, tuple[str, ...]]:
        """The whole index."""
        return {name.removeprefix(NAME): tuple(ids) for name, ids in self._rows.scan(NAME, after(NAME))}

    def _open(self) -> str:
        """The segment under way: the only one that has facts and no sizes yet."""
        drafts = [name.removeprefix(DRAFT) for name, _ in self._rows.scan(DRAFT, after(DRAFT), last=1)]
        return drafts[0] if drafts and self._rows.get(TRIO + drafts[0]) is None else ""

    def _name(self, id: str) -> str:
        match = _SEGMENT.fullmatch(id)
        return row_name(int(match[1]), int(match[2] or 1)) if match else id

    def _digest(self, name: str) -> Digest:
        draft = restored(Draft, self._rows.get(DRAFT + name))
        return finished(draft, self._borders.id(name), tokens=self._borders.tokens(name))
