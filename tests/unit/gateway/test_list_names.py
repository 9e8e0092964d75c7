"""Names of lists: the same for the same words, though what was seen before is not decoded again."""

from __future__ import annotations

from typing import Any

import pytest

from clew.gateway import list_names
from clew.gateway.list_names import ListNames

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "Rename the flag."},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "And the test?"},
]


def test_a_list_has_its_name_whatever_was_seen_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_names, "_MOST_KEPT", 2)
    names = ListNames("openai-chat")
    for end in (1, 2, 3, 2, 3):
        fresh = ListNames("openai-chat").name(TALK[:end], about=b"ana")
        assert names.name(TALK[:end], about=b"ana") == fresh
        assert names.name(TALK[:end], about=b"ben") != fresh
    assert names.name(TALK, about=b"").answers[-1] == names.name(TALK[:2], about=b"").whole.hex()


def test_what_the_newest_lists_hold_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[Any] = []
    decode = list_names.GivenMessages.records

    def counting(given: Any, place: int) -> Any:
        decoded.append(given.messages[place])
        return decode(given, place)

    monkeypatch.setattr(list_names.GivenMessages, "records", counting)
    names = ListNames("openai-chat")
    for end in range(1, 4):
        names.name(TALK[:end], about=b"")
    assert decoded == TALK
