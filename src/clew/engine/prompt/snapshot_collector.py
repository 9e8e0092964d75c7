"""The snapshot collector: gathers what a snapshot says beside messages (headers, the work map, summaries, critical
items), and has it rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.curation.projection import CuratedFormsProjection
from clew.digests.reader import DigestReader
from clew.domain import Header, Message, SectionReport, SessionInfo
from clew.domain.ids import SegmentId, SpanId, parse_segment
from clew.engine.prompt.critical_sections import CriticalSections
from clew.engine.prompt.strategies import StrategyResult
from clew.engine.session_core import SessionCore
from clew.knowledge.layout import Layout
from clew.packing.formats import FORMATS
from clew.packing.snapshot import SnapshotSources, render_snapshot
from clew.ports import TokenCounter

#: Headers that are read of what is older than the newest ones.
_OLDER_HEADERS = 50
#: Curation shrinks a session to no less than one part in this many.
_LARGER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotRequest:
    """A snapshot of the messages ``before``, as their users see them. Those that are ``sent`` behind it word for word
    are given as they were recorded, which is the same in every room, and how many ``sent_pieces`` they are. Without a
    ``room`` it is the least there can be. ``older`` is what a strategy decided, ``critical_room`` what critical items
    have a share of.
    """

    before: Sequence[Message]
    older: StrategyResult
    layout: Layout
    critical_room: int = 0
    room: int | None = None
    sent: Sequence[Message] = ()
    sent_pieces: int | None = None


class SnapshotCollector:
    """Collects for one session. Headers and work map are read once for each state of the conversation."""

    def __init__(self, core: SessionCore, critical: CriticalSections) -> None:
        self._ledger, self._reader, self._services = core.ledger, core.reader, core.services
        self._critical = critical
        self._base: tuple[SessionInfo, SnapshotSources] | None = None

    def may_fit(self, budget: int) -> bool:
        """Returns False when the session is so much larger than the
        budget that shortening outputs cannot make it fit.
        """
        forms = self._ledger.state(CuratedFormsProjection.name) or {}
        return self.live_tokens() - int(forms.get("saved", 0)) <= _LARGER * budget

    def live_tokens(self) -> int:
        """Returns the tokens of everything that was not rolled back, whole."""
        return sum(segment.tokens for segment in self._reader.segments() if not segment.rolled_back)

    def render(
        self, asked: SnapshotRequest, *, count: TokenCounter, target: str
    ) -> tuple[tuple[SectionReport, ...], str]:
        """Returns a report of each section of a snapshot, and its text. Raises BudgetExceeded if the least there can be
        does not fit.
        """
        most, older = self._services.config.packing.summaries, asked.older
        sources = replace(
            self._of_conversation(),
            session=self._reader.id if target == "text" else "",  # a model behind an API has no shell
            summary=older.summary if most else "",
            summary_sources=older.sources if most else (),
            summarised=older.summarised,
            max_summaries=most,
            chunks=older.chunks,
            sent_pieces=asked.sent_pieces,
            critical=self._critical.of_snapshot(asked.critical_room, count, asked.layout),
        )
        sections, text = render_snapshot(
            asked.before, sources, sent=asked.sent, room=asked.room, count=count, target=target
        )
        format = FORMATS[target]
        shown = (
            SectionReport(
                name=section.name, layer=section.layer, tokens=count(format(section)), sources=section.sources
            )
            for section in sections
            if section.text
        )
        return tuple(shown), text

    def _of_conversation(self) -> SnapshotSources:
        if self._base is None or not self._reader.is_same_conversation(self._base[0]):
            self._base = (self._ledger.info, self._headers_and_work())
        return self._base[1]

    def _headers_and_work(self) -> SnapshotSources:
        config, digests = self._services.config.digests, self._reader.digests()
        headers = [trio.header for trio in digests.trios(last=config.max_headers)]
        if len(headers) == config.max_headers:
            headers = [*_eras_before(headers[0], digests), *headers]
        work, exchanges = self._reader.work_map_from_cwd(), self._reader.exchange_numbers()
        return SnapshotSources(work=work, headers=headers, exchanges=exchanges)


def _eras_before(first: Header, digests: DigestReader) -> Iterator[Header]:
    """Headers for everything older than the newest few hundred: each stands for a run of exchanges, and tells how that
    began."""
    named = parse_segment(first.id)
    older = named.exchange - 1 if named else 0
    length = max(1, -(-older // _OLDER_HEADERS))
    for start in range(1, older + 1, length):
        last = min(start + length - 1, older)
        span = SpanId(SegmentId(start), SegmentId(last)) if last > start else SegmentId(start)
        if (trio := digests.trio(f"x{start}")) is not None:
            yield replace(trio.header, id=str(span), segments=last - start + 1)
