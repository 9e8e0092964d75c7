from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.hooks.session_rows import session_signals
from clew.hooks.statusline import status_line
from tests.hook_events import SESSION, STATUS, GrowingSession


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def line(store: str = "", **more: Any) -> str:
    return status_line(json.dumps(STATUS | more).encode(), store)


def test_the_line_of_a_session_that_is_not_stored_says_what_the_client_says(tmp_path: Path) -> None:
    assert line() == "clew ▰▰▰▱▱▱▱▱▱▱ 31%\n"
    path = tmp_path / "session.jsonl"
    path.write_text("{}")
    assert line(transcript_path=str(path)) == "clew ▰▰▰▱▱▱▱▱▱▱ 31% · cache warm\n"
    os.utime(path, (1, 1))
    assert line(transcript_path=str(path)) == "clew ▰▰▰▱▱▱▱▱▱▱ 31% · cache cold\n"
    assert line(prompt_cache={"expires_at": 4e9}, transcript_path=str(path)).endswith("cache warm\n")


@pytest.mark.parametrize(
    ("window", "shown"),
    [
        ({}, "clew"),
        ({"used_percentage": 96}, "clew ▰▰▰▰▰▰▰▰▰▰ 96%"),
        ({"used_percentage": 950}, "clew ▰▰▰▰▰▰▰▰▰▰ 100%"),
        ({"used_percentage": "x", "context_window_size": True}, "clew"),
        ({"used_percentage": None, "current_usage": None, "context_window_size": 200_000}, "clew"),
        ({"context_window_size": 1000, "current_usage": {"input_tokens": 50}}, "clew ▱▱▱▱▱▱▱▱▱▱ 5%"),
    ],
)
def test_whatever_is_missing_is_left_out(window: dict[str, Any], shown: str) -> None:
    assert line(context_window=window) == f"{shown}\n"


def test_a_window_that_fills_up_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert line(context_window={"used_percentage": 75}).startswith("clew \x1b[33m▰")
    assert line(context_window={"used_percentage": 92}).startswith("clew \x1b[31m▰")


def test_rows_say_what_the_engine_says(tmp_path: Path) -> None:
    work, store = GrowingSession(), tmp_path / "a.db"
    work.work(rounds=6)
    for text in ("Answer in German from now on.", "Use tabs, never spaces.", "Look at the invoices now, please."):
        work.say(text)
        work.call("Bash", "ok", command="psql production -c 'DROP TABLE x'")
    with clew.open(store) as engine:
        engine.import_file(work.path, format="claude-code")
        session = engine.find(SESSION)
        session.pin("x" * 2_000, kind="decision")
        health = session.health()
    assert health.critical_items >= 2
    assert session_signals(SESSION, str(store)) == (health.critical_items, health.drift_score)
    assert session_signals(SESSION, f"sqlite:///{store}") == (health.critical_items, health.drift_score)
    shown = f"drift {health.drift_score:.2f} · {health.critical_items} critical"
    assert line(str(store)) == f"clew ▰▰▰▱▱▱▱▱▱▱ 31% · {shown}\n"


def test_a_store_that_is_missing_damaged_or_of_another_program_costs_only_its_part(tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"x" * 5_000)
    assert line(str(tmp_path / "none.db")) == line(str(tmp_path / "bad.db")) == "clew ▰▰▰▱▱▱▱▱▱▱ 31%\n"
    assert not (tmp_path / "none.db").exists()


def test_the_store_of_the_settings_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = GrowingSession()
    work.work()
    with clew.open(tmp_path / "b.db") as engine:
        engine.import_file(work.path, format="claude-code")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "clew.toml").write_text(f'store = "{tmp_path}/b.db"\n')
    monkeypatch.chdir(tmp_path / "here")
    assert session_signals(SESSION, "") is not None
