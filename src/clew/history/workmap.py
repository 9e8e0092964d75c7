"""The work map: reads, edits and writes replayed into the present state of the work, as a projection.

It says for each file what was done with it, which names belong to it and how its text reads now around the last edit;
for each command and test the last result; the to-do list; and what the person waits for. It never shows a line that an
edit removed: an edit takes its old lines out of everything that is kept.

A deed counts when its output says that it worked. Rolling back takes words out of the prompt, not bytes off the disk:
files stay as the deeds left them, and only the request goes back to the one before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from clew.domain import Call, Message, Origin, Output, Part, Role, Text
from clew.domain.values import fields_of
from clew.history.requests import is_request, request_words
from clew.history.workmap_deeds import Replay
from clew.history.workmap_pending import packed, unpacked
from clew.history.workmap_view import CommandFacts, FileFacts, WorkMap, load, render
from clew.ports import Change, News, Rollback, Rows
from clew.text.actions import actions
from clew.text.patches import edits_in_prose
from clew.text.wrappers import own_words

__all__ = ["CommandFacts", "FileFacts", "WorkMap", "WorkMapping", "load", "render"]

#: Calls that still wait for their output; a client that lost so many outputs will not bring them.
_MAX_PENDING = 64
#: Requests remembered for rolling back.
_MAX_REQUESTS = 20
#: How much of the last request is kept.
_REQUEST_CHARS = 400
#: Commands that go on running in the background.
_MAX_RUNNING = 16


@dataclass(slots=True)
class _State:
    """What is needed to go on: open calls, running commands, the last requests, and how many rows there are."""

    pending: dict[str, Any] = field(default_factory=dict)
    running: dict[str, str] = field(default_factory=dict)
    requests: list[list[Any]] = field(default_factory=list)
    files: int = 0
    commands: int = 0
    now: int = 0


class WorkMapping:
    """Rows: ``f:`` path, ``n:`` file name to paths, ``c:`` command, and ``map`` for what there is one of."""

    name = "workmap"
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[News], rows: Rows) -> Any:
        held = _State(**state) if state else _State()
        replay = Replay(rows, files=held.files, commands=held.commands, running=held.running)
        for change in changes:
            if isinstance(change, Rollback):
                held.requests = held.requests[: -change.exchanges or None] if change.exchanges else held.requests
            elif isinstance(change, Change):
                held.now = replay.now = max(held.now, change.number)
                _take(change.message, held, replay, change.number)
        replay.flush(held.requests[-1] if held.requests else None)
        held.files, held.commands = replay.files.count, replay.commands.count
        held.pending = dict(list(held.pending.items())[-_MAX_PENDING:])
        held.running = dict(list(replay.running.items())[-_MAX_RUNNING:])
        return fields_of(held)


def _take(message: Message, held: _State, replay: Replay, number: int) -> None:
    if message.role is Role.SYSTEM:
        return
    if is_request(message):
        held.requests = [*held.requests, [number, request_words(message)[:_REQUEST_CHARS]]][-_MAX_REQUESTS:]
    for part in message.parts:
        _take_part(part, message, held, replay)


def _take_part(part: Part, message: Message, held: _State, replay: Replay) -> None:
    if isinstance(part, Call):
        done = actions(part)
        held.pending[part.id] = packed(done)
        replay.called(done)
    elif isinstance(part, Output):
        replay.ended(unpacked(held.pending.pop(part.call_id, [])), part)
    elif isinstance(part, Text):
        _take_words(part.text, message, replay)


def _take_words(text: str, message: Message, replay: Replay) -> None:
    """Words name files and what belongs to them; some assistants also spell their edits out in them."""
    if message.role is Role.ASSISTANT:
        for action in edits_in_prose(text) if "SEARCH" in text else []:
            replay.done(action, "")
        replay.said(text, weight=1.0)
    elif message.origin is Origin.PERSON:
        replay.said(own_words(text), weight=2.0)
    else:
        replay.said(text, weight=0.5)
