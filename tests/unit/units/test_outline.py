"""Long texts in outline."""

from __future__ import annotations

from clew.units.outline import outline

PLAN = "\n\n".join(
    [
        "# Plan",
        *(
            f"## Part {at}\n\nThe part {at} is moved to its own file. It is read by everybody each day. "
            f"It must stay small because `part_{at}` is loaded by every hook."
            for at in range(12)
        ),
    ]
)


def test_reasons_stand_beside_the_first_sentence() -> None:
    told = outline(PLAN, len(PLAN) - 1)
    assert "It must stay small because `part_3` is loaded by every hook." in told
    assert "read by everybody" not in told


def test_where_room_is_short_headings_and_reasons_stand_before_the_rest() -> None:
    told = outline(PLAN, 1_000)
    assert len(told) <= 1_000
    assert all(f"## Part {at}" in told for at in range(12))
    assert "It must stay small because `part_0` is loaded by every hook." in told
    assert "[…]" in told
    assert "is moved to its own file" not in told


def test_a_log_keeps_its_beginning_and_its_end() -> None:
    told = outline("first " + "noise " * 400 + "last", 100)
    assert told.startswith("first")
    assert told.endswith("last")
