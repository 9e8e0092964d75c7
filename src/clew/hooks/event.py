"""An event: what a client says on standard input when it starts a hook. Nothing in it is trusted."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Longer input is no event: the largest hold the output of one tool.
MOST_BYTES = 64 << 20


class UnusableEvent(Exception):
    """What came is no event that anything can be done with; the message goes to the log."""


class Event:
    """One event of a client. What is missing or of another type reads as empty."""

    __slots__ = ("_data", "client", "name")

    def __init__(self, client: str, name: str, data: dict[str, Any]) -> None:
        self.client, self.name, self._data = client, name, data

    def text(self, key: str) -> str:
        """Returns a text of the event; empty where it has none of that name."""
        value = self._data.get(key)
        return value if isinstance(value, str) else ""

    def value(self, key: str) -> Any:
        """Returns whatever the event has under a name; None where it has nothing."""
        return self._data.get(key)

    @property
    def session(self) -> str:
        """The session's id, as the client gives it."""
        return self.text("session_id")

    @property
    def transcript(self) -> str:
        """The path of the session's file, as the client gives it."""
        return self.text("transcript_path")

    def as_dict(self) -> dict[str, Any]:
        """Returns what the client sent."""
        return self._data


def read_event(client: str, name: str, data: bytes) -> Event:
    """Returns the event in what a client sent. Raises UnusableEvent for anything else."""
    import json

    if len(data) > MOST_BYTES:
        raise UnusableEvent(f"{len(data) >> 20} MB are no event")
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnusableEvent(f"standard input is no JSON ({error})") from None
    if not isinstance(fields, dict):
        raise UnusableEvent("standard input is no JSON object")
    event = Event(client, name, fields)
    if not event.session:
        raise UnusableEvent("the event names no session_id")
    return event
