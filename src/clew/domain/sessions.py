"""Sessions: the key of one, and the row that a store keeps of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple

from clew.domain.messages import Usage

#: Where sessions are kept for which nobody was named, and those of the person at this machine, whose name it is.
DEFAULT_USER = "default"


class SessionKey(NamedTuple):
    """Key of a session. Tenant and user come first, so that no query can forget them."""

    tenant: str
    user: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInfo:
    """A session's row: where it comes from, and the counters that new ids are taken from.

    ``version`` moves when the prompt view is rewritten (rollback, edit), not when messages are appended; a compaction
    is written only if it has not moved. ``entries`` and ``messages`` count what has been recorded; the next ones get
    the next numbers. ``tail`` is the message that the next record may join. ``named`` says whether the user in the key
    was named when the session was made, and never changes after that.
    """

    key: SessionKey
    title: str = ""
    client: str = ""
    cwd: str = ""
    project: str = ""
    source: str = ""
    model: str = ""
    window: int = 0
    created: float = 0.0
    updated: float = 0.0
    version: int = 0
    entries: int = 0
    messages: int = 0
    tail: str = ""
    usage: Usage = field(default_factory=Usage)
    named: bool = False

    def is_of_project(self, project: str) -> bool:
        """Whether it is of a project: by its name, or in a folder of that name or below, as worktrees of it are."""
        if not project or self.project == project:
            return True
        wanted, parts = PurePath(project).parts, PurePath(self.cwd).parts
        return any(parts[index : index + len(wanted)] == wanted for index in range(len(parts)))

    @property
    def owner(self) -> str:
        """The user who was named for it; empty for nobody: then it shares with no other session."""
        return self.key.user if self.named or self.key.user != DEFAULT_USER else ""
