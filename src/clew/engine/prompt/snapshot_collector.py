"""The snapshot collector: gathers what a snapshot says beside messages:
story, headers, summaries and critical items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.curation.projection import CuratedFormsProjection
from clew.digests.eras import roll_up_headers
from clew.digests.reader import DigestReader
from clew.digests.story import render_story
from clew.domain import Header, Message, SectionReport
from clew.domain.ids import SegmentId, SpanId, parse_segment
from clew.engine.compaction.strategies import StrategyResult
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.prompt.critical_sections import CriticalSections
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.packing.formats import FORMATS
from clew.packing.snapshot import SnapshotSources, render_snapshot
from clew.ports import TokenCounter
from clew.replies.instructions import retrieval_hint

#: Largest shares of the budget for headers and story. Headers beyond it roll up into eras, the oldest first.
_HEADERS_SHARE, _STORY_SHARE = 0.05, 0.1
#: Tokens that headers, and the story, may take at any budget: they are never left out.
_LEAST_TOKENS = 24
#: Curation shrinks a session to no less than one part in this many.
_LARGER = 2
#: From this budget on a snapshot has summaries, within their share, and a hint how to read more.
_ROOMY, _SUMMARIES_SHARE, _RECENT_SEGMENTS = 8_000, 0.04, 60


class SnapshotCollector:
    """Collects for one session. Story and headers are built once for each state of the ledger."""

    def __init__(
        self, ledger: SessionLedger, reader: SessionReader, services: Services, *, critical: CriticalSections
    ) -> None:
        self._ledger, self._reader, self._services, self._critical = ledger, reader, services, critical
        self._base: tuple[tuple[int, int], SnapshotSources] | None = None

    def may_fit(self, budget: int) -> bool:
        """Returns False when the session is so much larger than the
        budget that shortening outputs cannot make it fit.
        """
        forms = self._ledger.state(CuratedFormsProjection.name) or {}
        live = sum(segment.tokens for segment in self._reader.segments() if not segment.rolled_back)
        return live - int(forms.get("saved", 0)) <= _LARGER * budget

    def collect(
        self,
        budget: int,
        target: str,
        *,
        tail_start: int,
        older: StrategyResult,
        critical_room: int,
        count: TokenCounter,
    ) -> SnapshotSources:
        """Returns the sources of a snapshot of everything before ``tail_start``.
        ``budget`` sets the size of headers and story.
        """
        now = (self._ledger.info.entries, budget)
        if self._base is None or self._base[0] != now:
            self._base = (now, self._story_and_headers(budget))
        found = self._base[1]
        if budget >= _ROOMY:
            quota = self._services.config.packing.retrieval_quota
            hint = retrieval_hint(quota) if target != "text" and quota else ""
            found = replace(found, summaries=self._summaries(budget, tail_start), retrieval_hint=hint)
        return replace(
            found,
            summary=older.summary,
            summary_sources=older.sources,
            chunks=older.chunks,
            critical=self._critical.of_snapshot(critical_room, count),
        )

    def _summaries(self, budget: int, tail_start: int) -> list[tuple[str, str]]:
        """The newest segments before the tail, each in its summary, as far as their share goes."""
        config, room = self._services.config.packing, int(budget * _SUMMARIES_SHARE)
        known, digests = self._reader.segments(last=_RECENT_SEGMENTS), self._reader.digests()
        found: list[tuple[str, str]] = []
        for segment in [one for one in reversed(known) if one.last < tail_start and not one.rolled_back][
            : config.summaries
        ]:
            trio = digests.trio(segment.id)
            room -= self._services.tokenizers.count(trio.summary.text) + 4 if trio else 0
            if trio is None or room < 0:
                break
            found.append((trio.header.id, trio.summary.text.replace("\n", "\n  ")))
        return found[::-1]

    def _story_and_headers(self, budget: int) -> SnapshotSources:
        config, digests = self._services.config.digests, self._reader.digests()
        story = render_story(digests.story(), min(config.story_tokens, max(int(budget * _STORY_SHARE), _LEAST_TOKENS)))
        headers = [one.header for one in digests.trios(last=config.max_headers)]
        if len(headers) == config.max_headers:
            headers = [*_era_before(headers[0], digests), *headers]
        room = max(int(budget * _HEADERS_SHARE), _LEAST_TOKENS)
        shown = roll_up_headers(headers, max_headers=config.max_headers, max_tokens=room)
        lines = [(one.id, one.line) for one in shown]
        return SnapshotSources(session=self._reader.id, root=self._reader.info.cwd, story=story, headers=lines)


def report_snapshot(
    messages: Sequence[Message], sources: SnapshotSources, room: int | None, *, count: TokenCounter, target: str
) -> tuple[tuple[SectionReport, ...], str]:
    """Returns a report of each section of the snapshot, and its text; without a room, of the least there can be."""
    sections, text = render_snapshot(messages, sources, room=room, count=count, target=target)
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
