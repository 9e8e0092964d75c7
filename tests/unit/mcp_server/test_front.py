"""The front of `clew mcp` says what the server behind it would say, with nothing loaded, and leaves it all the rest."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.mcp_server.front import Answers

ROOT = Path(__file__).parents[3]
LISTINGS: dict[str, Any] = json.loads((ROOT / "src" / "clew" / "mcp_server" / "listings.json").read_text())
CLIENT = {"name": "t", "version": "1"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ABOUT = "io.modelcontextprotocol/"
META = {f"{ABOUT}protocolVersion": "2026-07-28", f"{ABOUT}clientInfo": CLIENT, f"{ABOUT}clientCapabilities": {}}


def request(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params})


def greeted() -> Answers:
    answers = Answers()
    assert answers.answer(request("initialize", HELLO))
    return answers


def test_what_is_prepared_is_what_the_server_answers() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_listings.py"))["listings"]()
    assert made == LISTINGS, "run scripts/make_listings.py"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25"])
def test_a_greeting_is_answered_in_the_version_that_was_asked_for(version: str) -> None:
    answer = Answers().answer(request("initialize", HELLO | {"protocolVersion": version}, id="a"))
    assert answer == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": LISTINGS["initialize"] | {"protocolVersion": version},
    }


def test_lists_are_answered_after_a_greeting() -> None:
    answers = greeted()
    for params in (None, {}, {"_meta": {"progressToken": 3}}):
        answer = answers.answer(request("tools/list", params, id=7))
        assert answer == {"jsonrpc": "2.0", "id": 7, "result": LISTINGS["lists"]["tools/list"]}
    assert answers.answer(request("ping")) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_lists_of_the_stateless_era_need_no_greeting() -> None:
    answer = Answers().answer(request("tools/list", {"_meta": META}))
    assert answer is not None
    assert answer["result"]["tools"] == LISTINGS["lists"]["tools/list"]["tools"]
    assert answer["result"]["resultType"] == "complete"
    assert Answers().answer(request("server/discover", {"_meta": META})) is not None


@pytest.mark.parametrize(
    "message",
    [
        {},
        request("tools/call", {"name": "get_story"}),
        request("tools/list", {"cursor": "x"}),
        request("tools/list", {"_meta": META | {f"{ABOUT}protocolVersion": "2031-01-01"}}),
        request("tools/list", {"_meta": {f"{ABOUT}protocolVersion": "2026-07-28"}}),
        request("tools/list", [1]),
        request("ping", {"_meta": META}),
        request("initialize", HELLO),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
        request("tools/list", id=None),
        request("tools/list") | {"jsonrpc": "1.0"},
    ],
)
def test_all_that_is_unusual_is_left_to_the_server(message: dict[str, Any]) -> None:
    assert greeted().answer(message) is None


@pytest.mark.parametrize("wrong", [{"protocolVersion": "1999-01-01"}, {"clientInfo": None}, {"capabilities": []}])
def test_a_greeting_that_is_unusual_is_left_to_the_server(wrong: dict[str, Any]) -> None:
    answers = Answers()
    assert answers.answer(request("initialize", HELLO | wrong)) is None
    assert answers.answer(request("tools/list")) is None


def test_nothing_is_loaded_for_it() -> None:
    program = (
        "import sys, clew.cli.__main__; from clew.mcp_server.front import Answers; Answers();"
        "print(sorted({'mcp', 'pydantic', 'anyio', 'typer', 'typing', 'clew.app', 'clew.engine'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n", done.stdout
