"""Takes new messages into a session's digests and trios."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.config import DigestConfig
from clew.digests.draft import DigestDraft, finish_digest
from clew.digests.segment_rows import DRAFT, MOVED, TRIO, SegmentRows, exchange_of
from clew.digests.trio import trio
from clew.domain import Digest, Housekeeping, Json
from clew.domain.ids import message_id
from clew.domain.values import from_json, to_json
from clew.history.segments import SegmentsProjection
from clew.ports import MessageChange, Rows
from clew.text.tools.purposes import proves_fixed

#: Segments whose failures are still looked after; older ones stay as they ended.
_MAX_FAILING = 8


@dataclass(slots=True)
class DigestsState:
    """``open`` is the segment under way, ``failing`` what failed where."""

    open: str = ""
    failing: dict[str, list[str]] = field(default_factory=dict)


class DigestsUpdate:
    """One run over new changes; drafts are read when needed and written by ``save``."""

    def __init__(self, config: DigestConfig, state: DigestsState, rows: Rows) -> None:
        self._config, self._state, self._rows = config, state, rows
        self._segments = SegmentRows(rows.of(SegmentsProjection.name), state.open)
        self._drafts: dict[str, DigestDraft] = {}
        self._amended: set[str] = set()

    def apply(self, change: MessageChange) -> None:
        """Takes in a message that is new, grew, or replaces another."""
        segment = self._segment_of(change)
        if not segment:
            return
        if segment > self._state.open:
            self._begin(segment)
        draft = self._draft(segment)
        if change.replaces:
            draft.forget(message_id(change.replaces))
        source = message_id(change.number)
        for about in draft.add(change.message, source, notes=change.notes):
            self._resolve(about, source)
        if segment != self._state.open:
            self._amended.add(segment)

    def apply_report(self, about: Json) -> None:
        """Takes in notes that a model reported on the segment of a message."""
        segment = self._segments.name_at(about["message"])
        if not segment:
            return
        self._draft(segment).add_report(from_json(Housekeeping, about["housekeeping"]), message_id(about["message"]))
        if segment != self._state.open:
            self._amended.add(segment)

    def save(self) -> DigestsState:
        """Writes everything that changed; returns the state to go on with."""
        for name in sorted(self._amended):
            self._save_trio(name)
        for name, draft in sorted(self._drafts.items()):
            self._rows.put(DRAFT + name, to_json(draft))
        return self._state

    # ── where a message stands ───────────────────────────────────────────────────────────────────────

    def _segment_of(self, change: MessageChange) -> str:
        if change.replaces:
            home = self._rows.get(f"{MOVED}{change.replaces}") or self._segments.name_at(change.replaces)
            self._rows.put(f"{MOVED}{change.number}", home)
            return str(home)
        moved = self._rows.get(f"{MOVED}{change.number}") if change.grows else None
        return str(moved or self._segments.name_at(change.number))

    def _draft(self, name: str) -> DigestDraft:
        if name not in self._drafts:
            self._drafts[name] = from_json(DigestDraft, self._rows.get(DRAFT + name) or {})
        return self._drafts[name]

    # ── finishing a segment ──────────────────────────────────────────────────────────────────────────

    def _begin(self, segment: str) -> None:
        """Finishes the open segment, and begins another with what the assistant asked there, if it replies to that."""
        before, self._state.open = self._state.open, segment
        if not before:
            return
        draft, is_same = self._draft(before), exchange_of(before) == exchange_of(segment)
        draft.next = "segment" if is_same else "exchange"
        if not is_same and draft.ended and draft.questions:
            self._draft(segment).replied_to = draft.questions[-1]
        self._finish(before)

    def _finish(self, name: str) -> None:
        digest = self._save_trio(name)
        if about := list(dict.fromkeys(failure.about for failure in digest.failures if not failure.resolved)):
            self._state.failing[name] = about
            self._state.failing = dict(sorted(self._state.failing.items())[-_MAX_FAILING:])

    def _save_trio(self, name: str) -> Digest:
        """Writes the trio of a segment, and returns the digest that it was drawn from."""
        digest = finish_digest(self._draft(name), self._segments.id_of(name), tokens=self._segments.tokens_of(name))
        self._rows.put(TRIO + name, to_json(trio(digest, self._config)))
        return digest

    # ── changing what is finished ────────────────────────────────────────────────────────────────────

    def _resolve(self, about: str, source: str) -> None:
        """Resolves what had failed in earlier segments and succeeded now."""
        for name, failing in list(self._state.failing.items()):
            left = [other for other in failing if not proves_fixed(about, other)]
            if len(left) < len(failing):
                self._draft(name).resolve(about, source)
                self._save_trio(name)
                self._state.failing[name] = left
        self._state.failing = {name: left for name, left in self._state.failing.items() if left}
