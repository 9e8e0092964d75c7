"""How a model counts is learned from steps whose text is known, and from no others."""

from __future__ import annotations

import pytest

from clew.domain import Call, Media, Message, Opaque, Origin, Output, Part, Reasoning, Role, SessionKey, Text, Usage
from clew.engine.ledger.rows import SessionRows
from clew.history.calibration import CalibrationProjection
from clew.ports import MessageChange
from clew.storage.memory import MemoryStore
from clew.tokens import tokenizer_for
from clew.tokens.counts import content_tokens

MODEL = "claude-opus-4-5"
#: 2,000 tokens of o200k.
OUTPUT = Text(text="word " * 1_999 + "word")
TOKENS = tokenizer_for("text")


def reply(tokens: int, *parts: Part, model: str = MODEL) -> Message:
    return Message(role=Role.ASSISTANT, parts=parts, origin=Origin.MODEL, model=model, usage=Usage(input_tokens=tokens))


def call() -> Call:
    return Call(id="c1", name="Read", arguments={"path": "a.py"})


def outputs(*content: Part, origin: Origin = Origin.TOOL) -> Message:
    return Message(role=Role.USER, parts=(Output(call_id="c1", content=content),), origin=origin)


def ratios(thread: list[Message]) -> list[float]:
    """The ratios that the projection keeps of the model after these messages."""
    rows = SessionRows(MemoryStore(), SessionKey("t", "u", "s"), CalibrationProjection.name)
    CalibrationProjection().apply(
        None,
        [
            MessageChange(number, message, tuple(content_tokens(part, TOKENS) for part in message.parts))
            for number, message in enumerate(thread, 1)
        ],
        rows,
    )
    return rows.get(MODEL) or []


def test_the_growth_between_two_replies_is_what_was_said_between_them() -> None:
    thread = [reply(10_000, call()), outputs(OUTPUT), reply(12_500)]
    said = TOKENS.count("Read") + TOKENS.count('{"path":"a.py"}') + 2_000
    frames = 2 * 7 + 45 + 45
    assert ratios(thread) == [round((2_500 - frames) / said, 4)]


@pytest.mark.parametrize(
    "thread",
    [
        pytest.param([reply(10_000, call()), outputs(OUTPUT), reply(9_000)], id="the input shrank"),
        pytest.param([reply(10_000, call()), outputs(OUTPUT), reply(10_900)], id="too small"),
        pytest.param([reply(10_000, call()), outputs(OUTPUT), reply(12_500, model="claude-opus-5")], id="other model"),
        pytest.param(
            [reply(10_000, call()), outputs(OUTPUT, Media(media_type="image/png")), reply(12_500)], id="an image"
        ),
        pytest.param([reply(10_000, Opaque(kind="new"), call()), outputs(OUTPUT), reply(12_500)], id="unknown"),
        pytest.param([reply(10_000, call()), outputs(OUTPUT, origin=Origin.SUMMARY), reply(12_500)], id="summary"),
        pytest.param(
            [reply(10_000, Reasoning(seal="x" * 4_000), call()), outputs(OUTPUT), reply(12_500)], id="thought"
        ),
        pytest.param([reply(10_000), reply(12_500)], id="nothing said"),
        pytest.param([outputs(OUTPUT), reply(12_500)], id="one reply"),
        pytest.param([], id="nothing"),
    ],
)
def test_steps_that_tell_nothing_are_passed_over(thread: list[Message]) -> None:
    assert ratios(thread) == []


def test_a_little_thinking_does_not_matter() -> None:
    thread = [reply(10_000, Reasoning(text="Hm.", seal="x" * 300), call()), outputs(OUTPUT), reply(12_500)]
    assert len(ratios(thread)) == 1
