from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest

import clew
from clew.engine.engine import Engine
from clew.hooks.event import Event
from clew.hooks.journal import log_path
from clew.hooks.listener.client import announce, ask_listener, frame_message, read_frame
from clew.hooks.listener.server import HookListener
from clew.hooks.listener.sockets import (
    OWN,
    SERVER,
    dismiss_listeners,
    ensure_folder,
    is_own,
    listeners,
    place_of,
    process_of,
    running_listeners,
    socket_path,
    sockets_folder,
)
from clew.hooks.program import answer_event
from clew.hooks.switch import pause
from tests.hook_events import RULE, GrowingSession, post_tool_use, pre_compact, session_start

LOG = "\n".join(f"2026-03-01 10:00:{n % 60:02d} INFO worker {n} handled order {n}" for n in range(500))


@pytest.fixture(autouse=True)
def _short_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sockets lie in the data folder where its path is short."""
    with TemporaryDirectory(prefix="clew ") as folder:
        monkeypatch.setenv("XDG_DATA_HOME", folder)
        monkeypatch.setattr("clew.hooks.listener.client._OFTEN_SECONDS", 20.0)
        yield


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with clew.open(tmp_path / "clew.db") as opened:
        yield opened


@pytest.fixture
def listener(engine: Engine) -> Iterator[HookListener]:
    with listening(engine, "here") as one:
        yield one


@contextmanager
def listening(engine: Engine, store: str) -> Iterator[HookListener]:
    one = HookListener(lambda: engine, place=place_of(store), kind=SERVER)
    assert one.start()
    try:
        yield one
    finally:
        one.close()


@contextmanager
def answering(*frames: bytes) -> Iterator[None]:
    """Somebody who listens for the store "here", sends these frames, and goes."""
    assert ensure_folder()
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(socket_path(place_of("here"), SERVER))
        listens.listen()

        def answer() -> None:
            line, _ = listens.accept()
            with line:
                read_frame(line)
                line.sendall(b"".join(frames))

        thread = Thread(target=answer)
        thread.start()
        yield
        thread.join()


@pytest.fixture
def event() -> Event:
    work = GrowingSession()
    work.work()
    return Event("claude-code", "PostToolUse", post_tool_use(work.path, LOG, command="cat app.log"))


def compacted(event: Event) -> Event:
    return Event("claude-code", "PreCompact", pre_compact(Path(event.transcript)))


def test_whoever_listens_answers(listener: HookListener, event: Event) -> None:
    for _ in range(2):
        answer = ask_listener(event, "here")
        assert answer
        assert "updatedToolOutput" in json.loads(answer)["hookSpecificOutput"]


def test_whoever_listens_answers_what_comes_seldom_too(
    listener: HookListener, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.hooks.program._answer_here", lambda *_: pytest.fail("the hook answers by itself"))
    assert RULE in answer_event(compacted(event), "here")


def test_one_of_another_store_does_not_answer(listener: HookListener, event: Event) -> None:
    assert ask_listener(event, "elsewhere") is None


def test_one_with_other_settings_does_not_answer(
    listener: HookListener, event: Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = str(Path("here").absolute())
    assert ask_listener(event, store)
    monkeypatch.chdir(tmp_path)
    assert ask_listener(event, store)
    (tmp_path / "clew.toml").write_text("[curation]\nenabled = false\n")
    assert ask_listener(event, store) is None
    (tmp_path / "clew.toml").unlink()
    monkeypatch.setenv("CLEW_USER", "ada")
    assert ask_listener(event, store) is None


def test_a_listener_says_nothing_while_all_is_paused(listener: HookListener, event: Event) -> None:
    pause()
    assert ask_listener(event, "here") == ""


def test_what_it_cannot_answer_is_left_to_others(listener: HookListener, event: Event) -> None:
    elsewhere = Event("claude-code", "PostToolUse", event.as_dict() | {"transcript_path": "/etc/passwd"})
    assert ask_listener(elsewhere, "here") is None
    assert ask_listener(event, "here")


def test_a_session_that_begins_is_followed_from_its_first_words(listener: HookListener, engine: Engine) -> None:
    work = GrowingSession()
    path = work.path.with_name("6f1d2c3b-0000-4000-8000-0000000000b2.jsonl")
    announce(Event("claude-code", "SessionStart", session_start(path, "startup")), "here")
    while not listener.events:
        continue
    assert not listener.use_idle_time()
    work.work()
    path.write_bytes(work.path.read_bytes().replace(work.session.encode(), path.stem.encode()))
    assert listener.use_idle_time()
    assert [info.key.id for info in engine.infos()] == [path.stem]
    assert not listener.use_idle_time()


def test_a_session_that_nobody_writes_to_is_followed_no_longer(
    listener: HookListener, event: Event, engine: Engine
) -> None:
    assert ask_listener(event, "here")
    os.utime(event.transcript, (1, 1))
    listener.use_idle_time()
    assert listener._access is not None
    assert not listener._access._followed


def test_events_are_answered_while_another_session_is_read(
    listener: HookListener, event: Event, engine: Engine
) -> None:
    """Who reads a long transcript holds the store's writers back, and no reader."""
    assert RULE in (ask_listener(compacted(event), "here") or "")
    with engine.store.transaction():
        assert RULE in (ask_listener(compacted(event), "here") or "")


def test_what_is_read_for_several_at_once_is_stored_once(
    listener: HookListener, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.hooks.listener.server.IDLE_SECONDS", 0.001)
    monkeypatch.setattr("clew.hooks.listener.client._HEARD_SECONDS", 60.0)
    monkeypatch.setattr("clew.hooks.listener.client._SECONDS", 60.0)
    work, answers = GrowingSession(), list[str | None]()
    work.work()

    def ask() -> None:
        answers.extend(
            ask_listener(compacted(Event("", "", {"transcript_path": str(work.path)})), "here") for _ in "ab"
        )

    listener.follow()
    threads = [Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    said = [f"Do the thing with number {number}." for number in range(40)]
    for text in said:
        work.say(text)
        work.reply("Done.")
    for thread in threads:
        thread.join()
    listener.use_idle_time()
    assert [RULE in (answer or "") for answer in answers] == [True] * 6
    found = [one.text for one in engine.session(work.session).messages()]
    assert [text for text in found if text.startswith("Do the thing")] == said
    assert not Path(log_path()).exists()


def test_nobody_listens(event: Event) -> None:
    assert ask_listener(event, "here") is None


def test_one_that_is_stopped_at_work_leaves_the_event_to_the_hook(event: Event) -> None:
    with answering(frame_message(b"")):
        assert ask_listener(compacted(event), "here") is None
    assert not Path(log_path()).exists()


def test_one_that_does_not_hear_in_time_leaves_what_comes_seldom_to_the_hook(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.hooks.listener.client._HEARD_SECONDS", 0.01)
    monkeypatch.setattr("clew.hooks.listener.client._OFTEN_SECONDS", 0.01)
    assert ensure_folder()
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.bind(socket_path(place_of("here"), SERVER))
        deaf.listen()
        assert ask_listener(compacted(event), "here") is None
        assert ask_listener(event, "here") == ""
    said = Path(log_path()).read_text().splitlines()
    assert [line.partition("time; ")[2] for line in said] == ["the hook answers by itself", "nothing was added"]


def test_the_socket_of_a_process_that_died_is_cleared_away(event: Event) -> None:
    assert ensure_folder()
    left = socket.socket(socket.AF_UNIX)
    left.bind(f"{sockets_folder()}/{place_of('here')}-mcp-99999999.sock")
    left.close()
    assert [process_of(path) for path in listeners()] == [99_999_999]
    assert running_listeners() == []
    assert ask_listener(event, "here") is None
    assert listeners() == []


def test_it_leaves_nothing_behind(engine: Engine) -> None:
    with listening(engine, ""):
        (path,) = listeners()
        assert [Path(place).stat().st_mode & 0o777 for place in (path, sockets_folder())] == [0o600, 0o700]
    assert not Path(sockets_folder()).exists()


def test_a_long_path_has_its_sockets_elsewhere(
    engine: Engine, event: Event, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ("long" * 30)))
    folder = Path(sockets_folder())
    assert len(str(folder)) < 60
    with listening(engine, "here"):
        assert is_own(str(folder))
        assert ask_listener(event, "here")
    assert not folder.exists()


def test_a_folder_of_somebody_else_is_not_used(engine: Engine, monkeypatch: pytest.MonkeyPatch, event: Event) -> None:
    with listening(engine, "here"):
        monkeypatch.setattr("clew.hooks.listener.sockets.os.getuid", lambda: 12345)
        assert listeners() == []
        assert not ensure_folder()


def test_a_store_in_memory_has_no_place(listener: HookListener, event: Event) -> None:
    assert place_of(":memory:") == ""
    assert ask_listener(event, ":memory:") is None
    assert not HookListener(lambda: pytest.fail("opened"), place="", kind=SERVER).start()


def test_where_no_process_may_be_started_the_hook_answers(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOOKS__LISTENER_MINUTES", "10")
    monkeypatch.setattr("sys.executable", "/no/such/python")
    assert ask_listener(compacted(event), "here") is None
    assert "no listener can be started" in Path(log_path()).read_text()


def test_only_listeners_that_hooks_have_started_are_dismissed(engine: Engine) -> None:
    own = HookListener(lambda: engine, place=place_of("here"), kind=OWN)
    with listening(engine, "here") as server:
        assert own.start()
        assert listeners() == [server.path, own.path]
        assert dismiss_listeners() == 1
        assert listeners() == [server.path]
        own.close()
