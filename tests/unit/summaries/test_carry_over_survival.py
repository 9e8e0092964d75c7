"""Facts outlive many summaries of summaries; the bench says how many."""

from __future__ import annotations

from bench import summaries


def test_carrying_over_keeps_what_a_forgetful_model_loses() -> None:
    found = {(figure.group, figure.name): figure.value for figure in summaries.survival(rounds=6)}
    name = "facts after 6 rounds"
    assert found["survival, carried", name] > 0.95
    assert found["survival, not carried", name] < 0.5


def test_the_forgetful_model_is_the_same_every_time() -> None:
    assert summaries.survival(rounds=2) == summaries.survival(rounds=2)
