"""Searches: matches stand under their file, and every file is named."""

from __future__ import annotations

from clew.curation.reducers import searches


def test_matches_stand_under_their_file_with_their_line() -> None:
    text = (
        "src/quay.py:12:def moor(line):\nsrc/quay.py-13-    pass\nsrc/pilot.py:4:    moor(line)\nsrc/quay.py:40:moor(2)"
    )

    assert searches.reduce(text, 1_000) == (
        "src/quay.py (2 matches)\n 12: def moor(line):\n 13- pass\n 40: moor(2)\nsrc/pilot.py\n 4: moor(line)"
    )


def test_a_path_in_full_and_in_short_is_one_file() -> None:
    text = "src/quay.py:12:moor()\n/home/ada/src/quay.py-13-pass"

    assert searches.reduce(text, 1_000) == "src/quay.py\n 12: moor()\n 13- pass"


def test_every_file_with_matches_is_named_before_any_shows_its_second() -> None:
    text = "\n".join(f"src/part_{n % 20}.py:{n}:use(crane)" for n in range(400))

    shown = searches.reduce(text, 1_000) or ""

    assert [n for n in range(20) if f"src/part_{n}.py (20 matches)" not in shown] == []
