"""What messages show: their text, whose it is, and lines as they compare, without numbers and margins.

What calls are about, so that two of them can be told to look at the same: a file, a command, a search, a page.
"""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple

from clew.audit.recorded_session import strings_in
from clew.curation.envelopes import open_envelope
from clew.curation.lines import parse_source
from clew.domain import Call, Message, Origin, Output, Reasoning, Role
from clew.text.injected_text import without_reminders
from clew.text.tools.actions import ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.purposes import bare_command

#: Commands that show what is stored. Tests, builds and the state of a work tree are looked at anew on purpose.
_SHOWS_AGAIN = re.compile(
    r"(?:git (?:-C \S+ )?(?:diff|show|log|blame|ls-tree|cat-file)|gh (?:pr|issue|run|release) (?:view|diff|list))\b"
)
#: A file as a revision has it, which may be another one.
_OF_REVISION = re.compile(r"\bgit (?:-C \S+ )?show \S+:\S")
_COUNTS = re.compile(r" --(?:stat|shortstat|name-only|name-status|oneline)\b")
_OF_FILES = {ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE}
_ASKED = {ActionKind.SEARCH, ActionKind.LIST, ActionKind.FETCH}
_SPEAKERS = {
    Origin.PERSON: "user",
    Origin.MODEL: "agent",
    Origin.TOOL: "tool",
    Origin.REPORTED: "reported",
    Origin.CLIENT: "client",
    Origin.SUMMARY: "summary",
    Origin.SYSTEM: "system",
    Origin.CLEW: "client",
}
#: Lines shorter than this stand everywhere.
_TELLING_CHARS = 3


def speaker_of(message: Message) -> str:
    """Returns who speaks in a message, in one word."""
    who = "tool" if message.role is Role.TOOL else _SPEAKERS[message.origin]
    return f"subagent {who}" if message.thread else who


def message_text(message: Message) -> str:
    """Returns all that a message shows: its words, thinking, calls and outputs."""
    pieces = [part.text for part in message.parts_of(Reasoning)] + [message.text]
    pieces += [f"{call.name} " + "\n".join(strings_in(call.arguments)) for call in message.calls]
    pieces += [output.text for output in message.outputs]
    return "\n".join(piece for piece in pieces if piece.strip())


def plain_lines(text: str) -> list[str]:
    """Returns the lines of a text without numbers that a tool put before them, without margins and blank lines."""
    lines = (line.strip() for line in parse_source(text.split("\n")).lines)
    return [line for line in lines if len(line) >= _TELLING_CHARS]


def plain_text(text: str) -> str:
    """Returns the plain lines as one text, between line ends: one that holds another shows it line by line."""
    return "\n" + "\n".join(plain_lines(text)) + "\n"


def output_text(output: Output) -> str:
    """Returns what a tool gave back, without what the client wrote around it."""
    return without_reminders(open_envelope(output.text).body)


def relative(path: str, root: str) -> str:
    """Returns a path as seen from the folder of the session, where it is inside."""
    inside = path.removeprefix(root.rstrip("/") + "/") if root else path
    return posixpath.normpath(inside) if inside else inside


def looked_at(call: Call, root: str) -> str:
    """Returns what a call looks at, in words that are the same for each call that looks at it; empty for none."""
    actions = call_actions(call)
    if _OF_REVISION.search(actions[0].command):
        return f"command {' '.join(actions[0].command.split())}"
    paths = [relative(action.path, root) for action in actions if action.kind is ActionKind.READ and action.path]
    if len(paths) == 1 and not any(action.kind.changes_files for action in actions):
        return f"file {paths[0]}"
    main = actions[0]
    command = bare_command(main.command)
    if main.kind is ActionKind.RUN and _SHOWS_AGAIN.match(command) and not _COUNTS.search(command):
        return f"command {' '.join(main.command.split())}"
    if main.kind in _ASKED and (main.pattern or main.path):
        asked = " in ".join(filter(None, (main.pattern, relative(main.path, root))))
        return f"{main.kind.value} {asked}"
    return ""


class Reading(NamedTuple):
    """Where something was read: the numbers of the message that shows it and of the one that asked for it."""

    shown: int
    asked: int


NOT_READ = Reading(0, 0)


class FileTexts:
    """What was shown or written of each file, with the number of the message."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._calls: dict[str, tuple[str, int]] = {}
        self._texts: dict[str, list[tuple[int, str]]] = {}
        self._read: dict[str, dict[str, Reading]] = {}

    def add(self, message: Message) -> None:
        """Adds a message: texts that its calls write, and outputs of earlier calls about one file."""
        for call in message.calls:
            actions = [action for action in call_actions(call) if action.path and action.kind in _OF_FILES]
            for action in actions:
                for text in filter(None, (*(change.new for change in action.changes), action.content)):
                    self._put(relative(action.path, self._root), message.number, text)
            if len({action.path for action in actions}) == 1:
                self._calls[call.id] = relative(actions[0].path, self._root), message.number
        for output in message.outputs:
            path, asked = self._calls.pop(output.call_id, ("", 0))
            if path:
                text = output_text(output)
                self._put(path, message.number, text)
                shown = dict.fromkeys(plain_lines(text), Reading(message.number, asked))
                self._read.setdefault(path, {}).update(shown)

    def _put(self, path: str, number: int, text: str) -> None:
        self._texts.setdefault(path, []).append((number, plain_text(text)))

    def last(self, path: str, text: str) -> int:
        """Returns the number of the last message that had this plain text of the file; 0 for none."""
        return next((number for number, shown in reversed(self._texts.get(path, ())) if text in shown), 0)

    def read(self, path: str, lines: list[str]) -> Reading:
        """Returns where these lines of the file were last read, all of them at once; nowhere if they were not."""
        read_in = self._read.get(path, {})
        numbers = {read_in.get(line, NOT_READ) for line in lines}
        return numbers.pop() if len(numbers) == 1 else NOT_READ
