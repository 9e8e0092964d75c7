"""Gathers the units of a history: what people said, what the agent reported and did, what an earlier summary told.

Only the newest part of a long history is read, so the time this takes has a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from clew.domain import Call, Message, Origin, Output, Role
from clew.history.person_words import is_interruption, person_statements
from clew.text.injected_text import without_reminders
from clew.text.memo import remember_latest
from clew.text.names import relative_path
from clew.text.tools.actions import ActionKind
from clew.text.tools.calls import call_actions
from clew.text.tools.outcomes import read_run
from clew.text.tools.purposes import is_check
from clew.units.action_units import action_unit, plain_arguments
from clew.units.client_units import client_text, client_units
from clew.units.code_lines import removed_lines
from clew.units.earlier_units import earlier_units
from clew.units.file_lines import FileChange, changed_again
from clew.units.person_lines import StatementInContext, takes_back
from clew.units.report_units import ProsePlace, agent_units, subagent_units
from clew.units.terms import TermUse
from clew.units.unit import Speaker, Unit

#: How far back units are gathered, in messages, and how far apart the places are from which a long history is read:
#: one reading is for all cuts between two of them.
_MAX_MESSAGES, _READ_APART = 1_500, 250
#: Readings that are kept: a plan is followed by others of the same history, in other rooms.
_MAX_READINGS = 3
#: Where the newest words of a person are looked for first, with what the agent had said before them.
_FEW_MESSAGES = 100
_MAX_ARGUMENT_CHARS = 1_200
#: Words said no more than so many messages before a change are about it.
_NEAR_MESSAGES = 2
#: Changes made so few messages after a failed check are meant to mend it, and worth more.
_FIX_MESSAGES, _FIX = 8, 1.5


@dataclass(slots=True)
class _Index:
    """What is read of a history once: calls and outputs by id, what people said, and why files were changed.

    ``newest_edits`` are the ids of the calls that changed a path last, ``fixes`` of those that followed a failed check.
    ``answered_replies`` and ``newest_request`` are numbers of messages, ``edited`` those of the last edits by path,
    ``procedures`` those in which files of skills and commands were given last, by name; ``commands`` are what people
    typed right before a client spoke, by the number of its message.
    """

    calls: dict[str, Call] = field(default_factory=dict)
    outputs: dict[str, Output] = field(default_factory=dict)
    statements: list[StatementInContext] = field(default_factory=list)
    changes: dict[str, FileChange] = field(default_factory=dict)
    answered_replies: set[int] = field(default_factory=set)
    edited: dict[str, int] = field(default_factory=dict)
    procedures: dict[str, int] = field(default_factory=dict)
    commands: dict[int, str] = field(default_factory=dict)
    newest_edits: frozenset[str] = frozenset()
    fixes: set[str] = field(default_factory=set)
    removed: frozenset[str] = frozenset()
    newest_request: int = 0


@dataclass(frozen=True, slots=True)
class GatheredUnits:
    """The units that may be chosen, what people said, and why each file was last changed."""

    units: tuple[Unit, ...]
    statements: tuple[StatementInContext, ...]
    changes: dict[str, FileChange]
    has_actions: bool = True


def gather_units(messages: Sequence[Message], *, root: str) -> GatheredUnits:
    """Gathers units of the messages."""
    return UnitGatherer(messages, (), root=root).gather_before(len(messages))


class UnitGatherer:
    """Gathers units of one history, however often it is cut elsewhere: what all cuts share is read once.
    Messages ``sent`` after it show what was picked up.
    """

    def __init__(self, messages: Sequence[Message], sent: Sequence[Message], *, root: str) -> None:
        self._messages, self._sent, self._root = messages, sent, root

    def gather_before(self, cut: int) -> GatheredUnits:
        """Gathers units of the messages before a place; those behind it are sent word for word."""
        start = max(cut - _MAX_MESSAGES, 0)
        first = start - start % _READ_APART
        reading = _read([*self._messages[first:], *self._sent], self._root)
        shown = {message.id for message in self._messages[start:cut] if _is_conversation(message)}
        units = (unit for index in range(start - first, cut - first) for unit in reading.units(index))
        said_here = (context for context in reading.index.statements if context.statement.source in shown)
        return GatheredUnits(
            tuple(units), tuple(said_here), reading.index.changes, has_actions=bool(reading.index.calls)
        )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was read of a history, and the units of each of its messages, by its place among them."""

    messages: Sequence[Message]
    root: str
    index: _Index
    uses: TermUse
    newest: int
    known: dict[int, tuple[Unit, ...]] = field(default_factory=dict)

    def units(self, index: int) -> tuple[Unit, ...]:
        if index not in self.known:
            message = self.messages[index]
            units = _units(message, self.index, self.uses, self.newest, self.root) if _is_conversation(message) else ()
            self.known[index] = tuple(units)
        return self.known[index]


@remember_latest(_MAX_READINGS)
def _read(messages: Sequence[Message], root: str) -> _Reading:
    conversation = [message for message in messages if _is_conversation(message)]
    index = _build_index(conversation, root)
    index.removed = removed_lines(conversation)
    uses = TermUse(
        ((message.number, _own_words(message)) for message in conversation),
        ((message.number, message.text) for message in conversation if message.number in index.answered_replies),
    )
    return _Reading(messages, root, index, uses, max((message.number for message in conversation), default=0))


def first_statement(messages: Sequence[Message]) -> StatementInContext | None:
    """Returns what a person said first, however long ago; None if nobody has said anything."""
    calls: dict[str, Call] = {}
    for message in filter(_is_conversation, messages):
        if statement := next(iter(person_statements(message, calls)), None):
            return StatementInContext(statement)
        calls.update((call.id, call) for call in message.calls)
    return None


def gather_statements(messages: Sequence[Message]) -> tuple[StatementInContext, ...]:
    """Gathers what people said, without anything else."""
    return tuple(_said_in(messages[-_MAX_MESSAGES:]))


def newest_statement(messages: Sequence[Message]) -> StatementInContext | None:
    """Returns what a person said last, however long ago; None if nobody has said anything."""
    for part in (messages[-_FEW_MESSAGES:], messages[-_MAX_MESSAGES:], messages):  # nobody may have spoken for long
        statements = _said_in(part)
        if statements and (statements[-1].before or len(part) > _FEW_MESSAGES or len(part) == len(messages)):
            return statements[-1]
    return None


def _said_in(messages: Iterable[Message]) -> list[StatementInContext]:
    index = _Index()
    for _ in _read_statements(filter(_is_conversation, messages), index):
        pass
    return index.statements


def _is_conversation(message: Message) -> bool:
    return message.role is not Role.SYSTEM and not message.thread


def _read_statements(messages: Iterable[Message], index: _Index) -> Iterator[tuple[Message, str, int]]:
    """Reads what people said and which calls were made into the index. Yields each message with the agent's newest
    words and the number of the message they stand in.
    """
    agent_words, agent_spoke_at, is_stopped = "", 0, False
    for message in messages:
        for statement in person_statements(message, index.calls):
            if index.statements and index.statements[-1].statement.is_message and takes_back(statement.text):
                index.statements[-1] = replace(index.statements[-1], withdrawn=message.id)
            index.statements.append(
                StatementInContext(statement, agent_words, interrupts=is_stopped and statement.is_message)
            )
            if statement.is_message:
                index.newest_request = message.number
                index.answered_replies.add(agent_spoke_at)
        is_stopped = is_interruption(message) or (is_stopped and message.origin is Origin.CLIENT)
        if message.role is Role.ASSISTANT and (words := message.text.strip()):
            agent_words, agent_spoke_at = words, message.number
        index.calls.update((call.id, call) for call in message.calls)
        yield message, agent_words, agent_spoke_at


def _build_index(messages: Sequence[Message], root: str) -> _Index:
    index, newest_edits, failed_at, typed = _Index(), dict[str, str](), -_FIX_MESSAGES, ""
    for message, agent_words, agent_spoke_at in _read_statements(messages, index):
        typed = _note_client(message, index, typed)
        for id, action in ((call.id, action) for call in message.calls for action in call_actions(call)):
            if action.kind.changes_files and action.path:
                is_near = message.number - agent_spoke_at <= _NEAR_MESSAGES
                index.changes[action.path] = changed_again(
                    index.changes.get(action.path), action, agent_words if is_near else ""
                )
                newest_edits[action.path] = id
                index.edited[relative_path(action.path, root)] = message.number
                if message.number - failed_at < _FIX_MESSAGES:
                    index.fixes.add(id)
        for output in message.outputs:
            index.outputs[output.call_id] = output
            if _is_failed_check(index.calls.get(output.call_id), output):
                failed_at = message.number
    index.newest_edits = frozenset(newest_edits.values())
    return index


def _note_client(message: Message, index: _Index, typed: str) -> str:
    """Notes a procedure that a client gave. Returns the command that a person has typed, until the agent speaks."""
    if message.origin is Origin.CLIENT:
        index.commands[message.number] = typed
        client = client_text(message, command=typed)
        if client is not None and client.speaker is Speaker.PROCEDURE:
            index.procedures[client.name] = message.number
        return typed
    statement = (
        index.statements[-1].statement
        if index.statements and index.statements[-1].statement.source == message.id
        else None
    )
    return statement.text.split()[0] if statement is not None and statement.text.startswith("/") else ""


def _is_failed_check(call: Call | None, output: Output) -> bool:
    command = call_actions(call)[0].command if call is not None else ""
    return bool(command) and is_check(command) and read_run(command, output).ok is False


def _own_words(message: Message) -> str:
    """What the agent or a person wrote in a message: text and calls, not what tools printed."""
    words = "" if message.outputs else message.text
    return "\n".join((words, *(plain_arguments(call)[:_MAX_ARGUMENT_CHARS] for call in message.calls)))


def _units(message: Message, index: _Index, uses: TermUse, newest: int, root: str) -> Iterator[Unit]:
    if message.origin is Origin.SUMMARY:
        yield from earlier_units(message, newest, uses)
        return
    place = ProsePlace(message.number, newest, index.newest_request, message.number in index.answered_replies)
    for item in client_units(message, place, uses, command=index.commands.get(message.number, "")):
        if item.speaker is not Speaker.PROCEDURE or index.procedures[item.command] == message.number:
            yield item
    if message.role is Role.ASSISTANT:
        yield from agent_units(message, place, uses)
    for call in message.calls:
        output = index.outputs.get(call.id)
        if call_actions(call)[0].kind is ActionKind.DELEGATE:
            yield from subagent_units(without_reminders(output.text) if output else "", place, uses)
            continue
        is_newest = call.id in index.newest_edits
        unit = action_unit(
            call,
            output,
            number=message.number,
            newest=newest,
            uses=uses,
            removed=index.removed,
            edited=index.edited,
            is_newest_of_file=is_newest,
            root=root,
        )
        if unit is not None:
            yield replace(unit, value=unit.value * _FIX) if call.id in index.fixes else unit
