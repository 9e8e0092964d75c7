"""The thread of an asynchronous engine."""

from __future__ import annotations

import asyncio
import threading

import pytest

from clew.async_engine.worker import Worker
from clew.errors import UsageError


def test_a_call_that_must_be_made_is_made_though_its_caller_is_cancelled() -> None:
    async def main() -> None:
        worker, free, made = Worker(), threading.Event(), list[str]()
        worker.submit(free.wait)
        waiting = asyncio.create_task(worker.run(lambda: made.append("dropped")))
        finishing = asyncio.create_task(worker.finish(lambda: made.append("made")))
        await asyncio.sleep(0)
        waiting.cancel()
        finishing.cancel()
        await asyncio.wait([waiting, finishing])
        free.set()
        await worker.run(lambda: made.append("last"))
        assert made == ["made", "last"]
        worker.shut_down()

    asyncio.run(main())


def test_what_is_queued_is_still_done_after_it_takes_no_more() -> None:
    worker, free = Worker(), threading.Event()
    worker.submit(free.wait)
    last = worker.submit(lambda: "done")
    worker.shut_down()
    with pytest.raises(UsageError, match="the engine has been closed; open it again"):
        worker.submit(print)
    free.set()
    assert last.result() == "done"
