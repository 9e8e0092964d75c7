"""Commands: JSON among the lines is shown by its shape."""

from __future__ import annotations

from clew.curation.reducers import commands


def test_several_lines_of_json_share_the_room() -> None:
    row = '{"id": %d, "body": "' + "the ship sails at noon " * 90 + '"}'

    shown = commands.reduce("posted\n" + "\n".join(row % n for n in range(3)) + "\nnothing more to do", 3_000)

    assert [n for n in range(3) if f"id: {n}" not in shown] == []
    assert len(shown) <= 3_000
