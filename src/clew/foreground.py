"""Foreground work is what somebody waits for. What nobody waits for gives way to it: all threads of a process share one
interpreter, and few processors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Condition, local
from typing import ParamSpec, TypeVar

#: Background work waits no longer than this before each of its steps, so that it gets somewhere even where the
#: foreground never rests.
_MOST_SECONDS = 0.25
#: A commit that makes the foreground begin anew waits longer: what it would undo may have taken seconds.
_MOST_SECONDS_TO_COMMIT = 30.0

P = ParamSpec("P")
R = TypeVar("R")


class _Thread(local):
    is_background = False
    depth = 0


class _Foreground:
    """How many threads are at work in the foreground."""

    def __init__(self) -> None:
        self.changed = Condition()
        self.threads = 0

    def count(self, threads: int) -> None:
        with self.changed:
            self.threads += threads
            self.changed.notify_all()


_here, _all = _Thread(), _Foreground()


def in_foreground(work: Callable[P, R]) -> Callable[P, R]:
    """Makes background work give way while a function runs."""

    @wraps(work)
    def with_priority(*args: P.args, **options: P.kwargs) -> R:
        with _working():
            return work(*args, **options)

    return with_priority


@contextmanager
def _working() -> Iterator[None]:
    if _here.is_background or _here.depth:
        yield
        return
    _here.depth = 1
    _all.count(1)
    try:
        yield
    finally:
        _here.depth = 0
        _all.count(-1)


def enter_background() -> None:
    """Says that nobody waits for what this thread does."""
    _here.is_background = True


def is_background() -> bool:
    """Whether nobody waits for what this thread does."""
    return _here.is_background


def give_way(*, to_commit: bool = False) -> None:
    """In a background thread, waits while there is work in the foreground, but not for long; ``to_commit`` what makes
    that work begin anew, for longer. Elsewhere it returns.
    """
    if _here.is_background and _all.threads:
        with _all.changed:
            _all.changed.wait_for(lambda: not _all.threads, _MOST_SECONDS_TO_COMMIT if to_commit else _MOST_SECONDS)
