"""The snapshot collector: gathers what a snapshot says beside messages: headers, the work map, summaries and critical
items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.curation.projection import CuratedFormsProjection
from clew.digests.reader import DigestReader
from clew.domain import Header, Message, SectionReport, SessionInfo
from clew.domain.ids import SegmentId, SpanId, parse_segment
from clew.engine.compactor.strategies import StrategyResult
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.prompt.critical_sections import CriticalSections
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.knowledge.layout import Layout
from clew.packing.formats import FORMATS
from clew.packing.snapshot import SnapshotSources, render_snapshot
from clew.ports import TokenCounter
from clew.replies.parsing import without_notes

#: Curation shrinks a session to no less than one part in this many.
_LARGER = 2


class SnapshotCollector:
    """Collects for one session. Headers and work map are read once for each state of the conversation."""

    def __init__(
        self, ledger: SessionLedger, reader: SessionReader, services: Services, *, critical: CriticalSections
    ) -> None:
        self._ledger, self._reader, self._services, self._critical = ledger, reader, services, critical
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

    def collect(
        self, older: StrategyResult, *, critical_room: int, count: TokenCounter, layout: Layout
    ) -> SnapshotSources:
        """Returns the sources of a snapshot of everything before ``tail_start``."""
        most = self._services.config.packing.summaries
        return replace(
            self._of_conversation(),
            summary=older.summary if most else "",
            summary_sources=older.sources if most else (),
            summarised=older.summarised,
            max_summaries=most,
            chunks=older.chunks,
            critical=self._critical.of_snapshot(critical_room, count, layout),
        )

    def _of_conversation(self) -> SnapshotSources:
        if self._base is None or not self._reader.is_same_conversation(self._base[0]):
            self._base = (self._ledger.info, self._headers_and_work())
        return self._base[1]

    def _headers_and_work(self) -> SnapshotSources:
        config, digests = self._services.config.digests, self._reader.digests()
        headers = [one.header for one in digests.trios(last=config.max_headers)]
        if len(headers) == config.max_headers:
            headers = [*_era_before(headers[0], digests), *headers]
        work, exchanges = self._reader.work_map_from_cwd(), self._reader.exchange_numbers()
        return SnapshotSources(session=self._reader.id, work=work, headers=headers, exchanges=exchanges)


def report_snapshot(
    messages: Sequence[Message],
    sources: SnapshotSources,
    room: int | None,
    *,
    sent: Sequence[Message] = (),
    count: TokenCounter,
    target: str,
) -> tuple[tuple[SectionReport, ...], str]:
    """Returns a report of each section of the snapshot, and its text; without a room, of the least there can be.

    The messages ``sent`` follow it word for word.
    """
    messages = [without_notes(message) for message in messages]
    if target != "text":  # a model behind an API has no shell
        sources = replace(sources, session="")
    sections, text = render_snapshot(messages, sources, sent=sent, room=room, count=count, target=target)
    format = FORMATS[target]
    shown = (
        SectionReport(name=one.name, layer=one.layer, tokens=count(format(one)), sources=one.sources)
        for one in sections
        if one.text
    )
    return tuple(shown), text


def _era_before(first: Header, digests: DigestReader) -> list[Header]:
    """One header for everything older than the newest few hundred: how much there is, and how it began."""
    named = parse_segment(first.id)
    count = named.exchange - 1 if named else 0
    oldest = digests.trio("x1")
    if count < 1 or oldest is None:
        return []
    span = SpanId(SegmentId(1), SegmentId(count)) if count > 1 else SegmentId(1)
    return [replace(oldest.header, id=str(span), segments=count)]
