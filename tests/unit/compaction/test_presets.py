"""Presets: how much is left by how much may be sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.compaction.presets import PRESETS, target_tokens
from clew.config import CompactionConfig


def left(preset: str, limit: int) -> int:
    return target_tokens(replace(CompactionConfig(), preset=preset), limit)


def test_balanced_is_the_default_and_grows_with_what_may_be_sent() -> None:
    assert CompactionConfig().preset == "balanced"
    assert 16_000 <= left("balanced", 180_000) <= 20_000
    assert left("balanced", 28_000) < left("balanced", 180_000) < left("balanced", 900_000) < 0.1 * 900_000


@pytest.mark.parametrize("limit", [7_200, 14_400, 28_800, 115_200, 180_000, 360_000, 900_000])
def test_presets_leave_more_from_one_to_the_next_and_always_room_to_grow(limit: int) -> None:
    sizes = [left(name, limit) for name in ("thrifty", "balanced", "roomy", "late")]
    assert sizes == sorted(sizes)
    assert sizes[1] < sizes[2] < sizes[3] <= limit / 2


def test_a_small_window_gets_a_small_snapshot() -> None:
    assert all(left(name, 7_200) <= 0.35 * 7_200 for name in ("thrifty", "balanced"))
    assert left("roomy", 7_200) <= 0.4 * 7_200


def test_a_size_that_was_set_is_the_size() -> None:
    config = replace(CompactionConfig(), target_tokens=20_000)
    assert {target_tokens(replace(config, preset=name), 180_000) for name in PRESETS} == {20_000}
