"""The MCP server as a program: the official client over stdio, in both eras; two clients on one store; a client's
transcript as it grows.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.assistant_files import claude_file, claude_line
from tests.journeys.program import Program


def transport(program: Program, folder: Path) -> Any:
    command = program.command
    env = program.env | {"PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", "")]))}
    return stdio_client(StdioServerParameters(command=command[0], args=[*command[1:], "mcp"], env=env, cwd=folder))


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content or {}


def test_two_clients_of_both_eras_follow_one_transcript_in_one_store(clew_program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    path = claude_file("s1", "Why does the login fail?", folder=str(folder))

    async def run() -> None:
        async with (
            Client(transport(clew_program, folder), mode="legacy") as one,
            Client(transport(clew_program, folder), mode="2026-07-28") as two,
        ):
            assert (await told(one, "get_context_health"))["session"] == "s1"
            marked = (await told(one, "mark_critical", content="Use JWT", type="decision"))["marked"]
            with path.open("ab") as file:
                file.write(json.dumps(claude_line("Fix it.", cwd=str(folder))).encode() + b"\n")
            found = await told(two, "retrieve_context", conversation_ids=["x2"], format="full")
            assert [item["text"] for item in found["items"]] == ["Fix it."]
            assert (await told(two, "get_critical_context", type="decision"))["items"] == [marked]
            assert (await told(one, "search_context", query="fix"))["results"]

    anyio.run(run)


def test_garbage_on_standard_input_ends_nothing(clew_program: Program) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "get_story", "arguments": {}}}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        b"not json",
        b'{"jsonrpc": "2.0", "id": 1}',
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": hello}).encode(),
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b"\xff\xfe\x00",
        json.dumps(call).encode(),
    ]
    with clew_program.start("mcp") as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"\n".join(lines) + b"\n")
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        while 7 not in answers:
            answer = json.loads(process.stdout.readline())
            answers[answer.get("id")] = answer
        process.stdin.close()
        assert process.wait() == 0
    assert answers[2]["result"]["serverInfo"]["name"] == "clew"
    assert "no session in" in answers[7]["result"]["content"][0]["text"]


def test_every_request_is_answered_once(clew_program: Program) -> None:
    """Also those that are asked again after the server has taken over from what answers while it is loaded."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lists = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping")
    asked = [("initialize", hello), *((method, {}) for method in lists), ("tools/call", {"name": "get_story"})]
    asked += [(method, {}) for method in lists] + [("resources/read", {"uri": "clew://sessions"})]
    seen = list[Any]()
    with clew_program.start("mcp") as process:
        assert process.stdin
        assert process.stdout
        for id, (method, params) in enumerate(asked):
            line = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()
            seen.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0
    assert [one["id"] for one in seen] == list(range(len(asked)))
    assert seen[1]["result"] == seen[7]["result"]
    assert json.loads(seen[-1]["result"]["contents"][0]["text"]) == {"sessions": []}


def test_nothing_is_opened_for_a_client_that_asks_for_nothing(clew_program: Program) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [{"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"}]
    done = clew_program("mcp", stdin=b"".join(json.dumps({"jsonrpc": "2.0"} | one).encode() + b"\n" for one in lines))
    assert (done.code, json.loads(done.out)["id"], done.err) == (0, 1, "")
    assert not clew_program.store.exists()
