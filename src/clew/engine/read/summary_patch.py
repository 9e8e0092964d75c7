"""Mends a client's summary: finds the messages it stands for, and what it lost of what the work needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clew.domain import Message, Origin
from clew.domain.checks import check_text_or_none, describe_value
from clew.engine.read.reader import SessionReader
from clew.errors import NotFound, UsageError
from clew.ports import TokenCounter
from clew.summary_patch.patch import (
    DEFAULT_SHARE,
    LEAST_TOKENS,
    PATCH_HEAD,
    UNKNOWN_HEAD,
    UNKNOWN_TOKENS,
    UNREAD_HEAD,
    SummaryPatch,
    build_patch,
)

#: How far back a summary is compared with the messages before it. Earlier ones have been summed up before.
_MAX_MESSAGES = 4_000


@dataclass(frozen=True, slots=True)
class _Compared:
    """What a session is compared with: the messages ``before`` it, its ``text``, and how a patch of it begins."""

    before: Sequence[Message]
    text: str
    head: str = PATCH_HEAD


def mend_summary(
    reader: SessionReader,
    summary: str | None,
    *,
    budget: int | None,
    beside: str = "",
    stands_last: bool = False,
    count: TokenCounter,
) -> SummaryPatch:
    """Returns the patch of a summary, by default of the newest one that the client wrote. An empty summary is one that
    nobody knows: then the patch has what matters most, as it has where the client's summary cannot be read. The state
    that it tells is that of the summary's place, or of now where the patch ``stands_last``, behind what came since.

    Raises NotFound when there is none, and UsageError for a budget that is no number of tokens.
    """
    _ensure_valid(summary, budget)
    last = reader.info.messages
    messages = reader.read_prompt_view(max(1, last - _MAX_MESSAGES + 1), last)
    compared = _newest(reader, messages) if summary is None else _given_summary(summary, messages)
    if budget is None:
        is_known = compared.head == PATCH_HEAD
        budget = max(int(count(compared.text) * DEFAULT_SHARE), LEAST_TOKENS) if is_known else UNKNOWN_TOKENS
    place = max((message.number for message in compared.before), default=0)
    went_on = any(message.number > place and (message.calls or message.outputs) for message in messages)
    work = reader.work_map_from_cwd(alone=True, until=place if went_on and not stands_last else 0)
    return build_patch(
        compared.before,
        work,
        compared.text,
        beside=beside,
        session=reader.id,
        budget=budget,
        count=count,
        head=compared.head,
    )


def _given_summary(summary: str, messages: Sequence[Message]) -> _Compared:
    if not summary.strip():
        return _Compared(messages, "", UNKNOWN_HEAD)
    return _Compared(messages[: _place_of(summary, messages)], summary)


def _newest(reader: SessionReader, messages: Sequence[Message]) -> _Compared:
    """The client's newest summary; where that cannot be read, what its client kept beside it."""
    index = _place_of(None, messages)
    unread = reader.unread_summary(after=messages[index].number if index is not None else 0)
    if unread is not None:
        return _Compared([message for message in messages if message.number <= unread.after], unread.kept, UNREAD_HEAD)
    if index is None:
        missing = f"session {reader.id} has no summary of its client's"
        raise NotFound(missing, hint="give one: session.mend(summary)", about="summary")
    return _Compared(messages[:index], messages[index].text)


def _place_of(summary: str | None, messages: Sequence[Message]) -> int | None:
    """The place of a summary among the messages: of the newest one, or of one that has these words; else None."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].origin is Origin.SUMMARY and (summary is None or summary.strip() in messages[index].text):
            return index
    return None


def _ensure_valid(summary: str | None, budget: int | None) -> None:
    check_text_or_none(summary, "the summary", "give its text, or None for the newest one of the session")
    if budget is not None and (type(budget) is not int or budget < 1):
        raise UsageError(f"a budget is a number of tokens from 1 on, not {describe_value(budget)}")
