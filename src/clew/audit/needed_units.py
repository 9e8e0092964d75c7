"""Needed units: exact things that the work after a compaction used and that were known before it.

A unit is a file, the lines of one that an edit replaces, a command narrowed to something, an id, or a name that the
project defines, in the very characters in which a call of the agent used it. A fact, which is anything but lines, is
needed where the agent used it before anything had shown it again: the summary holds it, or has lost it. Lines of code
are told apart, as no summary is meant to hold them: an edit that succeeded found them in the summary, in what the
client had put back, or in what was read again. What only comes close to one of these is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.audit.compactions import CompactedSpan
from clew.audit.shown_text import NOT_READ, FileTexts, Reading, message_text, plain_lines, plain_text, relative
from clew.domain import Message, Output, Role, Status
from clew.text.names import file_name, names_in
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.purposes import bare_command, command_rank, purpose_of
from clew.units.already_said import shows

#: How far behind a compaction uses are looked for, in messages.
WINDOW_MESSAGES = 60
_MAX_COMMAND_CHARS, _MAX_PATTERN_CHARS, _LEAST_NAME_CHARS = 400, 200, 6
_LEAST_STEM_CHARS, _LEAST_WORD_CHARS = 5, 4
#: An edit that replaces less than this finds its place by words that stand everywhere.
_LEAST_CODE_LINES, _LEAST_CODE_CHARS = 2, 60
#: From this share of its lines on a summary may be said to hold a piece of code.
_HELD_SHARE = 0.8
#: Too much of a unit to say that it is lost, and too little to say that it is held.
_SOME = 0.1
#: Words in a row, as comments and messages have them.
_PROSE = re.compile(r"[A-Za-z][A-Za-z',]+(?: [A-Za-z',]+){2,}")
#: Calls that ended so changed nothing.
_UNDONE = frozenset({Status.FAILED, Status.CANCELED, Status.ABORTED})
#: Files that clients give to the model by themselves.
_GIVEN = frozenset({"CLAUDE.md", "AGENTS.md", "GEMINI.md", "CLAUDE.local.md"})
_HASH = re.compile(r"(?<![\w/.-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}(?![\w-])")
_SHORT_HASH_CHARS = 7
_URL = re.compile(r"https?://[^\s'\"<>`)\]}\\]{6,200}")
_NUMBERED = re.compile(r"\b(?:gh|glab) (?:pr|issue|mr|run) [a-z-]+ (\d{2,12})\b")
#: What a server or a shell says where nothing was to be found, in the first characters of an output.
_NOTHING_THERE = re.compile(r"\b404\b|\bnot found\b|\bno such file\b|\bdoes not exist\b", re.IGNORECASE)
_STATUS_CHARS = 300
_NO_LETTER = re.compile(r"[\W_]+")
_WORD = re.compile(r"[A-Za-z_]\w+")
_SETTING = re.compile(r"\b[A-Z][A-Z0-9_]{2,40}=\S+")
#: What is done with a command's output, not part of what it does.
_OUTPUT_USE = re.compile(r"\s*(?:2>&1|2>/dev/null|\|\s*(?:tail|head|grep|tee|cat|sed|awk)\b[^|;&]*)")


class UnitKind(StrEnum):
    """What a unit is."""

    FILE = "file"
    CODE = "code"
    COMMAND = "command"
    ID = "id"
    NAME = "name"


class Fate(StrEnum):
    """What became of a unit: the summary holds it or has lost it; lines of code the client kept, as nothing showed them
    and the edit succeeded, or they were read again.
    """

    HELD = "held"
    LOST = "lost"
    KEPT = "kept"
    READ_AGAIN = "read again"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitUse:
    """A unit, and the number of the message whose call used it.

    ``forms`` are texts any one of which shows it; of a command its words, all of them; of code the plain text of its
    lines, and ``path`` is the file. A ``loose`` form shows it inside a longer word as well. ``hints`` are texts that
    may mean it in another form: who has one of them has perhaps not lost it.
    """

    kind: UnitKind
    text: str
    number: int
    forms: tuple[str, ...]
    path: str = ""
    loose: bool = False
    hints: tuple[str, ...] = ()

    def is_hinted(self, text: str) -> bool:
        """Returns whether a text may say the unit in another form, written or spaced otherwise."""
        return shows(text, self.hints) or (self.kind is UnitKind.NAME and _letters(self.text) in _letters(text))

    def is_in(self, text: str) -> bool:
        """Returns whether a text shows the unit; of code, words that stand in one of its lines are enough."""
        if self.kind is UnitKind.CODE:
            return any(words in text for words in _PROSE.findall(self.text))
        if self.kind is UnitKind.COMMAND:
            return all(form in text for form in self.forms)
        return any(form in text for form in self.forms) if self.loose else shows(text, self.forms)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededUnit:
    """A unit that the work needed. ``known`` is the number of the last message before the compaction that had it;
    ``again`` is where the agent read it again before it was used.
    """

    use: UnitUse
    known: int
    again: Reading
    fate: Fate

    @property
    def is_fact(self) -> bool:
        """False for lines of code."""
        return self.use.kind is not UnitKind.CODE


def needed_units(span: CompactedSpan, *, root: str = "", attached: Sequence[tuple[int, str]] = ()) -> list[NeededUnit]:
    """Finds what the messages behind a compaction needed of what was known before it, each unit once.

    ``attached`` is what the client showed its model beside messages, with the number of the message before it.
    """
    recorded, shown = _Record(root), _Record(root)
    for message in span.before:
        recorded.add(message)
    judged: dict[tuple[UnitKind, str], NeededUnit | None] = {}
    undone = {output.call_id for message in span.after for output in message.outputs if _is_undone(output)}
    for message in span.after[:WINDOW_MESSAGES]:
        for number, text in attached:
            if span.mark.after <= number < message.number:
                shown.show(number, text)
        if message.role is Role.ASSISTANT:
            for use in uses_in(message, root=root, undone=undone):
                if (use.kind, use.text) not in judged:
                    judged[use.kind, use.text] = _judge_unit(use, recorded, shown, span.held)
        shown.add(message)
    units = [unit for unit in judged.values() if unit is not None]
    in_summary = {(unit.use.number, unit.use.path) for unit in units if unit.fate is Fate.KEPT}
    # whose lines the client kept, that file it kept
    return [unit for unit in units if unit.fate is not Fate.LOST or (unit.use.number, unit.use.text) not in in_summary]


def _judge_unit(use: UnitUse, known: _Record, shown: _Record, prompt_text: str) -> NeededUnit | None:
    """The unit, if it was known and it is certain whether the summary holds it."""
    before, share = known.place(use), holds(prompt_text, use)
    again = shown.find_reading(use)
    if not before or 0.0 < share < _HELD_SHARE or again is None:
        return None
    missing = Fate.LOST if use.kind is not UnitKind.CODE else Fate.READ_AGAIN if again.shown else Fate.KEPT
    return NeededUnit(use=use, known=before, again=again, fate=Fate.HELD if share >= _HELD_SHARE else missing)


def is_held(text: str, use: UnitUse) -> bool:
    """Returns whether a text holds a unit."""
    return holds(text, use) >= _HELD_SHARE


def holds(text: str, use: UnitUse) -> float:
    """Returns how much of a unit a text holds, from 0 to 1."""
    if use.kind is not UnitKind.CODE:
        return 1.0 if use.is_in(text) else _SOME if use.is_hinted(text) else 0.0
    lines = plain_lines(use.text)
    share = sum(line in text for line in lines) / len(lines)
    return share or (_SOME if use.is_in(text) else 0.0)


class _Record:
    """What a run of messages had of units: used by the agent's own hand, or shown to it."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._used: dict[tuple[UnitKind, str], int] = {}
        self._texts: list[tuple[int, str]] = []
        self._lines: set[str] = set()
        self._files = FileTexts(root)

    def add(self, message: Message) -> None:
        """Adds a message."""
        for use in uses_in(message, root=self._root):
            self._used[use.kind, use.text] = message.number
        self._files.add(message)
        if message.role is not Role.ASSISTANT:
            self.show(message.number, message_text(message))

    def show(self, number: int, text: str) -> None:
        """Adds a text that the agent was shown."""
        self._texts.append((number, text))
        self._lines.update(plain_lines(text))

    def place(self, use: UnitUse) -> int:
        """Returns the last message in which the agent used the unit, or had those lines of that file; 0 for none."""
        if use.kind is UnitKind.CODE:
            return self._files.last(use.path, use.forms[0])
        if use.kind is UnitKind.NAME:
            defined = _definition(use.text)
            return next((number for number, text in reversed(self._texts) if defined.search(text)), 0)
        return self._used.get((use.kind, use.text), 0)

    def find_reading(self, use: UnitUse) -> Reading | None:
        """Returns where the agent read those lines of the file; nowhere if nothing showed the unit, and None where
        something else did, or showed some of it.
        """
        if use.kind is not UnitKind.CODE:
            return None if any(use.is_in(text) for _, text in self._texts) else NOT_READ
        place = self._files.read(use.path, plain_lines(use.text))
        if place.shown:
            return place
        seen = any(line in self._lines for line in plain_lines(use.text)) or self._files.last(use.path, use.forms[0])
        return None if seen or any(use.is_in(text) for _, text in self._texts) else NOT_READ


# ── what calls use ───────────────────────────────────────────────────────────────────────────────────


def uses_in(message: Message, *, root: str = "", undone: Collection[str] = ()) -> Iterator[UnitUse]:
    """Yields the units that the calls of a message use. Of those that were ``undone``, which found nothing or changed
    nothing, only commands count: whoever guesses a file, a link or a number has not needed to know it.
    """
    for call in message.calls:
        is_undone = call.id in undone
        for action in call_actions(call):
            if action.path and action.kind in {ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE} and not is_undone:
                yield from _of_file(action, message.number, root)
            if action.kind is ActionKind.RUN and action.command:
                uses = _of_command(action.command[:_MAX_COMMAND_CHARS], message.number)
                yield from (use for use in uses if use.kind is UnitKind.COMMAND or not is_undone)
            if action.kind is ActionKind.FETCH and action.pattern and not is_undone:
                yield from _links(action.pattern, message.number)
            if action.kind is ActionKind.SEARCH and action.pattern:
                yield from _names(action.pattern[:_MAX_PATTERN_CHARS], message.number)


def _is_undone(output: Output) -> bool:
    return output.status in _UNDONE or _NOTHING_THERE.search(output.text[:_STATUS_CHARS]) is not None


def _letters(text: str) -> str:
    """A text without what tells one spelling of a name from another: render_node, renderNode, render node."""
    return _NO_LETTER.sub("", text.lower())


def _of_file(action: Action, number: int, root: str) -> Iterator[UnitUse]:
    path, name = relative(action.path, root), file_name(action.path)
    if name in _GIVEN or "." not in name.strip("."):
        return
    stem = name.rsplit(".", 1)[0]
    forms = (name, stem) if len(stem) >= _LEAST_STEM_CHARS else (name,)
    yield UnitUse(kind=UnitKind.FILE, text=path, number=number, forms=forms)
    for change in action.changes:
        lines = plain_lines(change.old)
        if len(lines) >= _LEAST_CODE_LINES and sum(map(len, lines)) >= _LEAST_CODE_CHARS:
            form = plain_text(change.old)
            yield UnitUse(kind=UnitKind.CODE, text=change.old.strip("\n"), number=number, forms=(form,), path=path)


def _of_command(command: str, number: int) -> Iterator[UnitUse]:
    for id in _HASH.findall(command):
        yield UnitUse(kind=UnitKind.ID, text=id, number=number, forms=(id[:_SHORT_HASH_CHARS],), loose=True)
    for id in _NUMBERED.findall(command):
        yield UnitUse(kind=UnitKind.ID, text=f"#{id}", number=number, forms=(id,))
    yield from _links(command, number)
    bare = bare_command(command)
    settings = _SETTING.findall(command.partition(bare)[0])
    plain = " ".join([*settings, _OUTPUT_USE.sub("", bare).strip()])
    purpose = purpose_of(command)
    is_narrowed = purpose.targets or purpose.filters or settings
    if command_rank(command) in {0, 2} and is_narrowed and len(plain.split()) > 1:
        words = tuple(word for word in plain.split() if len(word) >= _LEAST_WORD_CHARS)
        hints = tuple(sorted(words, key=len)[-1:])
        yield UnitUse(kind=UnitKind.COMMAND, text=plain, number=number, forms=words, hints=hints)


def _names(pattern: str, number: int) -> Iterator[UnitUse]:
    for name in names_in(pattern):
        if len(name) >= _LEAST_NAME_CHARS and _WORD.fullmatch(name):
            yield UnitUse(kind=UnitKind.NAME, text=name, number=number, forms=(name,), loose=True)


def _definition(name: str) -> re.Pattern[str]:
    """Where a name of the project is defined; names of libraries are defined elsewhere."""
    return re.compile(
        rf"\b(?:func|def|class|type|struct|interface|enum|trait|fn|function|const|var|let)\s+(?:\([^)\n]{{0,80}}\)\s*)?{name}\b"
    )


def _links(text: str, number: int) -> Iterator[UnitUse]:
    for url in _URL.findall(text):
        plain = url.rstrip(".,;:")
        bare = plain.partition("://")[2].rstrip("/")
        yield UnitUse(kind=UnitKind.ID, text=plain, number=number, forms=(bare,), hints=_link_hints(bare))


def _link_hints(bare: str) -> tuple[str, ...]:
    """What may be said of a link: where a server listens, the number of a pull request, the last part of its path."""
    host, _, path = bare.partition("/")
    name, _, port = host.partition(":")
    last = path.partition("?")[0].rstrip("/").rpartition("/")[2]
    hints = [host, f"port {port}", f":{port}"] if port else []
    hints += [name] if not path else []
    hints += [f"#{last}"] if last.isdigit() else [last] if len(last) >= _LEAST_STEM_CHARS else []
    return tuple(hints)
