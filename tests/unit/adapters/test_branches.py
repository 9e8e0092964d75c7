"""Branches: which session of a wrapped client a list goes on from."""

from __future__ import annotations

from typing import Any

import pytest

from clew.adapters.branches import Branches
from clew.engine.engine import Engine

pytestmark = pytest.mark.stores("memory")
FORMAT = "openai-chat"


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
    branches = Branches(engine.session("s"), 9_000)
    calls = [begin(branches, [user("q")]) for _ in range(3)]
    assert [id for id, _ in calls] == ["s", "s", "s"]


def test_another_list_gets_an_empty_branch_with_the_system_prompt(engine: Engine) -> None:
    session, heard = engine.session("s", model="gpt-5"), []
    engine.on("session.branched", heard.append)
    session.system("Be brief.")
    branches = Branches(session, 9_000)
    first, second = begin(branches, [user("a")]), begin(branches, [user("b")])
    made = engine.session(second[0])
    assert (first[0], second[0], made.system_text(), made.info.model) == ("s", "s.2", "Be brief.", "gpt-5")
    assert [one.text for one in made.recent_messages(9)] == ["b"]
    assert [dict(event.data) for event in heard] == [{"session": "s", "branch": "s.2"}]


def test_a_call_that_nobody_holds_is_over(engine: Engine) -> None:
    branches = Branches(engine.session("s"), 9_000)
    assert begin(branches, [user("a")])[0] == "s"
    assert begin(branches, [user("b")])[0] == "s"
