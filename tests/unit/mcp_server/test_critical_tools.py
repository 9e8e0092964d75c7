"""Critical items by tools."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from tests.builders import user
from tests.unit.mcp_server.calls import answer, problem

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


@pytest.fixture(autouse=True)
def _session(engine: Engine) -> None:
    engine.session("s1", cwd="/srv/shop").record([user("Hello there.")])


def test_what_is_marked_is_listed_as_the_assistants(engine: Engine) -> None:
    marked = answer(engine, "mark_critical", content="Use JWT", reason="agreed", type="decision")["marked"]
    assert (marked["type"], marked["content"], marked["reason"], marked["by"]) == (
        "decision",
        "Use JWT",
        "agreed",
        "assistant",
    )
    assert answer(engine, "get_critical_context", type="decision")["items"] == [marked]
    assert answer(engine, "get_critical_context", type="requirement")["items"] == []


def test_what_the_assistant_marks_takes_nothing_from_what_a_person_said(engine: Engine) -> None:
    engine.find("s1").record([user("From now on always use tabs for indentation. Never push to main.")])
    answer(engine, "mark_critical", content="Always use spaces for indentation.", type="instruction")
    answer(engine, "mark_critical", content="Never push to main.", type="constraint")
    found = answer(engine, "get_critical_context")["items"]
    assert sorted((item["by"], item["content"]) for item in found) == [
        ("assistant", "Always use spaces for indentation."),
        ("person", "From now on always use tabs for indentation."),
        ("person", "Never push to main."),
    ]


def test_bad_input_is_answered_with_what_to_do(engine: Engine) -> None:
    said = problem(engine, "mark_critical", content="x" * 10_000_000)
    assert "10000000 characters" in said.replace(",", "")
    assert "mark the rule itself" in said
    assert len(said) < 400
    assert "needs words" in problem(engine, "mark_critical", content="  ")
    assert "valid string" in problem(engine, "mark_critical", content={"a": 1})
    assert "'decision', 'requirement', 'instruction'" in problem(engine, "mark_critical", content="a", type="song")
    assert "there are constraint, requirement" in problem(engine, "get_critical_context", type="song")


def test_many_items_come_in_pages(engine: Engine) -> None:
    session = engine.find("s1")
    for number in range(60):
        session.pin(f"Rule {number}: " + "keep this exactly as it stands here, " * 12)
    first = answer(engine, "get_critical_context")
    rest = answer(engine, "get_critical_context", cursor=first["next_cursor"])
    assert 0 < len(first["items"]) < 60
    assert rest["items"][0]["id"] == f"p{len(first['items']) + 1}"
