"""Headers of what nothing else names; the oldest roll up into an era, and none is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.domain import Header
from clew.packing.timeline import era_line, timeline_lines


def headers(amount: int) -> list[Header]:
    return [Header(id=f"x{at}", line=f"rename table {at}", tokens=10) for at in range(1, amount + 1)]


def words(text: str) -> int:
    return len(text.split())


def test_headers_that_fit_stay_as_they_are() -> None:
    lines = timeline_lines(headers(2), (), room=100, count=words)
    assert lines == [("x1", "rename table 1"), ("x2", "rename table 2")]


def test_exchanges_that_are_named_elsewhere_have_no_header() -> None:
    assert timeline_lines(headers(3), {1, 3}, room=100, count=words) == [("x2", "rename table 2")]


def test_the_oldest_headers_roll_up_into_an_era_and_the_newest_stay() -> None:
    lines = timeline_lines(headers(9), (), room=40, count=words)
    assert lines[0][0].startswith("x1–")
    assert lines[-1] == ("x9", "rename table 9")
    assert sum(words(f"{id} {line}") + 1 for id, line in lines) <= 40


def test_an_era_says_how_many_it_stands_for_and_how_they_began() -> None:
    assert era_line(headers(3)) == ("x1–x3", "3 segments: rename table 1; rename table 2; rename table 3")


@given(st.integers(0, 60), st.integers(12, 200))
def test_every_segment_stands_under_some_id(amount: int, room: int) -> None:
    lines = timeline_lines(headers(amount), (), room=room, count=words)
    spans = [id.removeprefix("x").split("–x") for id, _ in lines]
    covered = [at for span in spans for at in range(int(span[0]), int(span[-1]) + 1)]
    assert covered == list(range(1, amount + 1))
