"""Finding things again, as a person or a script does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.embedders import SynonymEmbedder, served
from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, jsonl, line, result


def test_a_store_and_a_file_are_searched(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    assert clew_program("import", "session.jsonl").code == 0
    [first, *_] = clew_program("search", "why is the session cookie not set?", "--json").json["results"]
    assert first.keys() == {"id", "session", "kind", "score", "messages", "text", "source", "context", "alike", "user"}
    assert (first["id"], first["session"], first["kind"], first["messages"][0]) == ("x1", SESSION, "segment", "m4")
    inside = clew_program("search", "cookie", "--session", "session.jsonl", "--limit", "1", "--json", "--explain").json
    assert inside["results"][0]["why"]["words"] > 0
    assert inside["query"]["complexity"] == "simple"
    about, shown = clew_program("search", "-", "--explain", stdin=b"where is the cookie?").out.split("\n", 1)
    assert about == "query: intent where; complexity simple; concepts cookie"
    assert shown.startswith(f"{SESSION} x1  segment  ")
    assert f"from {SESSION}#m4\n" in shown


def test_a_complex_query_gives_knowledge_more_of_a_pack(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    wide = "Compare both retry policies, then refactor every client to one of them across all services."
    told = [clew_program("pack", "session.jsonl", "--query", one, "--explain").out for one in (wide, "cookie")]
    assert "complexity of the query high: knowledge 60%, conversation 20%\n" in told[0]
    assert "complexity of the query simple: knowledge 45%, conversation 30%\n" in told[1]


def test_a_search_that_cannot_be_made_is_refused_in_one_line(clew_program: Program) -> None:
    assert (clew_program("search", " ").code, clew_program("search", "x", "--kind", "story").code) == (2, 2)
    assert clew_program("search", "x", "--session", "nobody").code == 3
    assert clew_program("search", "x").out.startswith("nothing matches; no session is stored yet")


def test_what_is_added_or_imported_has_its_vectors_when_the_command_ends(clew_program: Program, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    embedder = SynonymEmbedder(same={"vehicle": "lorry", "stands": "parked"})
    (tmp_path / "yard.md").write_text("# Yard\n\nEvery lorry is parked behind the mill.\n", "utf-8")
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    with served(embedder) as url:
        env = {"CLEW_MODELS__EMBEDDER": "local/words", "CLEW_MODELS__EMBEDDER_BASE_URL": url}
        assert clew_program("knowledge", "add", "yard.md", **env).err == ""
        assert clew_program("import", "session.jsonl", **env).code == 0
        said = list(embedder.texts)
        assert any("lorry" in text for text in said)
        assert any("cookie" in text for text in said)
        found = clew_program("knowledge", "search", "where vehicle stands", "--json", **env).json["results"]
        assert [one["id"] for one in found] == ["yard#1"]
        assert embedder.texts[len(said) :] == ["where vehicle stands"]
    (tmp_path / "yard.md").write_text("# Yard\n\nEvery tram is parked there.\n", "utf-8")
    gone = clew_program("knowledge", "add", "yard.md", CLEW_MODELS__MAX_RETRIES="0", **env)
    assert (gone.code, gone.out) == (0, "updated 1: yard\n")
    assert gone.err.startswith("clew: found by words alone until vectors can be made: ")


def test_vectors_that_are_missing_are_told_with_the_command_that_makes_them(
    clew_program: Program, tmp_path: Path
) -> None:
    pytest.importorskip("numpy")
    said = [line(at, "user" if at % 2 else "assistant", f"Pier {at} has a lamp.") for at in range(1, 400)]
    (tmp_path / "session.jsonl").write_bytes(jsonl(said))
    with served(SynonymEmbedder(same={"vehicle": "lorry"})) as url:
        env = {"CLEW_MODELS__EMBEDDER": "local/words", "CLEW_MODELS__EMBEDDER_BASE_URL": url}
        assert "`clew rebuild --missing` makes" in clew_program("import", "session.jsonl", "--no-wait", **env).err
        assert "`clew rebuild --missing` makes them" in clew_program("search", "lamp", **env).err
        assert clew_program("rebuild", "--missing", **env).out == "completed 1 session; nothing is missing of 1\n"
        done = clew_program("search", "lamp", "--json", **env)
        assert (done.err, done.json["vectors"]) == ("", {"made": 399, "messages": 399})
        assert clew_program("rebuild", "--missing", "--json", **env).json == {"completed": []}
    gone = clew_program("import", "session.jsonl", "--session", "other", "--no-wait", **env)
    failed = clew_program("rebuild", "--missing", CLEW_MODELS__MAX_RETRIES="0", **env)
    assert (gone.code, failed.code, failed.err.count("\n")) == (0, 6, 1)


def asks_clew(number: int, id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return line(number, "assistant", [{"type": "tool_use", "id": id, "name": f"mcp__clew__{tool}", "input": arguments}])


def test_what_replies_used_is_told_of_a_result_and_of_the_session(clew_program: Program, tmp_path: Path) -> None:
    found = {"session": SESSION, "results": [{"id": "x1", "header": "cookie", "messages": ["m4"]}]}
    turn = [
        line(21, "user", "What was it about?"),
        asks_clew(22, "s1", "search_context", query="cookie"),
        result(23, "s1", json.dumps(found)),
        asks_clew(24, "s2", "retrieve_context", conversation_ids=["x1"]),
        result(25, "s2", "{}"),
        line(26, "assistant", [{"type": "text", "text": "The cookie."}]),
        line(27, "user", "Thanks."),
    ]
    (tmp_path / "session.jsonl").write_bytes(jsonl([*CONVERSATION, *turn]))
    assert clew_program("import", "session.jsonl").code == 0
    shown = clew_program("search", "why is the session cookie not set?", "--explain").out
    assert "; used 1 time, ignored 0 times by replies; from" in shown
    table = clew_program("show", "latest", "--as", "retrieval").out.splitlines()
    assert (table[0].split(), table[-1].split()) == (
        ["kind", "retrieved", "used", "share"],
        ["segment", "1", "1", "100%"],
    )
    told = clew_program("show", "latest", "--as", "retrieval", "--json").json
    assert told["retrieval"] == [{"kind": "segment", "retrieved": 1, "used": 1, "precision": 1.0}]
