"""The real program, as a person or a script meets it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import clew
from clew.cli.table import width
from clew.config import Config
from clew.samples import sample
from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, call, jsonl, line
from tests.work import work

PROVIDERS = ["anthropic", "openai-chat", "openai-responses", "gemini"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(jsonl(CONVERSATION))
    return path


def test_import_then_read_everything_back(clew_program: Program, file: Path) -> None:
    imported = clew_program("import", file, "--json").json["imported"]
    assert imported == [
        {
            "path": str(file),
            "format": "claude-code",
            "session": SESSION,
            "messages": 5,
            "new_messages": 5,
            "restored": 0,
            "repairs": 0,
            "skipped": [],
            "derived": {"projections": {"done": 5, "of": 5}, "vectors": None, "encoder": None},
        }
    ]
    listed = clew_program("sessions", "--json").json["sessions"][0]
    assert {"id": SESSION, "title": "Why does the login fail?", "messages": 5, "exchanges": 2}.items() <= listed.items()
    assert {"client", "cwd", "source", "tokens", "updated", "health"} <= listed.keys()
    shown = clew_program("show", "latest", "m4", "x2", "--json").json
    assert [item["messages"] for item in shown["items"]] == [["m4"], ["m5"]]
    assert "cookie is never set" in shown["items"][0]["text"]
    assert set(shown["items"][0]) == {"id", "as", "text", "tokens", "messages"}


def test_a_file_is_read_without_storing_anything(clew_program: Program, file: Path) -> None:
    assert "cookie" in clew_program("show", file, "m4").out
    assert clew_program("sessions", "--json").json["sessions"] == []


def test_standard_input_is_a_source(clew_program: Program) -> None:
    assert "cookie" in clew_program("show", "-", "m4", stdin=jsonl(CONVERSATION)).out


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_exported_passes_the_check_of_its_provider(clew_program: Program, provider: str) -> None:
    done = clew_program("export", sample(), "--to", provider, "--out", "request.json")
    assert done.code == 0
    assert clew_program("check", "request.json", "--for", provider, "--json").json["findings"] == []


def test_a_broken_history_is_found_and_mended(clew_program: Program, tmp_path: Path) -> None:
    broken = {
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "x", "input": {}}]},
            {"role": "user", "content": "and?"},
        ]
    }
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    mend = ["--repair", "--out", "whole.json"]
    found = clew_program("check", "broken.json", "--for", "anthropic", "--json", *mend)
    assert (found.code, found.json["valid"], found.json["findings"][0]["rule"], found.json["findings"][0]["at"]) == (
        1,
        False,
        "A1",
        1,
    )
    assert clew_program("check", "whole.json", "--for", "anthropic").code == 0
    mended = json.loads((tmp_path / "whole.json").read_text())
    assert mended["messages"][2]["content"][0]["tool_use_id"] == "t1"


def test_an_export_of_our_own_comes_back_whole(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    clew_program("export", SESSION, "--to", "clew", "--out", "copy.jsonl")
    clew_program("purge", SESSION, "--yes")
    assert clew_program("import", "copy.jsonl", "--json").json["imported"][0]["messages"] == 5
    assert "cookie" in clew_program("show", SESSION, "m4").out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["show", "nobody"], 3, "no session"),
        (["show", "session.jsonl", "m99"], 3, "m1 to m5"),
        (["import", "missing.jsonl"], 3, "no file"),
        (["import", "nothing"], 3, "no session in nothing"),
        (["import", "empty.jsonl"], 2, "empty"),
        (["import", "session.jsonl", "--format", "claud-code"], 2, "claude-code"),
        (["export", "session.jsonl", "--to", "word"], 2, "word"),
        (["check", "session.jsonl", "--for", "nobody"], 2, "nobody"),
        (["purge"], 2, "say what to delete"),
        (["sessions", "--store", "no/such/folder.db"], 3, "mkdir -p"),
        (["purge", "--older-than", "soon"], 2, "no age"),
        (["export", "session.jsonl", "--to", "anthropic", "--out", "no/such/folder/x"], 5, "cannot write"),
        (["compact", "session.jsonl", "--strategy", "best"], 2, "best"),
        (["compact", "session.jsonl", "--budget", "10"], 4, "budget"),
        (["compact", "nobody"], 3, "no session"),
        (["frobnicate"], 2, "`clew --help`"),
        (["drift"], 2, "missing argument 'SOURCE'"),
        (["show", "session.jsonl", "--wide"], 2, "`clew show --help`"),
        (["pack", "session.jsonl", "--budget", "much"], 2, "'much' is not a whole number"),
        (["show", "session.jsonl", "x1", "--as", "map"], 2, "x1 has no map"),
        (["show", "session.jsonl", "m1", "--as", "tools"], 2, "of the whole session"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(
    clew_program: Program, file: Path, tmp_path: Path, arguments: list[str], code: int, said: str
) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "nothing").mkdir()
    done = clew_program(*arguments)
    assert done.code == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1


def test_one_bad_file_does_not_stop_the_others(clew_program: Program, file: Path) -> None:
    done = clew_program("import", "missing.jsonl", file, "--json")
    assert done.code == 3
    assert [one["session"] for one in done.json["imported"]] == [SESSION]
    assert [one["path"] for one in done.json["failed"]] == ["missing.jsonl"]


def test_control_characters_of_a_transcript_never_reach_the_terminal(clew_program: Program, tmp_path: Path) -> None:
    nasty = "\x1b[31mred\x1b]8;;http://x\x07link\x1b]8;;\x07 \u202eright\u202c \x9b2J bell\x07"
    (tmp_path / "nasty.jsonl").write_bytes(jsonl([line(1, "user", nasty)]))
    for arguments in (["show", "nasty.jsonl", "m1"], ["show", "nasty.jsonl"], ["import", "nasty.jsonl"], ["sessions"]):
        out = clew_program(*arguments).out
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u202c"} & set(out), arguments


def test_secrets_are_masked_for_people_and_kept_in_requests(clew_program: Program, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Zk3" * 30
    (tmp_path / "s.jsonl").write_bytes(jsonl([line(1, "user", f"my key is {key} ok")]))
    assert key not in clew_program("show", "s.jsonl", "m1").out
    assert key not in clew_program("show", "s.jsonl", "m1", "--json").out
    masked = clew_program("export", "s.jsonl", "--to", "openai-chat")
    assert key not in masked.out
    assert masked.err == "1 secret masked; --unmasked keeps what stood there\n"
    whole = clew_program("export", "s.jsonl", "--to", "openai-chat", "--unmasked")
    assert key in whole.out
    assert "masked" not in whole.err


@pytest.mark.parametrize("format", ["anthropic", "clew"])
def test_an_export_tells_how_many_secrets_it_masked(clew_program: Program, tmp_path: Path, format: str) -> None:
    key = "sk-ant-api03-" + "Zk3" * 30
    told = [line(1, "user", f"one {key}"), line(2, "user", f"two {key} and three {key}x")]
    (tmp_path / "s.jsonl").write_bytes(jsonl(told))
    assert clew_program("export", "s.jsonl", "--to", format, "--json").json["masked"] == 3
    whole = clew_program("export", "s.jsonl", "--to", format, "--json", "--unmasked")
    assert whole.json["masked"] == 0
    assert key in whole.out
    told_by = clew_program("export", "s.jsonl", "--to", format, "--out", "s.out").err
    assert told_by == "wrote s.out\n3 secrets masked; --unmasked keeps what stood there\n"


def test_masking_at_rest_keeps_secrets_off_the_disk_and_still_recognises_the_file(
    clew_program: Program, tmp_path: Path
) -> None:
    key = "sk-ant-api03-" + "Zk3" * 30
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        jsonl([line(1, "user", f"my key is {key} ok"), line(2, "assistant", [{"type": "text", "text": "noted"}])])
    )
    clew_program("import", path, CLEW_STORAGE__MASK_SECRETS="1", CLEW_STORE="masked.db")
    again = tmp_path / "again.jsonl"
    again.write_bytes(path.read_bytes())
    report = clew_program("import", again, "--json", CLEW_STORAGE__MASK_SECRETS="1", CLEW_STORE="masked.db").json
    assert report["imported"][0]["new_messages"] == 0
    exported = clew_program("export", SESSION, "--to", "clew", "--unmasked", CLEW_STORE="masked.db").out
    assert key not in exported
    assert "masked" in exported


def test_purge_reaches_the_file_itself(clew_program: Program, tmp_path: Path) -> None:
    word = "xylophonequartz"
    (tmp_path / "s.jsonl").write_bytes(jsonl([line(1, "user", f"{word} one two three")]))
    store = tmp_path / "store.db"
    clew_program.keep(tmp_path / "s.jsonl", store=store)
    assert word.encode() in store.read_bytes()
    assert clew_program("purge", SESSION, "--yes", "--store", store).code == 0
    assert clew_program("sessions", "--json", "--store", store).json["sessions"] == []
    assert all(word.encode() not in part.read_bytes() for part in tmp_path.glob("store.db*"))
    assert clew_program("import", "s.jsonl", "--json", "--store", store).json["imported"][0]["new_messages"] == 1


def test_rebuild_changes_nothing_that_is_shown(clew_program: Program, file: Path) -> None:
    clew_program.keep(file)
    before = clew_program("show", SESSION).out
    assert clew_program("rebuild").code == 0
    assert clew_program("show", SESSION).out == before


def test_doctor_finds_a_damaged_store_and_saves_what_is_readable(
    clew_program: Program, file: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store.db"
    clew_program.keep(file, sample(), store=store)
    assert clew_program("doctor", "--store", store).code == 0
    content = bytearray(store.read_bytes())
    content[-8192:-4096] = os.urandom(4096)
    store.write_bytes(content)
    assert clew_program("doctor", "--store", store).code == 1
    clew_program("doctor", "--repair", "--store", store)
    assert clew_program("doctor", "--store", store).code == 0
    assert list(tmp_path.glob("store.db.damaged-*"))
    assert clew_program("sessions", "--json", "--store", store).json["sessions"]


def test_a_file_that_is_no_store_is_never_written_over(clew_program: Program, file: Path, tmp_path: Path) -> None:
    store = tmp_path / "notes.db"
    store.write_text("my notes, not a database, but long enough to be taken for one\n" * 20)
    done = clew_program("import", file, "--store", store)
    assert done.code == 5
    assert store.read_text().startswith("my notes")


def test_the_store_is_readable_by_its_owner_alone(clew_program: Program, file: Path, tmp_path: Path) -> None:
    clew_program("import", file)
    store = next((tmp_path / "home").rglob("clew.db"))
    assert store.stat().st_mode & 0o777 == 0o600


def test_follow_reports_what_is_new_as_it_is_written(clew_program: Program, file: Path) -> None:
    file.write_bytes(jsonl(CONVERSATION[:2]))
    command = [*clew_program.command, "import", str(file), "--follow", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=clew_program.env, cwd=clew_program.folder) as process:
        assert process.stdout is not None
        try:
            first = json.loads(process.stdout.readline())
            with file.open("ab") as grown:
                grown.write(jsonl(CONVERSATION[2:]))
            second = json.loads(process.stdout.readline())
        finally:
            process.terminate()
    assert (first["new_messages"], second["new_messages"], second["messages"]) == (2, 3, 5)


def test_the_tour_ends_well(clew_program: Program) -> None:
    done = clew_program("demo", "--json")
    assert (done.code, done.err) == (0, "")
    stops = done.json["stops"]
    assert all(stop.keys() == {"about", "command", "exit_code", "output"} for stop in stops)
    assert "valid for anthropic" in stops[-2]["output"]
    assert not [stop for stop in stops if "Traceback" in stop["output"]]
    assert [stop["command"].split()[1] for stop in stops if stop["exit_code"]] == ["check", "check"]


def test_every_command_is_documented(clew_program: Program) -> None:
    text = (Path(__file__).parents[2] / "docs" / "commands.md").read_text()
    listed = [
        one.split()[0]
        for one in clew_program("--help").out.partition("Commands:")[2].splitlines()
        if one.startswith("  ") and one[2:3].strip()
    ]
    assert listed
    assert all(f"## clew {name}\n" in text for name in listed)


def test_an_unanswered_call_is_answered_in_the_request_only(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "open.jsonl").write_bytes(jsonl([*CONVERSATION, call(6, "toolu_9", file_path="x")]))
    request = json.loads(clew_program("export", "open.jsonl", "--to", "anthropic").out)
    assert request["messages"][-1]["content"][0]["tool_use_id"] == "toolu_9"
    assert "toolu_9" not in json.dumps(clew_program("show", "open.jsonl", "m6").out)


def test_compact_look_first_do_it_and_take_it_back(clew_program: Program) -> None:
    id = "work"
    with clew.open(clew_program.store, config=Config()) as engine:
        engine.session(id).record(work(30))
    before = clew_program("pack", id, "--for", "anthropic", "--json").json
    preview = clew_program("compact", id, "--preview", "--json").json
    assert preview["at_stake"] is not None
    assert clew_program("pack", id, "--for", "anthropic", "--json").json == before
    done = clew_program("compact", id, "--strategy", "aggressive", "--keep-recent", "2", "--json").json
    assert set(done) >= {
        "before", "after", "preserved", "summarized", "remembers", "strategy", "rung", "saved_tokens", "undo",
    }  # fmt: skip
    assert done["strategy"] == "aggressive"
    assert done["before"]["tokens"] == before["tokens"]
    after = clew_program("pack", id, "--for", "anthropic", "--json").json
    assert after["tokens"] == done["after"]["tokens"] < before["tokens"] / 3
    assert clew_program("compact", id, "--undo").code == 0
    assert clew_program("pack", id, "--for", "anthropic", "--json").json["request"] == before["request"]
    again = clew_program("compact", id, "--undo")
    assert (again.code, again.err) == (2, f"clew: nothing to undo: session {id} has no compaction to take back\n")


def test_compact_of_a_clients_session_says_that_its_own_prompt_stays(clew_program: Program) -> None:
    with clew.open(clew_program.store, config=Config()) as engine:
        engine.session("work", client="claude-code").record(work(30))
    done = clew_program("compact", "work", "--strategy", "aggressive")
    assert "claude-code goes on with its own prompt" in done.err
    clew_program("compact", "work", "--undo")
    told = clew_program("compact", "work", "--strategy", "aggressive", "--json").json
    assert (told["client"], told["client_tokens"] > told["after"]["tokens"]) == ("claude-code", True)


def test_compact_only_reads_a_file_and_says_so(clew_program: Program) -> None:
    done = clew_program("compact", sample(), "--budget", "4000")
    assert done.code == 0
    assert "on paper" in done.out
    assert "nothing was stored" in done.err
    assert clew_program("sessions", "--json").json["sessions"] == []


def test_a_list_of_sessions_fits_a_narrow_terminal(clew_program: Program) -> None:
    titles = {"a" * 36: "修复登录页面的错误" * 8, "a" * 35 + "b" * 61: "word " * 40, "c" * 36: "short"}
    with clew.open(clew_program.store, config=Config()) as engine:
        for id, title in titles.items():
            engine.session(id, title=title, client="claude-code-beta").record(
                [{"role": "user", "content": "Why does it fail?"}], format="anthropic"
            )
    lines = clew_program("sessions", COLUMNS="80").out.splitlines()
    assert max(map(width, lines)) <= 80
    assert len(lines) == 2 + len(titles)
    assert {one["id"] for one in clew_program("sessions", "--json").json["sessions"]} == titles.keys()
    (short,) = [row.split()[0] for row in lines if "short" in row]
    assert "Why does it fail?" in clew_program("show", short, "m1").out


def test_an_outline_fits_a_narrow_terminal_and_says_what_came_first(clew_program: Program, tmp_path: Path) -> None:
    told = [line(1, "assistant", [{"type": "text", "text": "Hello!"}]), line(2, "user", "修复登录页面的错误 " * 20)]
    (tmp_path / "s.jsonl").write_bytes(jsonl(told))
    lines = clew_program("show", "s.jsonl", COLUMNS="80").out.splitlines()
    assert max(map(width, lines)) <= 80
    assert lines[2].endswith("(before the first request)")
