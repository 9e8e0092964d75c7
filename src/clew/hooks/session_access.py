"""The session of an event: found by its transcript, which the store catches up with first."""

from __future__ import annotations

from clew.assistants.catch_up import CatchUp
from clew.assistants.clients import transcript_at
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.hooks.event import Event


class SessionAccess:
    """Finds sessions of events in one store. Kept for long, it reads of a transcript only what is new."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._catch_up = engine, CatchUp(engine)

    def session_of(self, event: Event) -> Session | None:
        """Returns the session, up to date; None while nobody has said anything in it.

        Raises UnreadableSource for a transcript that is not among the client's own.
        """
        transcript = transcript_at(event.transcript, client=event.client)
        done = self._catch_up.catch_up(transcript)
        return self._engine.find(done.session) if done.session else None
