"""Work that nobody waits for: one thing at a time, of each kind only the newest, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

from clew.ports import Cancel, Events

Job = Callable[[Cancel], object]


class Background:
    """The thread begins with the first job and ends with ``close``; what fails is told as an event, and forgotten."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._changed = threading.Condition()
        self._jobs: dict[Hashable, Job] = {}
        self._now: Cancel | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def soon(self, key: Hashable, job: Job) -> None:
        """Does the job when its turn comes; one of the same key that still waits is left out."""
        with self._changed:
            if self._closed:
                return
            self._jobs[key] = job
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="clew-background", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def wait(self) -> None:
        """Until everything is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not (self._jobs or self._now))

    def close(self) -> None:
        """Cancels what is under way, leaves out what waits, and ends the thread."""
        with self._changed:
            self._closed = True
            self._jobs.clear()
            now, thread = self._now, self._thread
            self._changed.notify_all()
        if now is not None:
            now.cancel()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._now = None
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closed or bool(self._jobs))
                if self._closed:
                    return
                job = self._jobs.pop(next(iter(self._jobs)))
                self._now = cancel = Cancel()
            try:
                job(cancel)
            except Exception as error:  # nobody waits for it: what it was for is done again when it is needed
                if not cancel.is_set:
                    self._events.emit("background.failed", reason=str(error) or type(error).__name__)
