"""What has to be read again: what the assistant went on to use and that no longer stands in what it is sent.

That is names: files, directory and file, words that only code has; and lines of text that it went on to replace, which
it has to give word for word. The judge is no part of Clew: it has its own idea of what a name is, so that Clew is not
measured by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import re2

from bench.money_policies import Prompt
from clew.codecs import jsonio
from clew.domain import Call, Message

Names = frozenset[str]

_ENDINGS = (
    "bash|c|cc|cfg|cpp|cs|css|cts|go|gradle|h|hpp|html|ini|ipynb|java|js|json|jsonl|jsx|kt|less|lock|lua|md|mdx|mjs|mod|php"
    "|proto|py|pyi|rb|rs|rst|scala|scss|sh|sql|svelte|swift|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig"
)
_FILE = re2.compile(rf"(?:[\w.@+-]+/)+[\w.@+-]+\.\w{{1,6}}\b|\b[\w-]+\.(?:{_ENDINGS})\b")
#: fooBar, FooBar, foo_bar, and what names a commit or an object.
_WORD = re2.compile(
    r"\b(?:[a-z]+[A-Z]\w{3,}|[A-Z][a-z]+[A-Z]\w{2,}|[a-z]{2,}[a-z0-9]*_[a-z0-9_]{3,}"
    r"|[0-9]+[a-f][0-9a-f]{5,10}|[a-f]+[0-9][0-9a-f]{5,10})\b"
)
#: Words of the assistants' own tools: they stand in every description of these, whatever was forgotten.
_OF_TOOLS = {"in_progress", "files_with_matches", "output_mode", "subagent_type", "run_in_background", "apply_patch"}
_PATH_ARGUMENTS = ("file_path", "path", "notebook_path", "filePath")
_OLD_TEXTS = ("old_string", "old_str", "oldString", "old_text")
_PATCH = "*** Begin Patch"
#: Numbers that a tool puts before lines of a file. Shorter lines stand everywhere.
_NUMBERED = re2.compile(r"(?m)^[ \t]*\d+(?:→|\t|:|-)")
_LEAST_LINE_CHARS = 12
#: Marks a line among names.
_LINE = "\n"


def names_in(text: str) -> Names:
    """The names in a text; a path gives two: the file, and the file with its directory."""
    paths = [found.rstrip(".").split("/") for found in _FILE.findall(text)]
    files = {path[-1] for path in paths}
    stems = {name.rsplit(".", 1)[0] for name in files}
    words = {word for word in _WORD.findall(text) if word not in stems and word not in _OF_TOOLS}
    return frozenset(files | words | {"/".join(path[-2:]) for path in paths if len(path) > 1})


def lines_in(text: str) -> Names:
    """The lines of a text as they would have to be given to replace them; what is before and behind them aside."""
    plain = (line.strip() for line in _NUMBERED.sub("", text).split("\n"))
    return frozenset(_LINE + line for line in plain if len(line) >= _LEAST_LINE_CHARS)


def is_line(name: str) -> bool:
    return name.startswith(_LINE)


def spoken_text(message: Message) -> str:
    """What the message says without outputs: its words, and the values its calls were given."""
    return "\n".join([message.text, *(value for call in message.calls for value in argument_values(call.arguments))])


def argument_values(given: Any) -> Iterator[str]:
    """Every value of a call's arguments, without the arguments' names; JSON within a string is opened."""
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, list):
        for one in given:
            yield from argument_values(one)
    elif isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
        yield from argument_values(_opened(given))
    elif given is not None:
        yield str(given)


def _opened(text: str) -> Any:
    try:
        found = jsonio.loads(text.encode())
    except ValueError:
        return " " + text.lstrip("{[ \n\t\r")
    return found if isinstance(found, dict | list) else str(found)


def names_used(reply: Message) -> Names:
    """The names a reply uses. Of paths only the file has to be known, but for those a call was given whole."""
    plain = {name for name in names_in(spoken_text(reply)) if "/" not in name}
    return frozenset(plain | {path for call in reply.calls for path in _paths_given(call)})


def _paths_given(call: Call) -> Iterator[str]:
    given = call.arguments if isinstance(call.arguments, dict) else {}
    for name in _PATH_ARGUMENTS:
        path = given.get(name)
        if isinstance(path, str):
            yield from (found for found in names_in(path) if "/" in found)


def lines_replaced(reply: Message) -> Names:
    """The lines that a reply replaces, or finds its place by."""
    return frozenset().union(*(lines_in(text) for call in reply.calls for text in _old_texts(call.arguments)))


def _old_texts(given: Any) -> Iterator[str]:
    if isinstance(given, dict):
        yield from (given[name] for name in _OLD_TEXTS if isinstance(given.get(name), str))
        given = [value for name, value in given.items() if name not in _OLD_TEXTS]
    if isinstance(given, list):
        for one in given:
            yield from _old_texts(one)
    elif isinstance(given, str) and _PATCH in given:
        yield "\n".join(line[1:] for line in given.split("\n") if line[:1] in ("-", " "))


@dataclass(frozen=True, slots=True)
class Source:
    """Something that could be read again, by its place in the history."""

    place: int
    tokens: int
    names: Names = field(repr=False, default=frozenset())


class NameIndex:
    """All that was told so far, by name and line: the smallest output that holds each, or else the smallest message,
    and where it stood last."""

    def __init__(self) -> None:
        self._in_outputs: dict[str, Source] = {}
        self._in_messages: dict[str, Source] = {}
        self._last: dict[str, int] = {}

    def add_output(self, source: Source) -> None:
        self._tell(self._in_outputs, source)

    def add_message(self, source: Source) -> None:
        self._tell(self._in_messages, source)

    def _tell(self, known: dict[str, Source], source: Source) -> None:
        for name in source.names:
            self._last[name] = source.place
            if name not in known or source.tokens < known[name].tokens:
                known[name] = source

    def missing(self, used: Names, shown: Collection[str]) -> dict[str, Source]:
        """Names that were known and are not shown, each with what would be read again for it."""
        missing = [name for name in sorted(used) if name in self._last and name not in shown]
        return {name: self._in_outputs.get(name) or self._in_messages[name] for name in missing}

    def last(self, name: str) -> int:
        """The place where the name stood last."""
        return self._last[name]


class Rereading:
    """What was read again: it is carried until the epoch ends, and so long everything in it is known again.

    ``needs`` are names that were not there when they were used, ``rereads`` and ``tokens`` what was read for them.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self.carried = self.needs = self.rereads = self.tokens = 0

    def fetch(self, needs: dict[str, Source]) -> list[Source]:
        """Reads what is needed and not here. What has to be read for one need may meet others: the largest first."""
        self.needs += sum(name not in self._names for name in needs)
        fetched: list[Source] = []
        for name, source in sorted(needs.items(), key=lambda need: (-need[1].tokens, need[0])):
            if name not in self._names:
                self._names |= source.names
                fetched.append(source)
        self.rereads += len(fetched)
        self.tokens += sum(source.tokens for source in fetched)
        return fetched

    def forget(self) -> None:
        """The epoch is over: nothing that was read again is sent any longer."""
        self._names, self.carried = set(), 0

    def charge(self, prompt: Prompt, fetched: Iterable[Source]) -> Prompt:
        """The call with all that was read again before, and for each thing read now, its tokens and one more call."""
        cached, written, whole = prompt.cached + self.carried, prompt.written, prompt.tokens + self.carried
        for source in fetched:
            cached, written, whole = cached + whole, written + source.tokens, whole + source.tokens
        self.carried = whole - prompt.tokens
        return Prompt(cached, written)
