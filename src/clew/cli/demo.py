"""The command demo: a tour of two minutes on a session that comes with the program."""

from __future__ import annotations


def demo() -> None:
    """Run a tour on a bundled coding session; it stores nothing."""
    from clew.cli.tour import tour

    tour()
