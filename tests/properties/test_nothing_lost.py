"""Nothing is lost: whatever is recorded, in whatever pieces, can be read back, and twice told is once kept."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.config import Config
from clew.domain import Message
from clew.errors import UsageError
from clew.history.body_blobs import join_body, split_body
from tests.effort import examples
from tests.properties.strategies import histories, words

json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**60), 2**60), words, st.text("ab\n", min_size=4096, max_size=5000)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=8,
)


@given(histories, st.data())
@settings(max_examples=examples(60), deadline=None)
def test_every_message_recorded_in_pieces_is_read_back(history: list[Message], data: st.DataObject) -> None:
    with clew.open(":memory:", config=Config()) as engine:
        session = engine.session("s")
        at = 0
        while at < len(history):
            size = data.draw(st.integers(1, len(history) - at))
            session.record(history[at : at + size], channel="teller", whole=False)
            at += size
        found = [message.parts for message in session.messages()]
        wanted = [message.parts for message in history]
        assert found == _without_repeats(wanted, found)
        assert session.info.messages == len(found)


def _without_repeats(wanted: list[tuple[object, ...]], found: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """A message equal to the one just before may count as told again; nothing else may be missing."""
    kept: list[tuple[object, ...]] = []
    left = list(found)
    for parts in wanted:
        if left and left[0] == parts:
            kept.append(left.pop(0))
        else:
            assert parts in kept, "a message is missing that was never told before"
    return kept


@given(histories)
@settings(max_examples=examples(60), deadline=None)
def test_telling_everything_again_adds_nothing(history: list[Message]) -> None:
    with clew.open(":memory:", config=Config()) as engine:
        session = engine.session("s")
        session.record(history, channel="gateway", whole=True)
        before = session.info
        assert session.record(history, channel="gateway", whole=True).ids == ()
        assert session.info.entries == before.entries


@given(st.one_of(st.binary(max_size=6000), json_values.map(lambda value: __import__("orjson").dumps(value))))
@settings(max_examples=examples(100), deadline=None)
def test_a_stored_body_leads_back_to_its_bytes(body: bytes) -> None:
    stored, blobs = split_body(body)
    assert join_body(stored, lambda digests: {digest: blobs[digest] for digest in digests}) == body


@given(histories, st.integers(1, 3))
@settings(max_examples=examples(60), deadline=None)
def test_a_rollback_takes_nothing_from_the_record(history: list[Message], exchanges: int) -> None:
    with clew.open(":memory:", config=Config()) as engine:
        session = engine.session("s")
        session.record(history, whole=True)
        before = session.messages()
        with suppress(UsageError):  # there are no more than that
            session.rollback(exchanges)
        assert session.messages() == before
