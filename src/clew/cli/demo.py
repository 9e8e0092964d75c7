"""demo: a tour of two minutes on a session that comes with the program."""

from __future__ import annotations


def demo() -> None:
    """A tour on a bundled coding session; it stores nothing."""
    from clew.cli.touring import tour

    tour()
