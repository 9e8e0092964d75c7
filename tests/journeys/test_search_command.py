"""Finding things again, as a person or a script does it."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, jsonl


def test_a_store_and_a_file_are_searched(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    assert clew_program("import", "session.jsonl").code == 0
    [first, *_] = clew_program("search", "why is the session cookie not set?", "--json").json["results"]
    assert first.keys() == {"id", "session", "kind", "score", "messages", "text", "source"}
    assert (first["id"], first["session"], first["kind"], first["messages"][0]) == ("x1", SESSION, "segment", "m4")
    inside = clew_program("search", "cookie", "--session", "session.jsonl", "--limit", "1", "--json", "--explain").json
    assert inside["results"][0]["why"]["words"] > 0
    shown = clew_program("search", "-", "--explain", stdin=b"cookie").out
    assert shown.startswith(f"{SESSION} x1  segment  ")
    assert f"from {SESSION}#m4\n" in shown


def test_a_search_that_cannot_be_made_is_refused_in_one_line(clew_program: Program) -> None:
    assert (clew_program("search", " ").code, clew_program("search", "x", "--kind", "story").code) == (2, 2)
    assert clew_program("search", "x", "--session", "nobody").code == 3
    assert clew_program("search", "x").out == "nothing matches; try other words\n"
