"""What the signals know of a session between two messages: the state of their projection, stored as it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from clew.domain import Json


@dataclass(slots=True)
class SignalsState:
    """``request`` and ``earlier`` are what was asked last; ``requests`` counts them, ``exchanges`` those of the prompt
    view; ``turns`` counts replies, and ``replies`` is how the newest ones begin.

    ``reply`` is the newest reply so far, ``undo`` how rules stood before it was taken for whole, ``offered`` the
    reminders that were handed out and not answered yet. ``ignored`` is the alert that somebody waved off, ``given`` are
    digests of what was taken in from beside the session. ``calls`` are calls without output. ``acts`` and ``last``
    count acts, and ids of items; ``number`` is the highest of a message. ``is_played``: roles are played, so nobody
    speaks of themselves.
    """

    request: str = ""
    earlier: list[str] = field(default_factory=list)
    requests: int = 0
    exchanges: int = 0
    turns: int = 0
    replies: list[str] = field(default_factory=list)
    reply: Json = field(default_factory=dict)
    undo: Json = field(default_factory=dict)
    offered: list[list[str]] = field(default_factory=list)
    ignored: Json = field(default_factory=dict)
    given: Json = field(default_factory=dict)
    calls: Json = field(default_factory=dict)
    acts: int = 0
    last: int = 0
    number: int = 0
    is_played: bool = False
