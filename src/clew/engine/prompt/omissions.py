"""Omissions: the segments that a pack does not send word for word, without reading the whole session each time."""

from __future__ import annotations

from dataclasses import dataclass

from clew.domain import Epoch, Segment
from clew.engine.read.reader import SessionReader
from clew.packing.report import Omission, omitted_segments


@dataclass(frozen=True, slots=True)
class _Listed:
    """Omissions of the first ``count`` segments, which stay as they are while the epoch and the version do."""

    epoch: Epoch
    version: int
    count: int
    omissions: tuple[Omission, ...]


class OmittedSegments:
    """Lists the omitted segments of one session, for any of its streams."""

    def __init__(self, reader: SessionReader) -> None:
        self._reader = reader
        self._listed: dict[str, _Listed] = {}

    def omissions_of(self, epoch: Epoch) -> tuple[Omission, ...]:
        """Every segment that the epoch does not send word for word, with what stands for it and why."""
        segments, version = self._reader.segments(), self._reader.info.version
        listed = self._listed.get(epoch.stream)
        if listed is None or (listed.epoch, listed.version) != (epoch, version) or listed.count > len(segments):
            listed = _Listed(epoch, version, 0, ())
        last = next(
            (index for index in range(listed.count, len(segments)) if segments[index].first >= epoch.tail_start),
            len(segments),
        )
        settled = max(listed.count, min(last, len(segments) - 1))
        while settled > listed.count and not _is_settled(segments[settled - 1], epoch):
            settled -= 1
        stable = (*listed.omissions, *self._omissions_between(segments, listed.count, settled, epoch))
        self._listed[epoch.stream] = _Listed(epoch, version, settled, stable)
        return (*stable, *self._omissions_between(segments, settled, last, epoch))

    def _omissions_between(self, segments: list[Segment], first: int, last: int, epoch: Epoch) -> tuple[Omission, ...]:
        if first >= last:
            return ()
        shown = {source for section in epoch.sections for source in section.sources}
        named = [(segments[index], _id(segments, index)) for index in range(first, last)]
        return omitted_segments(named, epoch.sends, shown)


def _is_settled(segment: Segment, epoch: Epoch) -> bool:
    """True for one that neither grows nor reaches beyond the cut; its name is settled by the one that follows it."""
    return segment.closed and segment.last < epoch.tail_start


def _id(segments: list[Segment], index: int) -> str:
    """The id that names a segment best: x7 while it is all of its exchange, else x7.2."""
    segment = segments[index]
    has_next_part = index + 1 < len(segments) and segments[index + 1].exchange == segment.exchange
    return segment.id if segment.part > 1 or has_next_part else segment.exchange_id
