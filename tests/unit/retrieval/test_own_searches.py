"""Searches of Clew's own are recognised, by tool and by command."""

from __future__ import annotations

import pytest

from clew.domain import Call
from clew.retrieval.projection import own_searches, without_searches
from tests.builders import gives, output, says


def asks(name: str, **arguments: object) -> list[str]:
    return own_searches(says("Looking.", Call(id="c1", name=name, arguments=arguments)))


@pytest.mark.parametrize(
    "command",
    [
        "clew search ferry",
        "cd /tmp && clew search 'a b'",
        "CLEW_STORE=x .venv/bin/clew search ferry | head",
        "ls; clew search x",
    ],
)
def test_a_search_is_known_by_its_command(command: str) -> None:
    assert asks("Bash", command=command) == ["c1"]
    assert asks("shell", command=["bash", "-lc", command]) == ["c1"]


def test_a_search_is_known_by_its_tool_and_nothing_else_is_one() -> None:
    assert asks("mcp__clew__search_context", query="ferry") == ["c1"]
    assert asks("Bash", command="grep 'clew search' README.md") == []
    assert asks("Bash", command="clew sessions") == []
    assert asks("Read", file_path="clew search.md") == []


def test_the_call_and_its_answer_go_and_the_rest_stays() -> None:
    call = says("Looking.", Call(id="c1", name="mcp__clew__search_context", arguments={"query": "ferry"}))
    assert [part.text for part in without_searches(call, ["c1"]).parts] == ["Looking."]
    assert without_searches(gives(output("c1", "found")), ["c1"]).parts == ()
    other = gives(output("c2", "found"))
    assert without_searches(other, ["c1"]) is other
