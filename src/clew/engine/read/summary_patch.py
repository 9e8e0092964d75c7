"""Mends a client's summary: finds the messages it stands for, and what it lost of what the work needs."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Message, Origin
from clew.domain.checks import check_text_or_none, shown
from clew.engine.read.reader import SessionReader
from clew.errors import NotFound, UsageError
from clew.ports import TokenCounter
from clew.summary_patch.patch import DEFAULT_SHARE, SummaryPatch, build_patch

#: How far back a summary is compared with the messages before it. Earlier ones have been summed up before.
_MAX_MESSAGES = 4_000


def mend_summary(
    reader: SessionReader, summary: str | None, *, budget: int | None, count: TokenCounter
) -> SummaryPatch:
    """Returns the patch of a summary, by default of the newest one that the client wrote.

    Raises NotFound when there is none, and UsageError for a budget that is no number of tokens.
    """
    _ensure_valid(summary, budget)
    last = reader.info.messages
    messages = reader.read_prompt_view(max(1, last - _MAX_MESSAGES + 1), last)
    at = _place_of(summary, messages)
    if summary is None:
        if at is None:
            missing = f"session {reader.id} has no summary of its client's"
            raise NotFound(missing, hint="give one: session.mend(summary)", about="summary")
        summary = messages[at].text
    before = messages[:at]
    budget = int(count(summary) * DEFAULT_SHARE) if budget is None else budget
    return build_patch(
        before, reader.work_map_from_cwd(alone=True), summary, session=reader.id, budget=budget, count=count
    )


def _place_of(summary: str | None, messages: Sequence[Message]) -> int | None:
    """The place of a summary among the messages: of the newest one, or of one that has these words; else None."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].origin is Origin.SUMMARY and (summary is None or summary.strip() in messages[at].text):
            return at
    return None


def _ensure_valid(summary: str | None, budget: int | None) -> None:
    check_text_or_none(summary, "the summary", "give its text, or None for the newest one of the session")
    if budget is not None and (type(budget) is not int or budget < 1):
        raise UsageError(f"a budget is a number of tokens from 1 on, not {shown(budget)}")
