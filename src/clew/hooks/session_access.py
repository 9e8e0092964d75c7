"""The session of an event: found by its transcript, which the store catches up with first."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock

from clew.assistants.catch_up import CatchUp
from clew.assistants.clients import transcript_at, transcripts_of
from clew.assistants.transcript import Transcript
from clew.domain import Message, Origin
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.engine.session_handles import unread_summary
from clew.errors import ClewError
from clew.hooks.event import Event
from clew.hooks.journal import log
from clew.units.later_work import LaterWork

#: So many of the newest messages are looked at for a summary, fewer first.
_STEPS = (64, 512, 4_000)
#: Events whose answer needs little of what is derived from a session.
_AWAITED = frozenset({"PostCompact", "UserPromptSubmit"})
#: Events that come often: nobody waits for them longer than it takes to read so many bytes.
_QUICK, _QUICK_BYTES = frozenset({"UserPromptSubmit", "PostToolUse"}), 2 << 20
#: A session that nobody has written to for so long is not followed until the next event.
_LEFT_SECONDS = 1_800
#: What is older than so many messages is not followed up: of its failures nobody knows whether they still hold.
_LATE_MESSAGES = 200
#: Clients whose summaries may be encrypted.
_SEALING = frozenset({"codex"})


class SessionAccess:
    """Finds sessions of events in one store. Kept for long, it reads of a transcript only what is new."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._catch_up = engine, CatchUp(engine)
        self._followed: dict[Path, Transcript] = {}
        self._summaries: dict[str, tuple[int, Message | None]] = {}
        self._later: dict[str, tuple[int, LaterWork]] = {}
        self._watched: dict[str, str] = {}
        self._lock = Lock()  # of what is kept between events: several may be answered at once

    def session_of(self, event: Event, *, is_current: bool = True) -> Session | None:
        """Returns the session, up to date; None while nobody has said anything in it. What an answer does not need is
        derived later, by whoever reads it; after a compaction and at a prompt that holds for rules too.
        An event that comes often waits for no long transcript: None, and the log says so.

        Without ``is_current``, one that is stored is returned as it is. Raises UnreadableSource for a transcript that
        is not among the client's own.
        """
        transcript = transcript_at(event.transcript, client=event.client)
        self._followed[transcript.path] = transcript
        if not is_current and self._engine.store.session(self._engine.key(transcript.session)) is not None:
            return self._engine.session(transcript.session)
        if event.name in _QUICK and (unread := self._catch_up.unread_bytes(transcript)) > _QUICK_BYTES:
            log(f"hook {event.client} {event.name}", f"{unread >> 20} MB of {transcript.path} are not read yet")
            return None
        is_awaited = event.name in _AWAITED or event.text("source") == "compact"
        done = self._catch_up.catch_up(transcript, project=False)
        if not done.session:
            return None
        session = self._engine.session(done.session)
        if done.new_messages and not is_awaited:
            self._catch_up.take_in_rules(session)
        return session

    def newest_summary(self, session: Session) -> Message | None:
        """Returns the newest message in which the client sums the session up; None where there is none."""
        with self._lock:
            now, (seen, known) = session.info.messages, self._summaries.get(session.id, (0, None))
            if now != seen:
                steps = (now - seen,) if 0 < seen < now else _STEPS
                known = _summary_among(session, steps) or (known if 0 < seen < now else None)
                self._summaries[session.id] = (now, known)
            return known

    def later_work(self, session: Session) -> LaterWork:
        """Returns what was edited and passed of late, up to date; read anew where messages were taken back."""
        with self._lock:
            now = session.info.messages
            seen, known = self._later.get(session.id, (0, None))
            if known is None or seen > now:
                seen, known = 0, LaterWork()
            if now > seen:
                known.read(session.reader.recent_messages(min(now - seen, _LATE_MESSAGES)))
            self._later[session.id] = (now, known)
            return known

    def summed_up_before(self, session: Session) -> int:
        """Returns the number of the first message that the client goes on with word for word; 0 before it has summed
        anything up.
        """
        message = self.newest_summary(session)
        number = message.number if message else 0
        unread = unread_summary(session, after=number) if session.info.client in _SEALING else None
        return unread.after + 1 if unread else number

    def watch(self, client: str, path: str) -> None:
        """Has a session followed as soon as its file is there, which a client writes with the first words."""
        self._watched[path] = client

    def follow(self, folder: Path | None = None) -> bool:
        """Catches up with sessions that were asked for, so that the next event finds them ready; with ``folder``, also
        with the newest one of a working folder. What cannot be read waits for an event that says so, and so does what
        nobody has written to for long. Returns whether anything was new.
        """
        if folder is not None and (transcripts := transcripts_of(folder)):
            self._followed.setdefault(transcripts[0].path, transcripts[0])
        for path in [path for path in list(self._watched) if os.path.exists(path)]:  # noqa: PTH110
            with suppress(ClewError):
                begun = transcript_at(path, client=self._watched.pop(path))
                self._followed.setdefault(begun.path, begun)
        return sum(map(self._read_on, list(self._followed.values()))) > 0

    def _read_on(self, transcript: Transcript) -> int:
        try:
            done = self._catch_up.catch_up(transcript)
            if done.session:
                session = self._engine.session(done.session)
                if self.summed_up_before(session):
                    self.later_work(session)
            is_left = not done.new_messages and time.time() - transcript.path.stat().st_mtime > _LEFT_SECONDS
        except (ClewError, OSError):
            done, is_left = None, True
        if is_left:
            self._followed.pop(transcript.path, None)
        return done.new_messages if done else 0


def _summary_among(session: Session, steps: tuple[int, ...]) -> Message | None:
    for count in steps:
        recent = session.reader.recent_messages(count)
        summary = next((message for message in reversed(recent) if message.origin is Origin.SUMMARY), None)
        if summary is not None or len(recent) < count:
            return summary
    return None
