"""The threads of an asynchronous engine."""

from __future__ import annotations

import asyncio
import threading

import pytest

from clew.async_engine.worker import Worker
from clew.errors import UsageError


def test_a_call_that_must_be_made_is_made_though_its_caller_is_cancelled() -> None:
    async def main() -> None:
        worker, free, made = Worker(), threading.Event(), list[str]()
        lane = worker.lane("a")
        lane.submit(free.wait)
        waiting = asyncio.create_task(lane.run(lambda: made.append("dropped")))
        finishing = asyncio.create_task(lane.finish(lambda: made.append("made")))
        await asyncio.sleep(0)
        waiting.cancel()
        finishing.cancel()
        await asyncio.wait([waiting, finishing])
        free.set()
        await lane.run(lambda: made.append("last"))
        assert made == ["made", "last"]
        worker.shut_down(lambda: None).result()

    asyncio.run(main())


def test_what_is_queued_is_still_done_after_it_takes_no_more_and_the_last_call_comes_last() -> None:
    worker, free, made = Worker(), threading.Event(), list[str]()
    worker.lane("a").submit(free.wait)
    worker.lane("a").submit(lambda: made.append("queued"))
    last = worker.shut_down(lambda: made.append("last"))
    for lane in ("a", "b"):
        with pytest.raises(UsageError, match="the engine has been closed; open it again"):
            worker.lane(lane).submit(print)
    assert worker.shut_down(print) is last
    free.set()
    last.result()
    assert made == ["queued", "last"]


def test_lanes_do_not_wait_for_one_another_and_keep_their_thread() -> None:
    worker, begun, free = Worker(), threading.Event(), threading.Event()
    slow, quick = worker.lane("slow"), worker.lane("quick")
    held = slow.submit(lambda: (begun.set(), free.wait(), threading.get_ident())[2])
    begun.wait()
    threads = {quick.call(threading.get_ident) for _ in range(20)}
    assert not held.done()
    free.set()
    assert len(threads) == 1
    assert held.result() not in threads
    assert {slow.call(threading.get_ident) for _ in range(20)} == {held.result()}
    worker.shut_down(lambda: None).result()


def test_more_lanes_than_threads_wait_for_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.async_engine.worker._THREADS", 2)
    worker, free = Worker(), threading.Event()
    lanes = [worker.lane(at) for at in range(5)]
    waiting = [lane.submit(free.wait) for lane in lanes]
    free.set()
    assert all(one.result() for one in waiting)
    assert len({lane.call(threading.get_ident) for lane in lanes}) <= 2
    worker.shut_down(lambda: None).result()
