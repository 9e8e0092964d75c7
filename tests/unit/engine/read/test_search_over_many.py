"""Search over very many sessions: one scale, exact words first, the same order every time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.config import Config, ModelsConfig
from clew.engine.engine import Engine
from clew.engine.ledger.projector import Projector
from tests.builders import call, gives, output, says, user

SESSIONS = 100
PHRASES = ("the heron stands on one leg", "never paint the north door", "why is it so cold today")
COMMON = sorted({word for phrase in PHRASES for word in phrase.split()})


def told(at: int) -> list[tuple[str, str]]:
    """Talk of a session that uses the words of the phrases all the time, in other orders."""
    rng = random.Random(at)
    talk = []
    for turn in range(4):
        talk.append(("user", f"Note {turn}: {' '.join(rng.sample(COMMON, len(COMMON)))}."))
        talk.append(("assistant", " ".join(rng.choices(COMMON, k=60))))
    said = [phrase for phrase in PHRASES if at % 20 == len(phrase) % 20]
    return [*talk, *(("user", f"By the way, {phrase}, said {at}.") for phrase in said), ("assistant", "Noted.")]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    with clew.open(folder / "clew.db", config=Config(models=ModelsConfig(embedder="none"))) as engine:
        for at in range(SESSIONS):
            lines = [json.dumps({"role": role, "content": text}) for role, text in told(at)]
            (folder / "talk.jsonl").write_text("\n".join(lines))
            engine.import_file(folder / "talk.jsonl", session=f"s{at:03d}", project=False)
    return folder / "clew.db"


@pytest.fixture
def many(store: Path) -> Iterator[Engine]:
    with clew.open(store, config=Config(models=ModelsConfig(embedder="none"))) as engine:
        yield engine


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize("form", ["{}", '"{}"', "{}?", "  {}  "])
def test_what_was_said_word_for_word_comes_first_wherever_it_was_said(many: Engine, phrase: str, form: str) -> None:
    asked = form.format(phrase)
    expected = {f"s{at:03d}" for at in range(SESSIONS) if at % 20 == len(phrase) % 20}
    found = many.search(asked, limit=10)
    assert {one.session for one in found[: len(expected)]} == expected
    assert all(phrase in one.text for one in found[: len(expected)])
    assert len(found) == (len(expected) if '"' in form else 10)


def test_the_order_is_the_same_every_time(many: Engine, store: Path) -> None:
    found = many.search("a cold door stands still", limit=20)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert many.search("a cold door stands still", limit=20) == found
    with clew.open(store, config=Config(models=ModelsConfig(embedder="none"))) as other:
        assert other.search("a cold door stands still", limit=20) == found


def test_a_search_derives_nothing_where_nothing_changed(many: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    many.search(PHRASES[1])

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nothing is new")

    monkeypatch.setattr(Projector, "_advance", refuse)
    assert many.search(PHRASES[1])


def test_the_call_that_asks_and_its_answer_are_never_results(engine: Engine) -> None:
    session = engine.session("harbor")
    session.record([user("The zeppelin is moored at pier nine."), says("Noted.")])
    asking = says("Searching.", call("c1", "mcp__clew__search_context", query="zeppelin moored"))
    answer = gives(output("c1", "m1: The zeppelin is moored at pier nine."))
    session.record([user("Where was it, again?"), asking, answer, says("At pier nine.")])
    for found in (session.search("zeppelin moored", kind="message"), engine.search("zeppelin moored", kind="message")):
        assert found[0].id == "m1"
        assert {"m4", "m5"}.isdisjoint(one.id for one in found)


def test_times_and_projects_narrow_what_is_found(engine: Engine) -> None:
    for name, at in (("old", 1_000.0), ("new", 2_000.0)):
        talk = [user(f"The ferry of {name}."), says("Yes.")]
        engine.session(name, project=name).record([replace(message, at=at) for message in talk])
    assert [one.session for one in engine.search("ferry", since=1_500.0)] == ["new"]
    assert [one.session for one in engine.search("ferry", until=1_500.0)] == ["old"]
    assert engine.search("ferry", since=1_100.0, until=1_900.0) == []
    assert [one.session for one in engine.search("ferry", filters={"project": "old"})] == ["old"]


def test_a_long_message_is_shown_by_the_lines_that_match(engine: Engine) -> None:
    long = "\n".join(f"Paragraph {at} is about nothing." for at in range(200)) + "\nThe zeppelin is moored."
    engine.session("one").record([user(long), says("Yes.")])
    engine.session("two").record([user("Something else."), says("No.")])
    assert "The zeppelin is moored." in engine.search("zeppelin")[0].text
