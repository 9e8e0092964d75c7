"""How a share becomes a certainty."""

from __future__ import annotations

import pytest

from clew.domain.critical import ItemKind
from clew.signals.learned.tier import Certainty, Thresholds

MEASURE = Thresholds(sure={ItemKind.INSTRUCTION: 0.9}, likely=0.7)


@pytest.mark.parametrize(
    ("lasting", "certainty"),
    [
        (0.0, Certainty.NONE),
        (0.69, Certainty.NONE),
        (0.7, Certainty.LIKELY),
        (0.9, Certainty.SURE),
        (1.0, Certainty.SURE),
    ],
)
def test_a_share_is_sure_likely_or_nothing(lasting: float, certainty: Certainty) -> None:
    assert MEASURE.certainty(lasting, ItemKind.INSTRUCTION) is certainty


def test_of_a_kind_without_a_measure_nobody_is_sure() -> None:
    assert MEASURE.certainty(1.0, ItemKind.PREFERENCE) is Certainty.LIKELY
