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
