from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import clew
from clew.hooks.event import Event
from clew.hooks.listener import HookListener
from clew.hooks.listener_client import ask_listener, sockets_folder
from clew.hooks.program import answer_event
from clew.hooks.switch import pause
from tests.hook_events import RULE, GrowingSession, post_tool_use, pre_compact

LOG = "\n".join(f"2026-03-01 10:00:{n % 60:02d} INFO worker {n} handled order {n}" for n in range(500))


@pytest.fixture(autouse=True)
def _short_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A socket's path must be short."""
    with TemporaryDirectory(prefix="clew-") as folder:
        monkeypatch.setenv("XDG_DATA_HOME", folder)
        monkeypatch.setattr("clew.hooks.listener_client._OFTEN_SECONDS", 20.0)
        yield


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[HookListener]:
    with clew.open(tmp_path / "clew.db") as engine:
        one = HookListener(engine, store="here")
        one.start()
        yield one
        one.close()


@pytest.fixture
def event() -> Event:
    work = GrowingSession()
    work.work()
    return Event("claude-code", "PostToolUse", post_tool_use(work.path, LOG, command="cat app.log"))


def test_whoever_listens_answers(listener: HookListener, event: Event) -> None:
    for _ in range(2):
        answer = ask_listener(event, "here")
        assert answer
        assert "updatedToolOutput" in json.loads(answer)["hookSpecificOutput"]


def test_whoever_listens_answers_what_comes_seldom_too(
    listener: HookListener, event: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    about = pre_compact(Path(event.transcript))
    assert RULE in answer_event(Event("claude-code", "PreCompact", about), "here")
    assert not (
        tmp_path / "here"
    ).exists()  # what would be answered by the hook's own process needs a store of that name


def test_one_of_another_store_does_not_answer(listener: HookListener, event: Event) -> None:
    assert ask_listener(event, "elsewhere") is None


def test_a_listener_says_nothing_while_all_is_paused(listener: HookListener, event: Event) -> None:
    pause()
    assert ask_listener(event, "here") == ""


def test_what_it_cannot_answer_is_left_to_others(listener: HookListener, event: Event) -> None:
    elsewhere = Event("claude-code", "PostToolUse", event.as_dict() | {"transcript_path": "/etc/passwd"})
    assert ask_listener(elsewhere, "here") is None
    assert ask_listener(event, "here")


def test_nobody_listens(event: Event) -> None:
    assert ask_listener(event, "here") is None


def test_the_socket_of_a_process_that_died_is_cleared_away(event: Event) -> None:
    folder = Path(sockets_folder())
    folder.mkdir(parents=True)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(folder / "99999.sock"))
    left.close()
    assert ask_listener(event, "here") is None
    assert list(folder.iterdir()) == []


def test_it_leaves_nothing_behind(tmp_path: Path) -> None:
    with clew.open(tmp_path / "clew.db") as engine:
        one = HookListener(engine, store="")
        one.start()
        assert len(list(Path(sockets_folder()).iterdir())) == 1
        one.close()
    assert list(Path(sockets_folder()).iterdir()) == []
