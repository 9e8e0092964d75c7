"""Claude Code: a folder for each working folder, in it a file for each session, and beside it its subagents'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from clew.assistants.file_head import head_facts
from clew.assistants.resumable import SessionFile
from clew.assistants.transcript import Transcript, files, is_same_folder, modified_time, spellings
from clew.environment import variable
from clew.errors import UsageError

_OTHER = re.compile("[^a-zA-Z0-9]")
#: A longer name is cut to this, and ends with a hash that has changed between versions.
_MOST_CHARS = 200
_SUBAGENT = "agent-"


class ClaudeCode:
    """Files of Claude Code, under ``CLAUDE_CONFIG_DIR`` or ~/.claude."""

    name = "claude-code"
    title = "Claude Code"

    def folder(self) -> Path:
        """Returns the folder of all working folders."""
        return Path(variable("CLAUDE_CONFIG_DIR") or Path.home() / ".claude") / "projects"

    def of_folder(self, folder: Path) -> Iterator[Transcript]:
        """Yields the sessions of a working folder. Several may share a name, so what the file says decides."""
        for place in {place for name in spellings(folder) for place in self._places(name)}:
            for path in files(place, "*.jsonl", root=self.folder()):
                found = self.read(path)
                if found and (not found.cwd or is_same_folder(found.cwd, str(folder))):
                    yield found

    def _places(self, folder: str) -> list[Path]:
        name = _OTHER.sub("-", folder)
        if len(name) <= _MOST_CHARS:
            return [self.folder() / name]
        return list(self.folder().glob(f"{name[:_MOST_CHARS]}*"))

    def place(self, file: SessionFile) -> Path:
        """Returns where the client looks for a session of a working folder. Raises UsageError if that is not known."""
        name = spellings(file.folder)[-1]
        found = self._places(name)
        if not found:
            raise UsageError(f"Claude Code has no folder yet for {name}, whose name is long: start it there once")
        return found[0] / f"{file.id}.jsonl"

    def resume_command(self, session: str) -> str:
        """Returns what a person types to go on with a session."""
        return f"claude --resume {session}"

    def of_session(self, id: str) -> Transcript | None:
        """Returns the newest file of that name."""
        if not re.fullmatch(r"[\w-]+", id):
            return None
        found = files(self.folder(), f"*/{id}.jsonl", root=self.folder())
        return max((one for path in found if (one := self.read(path))), key=lambda one: one.updated, default=None)

    def read(self, path: Path) -> Transcript | None:
        """Returns the session of a file; None for a subagent's."""
        if path.name.startswith(_SUBAGENT):
            return None
        cwd = head_facts(path, self.name).cwd
        return Transcript(client=self.name, session=path.stem, path=path, cwd=cwd, updated=modified_time(path))

    def subagents(self, transcript: Transcript) -> list[Path]:
        """Returns the files of the session's subagents: in its own folder, or, of older versions, beside its file."""
        root, path = self.folder(), transcript.path
        own = [*files(path.with_suffix("") / "subagents", f"**/{_SUBAGENT}*.jsonl", root=root)]
        beside = files(path.parent, f"{_SUBAGENT}*.jsonl", root=root)
        return own + [one for one in beside if head_facts(one, self.name).session == transcript.session]
