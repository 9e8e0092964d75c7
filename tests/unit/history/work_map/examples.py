"""Builders for the work map: tool calls with their outputs, and the map after them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from clew.domain import Message, SessionKey, Status
from clew.engine.ledger.rows import SessionRows
from clew.history.work_map.projection import WorkMapProjection
from clew.history.work_map.view import FileFacts, WorkMap, load_work_map
from clew.ports import MessageChange, Rollback
from clew.storage.memory import MemoryStore
from tests.builders import call, gives, output, says

KEY = SessionKey("t", "u", "s")


def changes_of(
    *messages: Message | Rollback, branches: Mapping[int, str] | None = None, cwd: str = ""
) -> list[MessageChange | Rollback]:
    """Messages as projections are told of them, numbered from 1, in a folder and on branches that a client names."""
    found: list[MessageChange | Rollback] = []
    for message in messages:
        number = sum(isinstance(one, MessageChange) for one in found) + 1
        tokens = () if isinstance(message, Rollback) else (1,) * len(message.parts)
        branch = (branches or {}).get(number, "")
        found.append(
            message if isinstance(message, Rollback) else MessageChange(number, message, tokens, branch=branch, cwd=cwd)
        )
    return found


def work_map_of(
    *messages: Message | Rollback, batch: int = 1000, branches: Mapping[int, str] | None = None, cwd: str = ""
) -> WorkMap:
    return load_work_map(rows_of(*messages, batch=batch, branches=branches, cwd=cwd))


def rows_of(
    *messages: Message | Rollback, batch: int = 1000, branches: Mapping[int, str] | None = None, cwd: str = ""
) -> list[tuple[str, Any]]:
    """The rows after all messages, told in batches, each by a fresh process."""
    store, state, changes = MemoryStore(), None, changes_of(*messages, branches=branches, cwd=cwd)
    for at in range(0, len(changes), batch):
        rows = SessionRows(store, KEY, "workmap")
        state = orjson.loads(orjson.dumps(WorkMapProjection().apply(state, changes[at : at + batch], rows)))
        rows.flush()
    return SessionRows(store, KEY, "workmap").scan()


def tool_call(name: str, answer: str = "ok", ended: Status = Status.SUCCESS, **arguments: Any) -> list[Message]:
    """A call and its output."""
    return [says(call("c", name, **arguments)), gives(output("c", answer, ended))]


def edit_call(path: str, old: str, new: str) -> list[Message]:
    return tool_call("Edit", f"The file {path} has been updated.", file_path=path, old_string=old, new_string=new)


def file_facts(work: WorkMap, path: str) -> FileFacts:
    return next(facts for facts in work.files if facts.path == path)
