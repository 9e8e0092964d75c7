"""What is shown with a hit that cannot be understood without it."""

from __future__ import annotations

import clew
from clew.engine.engine import Engine
from tests.builders import says, user

TALK = [
    user("Where should the lighthouse logs go?"),
    says("To a bucket, or to a local folder. Which one?"),
    user("The folder, with rotation."),
    says("Rotation of the lighthouse logs is set up: seven files of ten megabytes, kept in var/log."),
]


def context(session: clew.Session, query: str) -> str:
    return session.search(query, kind="message", limit=1)[0].context


def test_an_answer_comes_with_its_question_and_what_stands_alone_without(engine: Engine) -> None:
    session = engine.session("talk")
    session.record(TALK)
    assert session.search("folder rotation", kind="message", limit=1)[0].id == "m3"
    assert context(session, "folder rotation") == "[m2 assistant] To a bucket, or to a local folder. Which one?"
    assert context(session, "seven files of ten megabytes") == ""


def test_the_message_before_is_the_one_that_stands_there_now(engine: Engine) -> None:
    session = engine.session("talk")
    session.record(TALK)
    session.edit("m2", "To a barrel, or to a local folder. Which one?")
    assert "barrel" in context(session, "folder with rotation")


def test_secrets_are_masked_in_it(engine: Engine) -> None:
    secret = "sk-ant-api03-" + "a1B2c3D4" * 10
    session = engine.session("keys")
    session.record([user("Which key?"), says(f"Is it {secret}?"), user("Yes, lighthouse.")])
    assert secret not in context(session, "lighthouse")
    assert context(session, "lighthouse").startswith("[m2 assistant] Is it ")


def test_a_pack_brings_the_question_in_with_its_answer(engine: Engine) -> None:
    session = engine.session("long")
    filler = [one for at in range(60) for one in (user(f"Tell me of tide {at}. " * 9), says(f"Tide {at} rises. " * 9))]
    session.record([*TALK, *filler])
    text = session.pack("folder with rotation?", budget=2_000, target="text", record=False).text
    retrieved = text.partition("Quoted from earlier")[2]
    assert retrieved.index("m2 assistant: To a bucket") < retrieved.index("m3 user: The folder, with rotation.")
