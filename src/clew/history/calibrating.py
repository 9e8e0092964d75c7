"""Learning, as a session grows, how its model counts: what each reply reports against what was said since
the one before. A row for each model holds the newest ratios."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clew.domain import Call, Message, Origin, Output, Role, Text, Usage
from clew.domain.values import fields_of
from clew.ports import Aside, Change, News, Rollback, Rows
from clew.tokens.calibration import MAX_THOUGHT, MIN_STEP_TOKENS, Calibration, is_plain, observe
from clew.tokens.counting import frame_tokens, reasoning_tokens
from clew.tokens.models import model as model_info


@dataclass(slots=True)
class _Since:
    """What was said since the last reply that reported its usage."""

    model: str = ""
    input_tokens: int = 0
    counted: int = 0
    frames: int = 0
    thought: int = 0
    plain: bool = True


class Calibrating:
    name = "calibration"
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[News], rows: Rows) -> Any:
        since = _Since(**state) if state else _Since()
        for change in changes:
            if isinstance(change, Aside):
                continue
            if isinstance(change, Rollback) or change.replaces:
                since = _Since()
            elif not change.message.thread:
                since = _advance(since, change, rows)
        return fields_of(since)


def _advance(since: _Since, change: Change, rows: Rows) -> _Since:
    message = change.message
    if message.role is Role.ASSISTANT and message.usage and message.model and not change.grows:
        _learn(since, message.model, message.usage, rows)
        since = _Since(model=message.model, input_tokens=message.usage.input_tokens)
    _add(since, message, change.tokens)
    return since


def _add(since: _Since, message: Message, tokens: tuple[int, ...]) -> None:
    info = model_info(since.model)
    content = zip(message.parts, tokens, strict=True)
    since.counted += sum(count for part, count in content if isinstance(part, Text | Call | Output))
    since.frames += frame_tokens(message, info)
    since.thought += reasoning_tokens(message, info)
    since.plain = since.plain and is_plain(message) and message.origin is not Origin.SUMMARY


def _learn(since: _Since, model: str, usage: Usage, rows: Rows) -> None:
    growth = usage.input_tokens - since.input_tokens - since.frames
    is_usable = since.plain and since.model == model and since.thought <= growth * MAX_THOUGHT
    if is_usable and growth >= MIN_STEP_TOKENS:
        known = Calibration(tuple(rows.get(model) or ()))
        rows.put(model, list(observe(known, counted=since.counted, reported=growth).ratios))
