"""Feedback on chunks is that of a user, over all their sessions; that on messages is a session's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.domain import EntryKind, UnitUse
from clew.domain.modules import Module
from clew.engine.engine import Engine
from clew.engine.read.feedback import chunk_uses
from clew.engine.session import Session
from clew.retrieval.feedback import HALF_LIFE, FeedbackProjection
from tests.builders import says, user
from tests.lines import CONVERSATION, jsonl

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


def judge(session: Session, id: str, *, used: bool, times: int = 1) -> None:
    for _ in range(times):
        unit = {"id": id, "kind": "chunk", "ranked": id} | ({"used": "cited"} if used else {})
        session._ledger.append(EntryKind.FEEDBACK, {"feedback": [unit], "closes": []})


def uses(engine: Engine, user: str | None = None) -> dict[str, UnitUse]:
    return chunk_uses(engine.store, engine.infos(user=user or engine.user))


def session_of(engine: Engine, id: str, user_name: str | None = None) -> Session:
    session = engine.session(id, user=user_name)
    session.record([user("Hello."), says("Hello.")])
    return session


def test_judgements_of_all_sessions_of_a_user_are_added_up_and_nobody_elses(engine: Engine) -> None:
    judge(session_of(engine, "a"), "deploy#3", used=True)
    judge(session_of(engine, "b"), "deploy#3", used=False)
    judge(session_of(engine, "c", "other"), "deploy#3", used=True, times=3)
    assert (uses(engine)["deploy#3"].used, uses(engine)["deploy#3"].ignored) == (1, 1)
    assert uses(engine, "other")["deploy#3"].used == 3


def test_feedback_of_a_session_fades_as_replies_are_judged_in_a_newer_one(engine: Engine) -> None:
    judge(session_of(engine, "old"), "deploy#3", used=True)
    before = uses(engine)["deploy#3"].factor
    engine.services.clock.time += 60  # type: ignore[attr-defined]
    judge(session_of(engine, "new"), "retry#1", used=False, times=HALF_LIFE)
    assert 1 < uses(engine)["deploy#3"].factor < before


def test_a_purge_takes_the_feedback_along(engine: Engine) -> None:
    session = session_of(engine, "a")
    judge(session, "deploy#3", used=True)
    engine.purge(session.key)
    assert uses(engine) == {}


def test_a_chunk_that_was_used_rises_in_searches_and_for_new_epochs(engine: Engine) -> None:
    engine.knowledge.add(Module(id="north", name="North", content="The ferry waits at the pier for late buses."))
    engine.knowledge.add(Module(id="south", name="South", content="Tickets are sold on the ferry before noon."))
    before = {one.id: one.score for one in engine.search("ferry at the pier", kind="chunk")}
    judge(session_of(engine, "a"), "south#1", used=True, times=2)
    after = {one.id: one for one in engine.search("ferry at the pier", kind="chunk")}
    assert after["south#1"].score > before["south#1"]
    assert after["south#1"].feedback == "used 2 times, ignored 0 times by replies"
    assert (after["north#1"].score, after["north#1"].feedback) == (before["north#1"], "")
    assert list(engine.find("a")._components.feedback.for_epoch(chunks=True)) == ["south#1"]


def test_a_session_that_was_just_read_is_not_read_again_for_feedback(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(jsonl(CONVERSATION))
    engine.import_file(file, project=False, repairs=False)
    session = engine.find("latest")
    assert session.search("cookie", kind="message")
    assert engine.store.row(session.key, FeedbackProjection.name, "") is None
