"""Segments are named by their exchange as long as that is enough."""

from __future__ import annotations

from clew.domain.segments import Segment, shortest_ids


def test_a_segment_that_is_its_whole_exchange_goes_by_the_id_of_it() -> None:
    found = [
        Segment(exchange=exchange, part=part, first=1, last=1) for exchange, part in ((0, 1), (1, 1), (2, 1), (2, 2))
    ]
    assert shortest_ids(found) == ["x0", "x1", "x2.1", "x2.2"]
