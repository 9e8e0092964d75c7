"""Any session, however broken, becomes a file that its client reads as the same messages, and that breaks no rule."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import given, settings

import clew
from clew import rules
from clew.assistants.resumable import SessionFile
from clew.assistants.session_file import session_file
from clew.codecs import registry
from clew.domain import Json, Message
from tests.effort import examples
from tests.properties.strategies import histories

FOLDER = Path("/srv/shop")
#: What a line says of the session that it belongs to, and when it was said.
_OWN = {"uuid", "parentUuid", "sessionId", "timestamp", "ordinal"}


def handed(client: str, history: list[Message]) -> SessionFile:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(history)
        return session_file(session, client, folder=FOLDER)


def read_and_handed(client: str, file: SessionFile) -> tuple[SessionFile, Json]:
    """The file as Clew reads it, written again, and as a request."""
    with NamedTemporaryFile(suffix=".jsonl") as place, clew.open(":memory:") as engine:
        place.write(b"".join(file.encode()))
        place.flush()
        report = engine.import_file(place.name, format=client, project=False)[0]
        session = engine.find(report.session)
        provider = registry.session_writer(client).provider
        return session_file(session, client, folder=FOLDER), session.reader.request(provider, repair=False)[0].body


def said(file: SessionFile) -> list[Any]:
    lines = [line for line in file.lines if line["type"] not in {"session_meta", "custom-title", "event_msg"}]
    found = [{name: value for name, value in line.items() if name not in _OWN} for line in lines]
    return [line | {"message": line["message"] | {"id": ""}} if "message" in line else line for line in found]


def has_item_twice(file: SessionFile) -> bool:
    """True for an item of a provider that stands in a file twice, which is read as one."""
    ids = [line["payload"]["id"] for line in file.lines if line.get("payload", {}).get("type") == "reasoning"]
    return len({*ids}) < len(ids)


@pytest.mark.parametrize("client", ["claude-code", "codex"])
@given(histories)
@settings(max_examples=examples(60), deadline=None)
def test_a_file_that_is_read_and_written_again_says_the_same(client: str, history: list[Message]) -> None:
    first = handed(client, history)
    if not said(first) or has_item_twice(first):
        return
    again, request = read_and_handed(client, first)
    assert said(again) == said(first)
    assert (again.repairs, again.losses) == ((), ())
    assert rules.check(request, registry.session_writer(client).provider) == []
