"""Reads what the digests projection stores: trios, digests, the names index and the current story."""

from __future__ import annotations

from clew.config import DigestConfig
from clew.digests.row_names import DRAFT, NAME, STORY, TRIO, prefix_end
from clew.digests.segment_rows import SegmentRows
from clew.domain import Digest, Story, Trio
from clew.domain.ids import parse_segment
from clew.domain.values import from_json
from clew.history.segments import SegmentsProjection, row_name
from clew.ports import Rows


class DigestReader:
    """Reads one session's digests by segment. The open segment is finished for the reader, not in the rows."""

    def __init__(self, rows: Rows, config: DigestConfig) -> None:
        self._rows, self._config = rows, config
        self._segments = SegmentRows(rows.of(SegmentsProjection.name))

    def trios(self, *, last: int | None = None) -> list[Trio]:
        """Returns the trios of segments in order, without rolled-back ones;
        with ``last``, only that many from the end.
        """
        rows = self._rows.scan(TRIO, prefix_end(TRIO), last=last)
        done = [(name.removeprefix(TRIO), row) for name, row in rows]
        found = [from_json(Trio, row) for name, row in done if not self._segments.is_rolled_back(name)]
        name = self._open_segment()
        if name and not self._segments.is_rolled_back(name):
            found.append(self._trio(name))
        return found[-last:] if last else found

    def trio(self, id: str) -> Trio | None:
        """Returns the trio of a segment; x7 is the first segment of its exchange. None if there is no such segment."""
        name = self._row_name(id)
        if row := self._rows.get(TRIO + name):
            return from_json(Trio, row)
        return self._trio(name) if self._rows.get(DRAFT + name) else None

    def digest(self, id: str) -> Digest | None:
        """Returns the digest of a segment; None if there is no such segment."""
        name = self._row_name(id)
        return self._digest(name) if self._rows.get(DRAFT + name) else None

    def story(self) -> Story:
        """Returns the story of what is in the prompt view, the open segment included."""
        finished = [name.removeprefix(STORY) for name, _ in self._rows.scan(STORY, prefix_end(STORY), last=1)]
        if finished and self._segments.is_rolled_back(finished[0]):
            finished = [name.removeprefix(STORY) for name, _ in self._rows.scan(STORY, prefix_end(STORY))]
        base = max((name for name in finished if not self._segments.is_rolled_back(name)), default="")
        story = from_json(Story, self._rows.get(STORY + base)) if base else Story()
        name = self._open_segment()
        if not name or self._segments.is_rolled_back(name):
            return story
        from clew.digests.story import evolve

        return evolve(story, self._digest(name))

    def objective(self) -> str:
        """Returns the objective of the story when the last segment was finished; empty if there is none."""
        last = self._rows.scan(STORY, prefix_end(STORY), last=1)
        if last and not self._segments.is_rolled_back(last[0][0].removeprefix(STORY)):
            return str((last[0][1].get("objective") or {}).get("text", ""))
        objective = self.story().objective
        return objective.text if objective else ""

    def names_in_segment(self, id: str) -> frozenset[str]:
        """Returns names and files of a segment so far, without building its digest."""
        row = self._rows.get(DRAFT + self._row_name(id)) or {}
        return frozenset((*row.get("names", ()), *row.get("files", ())))

    def names(self) -> dict[str, tuple[str, ...]]:
        """Returns the whole names index."""
        return {name.removeprefix(NAME): tuple(ids) for name, ids in self._rows.scan(NAME, prefix_end(NAME))}

    def _open_segment(self) -> str:
        """The row name of the open segment: the only one that has a draft and no trio yet."""
        drafts = [name.removeprefix(DRAFT) for name, _ in self._rows.scan(DRAFT, prefix_end(DRAFT), last=1)]
        return drafts[0] if drafts and self._rows.get(TRIO + drafts[0]) is None else ""

    def _row_name(self, id: str) -> str:
        segment = parse_segment(id)
        return row_name(segment.exchange, segment.part if "." in id else 1) if segment else id

    def _trio(self, name: str) -> Trio:
        """The trio of a segment that is under way."""
        from clew.digests.trio import trio

        return trio(self._digest(name), self._config)

    def _digest(self, name: str) -> Digest:
        from clew.digests.draft import DigestDraft, finish_digest

        draft = from_json(DigestDraft, self._rows.get(DRAFT + name))
        return finish_digest(draft, self._segments.id_of(name), tokens=self._segments.tokens_of(name))
