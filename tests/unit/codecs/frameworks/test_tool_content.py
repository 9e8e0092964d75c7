"""What tools return, as the content of an output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from clew.codecs.frameworks.tool_content import ToolContent, tool_content
from clew.domain import Media, Status, Text
from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.builders import call, says

pydantic = pytest.importorskip("pydantic")


class Boat(pydantic.BaseModel):  # type: ignore[misc, name-defined]
    name: str
    berth: int | None = None


@dataclass
class Fleet:
    boats: list[Any]


def text(words: str) -> ToolContent:
    return ToolContent((Text(text=words),))


def test_values_are_written_as_json_whatever_they_are_made_of() -> None:
    assert tool_content(Boat(name="Ida")) == text('{"name":"Ida","berth":null}')
    assert tool_content(Fleet([Boat(name="Ida", berth=10**20)])) == text(
        '{"boats":[{"name":"Ida","berth":100000000000000000000}]}'
    )
    assert tool_content([Boat(name="Ida")]) == text('[{"name":"Ida","berth":null}]')


@pytest.mark.parametrize("value", [b"abc", {1, 2}, object(), Boat])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="the output is no text, part or JSON: "):
        tool_content(value)


def test_a_result_of_mcp_gives_its_blocks_and_tells_of_failure() -> None:
    mcp = pytest.importorskip("mcp").types
    page = mcp.TextResourceContents(uri="file:///page", text="hello")
    blob = mcp.BlobResourceContents(uri="file:///sound", blob="QUJD", mimeType="audio/wav")
    link = mcp.ResourceLink(type="resource_link", name="more", uri="https://example.org/more")
    blocks = [
        mcp.TextContent(type="text", text="found"),
        mcp.ImageContent(type="image", data="AAAA", mimeType="image/png"),
        mcp.EmbeddedResource(type="resource", resource=page),
        mcp.EmbeddedResource(type="resource", resource=blob),
        link,
    ]
    parts = (
        Text(text="found"),
        Media(media_type="image/png", data="AAAA"),
        Text(text="hello"),
        Media(media_type="audio/wav", data="QUJD", name="file:///sound"),
        Text(text='{"name":"more","uri":"https://example.org/more","type":"resource_link"}'),
    )
    assert tool_content(mcp.CallToolResult(content=blocks)) == tool_content(blocks) == ToolContent(parts)
    failed = mcp.CallToolResult(content=blocks[:1], isError=True)
    assert tool_content(failed) == ToolContent(parts[:1], Status.FAILED)
    assert tool_content(mcp.CallToolResult(content=[], structuredContent={"a": None})) == text('{"a":null}')


@pytest.mark.stores("memory")
def test_a_run_is_as_its_result_of_mcp_says(engine: Engine) -> None:
    mcp = pytest.importorskip("mcp").types
    session = engine.session("s")
    session.record([says("I look.", call("c1", "find"))])
    with session.tool("c1") as run:
        run.output(mcp.CallToolResult(content=[mcp.TextContent(type="text", text="no rope")], isError=True))
    (found,) = session.messages()[-1].outputs
    assert (found.status, found.text) == (Status.FAILED, "no rope")
