"""Reads what the digests projection stores: trios and digests."""

from __future__ import annotations

from clew.config import DigestConfig
from clew.digests.segment_rows import DRAFT, TRIO, SegmentRows
from clew.domain import Digest, Json, Trio
from clew.domain.ids import parse_segment
from clew.domain.values import from_json
from clew.history.segments import SegmentsProjection, prefix_end, row_name
from clew.ports import Rows

#: Segments from the end in which a model's notes are looked for: older ones tell of other work.
_NOTED_SEGMENTS = 3


class DigestReader:
    """Reads one session's digests by segment. The open segment is finished for the reader, not in the rows."""

    def __init__(self, rows: Rows, config: DigestConfig) -> None:
        self._rows, self._config = rows, config
        self._segments = SegmentRows(rows.of(SegmentsProjection.name))

    def trios(self, *, last: int | None = None) -> list[Trio]:
        """Returns the trios of segments in order, without rolled-back ones;
        with ``last``, only that many from the end.
        """
        trios = [from_json(Trio, row) for row in self._finished_rows(last)]
        trios += self._unfinished_trios()
        return trios[-last:] if last else trios

    def decisions(self) -> set[str]:
        """Returns what was decided in segments that were not rolled back."""
        decided = {decision for row in self._finished_rows() for decision in row["summary"].get("decisions", ())}
        return decided.union(*(trio.summary.decisions for trio in self._unfinished_trios()))

    def _finished_rows(self, last: int | None = None) -> list[Json]:
        """Rows of trios in order, without those of segments that were rolled back."""
        rows = self._rows.scan(TRIO, prefix_end(TRIO), last=last)
        return [row for name, row in rows if not self._segments.is_rolled_back(name.removeprefix(TRIO))]

    def _unfinished_trios(self) -> list[Trio]:
        name = self._open_segment()
        return [self._trio(name)] if name and not self._segments.is_rolled_back(name) else []

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

    def newest_noted(self) -> Digest | None:
        """Returns the digest of the newest of a few segments whose work the model summed up, or whose request it put in
        its own words; rolled-back ones aside. None where there is none.
        """
        rows = self._rows.scan(DRAFT, prefix_end(DRAFT), last=_NOTED_SEGMENTS)
        noted = [name.removeprefix(DRAFT) for name, row in rows if {"gist", "intent"} & row.get("noted", {}).keys()]
        names = [name for name in noted if not self._segments.is_rolled_back(name)]
        return self._digest(names[-1]) if names else None

    def names_in_segment(self, id: str) -> frozenset[str]:
        """Returns names and files of a segment so far, without building its digest."""
        row = self._rows.get(DRAFT + self._row_name(id)) or {}
        return frozenset((*row.get("names", ()), *row.get("files", ())))

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
