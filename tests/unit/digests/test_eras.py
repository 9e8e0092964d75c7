"""Old headers roll up into eras, and nothing of their number is lost."""

from __future__ import annotations

from clew.digests.eras import era, header_cost, roll_up_headers
from clew.domain import Header, Outcome


def headers(amount: int) -> list[Header]:
    return [
        Header(id=f"x{at}", line=f"rename table {at}", entities=(f"f{at % 3}.py",), tokens=10)
        for at in range(1, amount + 1)
    ]


def test_an_era_spans_its_segments_and_names_the_files_touched_most() -> None:
    found = era(headers(4))
    assert found == Header(
        id="x1–x4",
        line="4 segments: f1.py, f2.py, f0.py; rename table 1; rename table 2",
        topic="rename table 1; rename table 2; rename table 3; rename table 4",
        entities=("f1.py", "f2.py", "f0.py"),
        outcome=Outcome.COMPLETED,
        tokens=40,
        segments=4,
    )


def test_an_era_of_eras_counts_all_their_segments() -> None:
    found = era([era(headers(4)[:2]), era(headers(4)[2:])])
    assert (found.id, found.segments, found.tokens) == ("x1–x4", 4, 40)


def test_headers_that_fit_stay_as_they_are() -> None:
    assert roll_up_headers(headers(5), max_headers=5, max_tokens=1000) == headers(5)


def test_the_oldest_headers_roll_up_and_the_newest_stay() -> None:
    found = roll_up_headers(headers(300), max_headers=200, max_tokens=700)
    assert len(found) <= 200
    assert sum(header_cost(one) for one in found) <= 700
    assert sum(one.segments for one in found) == 300
    assert found[-1] == headers(300)[-1]
    assert found[0].id.startswith("x1–")
