"""The command demo: a tour of two minutes on a session that comes with the program."""

from __future__ import annotations

from clew.cli.options import AsJson


def demo(as_json: AsJson = False) -> None:
    """Run a tour on a bundled coding session; it stores nothing."""
    from clew.cli.output import print_json
    from clew.cli.tour import stops, tour

    if as_json:
        print_json({"stops": [stop.as_dict() for stop in stops()]})
    else:
        tour()
