"""What one session says reaches another only where the same user was named for both."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

import clew
from clew.config import Config
from clew.domain import EntryKind
from clew.domain.modules import Module
from clew.domain.sessions import DEFAULT_USER
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound, UsageError
from clew.knowledge.problems import InvalidModules
from tests.builders import says, user
from tests.conftest import HandClock
from tests.lines import jsonl, line

ILL = "I'm diabetic and I live in Brno."


def talk(engine: Engine, id: str, *words: str, who: str | None = None) -> Session:
    session = engine.session(id, user=who, model="claude-sonnet-5")
    for text in words:
        session.record([user(text), says("Noted.")])
    return session


def packed(session: Session, *, record: bool = True) -> str:
    pack = session.pack("What shall I eat?", budget=8_000, record=record)
    return json.dumps(pack.request("anthropic")) + pack.text + "".join(item.text for item in session.pins(all=True))


# ── the profile ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("others", [(None, None), (None, "ana"), ("ana", None), ("ana", "ben"), (None, DEFAULT_USER)])
def test_words_stay_where_nobody_or_another_was_named(engine: Engine, others: tuple[str | None, str | None]) -> None:
    talk(engine, "customer-1", ILL, who=others[0]).pin("I walk a lot.", scope="user")
    other = talk(engine, "customer-2", "Hello.", who=others[1])
    assert [word for word in ("diabetic", "Brno", "walk") if word in packed(other)] == []


def test_words_go_along_where_the_same_user_was_named(engine: Engine) -> None:
    talk(engine, "one", ILL, who="ana")
    assert "Brno" in packed(talk(engine, "two", "Hello.", who="ana"))


@pytest.mark.parametrize("told", ["handle", "other handle"])
def test_a_session_takes_and_gives_nothing_whoever_opens_it(engine: Engine, told: str) -> None:
    person = engine.for_user(DEFAULT_USER)
    early = person.session("customer-1")  # before anybody has recorded anything
    talk(engine, "customer-1", "Hello.")
    late = early if told == "handle" else person.session("customer-1")
    talk(person, "mine", "I live in Oslo.")
    late.record([user(ILL), says("Noted.")])
    assert "Oslo" not in packed(late)
    assert "Brno" not in packed(person.session("mine"))
    with pytest.raises(UsageError, match="no user was named for session customer-1"):
        late.learn_profile()


def test_a_profile_is_that_of_somebody(engine: Engine) -> None:
    with pytest.raises(UsageError, match="a profile is that of a user"):
        engine.profile()


def test_what_was_edited_rolled_back_or_purged_leaves_the_profile(engine: Engine) -> None:
    session = talk(engine, "one", "I live in Brno.", "I work in Go.", "I prefer tabs over spaces.", who="ana")
    talk(engine, "two", "I am left-handed.", who="ana")
    session.edit("m1", "I live in Oslo.")
    session.rollback()
    engine.purge(engine.key("two", user="ana"))
    assert [item.text for item in engine.profile("ana").show()] == ["I work in Go.", "I live in Oslo."]
    assert [word for word in ("Brno", "tabs", "left") if word in packed(talk(engine, "three", "Hi.", who="ana"))] == []


def test_a_purge_leaves_what_others_said_and_pinned_themselves(engine: Engine) -> None:
    talk(engine, "one", "I live in Brno.", who="ana")
    other = talk(engine, "two", "Hello.", who="ana")
    pinned = other.pin("I live in Brno.")
    assert "Brno" in packed(other)
    engine.purge(engine.key("one", user="ana"))
    assert [item.text for item in other.pins() if item.id == pinned.id] == ["I live in Brno."]
    assert "Brno" in packed(other)


def test_a_session_goes_on_from_none_of_another_user(engine: Engine) -> None:
    first = talk(engine, "one", "I live in Brno.", who="ana")
    for other in (engine.session("two", user="ben"), engine.session("three")):
        with pytest.raises(UsageError, match="session one is of ana"):
            other.resume(first)
        assert "Brno" not in packed(other)
    own = engine.session("four", user="ana")
    own.resume(first)
    assert "Brno" in packed(own)


def test_a_purge_takes_what_a_session_lent_out_of_the_others(engine: Engine) -> None:
    talk(engine, "one", "I live in Brno.", who="ana")
    others = [engine.session(id, user="ana") for id in ("two", "three")]
    for other in others:
        assert "Brno" in packed(other, record=True)
        other.reply("Take the tram.")
    engine.purge(engine.key("one", user="ana"))
    for other in [*others, *(engine.session(id, user="ana") for id in ("two", "three"))]:
        assert "Brno" not in packed(other)
        assert not any(b"Brno" in entry.body for entry in other.reader.entries())
        assert not other.reader.losses()
        assert [message.text for message in other.messages()][-1] == "Take the tram."


def test_what_a_caller_records_in_other_words_leaves_the_profile(engine: Engine) -> None:
    session = talk(engine, "one", "I live in Brno.", who="ana")
    session.edit("m1", "Never mind.")
    assert engine.profile("ana").show() == []
    session.record([user("I live in Brno."), says("Again.")])
    assert [(item.id, item.source) for item in engine.profile("ana").show()] == [("p2", "one m4")]


# ── knowledge ────────────────────────────────────────────────────────────────────────────────────────


def module(id: str, content: str) -> Module:
    return Module(id=id, name=id.title(), content=content, usage_scope="always")


def test_modules_reach_all_users_unless_they_were_added_for_one(engine: Engine) -> None:
    engine.knowledge.add(module("house", "Doors close at nine."))
    engine.knowledge.add(module("diet", "Ana eats no sugar at breakfast."), user="ana")
    for who, seen in ((None, False), ("ben", False), (DEFAULT_USER, False), ("ana", True)):
        text = packed(talk(engine, "s", "Hello.", who=who))
        assert ("Doors" in text, "sugar" in text) == (True, seen)
    assert list(engine.knowledge.modules()) == ["house"]
    own = engine.for_user("ana").knowledge
    assert list(own.modules()) == ["diet", "house"]
    assert [one.id for one in own.search("sugar doors")] == ["diet#1", "house#1"]
    assert (own.show("house").content, own.chunks(["house", "1"][0])[0].id) == ("Doors close at nine.", "house#1")
    assert {one.id for one in engine.search("sugar", user="ana", kind="chunk")} == {"diet#1"}
    assert engine.search("sugar", kind="chunk") == []


def test_modules_of_one_user_build_on_those_of_all_and_leave_them_alone(engine: Engine) -> None:
    engine.knowledge.add(module("house", "Doors close at nine."))
    needs = Module(id="diet", name="Diet", content="No sugar.", usage_scope="always", dependencies=("house",))
    engine.knowledge.add(needs, user="ana")
    with pytest.raises(InvalidModules, match="'house' is taken"):
        engine.knowledge.add(Module(id="house", name="H", content="x", source="/mine.md"), user="ana")
    with pytest.raises(NotFound, match="no module house"):
        engine.for_user("ana").knowledge.remove("house")
    with pytest.raises(UsageError, match="is for everybody; leave user out"):
        engine.knowledge.add(needs, user=DEFAULT_USER)
    engine.for_user("ana").knowledge.remove("diet")
    assert list(engine.for_user("ana").knowledge.modules()) == ["house"]


def test_feedback_on_modules_is_that_of_one_user_or_of_one_session(engine: Engine) -> None:
    engine.knowledge.add(module("house", "Doors close at nine."))
    used = {"id": "house#1", "kind": "chunk", "ranked": "house#1", "used": "cited"}
    for who in (None, "ana"):
        talk(engine, "one", "Hello.", who=who)._ledger.append(EntryKind.FEEDBACK, {"feedback": [used], "closes": []})

    def uses(id: str, who: str | None = None) -> list[str]:
        return list(talk(engine, id, "Hello.", who=who)._components.feedback.for_epoch(chunks=True))

    assert (uses("one"), uses("two"), uses("two", "ana"), uses("two", "ben")) == (["house#1"], [], ["house#1"], [])


# ── stores of earlier versions ───────────────────────────────────────────────────────────────────────


@pytest.fixture
def earlier(tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store as versions made it that named nobody and shared one profile among all sessions: a live session has heard
    something, another one and an imported one have stated it in prompts, and one is of a user.
    """
    path, file = tmp_path / "clew.db", tmp_path / "s.jsonl"
    file.write_bytes(jsonl([line(1, "user", "Hello there.")]))
    with monkeypatch.context() as before:
        before.setattr("clew.engine.health.profile.PROFILE_FORM", "")
        with clew.open(path, config=Config(), clock=clock, person=DEFAULT_USER) as engine:
            engine.import_file(file, session="imported")
            talk(engine, "customer-1", ILL)
            talk(engine, "ana-1", "I live in Oslo.", who="ana")
            for one in (talk(engine, "customer-2", "Hello."), engine.session("imported")):
                assert "Brno" in packed(one)
    _forget_names(path)
    return path


def _forget_names(path: Path) -> None:
    db = apsw.Connection(str(path))
    for user_name, id, raw in db.execute("SELECT user, session, info FROM sessions").fetchall():
        info = {name: value for name, value in json.loads(raw).items() if name != "named"}
        db.execute(
            "UPDATE sessions SET info = ? WHERE user = ? AND session = ?", (json.dumps(info).encode(), user_name, id)
        )
    db.close()


@pytest.mark.parametrize("person", ["", DEFAULT_USER])
@pytest.mark.parametrize("record", [True, False])
def test_an_earlier_store_keeps_every_session_and_shares_no_words(earlier: Path, person: str, *, record: bool) -> None:
    with clew.open(earlier, config=Config(), person=person) as engine:
        assert {(one.id, one.user) for one in engine.sessions()} == {
            ("imported", DEFAULT_USER),
            ("customer-1", ""),
            ("customer-2", ""),
            ("ana-1", "ana"),
        }
        for id in ("customer-2", "imported"):
            session = engine.session(id)
            assert "Brno" not in session.pack("And then?", budget=8_000, record=record).text
            assert "Brno" not in json.dumps(session.pack("And?", budget=8_000, record=record).request("anthropic"))
        assert "Brno" in engine.session("customer-1").pack(None, budget=8_000, record=record).text
        assert engine.profile(DEFAULT_USER).show() == []
        assert "Oslo" in packed(talk(engine, "ana-2", "Hello.", who="ana"))


def test_an_epoch_without_the_words_of_others_goes_on(earlier: Path) -> None:
    with clew.open(earlier, config=Config()) as engine:
        session = engine.session("customer-2")
        packs = [session.pack("And then?", budget=8_000) for _ in range(2)]
        assert packs[0].epoch == packs[1].epoch


@pytest.mark.parametrize("is_begun_anew", [False, True])
def test_a_handle_of_a_session_that_was_purged_brings_nothing_back(tmp_path: Path, is_begun_anew: bool) -> None:
    with clew.open(tmp_path / "clew.db") as mine, clew.open(tmp_path / "clew.db") as other:
        session = talk(mine, "one", "My PIN is 4471.", "Which one?", who="eve")
        assert "4471" in packed(session)
        other.purge(session.key)
        if is_begun_anew:
            talk(other, "one", "Hello.", who="eve")
        with pytest.raises(NotFound, match="has been purged"):
            session.record([user("back"), says("hi")])
        with pytest.raises(NotFound, match="has been purged"):
            session.pack("What is my PIN?", budget=4_000)
        assert "4471" not in packed(talk(mine, "one", "Hi.", who="eve"))
    assert [path.name for path in tmp_path.iterdir() if b"4471" in path.read_bytes()] == []


def test_an_empty_name_is_not_everybody(engine: Engine) -> None:
    talk(engine, "one", ILL, who="ana")
    for read in (
        lambda: engine.for_user(""),
        lambda: engine.sessions(user=""),
        lambda: engine.search("diabetic", user=" "),
        lambda: engine.find("one", user=""),
    ):
        with pytest.raises(UsageError, match="cannot be empty"):
            read()
