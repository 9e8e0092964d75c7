"""Compaction where it hurts: rewriting, late outputs, listeners that call back, sessions that vanish, huge messages."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import clew
from clew.config import Config, StorageConfig
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.models import Scripted
from clew.ports import ModelRequest
from tests.builders import call, gives, output, says, user
from tests.effort import first
from tests.unit.engine.prompt.test_model_summaries import summary
from tests.unit.engine.prompt.test_trigger import opened, told
from tests.work import work

WINDOW = 180_000
PATIENCE_SECONDS = 60.0


def tokens(session: Session, query: str | None = None, budget: int = WINDOW) -> int:
    pack = session.pack(query, budget=budget, target="openai-chat")
    pack.request("openai-chat")
    return pack.tokens


def at_work(engine: Engine, steps: int = 60) -> Session:
    session = engine.session("s", model="gpt-5")
    session.record(work(steps))
    return session


@pytest.mark.thorough
def test_a_session_may_touch_any_number_of_files() -> None:
    with opened(auto=False) as engine:
        session = engine.session("s")
        for start in range(0, 2_240, 320):
            steps = range(start, start + 320)
            session.record([user(f"Task {start}")])
            session.record(
                [
                    message
                    for at in steps
                    for message in (says(call(f"c{at}", "Read", file_path=f"src/m_{at}.py")), gives(output(f"c{at}")))
                ]
            )
        assert session.info.messages == 7 + 2 * 2_240


def test_a_session_purged_while_a_model_sums_it_up_stays_purged(tmp_path: Path) -> None:
    asked, purged = Event(), Event()

    def slow(question: ModelRequest) -> str:
        asked.set()
        purged.wait(PATIENCE_SECONDS)
        return summary(question)

    with clew.open(tmp_path / "clew.db", model=Scripted(slow)) as engine:
        session = engine.session("s", model="gpt-5")
        for message in work(120):
            session.record([message])
            if message.role != "assistant":
                tokens(session)
            if asked.is_set():
                break
        engine.purge(session.key)
        purged.set()
        engine.wait()
        assert engine.sessions() == []
        assert engine.store.rows(session.key, "summary-cache") == []


def test_a_tools_response_is_masked_before_it_is_kept() -> None:
    key = "sk-ant-api03-" + "A1b2C3d4" * 11
    lines = [f"line {at}: the quay is {at * 7} metres" for at in range(400)]
    text = "\n".join([*lines, f"ANTHROPIC_API_KEY={key}", *lines])
    config = Config(storage=StorageConfig(mask_secrets=True))
    with clew.open(":memory:", config=config) as engine:
        session = engine.session("s")
        session.record([user("Show the log."), says(call("c1", "Bash", command="cat app.log"))])
        session.pack(text, kind="tool_response", tool_id="c1", target="anthropic").request()
        blobs = engine.store.blobs(session.key, engine.store.find_blobs(session.key, ""))
        assert blobs
        assert all(key.encode() not in blob for blob in blobs.values())


def test_the_newest_message_of_a_person_is_not_cut_while_it_fits() -> None:
    paste = "Translate: " + " ".join(f"word{at} is {at}" for at in range(6_500)) + " THE END"
    with opened(background=False) as engine:
        session = at_work(engine, 12)
        tokens(session, budget=60_000)
        session.record([user(paste)])
        pack = session.pack(None, budget=60_000, target="openai-chat")
        assert paste in str(pack.request("openai-chat"))


@pytest.mark.parametrize("how", first(["edit", "rebuild", "late output"]))
def test_what_ends_an_epoch_by_the_way_does_not_send_everything_again(how: str) -> None:
    with opened(background=False) as engine:
        session = engine.session("s", model="gpt-5")
        short = list(told(session, work(80)))[-1][1]
        if how == "edit":
            session.edit("m1", "Task 0: something else.")
        elif how == "rebuild":
            engine.rebuild(session.info)
        else:
            two = [call("k1", "Read", file_path="a.py"), call("k2", "Read", file_path="b.py")]
            session.record([user("go"), says("a", *two), gives(output("k1", "one")), user("never mind"), says("ok")])
            tokens(session)
            session.record([gives(output("k2", "late"))])
        assert tokens(session) < 2 * short


def test_a_second_edit_of_an_old_message_is_seen() -> None:
    with opened(auto=False) as engine:
        session = at_work(engine)
        session.compact()
        tokens(session)
        session.edit("m1", "Task 0: FIRST EDIT of dates.")
        tokens(session)
        session.edit("m1", "Task 0: SECOND EDIT of dates.")
        said = str(session.pack(None, budget=WINDOW, target="openai-chat").request())
        assert ("FIRST EDIT" in said, "SECOND EDIT" in said) == (False, True)


def test_what_fits_is_never_refused_because_a_compaction_would_not() -> None:
    with opened(background=False) as engine:
        session = engine.session("s", model="gpt-5")
        session.record([user("What is the plan for module_a?"), says("We change module_a.py first.")])
        for words in (19_700, 19_850, 19_900):
            assert tokens(session, "word " * words, budget=20_000) <= 20_000


def test_undo_takes_the_compaction_away_whatever_came_between() -> None:
    with opened(auto=False) as engine:
        session = at_work(engine)
        whole = tokens(session)
        session.compact()
        tokens(session)
        two = [call("k1", "Read", file_path="a.py"), call("k2", "Read", file_path="b.py")]
        session.record([user("go"), says("a", *two), gives(output("k1", "one")), user("never mind"), says("ok")])
        tokens(session)
        session.record([gives(output("k2", "late"))])
        tokens(session)
        session.undo()
        assert tokens(session) > whole


def test_of_two_compactions_without_a_pack_between_one_undo_takes_back_one() -> None:
    with opened(auto=False) as engine:
        session = at_work(engine)
        whole = tokens(session)
        first = session.compact().after.tokens
        session.compact("aggressive")
        session.undo()
        assert tokens(session) == first
        session.undo()
        assert tokens(session) == whole


def test_a_compaction_is_not_done_again_on_the_little_that_a_rollback_leaves() -> None:
    with opened(auto=False) as engine:
        session = engine.session("s", model="gpt-5")
        session.record([user("Hello."), says("Hello!"), *work(60)])
        session.compact()
        tokens(session)
        session.rollback(8)
        assert tokens(session) < 60


@pytest.mark.parametrize(
    ("event", "deed"),
    first([("due", "compact"), ("due", "pack"), ("started", "pack"), ("complete", "compact"), ("complete", "pack")]),
)
def test_a_listener_may_call_back(event: str, deed: str) -> None:
    heard: list[Any] = []
    with opened(preset="thrifty", background=False) as engine:
        session = engine.session("s", model="gpt-5")

        def back(told: Any) -> None:
            heard.append(told)
            if len(heard) < 20:
                session.compact() if deed == "compact" else tokens(session)

        engine.on(f"compaction.{event}", back)
        packs = list(told(session, work(80)))
    assert 0 < len(heard) < 20
    assert packs[-1][1] < 60_000


def test_each_compaction_is_announced_once() -> None:
    said: list[str] = []
    with opened(preset="thrifty", background=False) as engine:
        engine.on("*", lambda event: said.append(event.name))
        list(told(engine.session("s", model="gpt-5"), work(80)))
    told_of = "".join(name.removeprefix("compaction.")[0] for name in said if name.startswith("compaction."))
    # One that comes at a natural border is not foreseen; no other is due twice.
    assert re.fullmatch("(d?sc){2,}", told_of)
    assert "d" in told_of


def test_a_small_window_has_its_limits_watched_too() -> None:
    reasons = set()
    with opened(background=False, preset="late") as engine:
        engine.on("compaction.complete", lambda event: reasons.add(event.data["reason"]))
        session = engine.session("s", model="gpt-5", window=16_000)
        for message in work(60):
            session.record([message])
            if message.role != "assistant":
                session.pack(None, target="openai-chat").request()
    assert reasons & {"soft", "hard"}
