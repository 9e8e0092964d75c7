"""The request encoder: what it appends to what it remembers is what encoding all of it would give, in less work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.codecs import registry
from clew.config import CompactionConfig, Config
from clew.domain import Message, Origin, Role
from clew.packing import request_encoder
from clew.packing.request_encoder import RequestEncoder
from clew.packing.valid_request import encode_valid
from tests.builders import call, gives, output, says, thinks, user
from tests.effort import examples, first
from tests.properties.strategies import messages

SYSTEM = (Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=user("Be brief.").parts),)


def step(id: str) -> list[Message]:
    return [says("Reading.", call(id, path="a")), gives(output(id, "text"))]


def step_of_user(id: str) -> list[Message]:
    """A step as Anthropic has it: outputs are the user's, with words beside them or without."""
    return [says(call(id, path="a")), Message(role=Role.USER, origin=Origin.TOOL, parts=(output(id, "text"),))]


def whole(messages: Sequence[Message], provider: str) -> tuple[Any, tuple[Message, ...]]:
    request, sent, _ = encode_valid(messages, provider, system=SYSTEM, sealed_after=0)
    return request.body, sent


sound = st.sampled_from(
    [
        [user("Go on, please."), says("Yes.")],
        [user("Look.")],
        [says(thinks("hm", "sealed"), "Seen.")],
        [user("Look."), says(call("open"))],
        [user("  "), says("\n")],
        [user("Look."), *step("call with spaces"), says("Done.")],
    ]
)


@st.composite
def growing(draw: st.DrawFn) -> list[list[Message]]:
    """Pieces of a conversation, some of them broken, with ids that are mostly their own."""
    found = draw(st.lists(st.one_of(sound, st.just([]), messages.map(lambda one: [one])), max_size=14))
    make = draw(st.sampled_from([step, step_of_user]))
    return [piece or make(f"c{at}") for at, piece in enumerate(found)]


@pytest.mark.parametrize("provider", registry.PROVIDERS)
@given(growing())
@settings(max_examples=examples(120), deadline=None)
def test_growing_piece_by_piece_gives_what_encoding_all_of_it_gives(provider: str, pieces: list[list[Message]]) -> None:
    encoder, history = RequestEncoder(provider, loose_messages=1), list[Message]()
    for piece in pieces:
        history += piece
        body, sent, _ = encoder.request(SYSTEM, history, (), sealed_after=0)
        assert (body, sent) == whole(history, provider)


@pytest.mark.parametrize("provider", first(registry.PROVIDERS))
@pytest.mark.parametrize(
    "broken",
    [
        [user("Look."), says(call("open"))],
        [user("Look."), says("  ")],
        [gives(output("nobody", "asked"))],
    ],
    ids=["open call", "blank", "orphan"],
)
def test_a_repair_in_a_long_tail_does_not_make_all_of_it_be_encoded_again(
    provider: str, broken: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []

    def counted(messages: Sequence[Message], *arguments: Any, **named: Any) -> Any:
        encoded.append(len(messages))
        return encode_valid(messages, *arguments, **named)

    monkeypatch.setattr(request_encoder, "encode_valid", counted)
    talk = [message for at in range(100) for message in (user(f"question {at}"), says(f"answer {at}"))]
    with clew.open(":memory:", config=Config(compaction=CompactionConfig(auto=False))) as engine:
        session = engine.session("s")
        session.record([*talk[:100], *broken, *talk[100:]])
        session.pack(budget=50_000, target=provider)
        for at in range(20):
            encoded.clear()
            session.record([user(f"more {at}"), says("fine")])
            pack = session.pack(budget=50_000, target=provider)
            assert sum(encoded) < 60
    assert pack.repairs


@pytest.mark.parametrize("provider", registry.PROVIDERS)
@pytest.mark.parametrize("make", [step, step_of_user], ids=["of tools", "of the user"])
def test_of_a_history_of_steps_only_the_newest_are_encoded(
    provider: str, make: Callable[[str], list[Message]], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []

    def counted(messages: Sequence[Message], *arguments: Any, **named: Any) -> Any:
        encoded.append(len(messages))
        return encode_valid(messages, *arguments, **named)

    monkeypatch.setattr(request_encoder, "encode_valid", counted)
    encoder, history = RequestEncoder(provider), [user("Look at every file.")]
    for at in range(30):
        encoded.clear()
        history += make(f"c{at}")
        body, sent, _ = encoder.request(SYSTEM, history, (), sealed_after=0)
        assert sum(encoded) < 20
    assert (body, sent) == whole(history, provider)
