"""Tasks that are cancelled at a known moment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Event
from typing import Any


def cancelling(task: asyncio.Future[Any]) -> Callable[[object], None]:
    """Returns a listener for the thread of an engine: it cancels the task, and goes on when the task is over."""
    over, loop = Event(), asyncio.get_running_loop()
    task.add_done_callback(lambda _: over.set())

    def cancel(_: object) -> None:
        loop.call_soon_threadsafe(task.cancel)
        over.wait(10)

    return cancel
