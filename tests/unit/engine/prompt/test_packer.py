"""The packer: what is left out is listed rightly as a session grows, and nothing handed out can change later packs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.config import CompactionConfig, Config
from clew.engine.engine import Engine
from clew.errors import NotFound
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.work import work

BUDGET = 9_000


def test_what_is_left_out_is_the_same_for_a_handle_that_packed_before() -> None:
    config = replace(Config(), compaction=replace(CompactionConfig(), background=False))
    with clew.open(":memory:", config=config, clock=HandClock()) as engine:
        session = engine.session("s", model="gpt-5")
        for at, message in enumerate(work(50, lines=40)):
            session.record([message])
            pack = session.pack(None, budget=BUDGET)
            if at == 60:
                session.rollback(1)
            elif at % 7 == 0:
                fresh = engine.find("s").pack(None, budget=BUDGET)
                assert (fresh.left_out, fresh.digest) == (pack.left_out, pack.digest)
        assert pack.epoch > 1
        assert len(pack.left_out) > 4


def test_one_look_after_another_lists_what_each_leaves_out(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    session.record(work(50, lines=40))
    for query in (None, "Which module accepts dates before 1970?", None):
        looked = session.pack(query, budget=BUDGET, record=False)
        assert looked.left_out == engine.find("s").pack(query, budget=BUDGET, record=False).left_out


def test_changing_a_request_changes_nothing_else(engine: Engine) -> None:
    session, other = engine.session("s"), engine.session("t")
    for one in (session, other):
        one.record(work(6, lines=10))
    first = session.pack(None, budget=60_000)
    digest, before = first.digest, json.dumps(first.request())
    handed = first.request()
    handed["model"] = "claude-sonnet-5"
    for message in handed["messages"]:
        message["content"] = "nothing"
    assert (first.digest, json.dumps(first.request())) == (digest, before)
    second, untouched = (one.pack("Go on.", budget=60_000).request() for one in (session, other))
    assert second == untouched


def test_a_long_session_that_has_gone_cold_is_small_from_its_first_pack_on(clock: HandClock) -> None:
    config = replace(Config(), compaction=replace(CompactionConfig(), background=False))
    with clew.open(":memory:", config=config, clock=clock) as engine:
        session = engine.session("s", model="gpt-5")
        session.record(work(160, lines=120))
        clock.time += 86_400
        sizes = [session.pack(None, budget=180_000).tokens for _ in range(2)]
    assert max(sizes) < 40_000


def test_a_pack_after_a_purge_writes_nothing(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("Run it."), says("Now.", call("c1", "Bash", command="make"))])
    engine.find("s")
    engine.purge(session.key)
    text = "\n".join(f"12:00 INFO harbor: reading {at} is fine" for at in range(2_000))
    with pytest.raises((NotFound, clew.ClewError)):
        session.pack(text, budget=BUDGET, kind="tool_response", tool_id="c1")
    assert engine.store.find_blobs(session.key, "") == []


def test_a_reply_that_waits_for_its_output_survives_a_new_version(tmp_path: Path) -> None:
    """A call that was open when the store was closed is answered after it is opened again."""
    for _ in range(2):
        with clew.open(tmp_path / "clew.db") as engine:
            session = engine.session("s")
            if not session.info.messages:
                session.record([user("Read it."), says("Yes.", call("c1", "Read", file_path="a.py"))])
            else:
                session.record([gives(output("c1", "x = 1"))])
                assert session.info.messages == 3


@pytest.mark.parametrize("target", ["anthropic", "openai-chat", "openai-responses", "gemini", "text"])
def test_a_question_that_is_recorded_already_is_sent_and_recorded_once(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("What is a keel?"), says("A beam."), user("Of which wood?")])
    pack = session.pack("Of which wood?", budget=4_000, target=target)
    assert json.dumps(pack.text if target == "text" else pack.request()).count("Of which wood?") == 1
    session.reply("Of oak.")
    assert [message.text for message in session.messages()] == [
        "What is a keel?",
        "A beam.",
        "Of which wood?",
        "Of oak.",
    ]
    again = session.pack("Of which wood?", budget=4_000, target=target)
    assert json.dumps(again.text if target == "text" else again.request()).count("Of which wood?") == 2


def test_a_recorded_question_is_asked_once_though_the_history_is_long(engine: Engine) -> None:
    session, question = engine.session("s", model="gpt-5"), "Which module accepts dates before 1970?"
    session.record([*work(50, lines=40), user(question)])
    asked = session.pack(question, budget=BUDGET, target="openai-chat")
    contents = [message["content"] for message in asked.request()["messages"]]
    assert sum(piece["text"] == question for one in contents if isinstance(one, list) for piece in one) == 1
    assert "retrieved" in {section.name for section in asked.sections}
