"""The prompt usage projection keeps how large a session's prompt is, as far as anybody has counted it.

What a provider counted is believed, and so is what a client says of its prompt: its window, its compactions. What came
since is added as it was counted when it was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from clew.domain import ContextReport, EntryKind, Message, Origin, Role, Usage
from clew.domain.values import fields_of, from_json
from clew.history.overview import OverviewProjection, row_name
from clew.history.user_requests import is_request
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback, Rows

_EPOCH, _EXCHANGE = "epoch/", "exchange/"
#: The least weight of the newest reply in the mean of what a reply adds.
_NEWEST = 0.1


@dataclass(slots=True)
class PromptUsage:
    """State of the projection, in tokens.

    - ``total``: the conversation as it was recorded, without what was rolled back.
    - ``counted``: the prompt as the provider, or the client, counted it last, 0 where nobody did; ``counted_at``:
      ``total`` at that time.
    - ``unrecorded``: what the provider counted at the first reply beyond ``total``: system prompt and tools that the
      client does not record. -1 before the first count.
    - ``most``: the largest prompt that the provider of ``model`` has taken.
    - ``window``: as the client says; ``compacted_at``: where the client last compacted by itself.
    - ``budget``: of the last pack that was recorded.
    - ``exchanges`` and ``replies`` are numbers; ``reply_at`` is ``total`` before the newest reply, and ``growth`` what
      is added from one reply to the next on average.
    """

    total: int = 0
    counted: int = 0
    counted_at: int = 0
    unrecorded: int = -1
    most: int = 0
    model: str = ""
    window: int = 0
    compacted_at: int = 0
    budget: int = 0
    exchanges: int = 0
    replies: int = 0
    reply_at: int = 0
    growth: float = 0.0

    @property
    def since_count(self) -> int:
        """What was recorded after the prompt was last counted."""
        return max(self.total - self.counted_at, 0)


def epoch_total(seq: int, rows: Rows) -> int:
    """Returns what the conversation came to when the epoch of that entry started."""
    return int(rows.get(_epoch_row(seq)) or 0)


class PromptUsageProjection:
    """Projects ``PromptUsage``. Rows hold the total at each epoch, and the counts before each exchange."""

    name = "usage"
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages, reports, epochs and rollbacks."""
        usage = PromptUsage(**state) if state else PromptUsage()
        for change in changes:
            if isinstance(change, LedgerNote):
                with suppress(KeyError, TypeError, ValueError):  # of another version, or damaged: it changes nothing
                    _note(change, usage, rows)
            elif isinstance(change, Rollback):
                _roll_back(change.exchanges, usage, rows)
            elif not change.message.thread:
                _add(change, usage, rows)
        return fields_of(usage)


# ── notes ────────────────────────────────────────────────────────────────────────────────────────────


def _note(note: LedgerNote, usage: PromptUsage, rows: Rows) -> None:
    if "report" in note.about:
        _believe(from_json(ContextReport, note.about["report"]), usage)
    elif note.kind is EntryKind.EPOCH:
        rows.put(_epoch_row(note.seq), usage.total)
        usage.counted = 0  # the next prompt is another one
        if "epoch" in note.about:
            usage.budget = _budget(note.about["epoch"]["line"])
    elif note.kind is EntryKind.SENT:
        usage.budget = _budget(note.about["sent"]["line"])


def _budget(stream: str) -> int:
    """The budget in a stream's name, such as anthropic/8000."""
    return int(stream.rpartition("/")[2])


def _believe(report: ContextReport, usage: PromptUsage) -> None:
    usage.window = report.window or usage.window
    if report.compacted:
        usage.compacted_at = report.before if report.automatic else usage.compacted_at
        _start_again(usage, 0)
    if report.used:
        _count(usage, report.used)


def _start_again(usage: PromptUsage, tokens: int) -> None:
    """The client has compacted: of the conversation, it goes on with so many tokens of a summary."""
    usage.counted, usage.counted_at = max(usage.unrecorded, 0) + max(tokens, 1), usage.total


def _count(usage: PromptUsage, tokens: int) -> None:
    if usage.unrecorded < 0:
        usage.unrecorded = max(tokens - usage.total, 0)
    usage.counted, usage.counted_at = tokens, usage.total
    usage.most = max(usage.most, tokens)


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────


def _add(change: MessageChange, usage: PromptUsage, rows: Rows) -> None:
    message, tokens = change.message, sum(change.tokens)
    if change.replaces:
        old = rows.of(OverviewProjection.name).get(row_name(change.replaces)) or {}
        usage.total -= int(old.get("tokens", 0))
    elif is_request(message) and not change.grows:
        usage.exchanges += 1
        rows.put(_exchange_row(usage.exchanges), [usage.total, usage.counted, usage.counted_at])
    if message.role is Role.ASSISTANT and not change.grows:
        _start_reply(message, usage)
    usage.total += tokens
    if message.origin is Origin.SUMMARY:  # the client goes on with this alone
        _start_again(usage, tokens)
    if message.role is Role.ASSISTANT and message.usage and message.usage.input_tokens:
        _count_reply(message.usage, usage)


def _start_reply(message: Message, usage: PromptUsage) -> None:
    if message.model and message.model != usage.model:
        usage.model, usage.most = message.model, 0
    usage.replies += 1
    if usage.replies > 1:  # the first one comes with everything that was set up before
        weight = max(1 / (usage.replies - 1), _NEWEST)
        usage.growth = (1 - weight) * usage.growth + weight * (usage.total - usage.reply_at)
    usage.reply_at = usage.total


def _count_reply(reported: Usage, usage: PromptUsage) -> None:
    """Files often tell of a reply's tokens while it still comes, as 1: then what was recorded of it counts."""
    _count(usage, reported.input_tokens + max(reported.output_tokens, usage.total - usage.reply_at))


def _roll_back(exchanges: int, usage: PromptUsage, rows: Rows) -> None:
    """The prompt is again what it was before the last exchanges."""
    left = max(usage.exchanges - exchanges, 0)
    row = rows.get(_exchange_row(left + 1))
    if row is None:
        return
    for number in range(left + 1, usage.exchanges + 1):
        rows.remove(_exchange_row(number))
    usage.total, usage.counted, usage.counted_at = row
    usage.exchanges, usage.reply_at = left, usage.total


def _epoch_row(seq: int) -> str:
    return f"{_EPOCH}{seq:09d}"


def _exchange_row(number: int) -> str:
    return f"{_EXCHANGE}{number:07d}"
