"""What replies used of what was retrieved for them becomes an entry of the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.cli.session_export import export_session
from clew.codecs import jsonio
from clew.config import Config
from clew.domain import EntryKind, Message
from clew.domain.modules import Module
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.recorded_store import open_recorded

pytestmark = pytest.mark.stores("sqlite")


def talk() -> list[Message]:
    """Sixty exchanges; each answer has a name and a number of its own."""
    out: list[Message] = []
    for at in range(60):
        filler = "The ferry timetable is looked at again, line by line. " * 12
        out += [user(f"What about berth {at}?"), says(f"Berth {at} has crane_{at}_b, limit {at * 37 + 1000}. {filler}")]
    return out


def judgements(session: Session) -> list[Any]:
    return [jsonio.loads(entry.body) for entry in session.reader.entries() if entry.kind is EntryKind.FEEDBACK]


def used(session: Session) -> dict[str, list[str]]:
    """The units that were used, by id, with what showed it."""
    units = [unit for one in judgements(session) for unit in one["feedback"] if "used" in unit]
    return {unit["id"]: unit.get("names", [unit["used"]]) for unit in units}


def long_session(engine: Engine) -> None:
    engine.session("s", model="claude-sonnet-4-5", window=200_000).record(talk())


@pytest.fixture
def engine(store_url: Path | str) -> Iterator[Engine]:
    with open_recorded(store_url, long_session) as opened:
        yield opened


@pytest.fixture
def session(engine: Engine) -> Session:
    return engine.find("s")


def test_what_a_reply_takes_up_of_a_pack_was_used_and_the_rest_ignored(session: Session) -> None:
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply("It is crane_3_b.")
    [told] = judgements(session)
    assert used(session) == {"m8": ["crane_3_b"]}
    assert len(told["feedback"]) > 1
    assert session.retrieval_use()["message"]["used"] == 1


def test_a_reply_without_a_pack_is_not_judged(session: Session) -> None:
    session.record([user("And berth 3?"), says("It is crane_3_b.")])
    assert judgements(session) == []


def test_a_turn_with_calls_is_judged_when_it_ends_by_its_calls_too(session: Session) -> None:
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply(says("Looking.", call("c1", "grep", pattern="crane_3_b")))
    session.record([gives(output("c1", "crane_5_b, see m12"))])
    assert judgements(session) == []
    session.reply("Found it.")
    assert used(session) == {"m8": ["crane_3_b"]}


def test_names_that_a_tool_gave_meanwhile_are_no_evidence(session: Session) -> None:
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply(says("Looking.", call("c1", "list")))
    session.record([gives(output("c1", "crane_3_b m8"))])
    session.reply("It is crane_3_b.")
    assert used(session) == {}


def test_names_of_the_query_are_no_evidence(session: Session) -> None:
    session.pack("Does berth 3 have crane_3_b?", budget=4_000)
    session.reply("Yes, crane_3_b.")
    assert "m8" not in used(session)


def test_results_of_a_search_are_judged_by_the_next_reply(session: Session) -> None:
    [found, *_] = session.search("crane of berth 3", kind="message")
    session.record([user("What can it lift?"), says("It lifts 1111.")])
    assert found.id == "m8"
    assert used(session) == {"m8": ["1111"]}


def test_what_was_read_by_id_and_ignored_sinks_nothing(session: Session) -> None:
    session.recall("m8")
    session.record([user("Hm."), says("Nothing to say.")])
    [told] = judgements(session)
    assert told["feedback"] == [{"id": "m8", "kind": "message"}]
    assert session.search("crane of berth 3", kind="message")[0].feedback == ""


def test_answers_of_our_own_tools_are_found_in_a_transcript(session: Session) -> None:
    answer = {"session": "s", "results": [{"id": "x4", "header": "berth 3", "messages": ["m8"]}]}
    asked = call("c1", "mcp__clew__search_context", query="berth 3")
    session.record([user("Which?"), says(asked), gives(output("c1", jsonio.dumps(answer).decode()))], channel="hook")
    session.record([says(call("c2", "mcp__clew__retrieve_context", conversation_ids=["x4"]))], channel="hook")
    session.record([gives(output("c2", "{}")), says("There.")], channel="hook")
    assert used(session) == {"x4": ["cited"]}


def test_an_answer_about_another_session_says_nothing_of_this_one(session: Session) -> None:
    answer = {"session": "other", "results": [{"id": "m8", "header": "crane_3_b"}]}
    asked = call("c1", "mcp__clew__search_context", query="berth 3")
    session.record([user("Which?"), says(asked), gives(output("c1", jsonio.dumps(answer).decode()))], channel="hook")
    session.record([says("m8 has crane_3_b.")], channel="hook")
    assert session.retrieval_use() == {}


def test_feedback_moves_this_session_alone_and_is_told(engine: Engine, session: Session) -> None:
    other = engine.session("other", model="claude-sonnet-4-5", window=200_000)
    other.record(talk())
    before = [(one.id, one.score) for one in other.search("crane of berth 3")]
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply("It is crane_3_b.")
    found = next(one for one in session.search("crane of berth 3", kind="message") if one.id == "m8")
    assert found.why["feedback"] > 0
    assert found.feedback == "used 1 time, ignored 0 times by replies"
    assert [(one.id, one.score) for one in other.search("crane of berth 3")] == before


def test_packs_of_an_epoch_are_ranked_by_what_was_known_when_it_began(session: Session) -> None:
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply("It is crane_3_b.")
    epochs = [jsonio.loads(one.body)["epoch"] for one in session.reader.entries() if one.kind is EntryKind.EPOCH]
    session.pack("And which crane has berth 5?", budget=4_000)
    assert [epoch.get("feedback") for epoch in epochs] == [None]
    session.pack("Which crane has berth 3?", budget=4_400)
    last = [jsonio.loads(one.body)["epoch"] for one in session.reader.entries() if one.kind is EntryKind.EPOCH][-1]
    assert last["feedback"]["m8"]["used"] == 1


def test_feedback_changes_what_packs_bring_in_from_the_next_epoch_on(engine: Engine) -> None:
    """Two messages match alike, and there is room for one of them."""
    session = engine.session("alike", model="claude-sonnet-4-5", window=200_000)
    oaks, elms = (f"The lantern is here. {' '.join(f'{tree}{at}' for at in range(110))}" for tree in ("oak", "elm"))
    session.record([user("a"), says(oaks), user("b"), says("c"), *talk(), user("d"), says(elms), *talk()])

    def brought_in(budget: int) -> set[str]:
        pack = session.pack("Where is the lantern?", budget=budget)
        session.reply("Hm.")
        return {"m2", "m126"}.intersection(*(one.sources for one in pack.sections if one.name == "retrieved"))

    assert brought_in(4_000) == {"m126"}
    for _ in range(6):
        unit = {"id": "m2", "kind": "message", "ranked": "m2", "used": "cited"}
        session._ledger.append(EntryKind.FEEDBACK, {"feedback": [unit], "closes": []})
    assert brought_in(4_000) == {"m126"}
    assert brought_in(4_008) == {"m2"}


def test_what_only_a_person_looks_at_is_not_judged(session: Session) -> None:
    session.recall("m8", for_person=True)
    session.record([user("Hm."), says("It is crane_3_b.")])
    assert judgements(session) == []


def test_a_fork_begins_with_the_feedback_of_its_origin(session: Session) -> None:
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply("It is crane_3_b.")
    session.record([user("Thanks.")])
    assert session.fork("f").retrieval_use() == session.retrieval_use()


def test_rebuilding_and_a_copy_give_the_same_feedback(engine: Engine, session: Session, tmp_path: Path) -> None:
    session.pack("Which crane has berth 3?", budget=4_000)
    session.reply("It is crane_3_b.")
    before = (session.retrieval_use(), [(one.id, one.score) for one in session.search("crane of berth 3")])
    engine.rebuild(session.info)
    assert (session.retrieval_use(), [(one.id, one.score) for one in session.search("crane of berth 3")]) == before
    file = tmp_path / "s.jsonl"
    export_session(session, "clew", file, unmasked=True, as_json=False)
    with clew.open(":memory:", config=Config(), clock=HandClock()) as copy:
        copy.import_file(file)
        again = copy.find("s")
        assert (again.retrieval_use(), [(one.id, one.score) for one in again.search("crane of berth 3")]) == before


def test_chunks_that_a_pack_brought_in_are_judged_and_required_ones_are_not(engine: Engine, session: Session) -> None:
    engine.knowledge.add(
        Module(id="tides", name="Tides", content="At low water the quay pump drains valve_77_k."),
        Module(id="rules", name="Rules", content="Never moor at night.", usage_scope="always"),
    )
    session.pack("What drains the quay at low water?", budget=4_400)
    session.reply("valve_77_k, and never at night.")
    assert used(session) == {"tides#1": ["valve_77_k"]}
    assert session.retrieval_use()["chunk"] == {"retrieved": 1, "used": 1, "precision": 1.0}
