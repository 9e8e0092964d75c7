"""Results are objects with the names of the keys that the command line prints as JSON."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import says, user
from tests.work import work

pytestmark = pytest.mark.stores("memory")

KEYS = {
    "sessions": "id title client cwd source messages exchanges tokens updated health",
    "show": "id as_ text tokens messages",
    "pack": "session budget tokens epoch digest sections request text left_out",
    "section": "name layer tokens sources",
    "left_out": "id shown_as tokens reason",
    "compact": "before after preserved summarized remembers strategy rung saved_tokens undo",
    "size": "tokens messages",
    "summarized": "messages into",
    "health": "health tokens_used tokens_limit utilization relevance_score drift_score drift_detected compaction_needed"
    " critical_ratio critical_items growth_rate turns_left suggestions findings",
    "drift": "drift_score topic_drift missing reminders requirements contradictions",
    "requirement": "id text state score evidence",
    "contradiction": "earlier later score about",
    "search": "id session kind score messages text",
    "pins": "id kind text reason source by scope created supersedes",
}


@pytest.fixture
def session(engine: Engine) -> Session:
    session = engine.session("s", model="gpt-5", title="Tides", client="codex", cwd="/home/ana")
    said = ["Never touch docs/old.", "The server runs on port 8080.", "The server does not run on port 8080."]
    session.record([message for one in said for message in (user(one), says("Yes."))])
    session.record(work(40))
    return session


def ensure_named(result: object, shape: str) -> None:
    missing = [name for name in KEYS[shape].split() if not hasattr(result, name)]
    assert not missing, f"{type(result).__name__} has no {missing}"


def test_results_have_the_names_of_the_json_keys(engine: Engine, session: Session) -> None:
    (listed,) = engine.sessions()
    ensure_named(listed, "sessions")
    assert {"id": "s", "title": "Tides", "client": "codex", "cwd": "/home/ana"}.items() <= asdict(listed).items()
    (part,) = session.recall("x1", format="summary")
    ensure_named(part, "show")
    assert (part.id, part.as_) == ("x1", "summary")
    for shape, result in [("health", session.health()), ("drift", session.drift()), ("pins", session.pins()[0])]:
        ensure_named(result, shape)
    ensure_named(session.search("docs")[0], "search")
    ensure_named(session.drift().requirements[0], "requirement")
    ensure_named(session.drift().contradictions[0], "contradiction")


def test_packs_and_compactions_have_the_names_of_the_json_keys(session: Session) -> None:
    done, pack = session.compact(), session.pack(None, budget=6_000)
    for shape, result in [("compact", done), ("size", done.before), ("size", done.after), ("pack", pack)]:
        ensure_named(result, shape)
    ensure_named(done.summarized, "summarized")
    ensure_named(pack.sections[0], "section")
    ensure_named(pack.left_out[0], "left_out")
