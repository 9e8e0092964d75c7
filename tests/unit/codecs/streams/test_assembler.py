"""Whatever arrives, a stream is never broken by putting it together."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.codecs import registry
from clew.codecs.streams.assembler import ReplyAssembler
from clew.domain import Json
from clew.errors import UsageError
from tests.effort import examples
from tests.stream_examples import EXAMPLES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value inside."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(inner for name, one in items for inner in places(one, (*path, name)))]


@pytest.mark.parametrize("format", EXAMPLES)
@given(st.data())
@settings(max_examples=examples(60), deadline=None)
def test_damaged_events_never_raise_and_are_never_changed(format: str, data: st.DataObject) -> None:
    events: list[Json] = copy.deepcopy(EXAMPLES[format].events)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(events) - 1))
        *way, last = data.draw(st.sampled_from(places(events[at])[1:]))
        target: object = events[at]
        for step in way:
            target = target[step]  # type: ignore[index]
        target[last] = data.draw(JSON)  # type: ignore[index]
    assembler = ReplyAssembler()
    for event in events[: data.draw(st.integers(0, len(events)))]:
        before = copy.deepcopy(event)
        assembler.feed(event)
        assert event == before
    reply = assembler.reply()
    assert reply is None or reply.format in registry.PROVIDERS


def test_chunks_that_a_helper_wraps_are_read_too() -> None:
    assembler = ReplyAssembler()
    for event in EXAMPLES["openai-chat"].events:
        assembler.feed({"type": "chunk", "chunk": event, "snapshot": {}})
        assembler.feed({"type": "content.delta", "delta": "x"})
    reply = assembler.reply()
    assert reply is not None
    assert (reply.format, reply.is_complete) == ("openai-chat", True)


def test_a_format_without_streams_is_refused() -> None:
    with pytest.raises(UsageError, match="no streams of 'codex' are known; there are anthropic"):
        ReplyAssembler("codex")
