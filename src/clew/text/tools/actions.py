"""What an agent did with a tool, in words that all assistants share: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Restore(StrEnum):
    """How git puts files back to what was committed: for good, into its stash, or out of it again."""

    FOR_GOOD = "restore"
    STASH = "stash"
    POP = "pop"


class ActionKind(StrEnum):
    """What is done by an action, whatever the tool is called."""

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    DELETE = "delete"
    SEARCH = "search"
    LIST = "list"
    RUN = "run"
    TODO = "todo"
    FETCH = "fetch"
    ASK = "ask"
    DELEGATE = "delegate"
    OTHER = "other"

    @property
    def changes_files(self) -> bool:
        return self in {ActionKind.EDIT, ActionKind.WRITE, ActionKind.DELETE}


#: What looks at files and changes nothing.
LOOKS = frozenset({ActionKind.READ, ActionKind.SEARCH, ActionKind.LIST})


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Text that an edit took out and what it put in its place; empty ``old`` for what was added."""

    old: str
    new: str

    @property
    def added_text(self) -> str:
        """The new text without the lines around it that were there before, but for the last one above; empty if the
        edit only took lines out."""
        old, new = self.old.split("\n"), self.new.split("\n")
        most = min(len(old), len(new))
        above = next((index for index in range(most) if old[index] != new[index]), most)
        below = next((index for index in range(most - above) if old[-1 - index] != new[-1 - index]), most - above)
        fresh = new[above : len(new) - below]
        return "\n".join(new[max(0, above - 1) : len(new) - below]) if any(map(str.strip, fresh)) else ""


@dataclass(frozen=True, slots=True)
class Todo:
    """One line of a to-do list. ``status`` is open, doing, done or unknown (or dropped); ``id`` where the tool gives
    one."""

    text: str
    status: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that was done and what it was done to; empty fields say nothing.

    ``lines`` are the first and last line asked for, counted from 1. An edit without ``changes``, or a write without
    ``content``, is one whose text is not known (``sed -i``, ``mv``). ``partial`` to-dos change a list instead of
    replacing it. ``session`` names a running process that the action goes on with. ``target`` is where a file went that
    is gone from its path. ``leads`` says that nothing which must be run stands before the action in its command line.
    ``restore`` is how git puts a file back, or all (the path is ``.``). ``folder`` is where a command is run, as far as
    the call says.
    """

    kind: ActionKind
    path: str = ""
    lines: tuple[int, int] | None = None
    changes: tuple[TextEdit, ...] = ()
    content: str | None = None
    command: str = ""
    pattern: str = ""
    todos: tuple[Todo, ...] = ()
    partial: bool = False
    session: str = ""
    target: str = ""
    leads: bool = False
    restore: Restore | None = None
    folder: str = ""

    @property
    def is_unseen_write(self) -> bool:
        """Whether a command puts a file in its place and does not show its text: a move, a copy."""
        return self.kind is ActionKind.WRITE and self.content is None and bool(self.command)


class RunResult(StrEnum):
    """How a run ended. What was refused, or found nothing to run, was not run; nobody knows how it would have ended,
    nor how one that was interrupted would have."""

    PASSED = "passed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    NOT_RUN = "not run"
    UNKNOWN = "unknown"


class ActionOutcome(NamedTuple):
    """How an action ended: ``line`` is the one that tells why, ``failing`` the tests that a run names as failed.

    A client took a run that ``is_clean`` for one that ended well, which proves nothing by itself, and one that
    ``is_marked`` for one that failed.
    """

    result: RunResult
    exit_code: int | None
    line: str
    failing: tuple[str, ...] = ()
    is_clean: bool = False
    is_marked: bool = False

    @property
    def ok(self) -> bool | None:
        """None where nobody knows how it ended, or would have."""
        return {RunResult.PASSED: True, RunResult.FAILED: False}.get(self.result)
