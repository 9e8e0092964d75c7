"""Sessions of several users in one store, as the program lists, finds and searches them."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, jsonl


def test_each_user_has_sessions_of_their_own_and_without_one_all_are_seen(
    clew_program: Program, tmp_path: Path
) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(jsonl(CONVERSATION))
    clew_program("import", file)
    clew_program("import", file, "--user", "ana")
    listed = clew_program("sessions", "--json").json["sessions"]
    assert sorted((one["user"], one["id"]) for one in listed) == [("ana", SESSION), ("default", SESSION)]
    assert [one["user"] for one in clew_program("sessions", "--user", "ana", "--json").json["sessions"]] == ["ana"]
    assert [one["user"] for one in clew_program("sessions", "--json", CLEW_USER="ana").json["sessions"]] == ["ana"]
    assert "  ana  " in clew_program("sessions").out
    several = clew_program("show", SESSION)
    assert (several.code, several.err) == (
        2,
        f"clew: session {SESSION} is there for 2 users, ana, default; name one with --user\n",
    )
    assert clew_program("show", SESSION, "--user", "ana").code == 0
    assert clew_program("purge", SESSION, "--user", "ana", "--yes").code == 0
    assert [one["user"] for one in clew_program("sessions", "--json").json["sessions"]] == ["default"]


def test_the_profile_is_taken_from_and_shown_for_the_user_of_the_session(clew_program: Program, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text('{"messages": [{"role": "user", "content": "I live in Brno."}]}')
    clew_program("import", file, "--session", "talk", "--user", "ana")
    assert "I live in Brno." in clew_program("profile", "learn", "talk").out
    assert "I live in Brno." not in clew_program("profile", "show").out
    assert "I live in Brno." in clew_program("profile", "show", "--user", "ana").out
