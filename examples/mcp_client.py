"""A client of MCP asks `clew mcp` for what a window no longer holds: by words, then whole by its id."""

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import clew

with clew.open("examples.db") as engine:
    engine.session("harbour", user="ana").record(
        [clew.user("The berths are numbered from 1."), clew.assistant("Noted: berths begin at 1.")]
    )


async def main() -> None:
    async with Client(
        stdio_client(StdioServerParameters(command="clew", args=["mcp", "--store", "examples.db", "--user", "ana"]))
    ) as client:
        found = await client.call_tool("search_context", {"query": "how are berths numbered", "session": "harbour"})
        part = found.structured_content["results"][0]["id"]
        asked = {"conversation_ids": [part], "format": "full", "priority": "specific", "session": "harbour"}
        print((await client.call_tool("retrieve_context", asked)).structured_content["items"][0])


anyio.run(main)
