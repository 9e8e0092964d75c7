"""An in-process bus for events, and the names of all events."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import local
from types import MappingProxyType
from typing import Any

from clew.errors import UsageError

#: Every event and when it is emitted. Looking (previews, packs that are not recorded) emits none.
EVENTS = {
    "recorded": "messages were recorded",
    "reply.interrupted": "a stream broke off; what had come of the reply was recorded",
    "reply.lost": "a reply went by that could not be recorded",
    "model.unknown": "a prompt was handed out for a model whose name tells nothing: its API and window are assumed",
    "session.branched": "a list that was sent beside the session's own goes on in a branch, a session of its own",
    "purged": "a session was deleted",
    "health.changed": "a session became better or worse: good, warning, critical",
    "critical.lapsed": "a rule that was said for one task ended with it; it can be taken back",
    "critical.full": "a prompt was handed out without some critical items, because they take more than their cap",
    "compaction.due": "the next pack will compact",
    "compaction.started": "a compaction begins; complete, skipped or failed follows",
    "compaction.complete": "a compaction was written",
    "compaction.skipped": "nothing was compacted, because too little would be freed",
    "compaction.failed": "a compaction was broken off by an error; nothing was written",
    "compaction.degraded": "a summary was made in a simpler way, because a model failed",
    "compaction.stopped": "Clew no longer compacts by itself, because it freed too little each time",
    "compaction.undone": "a compaction was taken back",
    "tool.started": "a tool begins to run, as whoever runs it tells",
    "tool.ended": "a tool has run: with its status, seconds, size and error",
    "search.degraded": "a search went by words alone, because the embedder failed",
    "rerank.degraded": "results of a search stand in the order they were found in, because a model gave none",
    "background.failed": "work in the background failed",
    "listener.failed": "whoever waited for a record failed",
}
#: Hears every event.
ALL = "*"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a dotted name and its data."""

    name: str
    data: MappingProxyType[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value!r}" for name, value in self.data.items())])


class _Thread(local):
    """Events of this thread that are held back; None where they are told at once."""

    held: list[Event] | None = None


class Bus:
    """Listeners by event name; ``*`` hears everything."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[Event], object]]] = defaultdict(list)
        self._thread = _Thread()

    def on(self, name: str, listener: Callable[..., object]) -> Callable[[], None]:
        """Registers a listener. Raises UsageError for a name that no event has."""
        ensure_listener(name, listener)
        if name != ALL and name not in EVENTS:
            from difflib import get_close_matches

            close = get_close_matches(name, EVENTS, n=3)
            meant = f"did you mean {' or '.join(close)}?" if close else "clew.telemetry.events.EVENTS has them all;"
            raise UsageError(f"no event {name!r}; {meant} {ALL!r} hears all")
        self._listeners[name].append(listener)

        def off() -> None:
            if listener in self._listeners[name]:
                self._listeners[name].remove(listener)

        return off

    def has(self, name: str) -> bool:
        """Returns True where somebody would hear an event of this name."""
        return bool(self._listeners.get(name) or self._listeners.get(ALL))

    def emit(self, name: str, /, **data: Any) -> None:
        event = Event(name, MappingProxyType(data))
        if self._thread.held is not None:
            self._thread.held.append(event)
        else:
            self._tell(event)

    @contextmanager
    def held(self) -> Iterator[None]:
        if self._thread.held is not None:
            yield
            return
        self._thread.held = []
        try:
            yield
            events = self._thread.held
        finally:
            self._thread.held = None
        for event in events:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        for listener in [*self._listeners[event.name], *self._listeners[ALL]]:
            try:
                listener(event)
            except Exception:
                report_listener_fault()


def report_listener_fault() -> None:
    """Tells what a listener has just raised. The fault is its own: the work goes on."""
    import traceback

    traceback.print_exc(file=sys.stderr)


def ensure_listener(name: object, listener: object) -> None:
    if not isinstance(name, str):
        raise UsageError(f"{name!r} is no name of an event; {ALL!r} hears all")
    if not callable(listener):
        raise UsageError(f"{listener!r} cannot hear {name}; give a function")
