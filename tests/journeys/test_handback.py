"""The commands export and handback, as somebody types them who goes on in Claude Code or Codex."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.journeys.program import Program
from tests.lines import line

KEY = "sk-ant-api03-" + "a1B2" * 20


@pytest.fixture
def file(clew_program: Program) -> Path:
    path = clew_program.folder / "s.jsonl"
    lines = [line(1, "user", f"Rotate the key {KEY}."), line(2, "assistant", [{"type": "text", "text": "Rotated."}])]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def test_a_session_is_written_into_the_folder_of_its_client(clew_program: Program, file: Path) -> None:
    home = {"CODEX_HOME": str(clew_program.folder / "codex")}
    done = clew_program("handback", file, "--to", "codex", "--write", "--json", **home)
    assert done.code == 0, done.err
    place = Path(done.json["out"])
    assert place.is_relative_to(clew_program.folder / "codex" / "sessions")
    assert done.json["command"] == f"codex resume {done.json['id']}"
    assert KEY in place.read_text()
    assert oct(place.stat().st_mode & 0o777) == "0o600"

    again = clew_program("handback", file, "--to", "codex", "--write", **home)
    assert (
        again.out == f"{place} is there already, as it would be written\ngo on with: codex resume {done.json['id']}\n"
    )
    place.write_text(place.read_text() + '{"type": "event_msg"}\n')
    gone_on = clew_program("handback", file, "--to", "codex", "--write", **home)
    assert gone_on.code == 2
    assert f"not replaced; go on with `codex resume {done.json['id']}`" in gone_on.err
    assert place.read_text().endswith('{"type": "event_msg"}\n')


def test_without_a_place_it_is_a_prompt(clew_program: Program, file: Path) -> None:
    done = clew_program("handback", file, "--to", "cursor")
    assert done.out.startswith("Go on with session ")
    assert f"Rotate the key {KEY}." in done.out
    assert done.err.endswith("can be read by its id once the file is stored; `clew import` does that\n")


def test_a_file_goes_where_it_is_asked_for(clew_program: Program, file: Path) -> None:
    out = clew_program.folder / "new.jsonl"
    done = clew_program("handback", file, "--to", "claude-code", "--whole", "--out", out, "--folder", "/")
    assert done.out.splitlines()[0].startswith(f"wrote {out}; Claude Code looks for it at ")
    assert "go on with: cd / && claude --resume " in done.out
    assert [json.loads(line)["cwd"] for line in out.read_text().splitlines() if '"cwd"' in line] == ["/", "/"]


def test_an_export_masks_what_leaves(clew_program: Program, file: Path) -> None:
    masked = clew_program("export", file, "--to", "claude-code")
    assert KEY not in masked.out
    assert masked.err == "1 secret masked; --unmasked keeps what stood there\n"
    whole = clew_program("export", file, "--to", "codex", "--json", "--unmasked").json
    assert whole["lines"][0]["payload"]["id"] == whole["id"]
    assert KEY in str(whole["lines"])


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--to", "cursor", "--write"], "no session files are written for 'cursor'; there are claude-code, codex"),
        (["--to", "notepad"], "no client 'notepad'; there are claude-code, codex, "),
        (["--to", "codex", "--whole"], "add --write, or --out FILE"),
        (["--to", "codex", "--whole", "--budget", "9", "--out", "x"], "give one of them"),
        (["--to", "codex", "--write", "--out", "x"], "give one of them"),
        (["--to", "codex", "--write", "--folder", "no/such"], "no folder no/such; --folder names where the client"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(clew_program: Program, file: Path, options: list[str], what: str) -> None:
    done = clew_program("handback", file, *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert what in done.err
