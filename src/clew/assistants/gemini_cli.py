"""Gemini CLI: a folder for each project, named by the hash of its path or by a short name that it owns."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from clew.assistants.file_head import head_facts
from clew.assistants.transcript import Transcript, files, is_same_folder, modified_time, spellings
from clew.environment import variable

_OWNER = ".project_root"
_MOST_OWNER_BYTES = 1 << 16


class GeminiCli:
    """Files of Gemini CLI, under .gemini of ``GEMINI_CLI_HOME`` or of the home folder."""

    name = "gemini-cli"
    title = "Gemini CLI"

    def folder(self) -> Path:
        """Returns the folder of all projects."""
        return Path(variable("GEMINI_CLI_HOME") or Path.home()) / ".gemini" / "tmp"

    def of_folder(self, folder: Path) -> Iterator[Transcript]:
        """Yields the sessions of a project, each once: an older form of a file may stand beside the newer."""
        found: dict[str, Transcript] = {}
        for place in self._places(folder):
            for path in files(place / "chats", "session-*.json*", root=self.folder()):
                one = self.read(path)
                if one and one.updated >= found.get(one.session, one).updated:
                    found[one.session] = one
        yield from found.values()

    def _places(self, folder: Path) -> list[Path]:
        hashed = [
            self.folder() / sha256(name.encode("utf-8", "surrogateescape")).hexdigest() for name in spellings(folder)
        ]
        owners = files(self.folder(), f"*/{_OWNER}", root=self.folder())
        return hashed + [path.parent for path in owners if is_same_folder(_owner(path), str(folder))]

    def of_session(self, id: str) -> Transcript | None:
        """Returns the newest file that holds the session. Names hold the first digits of the id only."""
        found = files(self.folder(), "*/chats/session-*.json*", root=self.folder())
        of_id = [one for path in found if (one := self.read(path)) and one.session == id]
        return max(of_id, key=lambda one: one.updated, default=None)

    def read(self, path: Path) -> Transcript | None:
        """Returns the session of a recording; None where its head names none, and for a subagent's."""
        session = head_facts(path, self.name, needed=("session",)).session
        if not session or path.parent.name != "chats":
            return None
        cwd = _owner(path.parent.parent / _OWNER)
        return Transcript(client=self.name, session=session, path=path, cwd=cwd, updated=modified_time(path))

    def subagents(self, _transcript: Transcript) -> list[Path]:
        """Returns nothing: recordings of subagents say nothing of their parent's conversation."""
        return []


def _owner(path: Path) -> str:
    """The project that a folder belongs to; empty where no file says so."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_OWNER_BYTES).decode("utf-8", "surrogateescape").strip()
    except OSError:
        return ""
