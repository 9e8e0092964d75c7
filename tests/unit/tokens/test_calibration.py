"""Ratios are learned from what replies report, and hidden text does not spoil them."""

from __future__ import annotations

import pytest

from clew.domain import Call, Media, Message, Opaque, Origin, Output, Part, Reasoning, Role, Text, Usage
from clew.tokens import Calibration, Sample, observe, samples, tokenizer_for
from clew.tokens.calibration import MAX_SAMPLES, MIN_SAMPLES

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


def test_the_growth_between_two_replies_is_what_was_said_between_them() -> None:
    thread = [reply(10_000, call()), outputs(OUTPUT), reply(12_500)]
    said = TOKENS.count("Read") + TOKENS.count('{"path":"a.py"}') + 2_000
    frames = 2 * 7 + 45 + 45
    assert list(samples(thread, TOKENS)) == [Sample(MODEL, said, 2_500 - frames)]


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
    assert list(samples(thread, TOKENS)) == []


def test_a_little_thinking_does_not_matter() -> None:
    thread = [reply(10_000, Reasoning(text="Hm.", seal="x" * 300), call()), outputs(OUTPUT), reply(12_500)]
    assert len(list(samples(thread, TOKENS))) == 1


def observed(*ratios: float) -> Calibration:
    calibration = Calibration()
    for ratio in ratios:
        calibration = observe(calibration, counted=10_000, reported=round(10_000 * ratio))
    return calibration


def test_a_few_steps_are_too_little_to_go_by() -> None:
    assert observed(*[1.2] * (MIN_SAMPLES - 1)).ratio is None


def test_the_ratio_is_near_the_upper_end() -> None:
    ratios = [1 + step / 1_000 for step in range(100)]
    assert observed(*ratios).ratio == 1.095


def test_hidden_text_does_not_raise_the_ratio() -> None:
    assert observed(*[1.1] * 30, *[9.0] * 10).ratio == 1.1


def test_a_tokenizer_that_is_dearer_than_assumed_is_learned() -> None:
    assert observed(*[2.4] * 30).ratio == 2.4


def test_small_steps_leave_it_as_it_is() -> None:
    assert observe(observed(1.2), counted=900, reported=990) == observed(1.2)
    assert observe(observed(1.2), counted=0, reported=5_000) == observed(1.2)


def test_only_the_newest_are_kept() -> None:
    calibration = observed(*[1.5] * 10, *[1.2] * MAX_SAMPLES)
    assert calibration == Calibration((1.2,) * MAX_SAMPLES)
