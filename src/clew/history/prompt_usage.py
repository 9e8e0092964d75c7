"""The prompt usage projection keeps how large a session's prompt is, as far as anybody has counted it.

What a provider counted is believed, and so is what a client says of its prompt: its window, its compactions. What came
since is added as it was counted when it was recorded. A compaction of Clew's own says how large the prompt is after it:
a count from before no longer holds, until the compaction is taken back.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from clew.domain import ContextReport, EntryKind, Message, Origin, Role, Trigger, Usage
from clew.domain.values import fields_of, from_json, to_json
from clew.history.calibration import CalibrationProjection
from clew.history.gain import note_answered_calls, note_own_compaction, note_reply, note_tools
from clew.history.gain_values import GainState, Prompt
from clew.history.overview import OverviewProjection, row_name
from clew.history.user_requests import is_request
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback, Rows
from clew.tokens.calibration import Calibration
from clew.tokens.models import model_info

_EXCHANGE, _UNDO = "exchange/", "undo/"
#: Sorts behind the name of every row that an undo reads.
_AFTER_UNDO = "undo0"
#: What a compaction changes, and an undo puts back.
_COUNTS = ("counted", "counted_at", "packed", "packed_at", "packed_by", "packed_time", "is_estimate", "short")
#: What a rollback puts back.
_BEFORE_EXCHANGE = ("total", "counted", "counted_at", "is_estimate", "kept_from", "packed_by")
#: So many of the newest replies tell how fast the prompt grows.
_RECENT_REPLIES = 16


@dataclass(slots=True)
class PromptUsage:
    """State of the projection, in tokens.

    - ``total``: the conversation as it was recorded, without what was rolled back.
    - ``counted``: the prompt as the provider, or the client, counted it last, 0 where nobody did since it was packed
      anew; ``counted_at``: ``total`` at that time. It ``is_estimate`` where nobody did since the client compacted;
      ``kept_from`` is the first message that the client goes on with then, 0 before. ``asked``: what the provider
      counted of its last request alone.
    - ``packed``: the prompt as it is after an epoch or a compaction of Clew's own, 0 where there is none;
      ``packed_at``: ``total`` at that time; ``packed_by``: the entry. ``packed_time``: when a compaction was asked for.
    - ``ratio``: how many tokens ``model`` makes of a recorded one.
    - ``unrecorded``: what the provider counted at the first reply beyond ``total``: system prompt and tools that the
      client does not record. -1 before the first count.
    - ``most``: the largest prompt that the provider of ``model`` has taken.
    - ``window``: as the client says; ``compacted_at``: where the client last compacted by itself.
    - ``budget``: of the last pack that was recorded.
    - ``stream``: the one whose prompts are sent. ``short``: streams in whose prompts something was compacted, with the
      first message that they send whole; the newest compaction ``freed`` so much.
    - ``gain``: what is known of what that saves.
    - ``newest`` is the number of the newest message. ``exchanges`` and ``replies`` are numbers; ``reply_at`` is
      ``total`` before the newest reply. ``recent`` has of each of the newest replies ``total`` before it, what the
      provider counted of its request, 0 where nobody did, and the compactions it came after, Clew's and the client's.
    """

    total: int = 0
    counted: int = 0
    counted_at: int = 0
    is_estimate: bool = False
    kept_from: int = 0
    newest: int = 0
    asked: int = 0
    packed: int = 0
    packed_at: int = 0
    packed_by: int = 0
    packed_time: float = 0.0
    unrecorded: int = -1
    most: int = 0
    model: str = ""
    ratio: float = 1.0
    window: int = 0
    compacted_at: int = 0
    budget: int = 0
    exchanges: int = 0
    replies: int = 0
    reply_at: int = 0
    recent: list[list[int]] = field(default_factory=list)
    stream: str = ""
    short: dict[str, int] = field(default_factory=dict)
    freed: int = 0
    gain: GainState = field(default_factory=GainState)

    @classmethod
    def load(cls, state: dict[str, Any] | None) -> PromptUsage:
        """Returns it as it was stored; a new one where nothing was."""
        return cls(**state | {"gain": from_json(GainState, state["gain"])}) if state else cls()

    def growth(self, ratio: float) -> float:
        """Returns what a reply adds to the prompt on average, of the newest since the last compaction, or before it
        while there are too few: as the provider counted them, else as recorded, of which its model makes ``ratio``.
        """
        runs = [list(run) for _, run in groupby(self.recent, key=lambda one: one[2:])]
        run = next((run for run in reversed(runs) if len(run) > 1), [])
        counted = [(at, asked) for at, (_, asked, *_) in enumerate(run) if asked]
        if len(counted) > 1:
            (first, before), (last, now) = counted[0], counted[-1]
            return max(now - before, 0) / (last - first)
        return ratio * max(run[-1][0] - run[0][0], 0) / (len(run) - 1) if run else 0.0

    @property
    def prompt(self) -> Prompt:
        """How the prompt stands, as gains are counted by it."""
        info = model_info(self.model)
        window = max(self.window or (info.window if info.is_known else 0), self.most)
        return Prompt(self.total, bool(self.stream), self.short.get(self.stream, 0), self.freed, window)


class PromptUsageProjection:
    """Projects ``PromptUsage``. Rows hold the counts before each exchange, epoch and compaction."""

    name = "usage"
    version = 6
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages, reports, epochs and rollbacks."""
        usage = PromptUsage.load(state)
        for change in changes:
            if isinstance(change, LedgerNote):
                with suppress(KeyError, TypeError, ValueError):  # of another version, or damaged: it changes nothing
                    _note(change, usage, rows)
            elif isinstance(change, Rollback):
                _roll_back(change.exchanges, usage, rows)
            elif not change.message.thread:
                _add(change, usage, rows)
        usage.ratio = _ratio(usage.model, rows)
        return fields_of(usage) | {"gain": to_json(usage.gain)}


def _ratio(model: str, rows: Rows) -> float:
    info, shown = model_info(model), rows.of(CalibrationProjection.name).get(model)
    return info.ratio if info.exact else Calibration(tuple(shown or ())).ratio or info.ratio


# ── notes ────────────────────────────────────────────────────────────────────────────────────────────


def _note(note: LedgerNote, usage: PromptUsage, rows: Rows) -> None:
    if "report" in note.about:
        report = from_json(ContextReport, note.about["report"])
        _believe(report, usage)
        if report.asked is not None:
            note_answered_calls(usage.gain, report, report.asked, rows)
    elif note.kind is EntryKind.COMPACTION and "undo" in note.about:
        _restore(_undo_row(note.about["undo"]), usage, rows)
    elif note.kind is EntryKind.COMPACTION and "after" in note.about:
        _pack(note, note.about["after"], usage, rows)
        usage.packed_time = float(note.about.get("at", 0.0))
    elif note.kind is EntryKind.EPOCH:
        epoch = note.about.get("epoch", {})
        _pack(note, epoch.get("after", 0), usage, rows)
        if epoch:
            _start_epoch(epoch, usage)
    elif note.kind is EntryKind.SENT:
        usage.stream = note.about["sent"]["line"]
        usage.budget = _budget(usage.stream)


def _start_epoch(epoch: dict[str, Any], usage: PromptUsage) -> None:
    stream = usage.stream = epoch["line"]
    usage.budget = _budget(stream)
    was_short = stream in usage.short
    if epoch.get("snapshot") or Trigger(epoch.get("why", Trigger.FIRST)) not in {Trigger.FIRST, Trigger.CHANGED}:
        usage.short = usage.short | {stream: max(epoch.get("cut", 1), 1)}
    else:
        usage.short = {name: place for name, place in usage.short.items() if name != stream}
    usage.gain.start_epoch(breaks=was_short or stream in usage.short)
    ratio = epoch.get("ratio") or model_info(epoch.get("model", "")).ratio
    usage.freed = int(max(epoch.get("before", 0) - epoch.get("after", 0), 0) / ratio)


def _pack(note: LedgerNote, tokens: int, usage: PromptUsage, rows: Rows) -> None:
    """The next prompt is another one, of so many tokens."""
    rows.put(_undo_row(note.seq), [getattr(usage, name) for name in _COUNTS])
    usage.counted, usage.packed, usage.packed_at, usage.packed_by = 0, int(tokens), usage.total, note.seq


def _restore(name: str, usage: PromptUsage, rows: Rows) -> None:
    """The prompt is what it was before, and what came since."""
    for count, value in zip(_COUNTS, rows.get(name) or (), strict=False):
        setattr(usage, count, value)
    rows.remove(name)


def _budget(stream: str) -> int:
    """The budget in a stream's name, such as anthropic/8000."""
    return int(stream.rpartition("/")[2])


def _believe(report: ContextReport, usage: PromptUsage) -> None:
    usage.window = report.window or usage.window
    if report.compacted:
        usage.compacted_at = report.before if report.automatic else usage.compacted_at
        _start_again(usage, report.summary, usage.newest + 1)
    if report.used:
        _count(usage, report.used)


def _start_again(usage: PromptUsage, tokens: int, first: int) -> None:
    """The client has compacted: of the conversation, it goes on with the last so many tokens, a summary, which is the
    ``first`` message of its prompt. What it had set up before is as large as it was."""
    usage.counted, usage.counted_at = max(usage.unrecorded, 1), usage.total - tokens
    usage.is_estimate, usage.kept_from = True, first
    note_own_compaction(usage.gain, beside=max(usage.unrecorded, 1), total=usage.total - tokens)


def _count(usage: PromptUsage, tokens: int) -> None:
    if usage.unrecorded < 0:
        usage.unrecorded = max(tokens - usage.total, 0)
    usage.counted, usage.counted_at, usage.is_estimate = tokens, usage.total, False
    usage.most = max(usage.most, tokens)


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────


def _add(change: MessageChange, usage: PromptUsage, rows: Rows) -> None:
    message, tokens = change.message, sum(change.tokens)
    if change.replaces:
        old = rows.of(OverviewProjection.name).get(row_name(change.replaces)) or {}
        usage.total -= int(old.get("tokens", 0))
    elif is_request(message) and not change.grows:
        usage.exchanges += 1
        rows.put(_exchange_row(usage.exchanges), [getattr(usage, name) for name in _BEFORE_EXCHANGE])
    if message.role is Role.ASSISTANT and not change.grows:
        _start_reply(message, usage)
    usage.total += tokens
    usage.newest = max(usage.newest, change.number)
    if message.origin is Origin.SUMMARY:  # the client goes on with this alone
        _start_again(usage, tokens, change.number)
    if message.calls or message.outputs:
        note_tools(change, usage.gain, usage.prompt, rows)
    if message.role is Role.ASSISTANT:
        note_reply(change, usage.gain, usage.prompt._replace(total=usage.reply_at), rows)
        if message.usage and message.usage.input_tokens:
            _count_reply(message, message.usage, usage)


def _start_reply(message: Message, usage: PromptUsage) -> None:
    if message.model and message.model != usage.model:
        usage.model, usage.most = message.model, 0
    usage.replies += 1
    usage.reply_at = usage.total
    usage.recent = [*usage.recent, [usage.total, 0, usage.packed_by, usage.kept_from]][-_RECENT_REPLIES:]


def _count_reply(message: Message, reported: Usage, usage: PromptUsage) -> None:
    """Files often tell of a reply's tokens while it still comes, as 1: then what was recorded of it counts. A reply
    from before the last compaction, recorded after it, says nothing of the prompt as it is now."""
    if message.at is not None and message.at < usage.packed_time:
        return
    usage.asked = reported.input_tokens
    if usage.recent:
        usage.recent[-1][1] = reported.input_tokens
    _count(usage, reported.input_tokens + max(reported.output_tokens, usage.total - usage.reply_at))


def _roll_back(exchanges: int, usage: PromptUsage, rows: Rows) -> None:
    """The prompt is again what it was before the last exchanges."""
    left = max(usage.exchanges - exchanges, 0)
    row = rows.get(_exchange_row(left + 1))
    if row is None:
        return
    for number in range(left + 1, usage.exchanges + 1):
        rows.remove(_exchange_row(number))
    before = dict(zip(_BEFORE_EXCHANGE, row, strict=True))
    if before.pop("packed_by") != usage.packed_by:
        before["counted"] = 0
    for name, value in before.items():
        setattr(usage, name, value)
    usage.exchanges, usage.reply_at = left, usage.total
    usage.recent = [one for one in usage.recent if one[0] < usage.total]


def _undo_row(seq: int) -> str:
    return f"{_UNDO}{seq:09d}"


def packed_entries(rows: Rows) -> list[int]:
    """Returns the entries of the epochs and compactions that are in force, in order."""
    return [int(name.removeprefix(_UNDO)) for name, _ in rows.scan(_UNDO, stop=_AFTER_UNDO)]


def _exchange_row(number: int) -> str:
    return f"{_EXCHANGE}{number:07d}"
