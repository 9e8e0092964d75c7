"""Branches: which session of a wrapped client a list goes on from."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from clew.adapters.branches import Branches
from clew.adapters.conversation import Conversation
from clew.engine.engine import Engine

pytestmark = pytest.mark.stores("memory")
FORMAT = "openai-chat"
CONVERSATION = partial(Conversation, budget=9_000)


class UnderWay:
    """A call whose answer has not come yet."""

    is_under_way = True


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def begin(branches: Branches, messages: list[dict[str, Any]]) -> tuple[str, UnderWay]:
    """Sends a list; returns the id of the session it goes on in, and the call."""
    branch, call = branches.find(FORMAT, messages), UnderWay()
    conversation = branch.conversation(FORMAT)
    conversation.pack(messages)
    branch.add(call)
    return conversation.session.id, call


def test_the_same_list_beside_itself_needs_no_branch(engine: Engine) -> None:
    branches = Branches(engine.session("s"), CONVERSATION)
    calls = [begin(branches, [user("q")]) for _ in range(3)]
    assert [id for id, _ in calls] == ["s", "s", "s"]


def test_another_list_gets_an_empty_branch_with_the_system_prompt(engine: Engine) -> None:
    session, heard = engine.session("s", model="gpt-5"), []
    engine.on("session.branched", heard.append)
    session.system("Be brief.")
    branches = Branches(session, CONVERSATION)
    first, second = begin(branches, [user("a")]), begin(branches, [user("b")])
    made = engine.session(second[0])
    assert (first[0], second[0], made.system_prompt.text, made.info.model) == ("s", "s.2", "Be brief.", "gpt-5")
    assert [one.text for one in made.reader.recent_messages(9)] == ["b"]
    assert [dict(event.data) for event in heard] == [{"session": "s", "branch": "s.2"}]


def test_a_call_that_nobody_holds_is_over(engine: Engine) -> None:
    branches = Branches(engine.session("s"), CONVERSATION)
    assert begin(branches, [user("a")])[0] == "s"
    assert begin(branches, [user("b")])[0] == "s"


def ask(branches: Branches, messages: list[dict[str, Any]], answer: dict[str, Any]) -> tuple[str, list[str]]:
    """Sends a list and gets an answer; returns the id of the session it goes on in, and what was sent."""
    conversation = branches.find(FORMAT, messages).conversation(FORMAT)
    packed = conversation.pack(messages).request()["messages"]
    conversation.reply({"id": "x", "choices": [{"index": 0, "message": answer, "finish_reason": "stop"}]})
    return conversation.session.id, [one["content"] for one in packed]


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def calling(id: str) -> dict[str, Any]:
    call = {"id": id, "type": "function", "function": {"name": "ask", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def output(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "done"}


def test_a_list_that_a_tool_begins_is_kept_beside_the_session_that_waits(engine: Engine) -> None:
    branches = Branches(engine.session("s"), CONVERSATION)
    outer = [user("outer"), calling("c1"), output("c1"), calling("c2"), output("c2")]
    assert ask(branches, outer[:1], calling("c1")) == ("s", ["outer"])
    assert ask(branches, [user("x")], assistant("X.")) == ("s.side", ["x"])
    assert ask(branches, outer[:3], calling("c2")) == ("s", ["outer", None, "done"])
    assert ask(branches, [user("y")], assistant("Y.")) == ("s.side", ["y"])
    assert ask(branches, [user("y"), assistant("Y."), user("z")], assistant("Z.")) == ("s.side", ["y", "Y.", "z"])
    assert ask(branches, outer, assistant("End.")) == ("s", ["outer", None, "done", None, "done"])
    assert ask(branches, [user("new")], assistant("Fine."))[0] == "s"
    assert "x" in engine.session("s.side").recall("m1")[0].text


def test_side_lists_at_once_and_inside_each_other_have_sessions_of_their_own(engine: Engine) -> None:
    branches = Branches(engine.session("s", model="gpt-5"), CONVERSATION)
    ask(branches, [user("outer")], calling("c1"))
    calls = [begin(branches, [user(text)]) for text in ("x", "y")]
    assert [id for id, _ in calls] == ["s.side", "s.side.2"]
    calls.clear()
    assert ask(branches, [user("x")], calling("c2"))[0] == "s.side"
    assert ask(branches, [user("deep")], assistant("Fine.")) == ("s.side.side", ["deep"])


def test_side_lists_are_known_to_another_client_of_the_session(engine: Engine) -> None:
    ask(Branches(engine.session("s"), CONVERSATION), [user("outer")], calling("c1"))
    assert ask(Branches(engine.session("s"), CONVERSATION), [user("x")], assistant("X."))[0] == "s.side"
    more = [user("outer"), calling("c1"), output("c1")]
    assert ask(Branches(engine.session("s"), CONVERSATION), more, assistant("End."))[0] == "s"
    longer = [user("x"), assistant("X."), user("y")]
    assert ask(Branches(engine.session("s"), CONVERSATION), longer, assistant("Y."))[0] == "s.side"


@pytest.mark.stores("sqlite")
def test_a_call_of_an_earlier_process_waits_for_nothing(engine: Engine) -> None:
    engine.session("s").record([user("outer"), calling("c1")], format=FORMAT)
    assert ask(Branches(engine.session("s"), CONVERSATION), [user("new")], assistant("Fine."))[0] == "s"
