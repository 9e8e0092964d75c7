"""The window of a session: who says how large it is, and what is assumed where nobody does."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain.health import LimitSource
from clew.tokens.windows import Window, session_window

CODEX_SAYS = Window(19_000, LimitSource.CLIENT, leaves_room=True)


@pytest.mark.parametrize(
    ("model", "shown", "window"),
    [
        ("claude-opus-4-6", {}, Window(1_000_000, LimitSource.MODEL)),
        ("claude-opus-4-6", {"client": "claude-code"}, Window(200_000, LimitSource.ASSUMED)),
        ("claude-sonnet-5", {"client": "claude-code", "most_taken": 167_000}, Window(200_000, LimitSource.ASSUMED)),
        ("claude-sonnet-5", {"client": "claude-code", "most_taken": 200_001}, Window(1_000_000, LimitSource.MODEL)),
        ("claude-sonnet-5[1m]", {"client": "claude-code"}, Window(1_000_000, LimitSource.MODEL)),
        (
            "claude-sonnet-5[1m]",
            {"client": "claude-code", "compacted_at": 160_000},
            Window(1_000_000, LimitSource.MODEL),
        ),
        ("claude-opus-4-5", {"client": "claude-code"}, Window(200_000, LimitSource.MODEL)),
        ("claude-opus-4-5", {"client": "claude-code", "most_taken": 250_000}, Window(1_000_000, LimitSource.ASSUMED)),
        ("", {"client": "claude-code"}, Window(200_000, LimitSource.ASSUMED)),
        ("their-own-model", {"client": "claude-code"}, Window(200_000, LimitSource.ASSUMED)),
        ("claude-opus-4-6", {"compacted_at": 167_854}, Window(200_000, LimitSource.ASSUMED)),
        ("claude-opus-4-6", {"compacted_at": 966_000}, Window(1_000_000, LimitSource.MODEL)),
        ("claude-opus-4-6", {"client": "claude-code", "compacted_at": 966_000}, Window(1_000_000, LimitSource.MODEL)),
        ("claude-opus-4-5", {"compacted_at": 155_000}, Window(200_000, LimitSource.MODEL)),
        ("claude-opus-4-6", {"compacted_at": 167_854, "most_taken": 500_000}, Window(1_000_000, LimitSource.MODEL)),
        ("gpt-5.5", {"client": "codex"}, Window(272_000, LimitSource.ASSUMED)),
        ("gpt-5.5", {"client": "codex", "most_taken": 300_000}, Window(400_000, LimitSource.ASSUMED)),
        ("gpt-5.3-codex-spark", {"client": "codex"}, Window(128_000, LimitSource.MODEL)),
        ("claude-sonnet-4.6", {"client": "copilot"}, Window(128_000, LimitSource.ASSUMED)),
        ("claude-sonnet-4.6", {"client": "copilot", "most_taken": 150_000}, Window(200_000, LimitSource.ASSUMED)),
        ("gemini-3-pro", {"client": "gemini-cli"}, Window(1_048_576, LimitSource.MODEL)),
        ("gpt-5.5", {"stated": 258_400}, Window(258_400, LimitSource.CLIENT, leaves_room=True)),
        ("gpt-5.5", {"stated": 19_000, "client": "codex", "most_taken": 23_000}, CODEX_SAYS),
        ("claude-opus-4-6", {"stated": 200_000, "client": "claude-code"}, Window(200_000, LimitSource.CLIENT)),
        ("claude-opus-4-6", {"stated": 1_000_000, "client": "claude-code"}, Window(1_000_000, LimitSource.CLIENT)),
        ("gpt-5.5", {"stated": 258_400, "given": 50_000}, Window(50_000, LimitSource.GIVEN)),
        ("claude-opus-4-6", {"given": 50_000, "compacted_at": 167_854}, Window(50_000, LimitSource.GIVEN)),
        ("their-own-model", {}, Window(128_000, LimitSource.ASSUMED)),
        ("their-own-model", {"most_taken": 5_000_000}, Window(5_000_000, LimitSource.ASSUMED)),
    ],
)
def test_a_window_is_given_stated_known_by_name_or_assumed(model: str, shown: dict[str, Any], window: Window) -> None:
    assert session_window(model, **shown) == window
