"""An asynchronous face for any object."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from clew.async_engine.handle import AsyncHandle
from clew.async_engine.worker import Worker


class Counter:
    """Counts in whatever thread it is asked in."""

    unit = "steps"

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def up_to(self, count: int) -> Iterator[int]:
        """Yields numbers."""
        for number in range(count):
            self.threads.add(threading.get_ident())
            yield number

    def same(self, other: Counter) -> bool:
        return other is self

    def fail(self) -> None:
        raise KeyError("as ever")


def test_methods_are_awaited_in_one_other_thread_and_attributes_are_read() -> None:
    async def main() -> None:
        target, worker = Counter(), Worker()
        handle: Any = AsyncHandle(target, worker.lane("a"))
        assert [number async for number in await handle.up_to(130)] == list(range(130))
        assert len(target.threads) == 1
        assert threading.get_ident() not in target.threads
        assert (handle.unit, handle.up_to.__doc__) == ("steps", "Yields numbers.")
        assert await handle.same(handle)
        assert await handle.same(other=handle)
        with pytest.raises(KeyError, match="as ever"):
            await handle.fail()
        assert not hasattr(handle, "down")
        assert not hasattr(handle, "_threads")
        worker.shut_down(lambda: None).result()

    asyncio.run(main())
