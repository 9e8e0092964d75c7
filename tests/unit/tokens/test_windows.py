"""The window of a session: who says how large it is, and what is assumed where nobody does."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain.health import LimitSource
from clew.tokens.windows import Window, session_window


@pytest.mark.parametrize(
    ("model", "shown", "window"),
    [
        ("claude-opus-4-6", {}, Window(1_000_000, LimitSource.MODEL)),
        ("claude-opus-4-6", {"client": "claude-code"}, Window(1_000_000, LimitSource.ASSUMED)),
        ("claude-opus-4-5", {"client": "claude-code"}, Window(200_000, LimitSource.MODEL)),
        ("claude-opus-4-6", {"compacted_at": 167_854}, Window(200_000, LimitSource.ASSUMED)),
        ("claude-opus-4-6", {"compacted_at": 966_000}, Window(1_000_000, LimitSource.MODEL)),
        ("claude-opus-4-5", {"compacted_at": 155_000}, Window(200_000, LimitSource.MODEL)),
        ("claude-opus-4-5", {"most_taken": 250_000}, Window(400_000, LimitSource.ASSUMED)),
        (
            "claude-opus-4-6",
            {"compacted_at": 167_854, "most_taken": 500_000},
            Window(1_000_000, LimitSource.ASSUMED),
        ),
        ("gpt-5.5", {"stated": 258_400}, Window(258_400, LimitSource.CLIENT)),
        ("gpt-5.5", {"stated": 258_400, "given": 50_000}, Window(50_000, LimitSource.GIVEN)),
        ("claude-opus-4-6", {"given": 50_000, "compacted_at": 167_854}, Window(50_000, LimitSource.GIVEN)),
        ("their-own-model", {}, Window(128_000, LimitSource.ASSUMED)),
        ("their-own-model", {"most_taken": 5_000_000}, Window(5_000_000, LimitSource.ASSUMED)),
    ],
)
def test_a_window_is_given_stated_known_by_name_or_assumed(model: str, shown: dict[str, Any], window: Window) -> None:
    assert session_window(model, **shown) == window


def test_a_client_has_left_room_for_the_answer_already() -> None:
    assert Window(258_400, LimitSource.CLIENT).limit(0.1) == 258_400
    assert Window(200_000, LimitSource.MODEL).limit(0.1) == 180_000
