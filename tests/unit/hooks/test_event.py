from __future__ import annotations

import pytest

from clew.hooks.event import UnusableEvent, read_event


def test_what_is_missing_or_of_another_type_reads_as_empty() -> None:
    event = read_event("codex", "SessionStart", b'{"session_id": "s1", "source": 7, "cwd": "/x"}')
    assert (event.session, event.text("source"), event.transcript, event.value("source")) == ("s1", "", "", 7)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no JSON object"),
        (b"{}", "no session_id"),
        (b'{"session_id": ""}', "no session_id"),
        (b'{"session_id": ["s1"]}', "no session_id"),
    ],
)
def test_what_is_no_event_says_why(data: bytes, said: str) -> None:
    with pytest.raises(UnusableEvent, match=said):
        read_event("codex", "SessionStart", data)
