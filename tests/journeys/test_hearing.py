"""What the encoder hears in imported sessions, as whoever comes next has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.codecs import jsonio
from tests.journeys.program import Program

pytest.importorskip("clew_encoder")

#: Said without any word by which rules are known, and long before the newest messages.
QUIET = "leave go.sum alone unless go mod tidy wrote it"
HEARING = {"CLEW_CRITICAL__ENCODER": "true"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    said: list[dict[str, Any]] = [{"role": "user", "content": QUIET}, {"role": "assistant", "content": "Noted."}]
    for at in range(40):
        said += [
            {"role": "user", "content": f"Now part {at}."},
            {"role": "assistant", "content": f"Part {at} is done."},
        ]
    path = tmp_path / "talk.json"
    path.write_bytes(jsonio.dumps({"model": "gpt-5", "messages": said}))
    return path


def pinned(program: Program) -> list[str]:
    return [one["text"] for one in program("pins", "latest", "--json").json["pins"]]


def test_all_that_people_said_in_a_file_is_heard_before_the_import_ends(clew_program: Program, file: Path) -> None:
    done = clew_program("import", file, "--json", **HEARING)
    assert done.json["imported"][0]["derived"]["encoder"] == {"done": 82, "of": 82}
    assert pinned(clew_program) == [QUIET]


def test_an_import_that_does_not_wait_says_what_is_unread_and_the_next_one_reads_it(
    clew_program: Program, file: Path
) -> None:
    first = clew_program("import", file, "--no-wait", **HEARING)
    before = pinned(clew_program)
    clew_program("import", file, **HEARING)
    assert "has not read 82 messages yet; `clew rebuild --missing` has it read on" in first.err
    assert (before, pinned(clew_program)) == ([], [QUIET])


def test_what_an_import_left_is_read_on_request(clew_program: Program, file: Path) -> None:
    clew_program("import", file, "--no-wait", **HEARING)
    [id] = clew_program("rebuild", "--missing", "--json", **HEARING).json["completed"]
    assert pinned(clew_program) == [QUIET]
    assert clew_program("rebuild", "--missing", **HEARING).out == "completed 0 sessions; nothing is missing of 1\n"
    assert clew_program("sessions", "--json", **HEARING).json["sessions"][0]["id"] == id


def test_doctor_says_how_far_everything_derived_has_come(clew_program: Program, file: Path) -> None:
    clew_program("import", file, "--no-wait", **HEARING)
    checks = clew_program("doctor", "--json", **HEARING).json["checks"]
    derived = next(check for check in checks if check["check"] == "derived")["derived"]
    assert derived["encoder"] == {"done": 0, "of": 82}
    assert derived["projections"]["of"] == 82
    assert derived["vectors"] is None


def test_without_an_encoder_an_import_reads_nothing(clew_program: Program, file: Path) -> None:
    done = clew_program("import", file, "--json")
    assert (done.json["imported"][0]["derived"]["encoder"], done.err) == (None, "")
