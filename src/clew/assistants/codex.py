"""Codex: rollouts in a folder for each day. A subagent is a session with a rollout of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from clew.assistants.file_head import head_facts, head_object
from clew.assistants.resumable import SessionFile
from clew.assistants.transcript import Transcript, files, is_same_folder, modified_time
from clew.codecs.fields import object_of
from clew.environment import variable

#: So many of the newest rollouts are looked at: each has to be opened to know its working folder.
_MOST_FILES = 500


class Codex:
    """Files of Codex, under ``CODEX_HOME`` or ~/.codex."""

    name = "codex"
    title = "Codex"

    def folder(self) -> Path:
        """Returns the folder of all rollouts."""
        return Path(variable("CODEX_HOME") or Path.home() / ".codex") / "sessions"

    def of_folder(self, folder: Path) -> Iterator[Transcript]:
        """Yields the sessions of a working folder, the newest first. Old rollouts are left out where there are many."""
        rollouts = sorted(self._rollouts("rollout-*.jsonl*"), key=modified_time, reverse=True)
        for path in islice(rollouts, _MOST_FILES):
            found = self.read(path)
            if found and is_same_folder(found.cwd, str(folder)):
                yield found

    def _rollouts(self, name: str) -> Iterator[Path]:
        return files(self.folder(), f"**/{name}", root=self.folder())

    def place(self, file: SessionFile) -> Path:
        """Returns where the client looks for a session: in the folder of the day on which it was begun."""
        began = datetime.fromtimestamp(file.at, UTC)
        return self.folder() / f"{began:%Y/%m/%d}" / f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{file.id}.jsonl"

    def resume_command(self, session: str) -> str:
        """Returns what a person types to go on with a session."""
        return f"codex resume {session}"

    def of_session(self, id: str) -> Transcript | None:
        """Returns the rollout whose name ends with the id."""
        if not re.fullmatch(r"[\w-]+", id):
            return None
        paths = self._rollouts(f"rollout-*-{id}.jsonl*")
        return next((one for path in paths if (one := self.read(path))), None)

    def read(self, path: Path) -> Transcript | None:
        """Returns the session of a rollout; None for a subagent's, or where the first line names no session."""
        facts, source = head_facts(path, self.name), object_of(head_object(path), "payload").get("source")
        if not facts.session or (isinstance(source, dict) and "subagent" in source):
            return None
        return Transcript(
            client=self.name, session=facts.session, path=path, cwd=facts.cwd, updated=modified_time(path)
        )

    def subagents(self, _transcript: Transcript) -> list[Path]:
        """Returns nothing: subagents are sessions of their own."""
        return []
