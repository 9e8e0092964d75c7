"""When replies are recorded whose reader has gone."""

from __future__ import annotations

from inspect import unwrap
from types import FunctionType

import pytest

from clew.domain import SessionKey
from clew.engine.channels import Channels
from clew.engine.engine import Engine
from clew.engine.ingest.incoming_replies import IncomingReplies, as_operation
from clew.engine.readable_session import ReadableSession
from clew.engine.session import Session


class Reply:
    """Notes when it is recorded."""

    def __init__(self, replies: IncomingReplies, *, is_left: bool = True, session: str = "s") -> None:
        self.replies, self.is_left, self.recorded = replies, is_left, 0
        self.key = SessionKey("default", "ana", session)
        replies.add(self)

    def break_off(self) -> None:
        self.recorded += self.replies.take(self)


class Worker:
    def __init__(self) -> None:
        self._incoming = IncomingReplies()

    @as_operation
    def work(self, inner: int = 0) -> Reply:
        """Does something."""
        left = Reply(self._incoming)
        return self.work(inner - 1) if inner else left

    def _prepare(self) -> None:
        pass


def test_what_was_left_is_recorded_once_before_the_next_operation() -> None:
    worker = Worker()
    read, left = Reply(worker._incoming, is_left=False), Reply(worker._incoming)
    worker._prepare()
    assert left.recorded == 0
    made = worker.work()
    worker.work()
    assert (read.recorded, left.recorded, made.recorded) == (0, 1, 1)
    assert worker.work.__doc__ == "Does something."


def test_nothing_is_recorded_within_an_operation() -> None:
    worker = Worker()
    inner = worker.work(inner=2)
    assert len(worker._incoming._open) == 3
    assert inner.recorded == 0
    with worker._incoming.operation(None):
        assert inner.recorded == 1


def test_an_operation_of_a_session_records_what_was_left_of_it_alone() -> None:
    replies = IncomingReplies()
    own, other = Reply(replies), Reply(replies, session="other")
    with replies.operation(own.key):
        assert (own.recorded, other.recorded) == (1, 0)


def test_closing_records_all() -> None:
    replies = IncomingReplies()
    read = Reply(replies, is_left=False)
    replies.close()
    replies.close()
    assert read.recorded == 1


@pytest.mark.parametrize("cls", [Channels, Engine, ReadableSession, Session])
def test_whatever_reads_or_writes_sessions_is_an_operation(cls: type) -> None:
    apart = {"close", "on", "count", "for_user", "key", "cache_use"} if cls is Engine else set()
    public = {name: one for name, one in vars(cls).items() if isinstance(one, FunctionType) and name[0] != "_"}
    assert {name for name, one in public.items() if not _is_operation(one)} == apart


def _is_operation(method: FunctionType) -> bool:
    found: list[str] = []
    unwrap(method, stop=lambda one: found.append(one.__code__.co_name) is not None)
    return "operation" in found
