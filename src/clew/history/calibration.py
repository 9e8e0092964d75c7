"""The calibration projection learns how a session's model counts tokens.

It compares the usage that each reply reports with what was counted since the reply before. A row for each model holds
the newest ratios.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clew.domain import Call, Message, Output, Role, Text, Usage
from clew.domain.values import fields_of
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback, Rows
from clew.tokens.calibration import MAX_REASONING_SHARE, MIN_STEP_TOKENS, Calibration, is_plain, observe
from clew.tokens.counts import frame_tokens, reasoning_tokens
from clew.tokens.models import model_info


@dataclass(slots=True)
class _SinceReport:
    """What was counted since the last reply that reported its usage."""

    model: str = ""
    input_tokens: int = 0
    counted: int = 0
    frames: int = 0
    thought: int = 0
    plain: bool = True


class CalibrationProjection:
    """Keeps a row of ratios of reported to counted tokens for each model.
    Its state is what was counted since the last report.
    """

    name = "calibration"
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages and updates the ratios where a reply reported its usage."""
        since = _SinceReport(**state) if state else _SinceReport()
        for change in changes:
            if isinstance(change, LedgerNote):
                continue
            if isinstance(change, Rollback) or change.replaces:
                since = _SinceReport()
            elif not change.message.thread:
                since = _advance(since, change, rows)
        return fields_of(since)


def _advance(since: _SinceReport, change: MessageChange, rows: Rows) -> _SinceReport:
    message = change.message
    if message.role is Role.ASSISTANT and message.usage and message.model and not change.grows:
        _learn(since, message.model, message.usage, rows)
        since = _SinceReport(model=message.model, input_tokens=message.usage.input_tokens)
    _add(since, message, change.tokens)
    return since


def _add(since: _SinceReport, message: Message, tokens: tuple[int, ...]) -> None:
    info = model_info(since.model)
    content = zip(message.parts, tokens, strict=True)
    since.counted += sum(count for part, count in content if isinstance(part, Text | Call | Output))
    since.frames += frame_tokens(message, info)
    since.thought += reasoning_tokens(message, info)
    since.plain = since.plain and is_plain(message)


def _learn(since: _SinceReport, model: str, usage: Usage, rows: Rows) -> None:
    growth = usage.input_tokens - since.input_tokens - since.frames
    is_usable = since.plain and since.model == model and since.thought <= growth * MAX_REASONING_SHARE
    if is_usable and growth >= MIN_STEP_TOKENS:
        calibration = Calibration(tuple(rows.get(model) or ()))
        rows.put(model, list(observe(calibration, counted=since.counted, reported=growth).ratios))
