"""Definitions of tools in the words of each provider."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from clew.codecs import registry
from clew.domain import (
    Loss,
    Tool,
)
from tests.codec_examples.file_reader import broken
from tests.codec_examples.providers import EXAMPLES, FORMATS, decoded


@pytest.mark.parametrize("format", FORMATS)
def test_tools_of_a_wrong_shape_do_no_harm(format: str) -> None:
    codec, encoder = registry.codec(format), registry.encoder(format)
    for data in broken({"tools": EXAMPLES[format]["tools"]}):
        try:
            record = codec.read(json.dumps(data).encode())
        except ValueError:
            continue
        encoder.encode([], tools=record.tools or ())


@pytest.mark.parametrize("format", FORMATS)
def test_a_single_tool_of_many_can_be_left_out(format: str) -> None:
    _, tools = decoded(registry.codec(format), EXAMPLES[format])
    for at in range(len(tools)):
        rest = tools[:at] + tools[at + 1 :]
        body = registry.encoder(format).encode([], tools=rest).body
        _, again = decoded(registry.codec(format), body)
        assert [replace(tool, wire=None) for tool in again] == [replace(tool, wire=None) for tool in rest]


@pytest.mark.parametrize("format", FORMATS)
def test_tools_that_another_provider_runs_are_lost(format: str) -> None:
    for other in FORMATS:
        _, tools = decoded(registry.codec(other), EXAMPLES[other])
        request = registry.encoder(format).encode([], tools=tools)
        theirs = [tool for tool in tools if not tool.schema and other != format]
        assert request.losses == tuple(Loss("tools", f"the tool {tool.name} of another provider") for tool in theirs)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("other", FORMATS)
def test_tools_cross_with_name_description_and_schema(format: str, other: str) -> None:
    schema = {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}
    tools = (Tool(name="look", description="Looks.", schema=schema), Tool(name="now"))
    there = registry.encoder(format).encode([], tools=tools)
    _, read = decoded(registry.codec(format), there.body)
    back = registry.encoder(other).encode([], tools=read)
    assert there.losses == back.losses == ()
    _, again = decoded(registry.codec(other), back.body)
    assert [(tool.name, tool.description, tool.schema) for tool in again] == [
        ("look", "Looks.", schema),
        ("now", "", {"type": "object", "properties": {}}),
    ]


def test_gemini_types_are_written_small_elsewhere() -> None:
    _, tools = decoded(registry.codec("gemini"), EXAMPLES["gemini"])
    assert tools[0].schema == {"type": "object", "properties": {"at": {"type": "integer"}}}
