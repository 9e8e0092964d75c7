"""Source locations of failures stay visible."""

from __future__ import annotations

from clew.curation.reducers import testruns


def test_places_of_failures_that_do_not_fit_are_listed() -> None:
    text = "\n".join(f"FAILED tests/test_part_{n}.py:{n} - {'the crane did not lift the load ' * 6}" for n in range(60))

    shown = testruns.reduce(text, 6_000)

    assert [n for n in range(60) if f"tests/test_part_{n}.py:{n}" not in shown] == []
