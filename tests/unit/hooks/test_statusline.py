from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config
from clew.hooks.quick_settings import reserve
from clew.hooks.session_rows import session_figures
from clew.hooks.statusline import keep_stated_window, status_line
from tests.hook_events import SESSION, STATUS, GrowingSession


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def line(store: str = "", **more: Any) -> str:
    return status_line(json.dumps(STATUS | more).encode(), store)


def test_the_line_of_a_session_that_is_not_stored_says_what_the_client_says(tmp_path: Path) -> None:
    assert line() == "clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k\n"
    path = tmp_path / "session.jsonl"
    path.write_text("{}")
    assert line(transcript_path=str(path)) == "clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k · cache warm\n"
    os.utime(path, (1, 1))
    assert line(transcript_path=str(path)) == "clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k · cache cold\n"
    assert line(prompt_cache={"expires_at": 4e9}, transcript_path=str(path)).endswith("cache warm\n")


@pytest.mark.parametrize(
    ("window", "shown"),
    [
        ({}, "clew"),
        ({"used_percentage": 81}, "clew ▰▰▰▰▰▰▰▰▰▱ 90%"),
        ({"used_percentage": 950}, "clew ▰▰▰▰▰▰▰▰▰▰ 100%"),
        ({"used_percentage": "x", "context_window_size": True}, "clew"),
        ({"used_percentage": None, "current_usage": None, "context_window_size": 200_000}, "clew"),
        ({"used_percentage": 45, "context_window_size": 1_000_000}, "clew ▰▰▰▰▰▱▱▱▱▱ 50% of 900k"),
        ({"context_window_size": 10_000, "current_usage": {"input_tokens": 450}}, "clew ▱▱▱▱▱▱▱▱▱▱ 5% of 9k"),
    ],
)
def test_whatever_is_missing_is_left_out(window: dict[str, Any], shown: str) -> None:
    assert line(context_window=window) == f"{shown}\n"


def test_a_window_that_fills_up_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert line(context_window={"used_percentage": 65}).startswith("clew \x1b[33m▰")
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
    for name in (str(store), f"sqlite:///{store}"):
        found = session_figures(SESSION, name)
        assert found is not None
        assert (found.critical_items, found.drift) == (health.critical_items, health.drift_score)
    shown = f"drift {health.drift_score:.2f} · {health.critical_items} critical"
    assert line(str(store)) == f"clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k · {shown}\n"


def test_a_store_that_is_missing_damaged_or_of_another_program_costs_only_its_part(tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_bytes(b"x" * 5_000)
    assert line(str(tmp_path / "none.db")) == line(str(tmp_path / "bad.db")) == "clew ▰▰▰▱▱▱▱▱▱▱ 34% of 180k\n"
    assert not (tmp_path / "none.db").exists()


def test_the_store_of_the_settings_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = GrowingSession()
    work.work()
    with clew.open(tmp_path / "b.db") as engine:
        engine.import_file(work.path, format="claude-code")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "clew.toml").write_text(f'store = "{tmp_path}/b.db"\n')
    monkeypatch.chdir(tmp_path / "here")
    assert session_figures(SESSION, "") is not None


# ── how full the window is ───────────────────────────────────────────────────────────────────────────


def stated(size: int, asked: int | None = None) -> dict[str, Any]:
    usage = {"input_tokens": 3, "cache_read_input_tokens": asked - 3, "output_tokens": 20} if asked else None
    return {"context_window": {"context_window_size": size, "current_usage": usage}}


def stored(store: Path, asked: int) -> GrowingSession:
    """A session of Claude Code whose provider has just counted a prompt."""
    work = GrowingSession()
    work.work(rounds=40)
    work.reply("Done.", usage={"input_tokens": 3, "cache_read_input_tokens": asked - 3, "output_tokens": 20})
    with clew.open(store) as engine:
        engine.import_file(work.path, format="claude-code")
    return work


def health(store: Path) -> clew.Health:
    with clew.open(store) as engine:
        return engine.find(SESSION).health()


def told(found: clew.Health) -> str:
    return f" {found.utilization:.0%} of {found.tokens_limit // 1000}k · "


def test_the_line_and_health_tell_the_same(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    stored(store, 167_000)
    shown, found = line(str(store), **stated(200_000, 167_000)), health(store)
    assert (found.tokens_used, found.tokens_limit, found.limit_source) == (167_020, 180_000, "assumed")
    assert told(found) in shown
    assert " 93% of 180k · " in shown


def test_a_window_that_nobody_states_is_assumed_as_health_assumes_it(tmp_path: Path) -> None:
    for asked, window in ((68_000, 200_000), (268_000, 1_000_000)):
        store = tmp_path / f"{asked}.db"
        stored(store, asked)
        found = health(store)
        assert found.window == window
        assert told(found) in line(str(store), context_window={})


def test_the_share_that_the_client_gives_goes_before_what_the_store_makes_of_it(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    stored(store, 68_000)
    assert " 68% of 180k · " in line(str(store), context_window={"used_percentage": 61})
    assert " 68% of 900k · " in line(
        str(store), context_window={"used_percentage": 61, "context_window_size": 1_000_000}
    )


@pytest.mark.parametrize("size", [200_000, 1_000_000])
def test_the_window_that_the_client_states_is_kept_with_the_session(tmp_path: Path, size: int) -> None:
    store = tmp_path / "a.db"
    stored(store, 167_000)
    data = json.dumps(STATUS | stated(size, 167_000)).encode()
    for _ in range(2):
        keep_stated_window(data, str(store))
    found = health(store)
    assert (found.window, found.tokens_limit, found.limit_source) == (size, size * 9 // 10, "client")
    assert told(found) in line(str(store), **stated(size, 167_000))
    with clew.open(store) as engine:
        assert [entry.kind for entry in engine.find(SESSION).reader.entries()].count("report") == 1


def test_of_a_session_that_is_not_stored_no_window_is_kept(tmp_path: Path) -> None:
    keep_stated_window(json.dumps(STATUS).encode(), str(tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("asked", [None, 167_000])
def test_after_a_compaction_the_line_tells_what_would_be_sent_next(tmp_path: Path, asked: int | None) -> None:
    store = tmp_path / "a.db"
    stored(store, 167_000)
    with clew.open(store) as engine:
        engine.find(SESSION).compact("aggressive")
    found = health(store)
    assert found.used_source == "pack"
    assert told(found) in line(str(store), **stated(200_000, asked))
    assert " 94% of 180k" in line(str(store), **stated(200_000, 169_000)), "what the provider counted later holds"
    with clew.open(store) as engine:
        engine.find(SESSION).undo()
    assert " 93% of 180k · " in line(str(store), **stated(200_000, asked))


def test_the_settings_that_the_line_needs_are_the_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reserve() == Config().packing.response_reserve
    monkeypatch.setenv("CLEW_PACKING__RESPONSE_RESERVE", "0.2")
    monkeypatch.setenv("CLEW_DISPLAY__TOKENS", "false")
    assert line() == "clew ▰▰▰▰▱▱▱▱▱▱ 39%\n"
