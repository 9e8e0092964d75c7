"""Ratios are learned from what replies report, and hidden text does not spoil them."""

from __future__ import annotations

from clew.tokens import Calibration, observe
from clew.tokens.calibration import MAX_SAMPLES, MIN_SAMPLES


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
