"""Catching up: what a transcript holds that the store does not, brought in; as often as anybody likes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clew.assistants.clients import assistant
from clew.assistants.safe_paths import is_safe
from clew.assistants.transcript import Assistant, Transcript
from clew.engine.engine import Engine
from clew.engine.ingest.file_cursors import FileCursors
from clew.engine.session import Session
from clew.errors import ClewError, StorageError


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What became of one transcript. ``session`` is empty while nothing of it is stored, because nobody has said
    anything yet; ``problems`` says what could not be read, and everything before it is stored.
    """

    session: str
    new_messages: int = 0
    problems: tuple[str, ...] = ()


class CatchUp:
    """Brings a store up to date with transcripts. One that has not changed since it was last read costs a look at its
    size and time; one that was cut or replaced is read from the beginning, and nothing in it is stored twice.
    """

    def __init__(self, engine: Engine, *, home: Path | None = None) -> None:
        self._engine, self._home = engine, home or Path.home()
        self._seen: dict[Path, tuple[int, int, int]] = {}
        self._stored: dict[Path, str] = {}

    def catch_up(
        self, transcript: Transcript, *, progress: Callable[[int], object] | None = None, project: bool = True
    ) -> CaughtUp:
        """Stores what is new in a transcript, and in those of its subagents, as threads of the same session. Without
        ``project``, all that is derived from it, rules among it, is left to the next time.

        ``progress`` hears how many bytes of a file were read. Raises StorageError only: a file that cannot be read is a
        problem of the result.
        """
        owner, problems, new = assistant(transcript.client), [], 0
        for path in (transcript.path, *owner.subagents(transcript)):
            try:
                new += self._read(path, transcript, owner, progress, project=project)
            except StorageError:
                raise
            except ClewError as error:
                problems += [str(error)] if transcript.path in self._stored else []
        session = self._stored.get(transcript.path, "")
        if new and project:
            self.take_in_rules(self._engine.session(session))
        return CaughtUp(session, new, tuple(problems))

    def take_in_rules(self, session: Session) -> None:
        """Brings in the rules of files beside a session, and what its user said of themselves into their profile."""
        session.channels.load_rule_files(self._home)
        if session.user:
            session.learn_profile()

    def unread_bytes(self, transcript: Transcript) -> int:
        """Returns how much of a transcript is still to be read, as far as its size tells."""
        key = self._engine.key(transcript.session)
        cursor = FileCursors(self._engine.store, tenant=key.tenant, user=key.user).get(str(transcript.path.absolute()))
        return max(0, _state(transcript.path)[1] - (cursor.offset if cursor else 0))

    def _read(
        self,
        path: Path,
        transcript: Transcript,
        owner: Assistant,
        progress: Callable[[int], object] | None,
        *,
        project: bool,
    ) -> int:
        """Imports one file under the id of its session, and returns how many messages were new."""
        now = _state(path)
        if now == self._seen.get(path) or not is_safe(path, owner.folder()):
            return 0
        reports = self._engine.import_file(
            path,
            format=transcript.client,
            session=transcript.session,
            progress=progress,
            project=project,
            repairs=False,
        )
        self._seen[path] = now
        self._stored[transcript.path] = reports[0].session
        return sum(report.new_messages for report in reports)


def _state(path: Path) -> tuple[int, int, int]:
    try:
        status = path.stat()
    except OSError:
        return (0, 0, 0)
    return status.st_ino, status.st_size, status.st_mtime_ns
