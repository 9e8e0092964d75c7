"""Texts kept as blobs are read back by their ids."""

from __future__ import annotations

from clew.domain import SessionKey
from clew.engine.ledger.blob_texts import find_text, text_blobs
from clew.storage.memory import MemoryStore

KEY = SessionKey("t", "u", "s")


def test_an_id_leads_to_its_text_also_with_half_a_character_in_it() -> None:
    store, text = MemoryStore(), "one \ud800 two"
    (digest, content), *_ = text_blobs([text, text]).items()
    store.put_blobs(KEY, {digest: content})
    assert find_text(store, KEY, f"b{digest[:12]}") == text


def test_an_id_that_leads_nowhere_or_to_several_gives_nothing() -> None:
    store = MemoryStore()
    store.put_blobs(KEY, text_blobs(str(number) for number in range(20)))
    assert find_text(store, KEY, "b" + "0" * 12) is None
    assert find_text(store, KEY, "b") is None
