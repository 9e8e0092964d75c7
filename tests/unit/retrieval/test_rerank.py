"""An order counts only if it is one."""

from __future__ import annotations

import pytest

from clew.errors import ModelBadAnswer
from clew.retrieval.rerank import read_order


def test_every_candidate_once_is_an_order() -> None:
    assert read_order('["r3", "r1", "r2"]', 3) == [2, 0, 1]
    assert read_order('```json\n["r2", "r1"]\n```', 2) == [1, 0]


@pytest.mark.parametrize(
    "answer", ["", "r1, r2", '{"order": ["r1", "r2"]}', '["r1"]', '["r1", "r1"]', '["r1", "r9"]', "[1, 2]"]
)
def test_anything_else_is_refused(answer: str) -> None:
    with pytest.raises(ModelBadAnswer, match="the model's order"):
        read_order(answer, 2)
