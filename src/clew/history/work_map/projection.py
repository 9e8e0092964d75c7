"""The work map's projection: takes in messages in order and keeps the rows.

An action counts when its output says that it worked. A rollback takes words out of the prompt, not bytes off the disk:
files stay as the actions left them, and only the request goes back to the one before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clew.domain import Call, EntryKind, Housekeeping, Message, Origin, Output, Part, Role, Text
from clew.domain.values import fields_of, from_json
from clew.history.user_requests import is_request, request_words
from clew.history.waiting_calls import WaitingCalls
from clew.ports import LedgerEvent, MessageChange, Rollback, Rows

if TYPE_CHECKING:
    from clew.history.work_map.replay import Replay

#: Requests remembered for rolling back.
_MAX_REQUESTS = 20
#: How much of the last request is kept.
_REQUEST_CHARS = 400
#: Commands that go on running in the background.
_MAX_RUNNING = 16


@dataclass(slots=True)
class _WorkState:
    """What is needed to go on: open calls and failures, edits proposed in words, running commands, last requests, how
    many rows there are."""

    pending: dict[str, Any] = field(default_factory=dict)
    running: dict[str, list[Any]] = field(default_factory=dict)
    requests: list[list[Any]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    proposed: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    commands: int = 0
    now: int = 0


class WorkMapProjection:
    """Keeps rows: ``f:`` and a path, ``n:`` and a file name, ``c:`` and a command, ``e:`` with message and path for
    each changed file, ``wait/`` and the id of a call, and one ``map`` for the rest."""

    name = "workmap"
    version = 19
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages and rollbacks, and returns open calls, running commands and requests as its state."""
        from clew.history.work_map.replay import Replay

        work = _WorkState(**state) if state else _WorkState()
        pending = WaitingCalls(rows, work.pending)
        commands = (work.commands, work.open)
        replay = Replay(rows, now=work.now, files=work.files, commands=commands, running=work.running)
        for change in changes:
            if isinstance(change, Rollback):
                work.requests = work.requests[: -change.exchanges or None] if change.exchanges else work.requests
            elif isinstance(change, MessageChange):
                work.now = replay.now = max(work.now, change.number)
                replay.take_place(change.branch, change.cwd)
                _take_message(change, work, replay, pending)
            elif change.kind is EntryKind.HOUSEKEEPING:
                replay.now = max(replay.now, change.about["message"])
                replay.take_notes(from_json(Housekeeping, change.about["housekeeping"]).code_changes)
        replay.flush(work.requests[-1] if work.requests else None)
        work.files, work.commands, work.open = replay.files.count, replay.commands.count, replay.commands.open
        work.pending = pending.save()
        work.running = dict(list(replay.running.items())[-_MAX_RUNNING:])
        return fields_of(work)


def _take_message(change: MessageChange, work: _WorkState, replay: Replay, pending: WaitingCalls) -> None:
    message, number = change.message, change.number
    if message.role is Role.SYSTEM:
        return
    if is_request(message):
        work.requests = [*work.requests, [number, request_words(message)[:_REQUEST_CHARS]]][-_MAX_REQUESTS:]
    for part in message.parts:
        if isinstance(part, Text):
            _take_words(part.text, message, work, replay)
        else:
            _take_part(part, change, replay, pending)
    replay.take_notes(change.notes.code_changes if change.notes else ())


def _take_part(part: Part, change: MessageChange, replay: Replay, pending: WaitingCalls) -> None:
    from clew.history.work_map.pending_calls import actions_from_json, actions_to_json
    from clew.text.tools.calls import call_actions
    from clew.text.tools.commands import with_places

    if isinstance(part, Call):
        done = tuple(with_places(action, change.cwd) for action in call_actions(part))
        pending.add(part.id, actions_to_json(done))
        replay.take_call(done)
    elif isinstance(part, Output):
        replay.take_output(actions_from_json(pending.take(part.call_id)), part)


def _take_words(text: str, message: Message, work: _WorkState, replay: Replay) -> None:
    """Words name files and what belongs to them. Some assistants also spell edits out in them, which count when their
    client says that they were applied."""
    from clew.history.work_map.pending_calls import actions_from_json, actions_to_json
    from clew.text.injected_text import person_words
    from clew.text.tools.patches import edits_in_prose

    if message.role is Role.ASSISTANT:
        work.proposed = actions_to_json(tuple(edits_in_prose(text))) if "SEARCH" in text else []
        replay.take_words(text, weight=1.0)
        return
    replay.end_tasks(text)
    if message.origin is Origin.CLIENT:
        replay.take_applied(actions_from_json(work.proposed), text)
        replay.take_client(text)
        work.proposed = []
    if message.origin is Origin.PERSON:
        replay.take_person(person_words(text))
    else:
        replay.take_words(text, weight=0.5)
