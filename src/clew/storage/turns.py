"""Whose turn it is to use a store: the threads of a process queue, first come, first served.

SQLite lets in whoever asks at the right moment. That is the thread that has just committed, so others waited in vain.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import TIMEOUT_MAX, Lock, get_ident

from clew.errors import StoreBusy
from clew.foreground import is_background

#: Foreground threads that pass one of the background before it has its turn, too.
_MOST_PASSES = 10


class _Waiter:
    """A thread in the queue; the lock opens when its turn has come."""

    __slots__ = ("is_background", "passes", "thread", "turn")

    def __init__(self, thread: int) -> None:
        self.thread, self.is_background, self.passes = thread, is_background(), 0
        self.turn = Lock()
        self.turn.acquire()


class Turns:
    """A lock that is handed from thread to thread in the order in which they came, the foreground first; it nests."""

    def __init__(self) -> None:
        self._changing = Lock()
        self._waiting: list[_Waiter] = []
        self._holder: int | None = None
        self._depth = self._given = 0

    def take(self, seconds: float, what: object) -> None:
        """Waits for the turn. StoreBusy, which names ``what``, when one other thread has kept it for so long: however
        many are ahead, a queue that moves is waited for.
        """
        me = get_ident()
        if self._holder == me:
            self._depth += 1
            return
        if not self._take_free(me) and not self._queue(_Waiter(me), seconds):
            raise StoreBusy(f"{what} is in use: another thread of this process held its lock for too long; try again")
        self._depth = 1

    def give_back(self) -> None:
        """Hands it to the next thread, which has it from now on, even before it runs."""
        if self._depth == 1:  # it stays 1 until then: what the garbage collector drops meanwhile may write, too
            self._hand_on()
        else:
            self._depth -= 1

    def _take_free(self, me: int, mine: _Waiter | None = None) -> bool:
        """Takes it if nobody has it; otherwise a waiter joins the queue."""
        with self._changing:
            if self._holder is None:
                self._holder = me
                return True
            if mine is not None:
                self._waiting.append(mine)
            return False

    def _queue(self, mine: _Waiter, seconds: float) -> bool:
        try:
            if self._take_free(mine.thread, mine):
                return True
            while True:
                given = self._given
                if mine.turn.acquire(timeout=min(seconds, TIMEOUT_MAX)):
                    return True
                if given == self._given:
                    return not self._leave(mine)
        except BaseException:  # Ctrl-C, perhaps just when the turn had come
            if not self._leave(mine) and self._holder == mine.thread:
                self._hand_on()
            raise

    def _leave(self, mine: _Waiter) -> bool:
        """Leaves the queue; False for a thread that is not in it any more."""
        with self._changing:
            if mine not in self._waiting:
                return False
            self._waiting.remove(mine)
            return True

    def _hand_on(self) -> None:
        with self._changing:
            self._given += 1
            if not self._waiting:
                self._holder = None
                return
            first = (at for at, one in enumerate(self._waiting) if not one.is_background or one.passes == _MOST_PASSES)
            at = next(first, 0)
            for passed in self._waiting[:at]:
                passed.passes += 1
            following = self._waiting.pop(at)
            self._holder = following.thread
            following.turn.release()


_of_files: dict[tuple[int, Path], Turns] = {}


def turns_of(path: Path) -> Turns:
    """Returns the one queue that this process has for a file; a forked process has its own."""
    return _of_files.setdefault((os.getpid(), path.resolve()), Turns())


__all__ = ["Turns", "turns_of"]
