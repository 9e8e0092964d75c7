"""Events of streams, in whatever pieces they come."""

from __future__ import annotations

import re

import pytest

from clew.gateway import event_reader
from clew.gateway.event_reader import EventReader


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_events_are_found_however_they_are_cut(end: bytes, size: int) -> None:
    lines = [b"event: one", b'data: {"a": 1}', b"", b": a remark", b"", b'data: {"b":', b"data: 2}", b""]
    sent = end.join([*lines, b"data: none", b"", b"data: [DONE]", b"", b""])
    reader = EventReader()
    found = [one for at in range(0, len(sent), size) for one in reader.feed(sent[at : at + size])]
    assert found == [{"a": 1}, {"b": 2}]
    assert reader.is_done


def test_an_event_of_many_pieces_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched is counted: searching all of it with each piece takes minutes for an image."""
    searched = [0]

    class Counting:
        def search(self, text: bytearray, at: int) -> re.Match[bytes] | None:
            searched[0] += len(text) - at
            return whole.search(text, at)

    whole = event_reader._BREAK
    monkeypatch.setattr(event_reader, "_BREAK", Counting())
    reader, sent = EventReader(), b'data: {"image": "' + b"x" * 200_000 + b'"}\n\n'
    found = [one for at in range(0, len(sent), 100) for one in reader.feed(sent[at : at + 100])]
    assert found == [{"image": "x" * 200_000}]
    assert searched[0] < 2 * len(sent)
