"""Which session is meant: the one that is named, or the newest of the caller's folders. What the assistant has written
since is stored first.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import local
from time import monotonic, sleep

from clew.assistants.catch_up import CatchUp
from clew.assistants.clients import ASSISTANTS, LIVE_SECONDS, transcript_at, transcript_of, transcripts_of
from clew.assistants.transcript import Transcript, is_same_folder
from clew.domain import SessionInfo
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import ClewError, NotFound, UsageError
from clew.text.trim import cut_at_word, one_line

#: Longest name of a session; what is longer is no id.
_MOST_NAME_CHARS = 200
#: A call's id stands near the end of the transcript that holds the call.
_TAIL_BYTES = 1 << 18
#: Ids of calls have letters and digits, as no word has that a transcript may hold by chance.
_CALL_ID = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[\w-]{10,100}")
#: How long a client may take to write down the call that it has just made, and how often that is looked at.
_WRITTEN_SECONDS, _LOOK_SECONDS = 1.0, 0.05
_TITLE_CHARS = 60
#: Sessions that one thread keeps handles of.
_MOST_KEPT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A session that may be meant. ``updated`` is when something was last added to it."""

    id: str
    client: str
    updated: float
    title: str = ""
    transcript: Transcript | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a call says of the session it means. Without folders, all of the user's sessions are meant."""

    name: str = ""
    folders: tuple[Path, ...] = ()
    hints: tuple[str, ...] = ()
    progress: Callable[[int], object] | None = None


class _KeptSessions(local):
    """Handles of sessions that this thread was asked for, newest last: what they have read they need not read again."""

    def __init__(self) -> None:
        self.handles: OrderedDict[tuple[str, float], Session] = OrderedDict()


class SessionFinder:
    """Finds sessions of one user. ``catch_up`` is None for a user whose transcripts are not on this machine."""

    def __init__(self, engine: Engine, catch_up: CatchUp | None) -> None:
        self._engine, self._catch_up = engine, catch_up
        self._kept = _KeptSessions()

    def find(self, asked: Asked) -> Session:
        """Returns the session that is meant, up to date.

        Raises NotFound where there is none, and UsageError where several may be meant; both say what to do next.
        """
        return self._named_session(asked) if asked.name else self._newest(asked)

    def find_reported(self, asked: Asked) -> Session:
        """Like ``find``, for a session whose messages its caller reports: a name that nobody has yet is a new session.

        Raises UsageError for one that is followed from its transcript: that says who said what, and a caller does not.
        """
        try:
            found = self.find(asked)
        except NotFound:
            if not asked.name:
                raise
            if self._catch_up and transcript_of(asked.name):
                raise _followed_error(asked.name) from None
        else:
            if self._catch_up and self._transcript(found.info):
                raise _followed_error(found.id)
            return found
        folder = str(asked.folders[0]) if asked.folders else None
        return self._engine.session(asked.name, client="mcp", cwd=folder)

    # ── by name ──────────────────────────────────────────────────────────────────────────────────────

    def _named_session(self, asked: Asked) -> Session:
        if len(asked.name) > _MOST_NAME_CHARS:
            raise UsageError(f"a session id has at most {_MOST_NAME_CHARS} characters; clew://sessions lists them")
        try:
            session = self._handle(asked.name)
        except NotFound:
            found = transcript_of(asked.name) if self._catch_up else None
            if found is None:
                raise NotFound(
                    f"no session {asked.name!r}; leave session out for the newest of your folder, or take an id of the"
                    " resource clew://sessions"
                ) from None
            return self._up_to_date(found, asked)
        transcript = self._transcript(session.info) if self._catch_up else None
        return self._up_to_date(transcript, asked) if transcript else session

    def _transcript(self, info: SessionInfo) -> Transcript | None:
        """The file that the session comes from, if it is an assistant's own."""
        if not info.source or info.client not in {one.name for one in ASSISTANTS}:
            return None
        try:
            transcript = transcript_at(info.source, client=info.client)
        except ClewError:
            return None
        return transcript if self._engine.key(transcript.session).id == info.key.id else None

    def _up_to_date(self, transcript: Transcript, asked: Asked) -> Session:
        done = self._catch_up.catch_up(transcript, progress=asked.progress) if self._catch_up else None
        if done is None or not (done.session or self._is_stored(transcript.session)):
            raise NotFound(f"session {transcript.session} has no message yet; ask again once something was said")
        return self._handle(done.session or transcript.session)

    def _handle(self, name: str) -> Session:
        """A handle of a stored session: the one that was used before, where there is one."""
        found, kept = self._engine.find(name), self._kept.handles
        place = found.id, found.info.created  # one that was purged and begun anew is another
        kept[place] = kept.pop(place, found)
        if len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
        self._engine.read_on(found.id, user=found.key.user)
        return kept[place]

    def _is_stored(self, id: str) -> bool:
        return self._engine.store.session(self._engine.key(id)) is not None

    # ── by folder ────────────────────────────────────────────────────────────────────────────────────

    def _newest(self, asked: Asked) -> Session:
        found = self._candidates(asked.folders)
        now = self._engine.services.clock.now()
        live = [one for one in found if now - one.updated <= LIVE_SECONDS]
        if not found:
            where = f" in {', '.join(map(str, asked.folders))}" if asked.folders else ""
            raise NotFound(
                f"no session{where} yet; name one of the resource clew://sessions as session, or start one:"
                " record_messages with a session id of your own"
            )
        chosen = _named_in(found, asked.hints) or (_calling(live, asked.hints) if len(live) > 1 else found[0])
        if chosen is None:
            raise UsageError(f"{_describe_live(live, now)}; call again with session set to the id of yours")
        return self._up_to_date(chosen.transcript, asked) if chosen.transcript else self._handle(chosen.id)

    def _candidates(self, folders: Sequence[Path]) -> list[_Candidate]:
        """All that may be meant, newest first. A transcript that nobody has spoken in yet is no session."""
        infos = self._engine.infos()
        known = {info.key.id: info for info in infos}
        found = {
            info.key.id: _Candidate(id=info.key.id, client=info.client, updated=info.updated, title=info.title)
            for info in infos
            if not folders or any(info.cwd and is_same_folder(info.cwd, str(folder)) for folder in folders)
        }
        for transcript in self._transcripts(folders):
            id = self._engine.key(transcript.session).id
            title = known[id].title if id in known else ""
            found[id] = _Candidate(
                id=id, client=transcript.client, updated=transcript.updated, title=title, transcript=transcript
            )
        return sorted(found.values(), key=lambda one: (-one.updated, one.id))

    def _transcripts(self, folders: Sequence[Path]) -> list[Transcript]:
        if self._catch_up is None:
            return []
        return [
            transcript
            for folder in folders
            for transcript in transcripts_of(folder)
            if transcript.cwd or transcript.client != "claude-code"
        ]


def _followed_error(id: str) -> UsageError:
    return UsageError(
        f"session {id} is followed from its transcript on this machine, so all that is said in it is stored without"
        " record_messages; mark_critical marks what must not be forgotten"
    )


def _named_in(found: Sequence[_Candidate], hints: Sequence[str]) -> _Candidate | None:
    """The one whose id the request itself names."""
    named = [candidate for candidate in found if any(candidate.id in hint for hint in hints)]
    return named[0] if len(named) == 1 else None


def _calling(live: Sequence[_Candidate], hints: Sequence[str]) -> _Candidate | None:
    """The one whose transcript holds the call that the request names, as soon as the client has written it there."""
    calls = [hint for hint in hints if _CALL_ID.fullmatch(hint)]
    until = monotonic() + _WRITTEN_SECONDS
    while calls:
        holders = [candidate for candidate in live if candidate.transcript and _holds(candidate.transcript.path, calls)]
        if holders:
            return holders[0] if len(holders) == 1 else None
        if monotonic() > until:
            break
        sleep(_LOOK_SECONDS)
    return None


def _holds(path: Path, hints: Sequence[str]) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            tail = file.read(_TAIL_BYTES)
    except OSError:
        return False
    return any(f'"{hint}"'.encode() in tail for hint in hints)


def _describe_live(live: Sequence[_Candidate], now: float) -> str:
    """Names each session with what tells it from the others."""
    told = [
        f"{candidate.id} ({candidate.client or 'recorded'}, {max(0, now - candidate.updated):.0f} s ago"
        + (f", {cut_at_word(one_line(candidate.title), _TITLE_CHARS)!r})" if candidate.title else ")")
        for candidate in live
    ]
    return f"{len(live)} sessions are live here: {'; '.join(told)}"
