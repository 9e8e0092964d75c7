"""Gathers the units of a history: what people said, what the agent reported and did, what an earlier summary told.

Only the newest part of a long history is read, so the time this takes has a bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from clew.domain import Call, Message, Origin, Output, Role
from clew.history.person_words import StatementKind, person_statements
from clew.packing.deed_units import deed_unit, plain_arguments
from clew.packing.earlier_units import earlier_units
from clew.packing.person_lines import Said
from clew.packing.removed_lines import removed_lines
from clew.packing.report_units import Place, agent_units, subagent_units
from clew.packing.terms import TermUse
from clew.packing.units import Unit
from clew.text.injected_text import without_reminders
from clew.text.tools.actions import ActionKind
from clew.text.tools.calls import call_actions

#: How far back units are gathered, in messages.
_MAX_MESSAGES = 1_500
_MAX_ARGUMENT_CHARS = 1_200
#: Words said no more than so many messages before a change are about it.
_NEAR_MESSAGES = 2


@dataclass(slots=True)
class History:
    """What is read of a history once: calls and outputs by id, what people said, and why files were changed."""

    calls: dict[str, Call] = field(default_factory=dict)
    outputs: dict[str, Output] = field(default_factory=dict)
    said: list[Said] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)
    last_words: set[int] = field(default_factory=set)
    newest_edit: dict[str, str] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()
    request: int = 0


@dataclass(frozen=True, slots=True)
class GatheredUnits:
    """The units that may be chosen, what people said, and why each file was last changed."""

    units: tuple[Unit, ...]
    said: tuple[Said, ...]
    reasons: dict[str, str]


def gather_units(messages: Sequence[Message], sent: Sequence[Message], *, root: str) -> GatheredUnits:
    """Gathers units of the messages. Those that are ``sent`` word for word after them show what was picked up."""
    older = [message for message in messages[-_MAX_MESSAGES:] if _is_told(message)]
    newer = [message for message in sent if _is_told(message)]
    history = _read([*older, *newer])
    history.removed = removed_lines([*older, *newer])
    shown = {message.id for message in older}
    uses = TermUse((message.number, _own_words(message)) for message in (*older, *newer))
    newest = max((message.number for message in (*older, *newer)), default=0)
    units = (unit for message in older for unit in _units(message, history, uses, newest, root))
    said = (one for one in history.said if one.statement.source in shown)
    return GatheredUnits(tuple(units), tuple(said), history.reasons)


def newest_statement(messages: Sequence[Message]) -> Said | None:
    """Returns what a person said last, however long ago; None if nobody has said anything."""
    for part in (messages[-_MAX_MESSAGES:], messages):  # nobody may have spoken for long
        if said := _read([message for message in part if _is_told(message)]).said:
            return said[-1]
    return None


def _is_told(message: Message) -> bool:
    return message.role is not Role.SYSTEM and not message.thread


def _read(messages: Sequence[Message]) -> History:
    history, words, spoke = History(), "", 0
    for message in messages:
        for statement in person_statements(message, history.calls):
            history.said.append(Said(statement, words))
            if statement.kind is StatementKind.MESSAGE:
                history.request = message.number
                history.last_words.add(spoke)
        if message.role is Role.ASSISTANT and message.text.strip():
            words, spoke = message.text.strip(), message.number
        for call in message.calls:
            history.calls[call.id] = call
            for action in call_actions(call):
                if action.kind.changes_files and action.path:
                    is_near = message.number - spoke <= _NEAR_MESSAGES
                    history.reasons[action.path] = words if is_near else ""
                    history.newest_edit[action.path] = call.id
        history.outputs.update((output.call_id, output) for output in message.outputs)
    return history


def _own_words(message: Message) -> str:
    """What the agent or a person wrote in a message: text and calls, not what tools printed."""
    words = "" if message.outputs else message.text
    return "\n".join((words, *(plain_arguments(call)[:_MAX_ARGUMENT_CHARS] for call in message.calls)))


def _units(message: Message, history: History, uses: TermUse, newest: int, root: str) -> Iterator[Unit]:
    if message.origin is Origin.SUMMARY:
        yield from earlier_units(message, newest, uses)
        return
    place = Place(message.number, newest, history.request, message.number in history.last_words)
    if message.role is Role.ASSISTANT:
        yield from agent_units(message, place, uses)
    for call in message.calls:
        output = history.outputs.get(call.id)
        if call_actions(call)[0].kind is ActionKind.DELEGATE:
            yield from subagent_units(without_reminders(output.text) if output else "", place, uses)
            continue
        is_newest = call.id in history.newest_edit.values()
        unit = deed_unit(
            call,
            output,
            number=message.number,
            newest=newest,
            uses=uses,
            removed=history.removed,
            is_newest_of_file=is_newest,
            root=root,
        )
        if unit is not None:
            yield unit
