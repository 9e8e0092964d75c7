"""An input that was packed is recorded with the reply that answers it, once, whoever has spoken meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import Config, StorageConfig
from clew.domain import Media, Role
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user
from tests.stream_examples import EXAMPLES, WORDS

BUDGET = 20_000
ASIDE = [user("an aside")]
EXCHANGE = [user("another question"), says("another answer")]
STEP = [user("look"), says(call("c1", path="a.py")), gives(output("c1", "a file"))]


def texts(session: Session) -> list[str]:
    return [message.text for message in session.messages()]


ANSWERS: dict[str, Callable[[Session], object]] = {
    "reply": lambda session: session.reply("the answer"),
    "record": lambda session: session.record([says("the answer")]),
    "stream": lambda session: list(session.stream(EXAMPLES["anthropic"].events)),
}


@pytest.mark.parametrize("between", [ASIDE, EXCHANGE, STEP, [*EXCHANGE, *ASIDE]])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_the_question_stands_before_its_answer_whatever_came_between(
    engine: Engine, between: list[Any], answer: Callable[[Session], object]
) -> None:
    session = engine.session("s")
    session.record([user("hello"), says("hi")])
    session.pack("the question", budget=BUDGET)
    session.record(between)
    answer(session)
    said = [message.text for message in between]
    assert texts(session)[:-1] == ["hello", "hi", *said, "the question"]
    assert texts(session)[-1] in {"the answer", "".join(WORDS)}
    session.pack("go on", budget=BUDGET, target="anthropic").request()


def test_others_record_through_a_handle_of_their_own(tmp_path: Path) -> None:
    with clew.open(tmp_path / "store") as ours, clew.open(tmp_path / "store") as theirs:
        session = ours.session("s")
        session.pack("the question", budget=BUDGET)
        theirs.session("s").record(EXCHANGE)
        session.reply("the answer")
        assert texts(session) == ["another question", "another answer", "the question", "the answer"]


def test_two_handles_that_ask_at_once_have_each_its_own_question(tmp_path: Path) -> None:
    with clew.open(tmp_path / "store") as one, clew.open(tmp_path / "store") as other:
        ours, theirs = one.session("s"), other.session("s")
        ours.pack("our question", budget=BUDGET)
        theirs.pack("their question", budget=BUDGET)
        ours.reply("our answer")
        theirs.reply("their answer")
        assert texts(ours) == ["our question", "our answer", "their question", "their answer"]


def test_what_one_handle_packed_another_may_answer(tmp_path: Path) -> None:
    with clew.open(tmp_path / "store") as one, clew.open(tmp_path / "store") as other:
        ours, theirs = one.session("s"), other.session("s")
        ours.pack("first", budget=BUDGET)
        ours.reply("first answer")
        theirs.pack("second", budget=BUDGET)
        ours.record(ASIDE)
        ours.reply("second answer")
        assert texts(ours) == ["first", "first answer", "an aside", "second", "second answer"]


@pytest.mark.parametrize(
    "own", [[user("the  question")], [*ASIDE, user("the question")], [user("the question"), *ASIDE]]
)
def test_a_question_that_its_asker_records_is_not_recorded_again(engine: Engine, own: list[Any]) -> None:
    session = engine.session("s")
    session.pack("the question", budget=BUDGET)
    session.record(own)
    session.reply("the answer")
    session.reply("the answer")
    assert texts(session) == [*(message.text for message in own), "the answer"]


def test_a_whole_conversation_that_begins_with_a_greeting_is_not_recorded_again(engine: Engine) -> None:
    session = engine.session("s")
    session.record([says("Welcome!")])
    session.pack("the question", budget=BUDGET)
    session.record([says("Welcome!"), user("the question"), says("the answer")])
    assert texts(session) == ["Welcome!", "the question", "the answer"]


def test_an_answered_question_is_not_recorded_with_later_replies(engine: Engine) -> None:
    session = engine.session("s")
    session.pack("the question", budget=BUDGET)
    session.record(ASIDE)
    session.reply("the answer")
    session.record([user("and?")])
    session.reply("no more")
    assert texts(session) == ["an aside", "the question", "the answer", "and?", "no more"]


def test_a_question_that_was_packed_anew_in_other_words_is_not_said(engine: Engine) -> None:
    session = engine.session("s")
    session.pack("hello", budget=BUDGET)
    session.reply("hi")
    session.pack("abandoned", budget=BUDGET)
    session.record([user("the question")])
    session.pack(None, budget=BUDGET)
    session.reply("the answer")
    assert texts(session) == ["hello", "hi", "the question", "the answer"]


@pytest.mark.parametrize("together", [True, False])
def test_an_output_is_recorded_once_beside_others(engine: Engine, together: bool) -> None:
    session = engine.session("s")
    session.record([user("look"), says(call("c1", path="a.py"))])
    session.pack("a file", kind="tool_response", tool_id="c1", budget=BUDGET)
    session.record([gives(output("c1", "a file"))] if together else ASIDE)
    session.reply("I looked.")
    outputs = [part.text for message in session.messages() for part in message.outputs]
    assert outputs == ["a file"]
    assert session.messages()[-1].role is Role.ASSISTANT
    assert "a file" in str(session.pack("and?", budget=BUDGET, target="anthropic").request())


def test_a_picture_is_not_taken_for_another(engine: Engine) -> None:
    one, other = (Media(media_type="image/png", data=data) for data in ("aGVsbG8=", "d29ybGQ="))
    session = engine.session("s")
    session.pack(None, attachments=[one], budget=BUDGET)
    session.record([clew.Message(role=Role.USER, parts=(other,))])
    session.reply("the answer")
    assert [message.parts[0] for message in session.messages()[:-1]] == [other, one]


def test_a_question_with_a_secret_is_recorded_once() -> None:
    question = "is AKIAIOSFODNN7EXAMPLE the key?"
    with clew.open(":memory:", config=Config(storage=StorageConfig(mask_secrets=True))) as engine:
        session = engine.session("s")
        session.pack(question, budget=BUDGET)
        session.record([*ASIDE, user(question)])
        session.reply("the answer")
        assert len(texts(session)) == 3


def test_a_hook_that_tells_of_replies_takes_up_no_question_of_others(engine: Engine) -> None:
    session = engine.session("s")
    session.pack("the question", budget=BUDGET)
    session.record(EXCHANGE, channel="hook")
    session.record([says("more")], channel="hook")
    assert texts(session) == ["another question", "another answer", "more"]
