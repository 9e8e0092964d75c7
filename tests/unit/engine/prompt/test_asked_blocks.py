"""What a model is asked to write besides its answer: only where Clew reads the reply, and so that it is understood."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from clew.adapters.conversation import Conversation
from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import says, user
from tests.effort import first

TARGETS = ("anthropic", "openai-chat", "openai-responses", "gemini")
BLOCK = re.compile(r"<(clew-[a-z]+)>\n.*?</\1>", re.DOTALL)


def long_talk(session: Session) -> Session:
    for at in range(12):
        session.record([user(f"what of thing {at}? " + "words " * 80), says(f"it is {at} " + "answer " * 300)])
    return session


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts_in(one)]
    return [text for one in value for text in texts_in(one)] if isinstance(value, list) else [str(value)]


@pytest.mark.stores("memory")
@pytest.mark.parametrize("budget", first([4_000, 9_000, 40_000]))
@pytest.mark.parametrize("target", TARGETS)
def test_a_model_that_does_what_it_is_told_is_understood(engine: Engine, target: str, budget: int) -> None:
    session = long_talk(engine.session("s"))
    session.system("Be brief.")
    sent = "\n".join(texts_in(session.pack("and now?", budget=budget, target=target, notes=True).request()))
    asked = [match[0] for match in BLOCK.finditer(sent)]
    reply = session.reply("Done.\n\n" + "\n".join(asked))
    assert [one[: one.index(">")] for one in asked] == ["<clew-housekeeping", "<clew-request"]
    assert (reply.content, reply.findings) == ("Done.", ())
    assert reply.housekeeping is not None
    assert len(reply.requests) == 1
    assert "<tool-" not in sent


@pytest.mark.stores("memory")
@pytest.mark.parametrize("target", TARGETS)
def test_the_callers_own_system_prompt_stays_as_it_is_before_what_is_asked(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("hello"), says("hi")], format="anthropic", system="Be brief.")
    for question in ("and now?", "and then?"):
        pack = session.pack(question, budget=9_000, target=target, notes=True)
        told = "\n".join(texts_in(pack.request()))
        assert told.count("\n<clew-request>") == 1
        assert told.index("Be brief.") < told.index("<clew-request>")
        session.reply("Well.")


@pytest.mark.stores("memory")
@pytest.mark.parametrize("target", [*TARGETS, "text"])
def test_nothing_is_asked_for_where_clew_does_not_read_the_reply(engine: Engine, target: str) -> None:
    session = long_talk(engine.session("s"))
    session.pack("first", budget=9_000, target="anthropic", notes=True)
    session.reply("Well.")
    for budget in (4_000, 9_000, 40_000):
        pack = session.pack("and now?", budget=budget, target=target, record=False)
        assert "clew-request" not in json.dumps(pack.body)
        assert "clew-housekeeping" not in json.dumps(pack.body)


@pytest.mark.stores("memory")
def test_a_call_by_another_door_after_a_turn_with_notes_asks_for_none(engine: Engine) -> None:
    session = long_talk(engine.session("s"))
    asked = session.pack("first", budget=30_000, target="anthropic", notes=True)
    session.reply("Well.")
    pack = Conversation(session, format="anthropic", budget=30_000).pack(
        [
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": "Well."},
            {"role": "user", "content": "?"},
        ]
    )
    assert "clew-request" in json.dumps(asked.request()["system"])
    assert "clew-request" not in json.dumps(pack.request())
    assert (
        session.pack("then", budget=30_000, target="anthropic", notes=True).request()["system"]
        == asked.request()["system"]
    )
