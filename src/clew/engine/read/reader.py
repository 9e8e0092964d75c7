"""The reader of one session: its messages, and everything that was derived from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from clew.codecs import registry
from clew.digests.projection import DigestsProjection
from clew.domain import Entry, EntryKind, Message, Record, Repair, Role, Segment, SessionInfo, Trio
from clew.domain.argument_kinds import checks_arguments
from clew.domain.ids import MessageId, SegmentId, parse_id
from clew.domain.segments import exchange_numbers, shortest_ids
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.losses import SessionLosses
from clew.engine.services import Services
from clew.errors import NotFound
from clew.history import overview, segments
from clew.history.calibration import CalibrationProjection
from clew.history.fold import History
from clew.history.prompt_size import sendable_tokens
from clew.history.prompt_state import PromptState, PromptStateProjection, all_epochs
from clew.history.prompt_usage import PromptUsage, PromptUsageProjection
from clew.history.tool_usage import ToolUsageProjection
from clew.history.work_map.projection import WorkMapProjection
from clew.ports import Request, Rows
from clew.replies.parsing import without_notes
from clew.tokens.calibration import Calibration
from clew.tokens.models import model_info
from clew.tokens.tokenizers import BpeTokenizer
from clew.tokens.windows import Window, session_window

if TYPE_CHECKING:
    from clew.digests.reader import DigestReader
    from clew.engine.read.size_history import SizeHistory
    from clew.engine.read.unread_summary import UnreadSummary
    from clew.history.missing_outputs import MissingOutput
    from clew.history.work_map.view import WorkMap

_WIDER = 8
#: Rows of a projection begin after the one that holds its state.
_FIRST_ROW = "\x01"


@checks_arguments
class SessionReader:
    """Reads messages, segments, digests and totals of one session.
    It appends no entries; projections are brought up to date first. Messages come without what a model wrote for Clew
    alone, unless they are read ``with_notes``.
    """

    def __init__(self, ledger: SessionLedger, services: Services) -> None:
        self._ledger, self._services = ledger, services
        self._work: tuple[SessionInfo, WorkMap] | None = None
        self._segments: tuple[tuple[float, int], int, list[Segment]] | None = None
        #: The state of the session in which nothing of it was lost.
        self._whole: tuple[SessionInfo, SessionLosses] | None = None

    @property
    def id(self) -> str:
        """The session's id."""
        return self._ledger.id

    @property
    def info(self) -> SessionInfo:
        """The session's row as the store has it now."""
        return self._ledger.info

    def losses(self) -> SessionLosses:
        """Returns what a damaged store has lost of the session. While nothing is, it is counted once for each state."""
        info = self.info
        if self._whole is not None and self._whole[0] == info:
            return self._whole[1]
        gaps = self._ledger.gaps()
        losses = SessionLosses(
            session=self.id,
            entries=len(gaps.entries),
            messages=gaps.messages,
            blobs=len(gaps.blobs),
            bytes=self._ledger.size_of_blobs(gaps.blobs) if gaps.blobs else 0,
            source=info.source,
        )
        self._whole = None if losses else (info, losses)
        return losses

    # ── messages ─────────────────────────────────────────────────────────────────────────────────────

    def recent_messages(
        self, count: int, *, shared: bool = False, with_system: bool = False, with_notes: bool = False
    ) -> list[Message]:
        """Returns the newest ``count`` messages of the prompt view, without system prompts; ``shared`` for those who
        look at them and hand them to nobody. ``with_system`` also returns system messages that stand among the others.

        It reads from the end and looks further back until there are enough, because old versions and rolled-back
        messages may stand between them.
        """
        last, back = self.info.messages, count
        while True:
            first = max(1, last - back + 1)
            messages = self.read_prompt_view(first, last, shared=shared, with_system=with_system, with_notes=with_notes)
            if len(messages) >= count or first == 1:
                return messages[-count:]
            back *= _WIDER

    def read_prompt_view(
        self, first: int, last: int, *, shared: bool = False, with_system: bool = False, with_notes: bool = False
    ) -> list[Message]:
        """Returns messages by number as the prompt view has them, without system prompts; ``with_system`` with those
        that stand among the others.
        """
        history = _fold_history(self._ledger.read_messages(first, last, shared=shared), with_notes=with_notes)
        if self.info.version:  # else nothing was ever taken back
            held = self._ledger.rows(overview.OverviewProjection.name, alone=True)
            rows = held.scan(overview.row_name(first))
            history.rolled_back.update(int(name) for name, row in rows if row.get("left"))
        messages = history.prompt_view()
        if not with_system or all(message.role is not Role.SYSTEM for message in messages):
            return [message for message in messages if message.role is not Role.SYSTEM]
        prompt = self._system_prompt()
        return [message for message in messages if message.number not in prompt]

    def _system_prompt(self) -> set[int]:
        """Numbers of the messages with the caller's system prompt."""
        state = self._ledger.state(PromptStateProjection.name)
        return set(PromptState(**state).system) if state else set()

    def is_same_conversation(self, before: SessionInfo) -> bool:
        """Returns True while nothing came since but critical items and entries about packs, as a compaction writes
        them.
        """
        now = self.info
        is_same = (now.created, now.version) == (before.created, before.version) and now.entries >= before.entries
        if not is_same or not self._ledger.is_stored:  # a purge leaves nothing
            return False
        new = self._ledger.entries(after=before.entries, until=now.entries)
        return all(entry.kind.belongs_to_packs or entry.kind is EntryKind.PIN for entry in new)

    def entries(self) -> Iterable[Entry]:
        """Yields the ledger's entries, in order."""
        return self._ledger.entries()

    def count(self, text: str) -> int:
        """Returns the tokens of a text, in the encoding used for everything that is stored."""
        return self._services.tokenizers.count(text)

    def history(self) -> History:
        """Returns all messages, folded from the ledger."""
        return _fold_history(self._ledger.read())

    def prompt(self) -> tuple[tuple[Message, ...], tuple[Repair, ...]]:
        """Returns the prompt view made valid, and the repairs that were needed."""
        from clew.history.repair.rules import repair_history

        return repair_history(self.history().prompt_view())

    def request(self, provider: str, *, repair: bool = True) -> tuple[Request, tuple[Repair, ...]]:
        """Returns the prompt view as a provider's request, and the repairs.
        With ``repair`` it breaks no rule of the provider.
        """
        from clew.packing.valid_request import encode_history

        history, model = self.history(), self.info.model
        if not repair:
            return registry.encoder(provider).encode(history.prompt_view(), tools=history.tools), ()
        return encode_history(history, provider, model=model, was_compacted=self.was_compacted())

    def was_compacted(self) -> bool:
        """Returns True when replies were made from snapshots: what stood before them is not the history."""
        return any(epochs.has_snapshot for _, epochs in all_epochs(self._ledger.rows(PromptStateProjection.name)))

    def unread_summary(self, *, after: int = 0) -> UnreadSummary | None:
        """Returns the client's newest compaction behind a message number, if nobody can read its summary."""
        from clew.engine.read.unread_summary import newest_unread_summary

        return newest_unread_summary(self._ledger, after=after)

    def read_range(self, first: int, last: int, *, shared: bool = False, with_notes: bool = False) -> list[Message]:
        """Returns messages by number as they were recorded, without reading the rest; ``shared`` for those who look at
        them and hand them to nobody.
        """
        pairs = self._ledger.read_messages(first, last, shared=shared)
        return _fold_history(pairs, with_notes=with_notes).record_view()

    def read_current_versions(
        self, first: int, last: int, *, shared: bool = False, with_notes: bool = False
    ) -> list[Message]:
        """Like ``read_range``, with the newest version of each message in its place."""
        out: list[Message] = []
        rows, read = self._overview(), partial(self.read_range, shared=shared, with_notes=with_notes)
        for message in read(first, last):
            row = rows.get(overview.row_name(message.number)) or {}
            if "place" not in row:
                newest = overview.versions_of(message.number, rows)[-1]
                out += read(newest, newest) if "replaced_by" in row else [message]
        return out

    def versions(self, number: int) -> list[int]:
        """Returns a message's number and those of its later versions, oldest first."""
        return overview.versions_of(number, self._overview())

    def number_of(self, id: str) -> int:
        """Returns the number of a message by its id. Raises NotFound if there is none."""
        named, last = parse_id(id), self.info.messages
        if not isinstance(named, MessageId) or named.version or not 1 <= named.number <= last:
            raise NotFound(f"no message {id} in session {self._ledger.id}; it has m1 to m{last}")
        return named.number

    def newest_version(self, id: str) -> int:
        """Returns the number of a message's newest version. Raises NotFound if there is no such message."""
        return self.versions(self.number_of(id))[-1]

    def message(self, number: int) -> Message:
        """Returns a message by its number. Raises NotFound if a damaged store has lost it."""
        messages = self.read_range(number, number)
        if not messages:
            raise NotFound(f"m{number} of session {self._ledger.id} is lost", hint=self.losses().way_back)
        return messages[0]

    def rolled_back(self, numbers: Iterable[int]) -> set[int]:
        """Those of the messages that were rolled back."""
        rows = self._overview()
        return {number for number in numbers if (rows.get(overview.row_name(number)) or {}).get("left")}

    def tokens_of(self, numbers: Iterable[int]) -> int:
        """Returns the tokens of these messages, as they were counted when they were recorded."""
        rows = self._overview()
        return sum(row["tokens"] for number in numbers if (row := rows.get(overview.row_name(number))))

    def size_history(self, *, points: int = 600) -> SizeHistory:
        """Returns how the prompt grew, in about so many points, and where it was compacted."""
        from clew.engine.read.size_history import size_history

        return size_history(self._ledger, points=points)

    def _overview(self) -> Rows:
        return self._ledger.rows(overview.OverviewProjection.name, alone=True)

    # ── segments and what was drawn from them ────────────────────────────────────────────────────────

    def segments(self, *, last: int | None = None) -> list[Segment]:
        """Every segment in order; with ``last``, only so many from the end."""
        if last is not None:
            return self._read_segments("0", last=last)
        read = self._known_segments()
        start = segments.row_name(read[-1].exchange, read[-1].part) if read else "0"
        read[-1:] = self._read_segments(start)
        return read.copy()

    def first_segment(self) -> list[Segment]:
        """Returns the first segment of the session, if there is one."""
        return self._read_segments("0", stop=segments.row_name(1, 2))

    def segments_of(self, named: SegmentId) -> list[Segment]:
        """Returns the segments that an id names: one, or all of an exchange."""
        first, after = segments.row_name(named.exchange, 0), segments.row_name(named.exchange + 1, 0)
        return [segment for segment in self._read_segments(first, stop=after) if named.part in (0, segment.part)]

    def _known_segments(self) -> list[Segment]:
        """Segments as they were read before: all but the last stay as they are until the session is rewritten."""
        info = self.info
        state = (info.created, info.version)
        if self._segments is None or self._segments[0] != state or self._segments[1] > info.entries:
            self._segments = (state, info.entries, [])
        self._segments = (state, info.entries, self._segments[2])
        return self._segments[2]

    def _read_segments(self, start: str, *, stop: str | None = None, last: int | None = None) -> list[Segment]:
        rows = self._ledger.rows(segments.SegmentsProjection.name, alone=True).raw(start, stop, last=last)
        values = orjson.loads(b"[" + b",".join(row for _, row in rows) + b"]")
        return [segments.segment_of(name, value) for (name, _), value in zip(rows, values, strict=True)]

    def outline(self) -> list[tuple[Segment, str]]:
        """Returns every segment with its shortest id: x7 while it is the whole exchange, else x7.2."""
        outlined = self.segments()
        return list(zip(outlined, shortest_ids(outlined), strict=True))

    def digests(self) -> DigestReader:
        """Returns a reader of digests and trios."""
        from clew.digests.reader import DigestReader

        return DigestReader(self._ledger.rows(DigestsProjection.name), self._services.config.digests)

    def trio(self, id: str) -> Trio:
        """Returns a segment's header and summary. Raises NotFound for an unknown segment."""
        trio = self.digests().trio(id)
        if trio is None:
            raise NotFound(
                f"no segment {id} in session {self.id}", hint="session.reader.outline() lists them", about="segment"
            )
        return trio

    def exchange_numbers(self) -> dict[str, int]:
        """Returns the number of each exchange by the id of the message that it began with."""
        return exchange_numbers(self.segments())

    def work_map(self, *, alone: bool = False) -> WorkMap:
        """Returns files, commands, tests and to-dos as they stand now; ``alone`` brings nothing else up to date."""
        from clew.history.work_map.view import load_work_map

        if self._work is None or not self.is_same_conversation(self._work[0]):
            info = self.info  # before the rows, which may already tell of what comes after it
            rows = self._ledger.rows(WorkMapProjection.name, alone=alone)
            self._work = (info, load_work_map(rows.scan()))
        return self._work[1]

    def branch(self) -> str:
        """Returns the branch that the session is on, as far as it is known, without the rest of the work map."""
        from clew.history.work_map.view import load_branch

        return load_branch(self._ledger.rows(WorkMapProjection.name))

    def work_map_from_cwd(self, *, alone: bool = False, until: int = 0) -> WorkMap:
        """Returns the work map with paths as seen from the folder that the session worked in, where that is known;
        as it stood ``until`` the message with that number, if one is given."""
        from clew.engine.read.earlier_work import work_map_until

        work = work_map_until(self._ledger, until) if until else self.work_map(alone=alone)
        return replace(work, root=self.info.cwd or work.root)

    def recent_work(self) -> WorkMap:
        """The work map as stories tell it, of the newest changes; where no folder is known, all files say where the
        root is."""
        from clew.history.work_map.view import load_recent_work

        if not self.info.cwd:
            return self.work_map()
        return load_recent_work(self._ledger.rows(WorkMapProjection.name), root=self.info.cwd)

    def tools_used(self) -> dict[str, dict[str, Any]]:
        """Returns the usage counts of each tool, by name."""
        return dict(self._ledger.rows(ToolUsageProjection.name).scan(_FIRST_ROW))

    def missing_outputs(self) -> list[MissingOutput]:
        """Returns the calls of the prompt view that have no output, in order."""
        from clew.history.missing_outputs import missing_outputs

        waiting = self._ledger.state(ToolUsageProjection.name)
        return list(missing_outputs(self.history().prompt_view(), waiting)) if waiting else []

    def uses_tools(self) -> bool:
        """Returns True once a tool was called in the session."""
        return bool(self._ledger.rows(ToolUsageProjection.name).raw(_FIRST_ROW, last=1))

    # ── totals ───────────────────────────────────────────────────────────────────────────────────────

    def totals(self) -> dict[str, Any]:
        """Returns counts over all recorded messages: ``tokens``, ``replies``, ``exchanges``."""
        return dict(self._ledger.state(overview.OverviewProjection.name) or {})

    def tokens(self) -> int:
        """Returns the tokens of all messages, as they were recorded."""
        return int(self.totals().get("tokens", 0))

    def replies(self) -> int:
        """Returns the number of replies, which is the number of model calls."""
        return int(self.totals().get("replies", 0))

    def usage(self) -> PromptUsage:
        """Returns how large the prompt is, as far as it was counted, and what is known of its window."""
        return PromptUsage.load(self._ledger.state(PromptUsageProjection.name))

    def window(self, usage: PromptUsage | None = None, *, model: str = "") -> Window:
        """Returns the window of a model, the session's by default, and who says so. ``usage`` is given where it was
        just read.
        """
        info, usage = self.info, usage or self.usage()
        return session_window(
            model or info.model,
            given=info.window,
            client=info.client,
            stated=usage.window,
            compacted_at=usage.compacted_at,
            most_taken=usage.most,
        )

    def limit(self, model: str = "") -> int:
        """Returns the tokens that may be sent by default: the window less the reserve for the answer."""
        return self.limit_of(self.window(model=model))

    def limit_of(self, window: Window) -> int:
        """Returns what may be sent in a window: all of it where room for the answer is left out already."""
        reserve = self._services.config.packing.response_reserve
        return window.tokens if window.leaves_room else sendable_tokens(window.tokens, reserve)

    def calibrated_ratio(self, model: str) -> float:
        """Returns how many tokens the model makes of one of ours, as its replies in this session have shown; 0 while
        they are too few, or where the model is counted exactly. No other session influences it.
        """
        ratios = self._ledger.rows(CalibrationProjection.name).get(model)
        return 0.0 if not ratios or model_info(model).exact else Calibration(tuple(ratios)).ratio or 0.0

    def tokenizer(self, model: str) -> BpeTokenizer:
        """Returns a tokenizer for the model, calibrated by its replies in this session."""
        return self._services.tokenizers.of_model(model, self.calibrated_ratio(model))


def _fold_history(pairs: Iterable[tuple[Entry, Record]], *, with_notes: bool = False) -> History:
    """What entries say; without what a model wrote for Clew alone, unless ``with_notes``."""
    history = History()
    for entry, record in pairs:
        history.add(entry, record)
    if not with_notes:
        history.messages = {number: without_notes(message) for number, message in history.messages.items()}
    return history
