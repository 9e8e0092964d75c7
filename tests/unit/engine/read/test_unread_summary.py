"""Compactions whose summary nobody can read are found by the note that the client left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config
from clew.engine.session import Session
from clew.engine.session_handles import unread_summary


def _line(kind: str, payload: dict[str, Any]) -> bytes:
    return json.dumps({"timestamp": "2026-03-01T10:00:00Z", "type": kind, "payload": payload}).encode() + b"\n"


def _said(text: str) -> bytes:
    piece = {"type": "input_text", "text": text}
    return _line("response_item", {"type": "message", "role": "user", "content": [piece]})


META = _line("session_meta", {"id": "s1", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/srv"})
_CIPHER = {"type": "compaction", "encrypted_content": "gAAAAABo"}
SEALED = _line("compacted", {"message": "", "replacement_history": [_CIPHER]})
KEPT = _line("compacted", {"message": "", "replacement_history": [{"content": [{"text": "Make it stream."}]}]})
READ = _line("compacted", {"message": "It streams now."})


def _session(path: Path, *lines: bytes) -> Session:
    path.write_bytes(b"".join((META, *lines)))
    engine = clew.open(":memory:", config=Config())
    engine.import_file(path)
    return engine.find("s1")


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((_said("one"), SEALED, _said("two")), (1, "")),
        ((_said("one"), SEALED, _said("two"), KEPT), (2, "Make it stream.")),
        ((_said("one"), READ, _said("two"), SEALED), (3, "")),
        ((_said("one"), _said("this is about compacted data")), None),
        ((_said("one"), SEALED, READ), None),
    ],
)
def test_the_newest_is_found_with_what_was_kept(tmp_path: Path, lines: list[bytes], found: Any) -> None:
    session = _session(tmp_path / "rollout.jsonl", *lines)
    read = next((one.number for one in reversed(session.messages()) if one.origin == "summary"), 0)
    unread = unread_summary(session, after=read)
    assert (unread and (unread.after, unread.kept)) == found
