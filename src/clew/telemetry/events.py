"""An in-process bus for events."""

from __future__ import annotations

import sys
import traceback
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a dotted name and its data."""

    name: str
    data: MappingProxyType[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value!r}" for name, value in self.data.items())])


class Bus:
    """Listeners by event name; ``*`` hears everything."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Callable[[Event], object]]] = defaultdict(list)

    def on(self, name: str, listener: Callable[..., object]) -> Callable[[], None]:
        self._listeners[name].append(listener)

        def off() -> None:
            if listener in self._listeners[name]:
                self._listeners[name].remove(listener)

        return off

    def has(self, name: str) -> bool:
        return bool(self._listeners.get(name))

    def emit(self, name: str, /, **data: Any) -> None:
        event = Event(name, MappingProxyType(data))
        for listener in [*self._listeners[name], *self._listeners["*"]]:
            try:
                listener(event)
            except Exception:  # a listener's fault is its own: it is told, and the work goes on
                traceback.print_exc(file=sys.stderr)
