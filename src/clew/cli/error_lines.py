"""Errors as one line for people at a terminal, or as an object for programs: what, where, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typer import TyperException

    from clew.errors import ClewError

#: The next step at a command line, by what an error is about; {hint} is that of the library.
_NEXT = {
    "format": "{hint} (--format)",
    "found format": "leave --format out",
    "model": "name one with --model, such as anthropic/claude-sonnet-5, or set models.model",
    "session": "`clew sessions` lists them, and a path must name a file",
    "first session": "`clew import FILE` stores one, `clew wrap CLIENT` those of an assistant",
    "user": "name one with --user",
    "session id": "--session ID imports it under another id",
    "segment": "`clew show SOURCE` lists them",
    "summary": "give one with --summary FILE",
    "pins": "`clew pins SOURCE --all` lists all there are",
    "pins in force": "`clew pins SOURCE` lists what is",
    "profile": "`clew profile show` lists them",
    "session file": "`clew export` writes it",
    "compaction": "",
    "module": "`clew knowledge list` names modules, `clew knowledge show MODULE --json` their chunks and versions",
    "finding": "--json lists them all",
    "token": "`clew token make NAME` makes one",
    "port": "choose another with --port",
    "disk": "check the disk, then run `clew doctor`",
    "soundness": "`clew doctor` checks it",
    "damage": "`clew doctor --repair` saves what can be read and keeps the file",
    "access": "to write, allow it or name another store with --store or CLEW_STORE",
    "store": "name another store with --store or CLEW_STORE",
    "version": "update Clew, or name another store with --store or CLEW_STORE",
}


class Told(NamedTuple):
    """What went wrong, and what to do next."""

    error: str
    hint: str = ""

    @property
    def line(self) -> str:
        """Both, for people."""
        return f"{self.error}{'' if self.error.endswith('?') else ';'} {self.hint}" if self.hint else self.error

    @property
    def json(self) -> str:
        """Both, for programs: an object in one line."""
        import json

        return json.dumps(self._asdict(), ensure_ascii=False)


def describe_error(error: ClewError) -> Told:
    """Returns what an error says, with the command that helps instead of the call that would."""
    next_step = _NEXT.get(error.about, "{hint}").format(hint=error.hint)
    return Told(safe_line(error.message or str(error)), safe_line(next_step))


def error_line(error: ClewError) -> str:
    """Returns what an error says, and the next step, as one line."""
    return describe_error(error).line


def told_of_usage(error: TyperException, arguments: Sequence[str]) -> Told:
    """Returns what is wrong with a command line, and where its options are listed."""
    message = error.format_message().removesuffix(".")
    message = message[:1].lower() + message[1:]
    message = message.replace("argument(s)", "argument")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else _path(arguments)
    return Told(safe_line(message), safe_line(f"`{path} --help` lists what it takes"))


def _path(arguments: Sequence[str]) -> str:
    """The command that was called, where the error does not say."""
    return f"clew {arguments[0]}" if arguments and not arguments[0].startswith("-") else "clew"


def safe_line(text: str) -> str:
    """Returns a text as one line that is safe to show."""
    from clew.text.terminal import safe
    from clew.text.trim import one_line

    return safe(one_line(text))
