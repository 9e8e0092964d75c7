"""Background work: jobs that nobody waits for, in one thread."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Hashable
from weakref import WeakSet

from clew.cancellation import Cancel
from clew.errors import StoreBusy
from clew.foreground import enter_background, give_way
from clew.ports import Events

Job = Callable[[Cancel], object]
#: How long a locked store is left alone, and how often in a row it may be found locked before that is told: others
#: that write without a pause for several minutes are no passing thing.
_BUSY_SECONDS, _MOST_BUSY = 0.2, 100


class Background:
    """Runs jobs one at a time in a daemon thread. A newer job replaces a waiting one with the same key.

    The thread starts with the first job and ends with ``close``, or when the program ends. A job that finds the store
    locked by another process is tried again behind the others. Failures are emitted as ``background.failed``.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._changed = threading.Condition()
        self._jobs: dict[Hashable, Job] = {}
        self._now: tuple[Hashable, Cancel] | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, key: Hashable, job: Job) -> None:
        """Queues a job. A waiting job with the same key is replaced; after ``close`` nothing is queued."""
        with self._changed:
            if self._closed:
                return
            self._jobs[key] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="clew-background", daemon=True)
                self._thread.start()
                _all.add(self)
            self._changed.notify_all()

    def wait(self, seconds: float | None = None, *, key: Hashable = None) -> bool:
        """Blocks until no job is running or waiting, or none of a key, or for so long at most. Returns whether all is
        done.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or not self._has_job(key), seconds)

    def _has_job(self, key: Hashable) -> bool:
        keys = [*self._jobs, *([self._now[0]] if self._now else ())]
        return bool(keys) if key is None else key in keys

    def close(self) -> None:
        """Cancels the running job, drops the waiting ones and ends the thread."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            now, thread = self._now, self._thread
            self._changed.notify_all()
        if now is not None:
            now[1].cancel()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        enter_background()
        busy = 0
        while True:
            with self._changed:
                self._now = None
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or bool(self._jobs))
                if self._closed:
                    return
                key = next(iter(self._jobs))
                job = self._jobs.pop(key)
                cancel = Cancel()
                self._now = key, cancel
            give_way()
            try:
                job(cancel)
                busy = 0
            except BaseException as error:  # nobody waits for it, and whatever it raises, the jobs after it are done
                busy = busy + 1 if isinstance(error, StoreBusy) else 0
                if 0 < busy <= _MOST_BUSY:
                    self._try_later(key, job)
                elif not cancel.is_set:
                    self._events.emit("background.failed", reason=str(error) or type(error).__name__)

    def _try_later(self, key: Hashable, job: Job) -> None:
        """Queues a job again, unless a newer one has come for it, and leaves the store to others for a while."""
        with self._changed:
            if not self._closed:
                self._jobs.setdefault(key, job)
                self._changed.wait_for(lambda: self._closed, _BUSY_SECONDS)


_all: WeakSet[Background] = WeakSet()


@atexit.register
def _close_at_exit() -> None:
    """A program may end without closing its engines; a thread that Python stops inside a native library aborts it."""
    for background in tuple(_all):
        background.close()
