"""What a session may send, as outlines that a caller's list is compared with."""

from __future__ import annotations

from clew.adapters.alignment import Outline, outline
from clew.domain import Message
from clew.engine.session import Session


class SessionView:
    """The newest messages of a session's prompt view. They are read once, and as the session grows only what is new."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._state: tuple[float, int] | None = None
        self._messages, self._is_whole = 0, False
        self._outlines: list[Outline] = []

    @property
    def state(self) -> tuple[float, int, int]:
        """What moves whenever the messages of the session do."""
        info = self._session.info
        return info.created, info.version, info.messages

    def newest(self, count: int | None = None) -> list[Outline]:
        """Returns the newest ``count`` messages as far as there are so many; None asks for all."""
        info = self._session.info
        if self._state != (info.created, info.version) or self._messages > info.messages:
            self._state, self._outlines, self._is_whole = (info.created, info.version), [], False
        elif new := info.messages - self._messages:
            self._extend([outline(one) for one in self._recent(new + 1)])
        self._messages = info.messages
        if not self._is_whole and (count is None or len(self._outlines) < count):
            self._read(info.messages if count is None else count)
        return self._outlines[0 if count is None else max(len(self._outlines) - count, 0) :]

    def _extend(self, last: list[Outline]) -> None:
        """Puts the last ones in place of those that were; the one before them may have grown."""
        places = (at for at in reversed(range(len(self._outlines))) if self._outlines[at].id == last[0].id)
        del self._outlines[next(places, len(self._outlines)) if last else len(self._outlines) :]
        self._outlines += last

    def _read(self, count: int) -> None:
        found = self._recent(count) if count else []
        self._outlines = [outline(one) for one in found]
        self._is_whole = len(found) < count or count >= self._messages

    def _recent(self, count: int) -> list[Message]:
        return self._session.reader.recent_messages(count, with_system=True)
