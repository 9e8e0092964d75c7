"""Requests of the Anthropic Messages API, read and rewritten block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from clew.domain import Json
from clew.rules.base import OUTSIDE, objects, string

SERVER_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})


class BlockPlace(NamedTuple):
    """Where a block stands: the index of its message, and whether it is part of a tool's result."""

    at: int
    nested: bool = False


#: Gives the block itself to keep it, another one to replace it, None to drop it.
BlockRewrite = Callable[[BlockPlace, Json], Json | None]


def messages_of(request: Json) -> list[Json]:
    return objects(request.get("messages"))


def blocks_of(message: Json) -> list[Json]:
    """The content as blocks; a string is one block of text."""
    content = message.get("content")
    return [_text(content)] if isinstance(content, str) else objects(content)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def kind_of(block: Json) -> str:
    return string(block.get("type"))


def is_result(block: Json) -> bool:
    return kind_of(block) == "tool_result"


def is_server_result(block: Json) -> bool:
    """web_search_tool_result and the like; the provider writes them into the assistant's message."""
    return kind_of(block).endswith("_tool_result")


def is_thinking(block: Json) -> bool:
    return kind_of(block) in {"thinking", "redacted_thinking"}


def call_ids(message: Json) -> list[str]:
    """Ids of the calls that the client is to answer."""
    return [string(block.get("id")) for block in blocks_of(message) if kind_of(block) == "tool_use"]


def result_ids(message: Json) -> list[str]:
    return [string(block.get("tool_use_id")) for block in blocks_of(message) if is_result(block)]


def each_block(request: Json) -> Iterator[tuple[BlockPlace, Json]]:
    """Tools, system, messages: the order in which the provider reads them. Inner blocks before their result."""
    for block in objects(request.get("tools")):
        yield BlockPlace(OUTSIDE), block
    for block in objects(request.get("system")):
        yield BlockPlace(OUTSIDE), block
    for index, message in enumerate(messages_of(request)):
        for block in blocks_of(message):
            if is_result(block):
                for inner in objects(block.get("content")):
                    yield BlockPlace(index, nested=True), inner
            yield BlockPlace(index), block


def with_blocks(request: Json, change: BlockRewrite) -> Json:
    """The request with every block changed; untouched values are shared, and an untouched request is itself."""
    tools = _rewrite_content(request.get("tools"), BlockPlace(OUTSIDE), change)
    system = _rewrite_content(request.get("system"), BlockPlace(OUTSIDE), change)
    out = with_messages(request, lambda index, message: _changed_message(message, index, change))
    for name, value in (("tools", tools), ("system", system)):
        if value is not request.get(name):
            out = out | {name: value}
    return out


def with_messages(request: Json, change: Callable[[int, Json], Json]) -> Json:
    """The request with every message changed; an untouched request is itself."""
    messages = request.get("messages")
    if not isinstance(messages, list):
        return request
    new = reuse_if_same(messages, [change(index, m) if isinstance(m, dict) else m for index, m in enumerate(messages)])
    return request if new is messages else request | {"messages": new}


def reuse_if_same(old: list[Any], new: list[Any]) -> list[Any]:
    """The old list when the new one holds the very same elements."""
    same = len(old) == len(new) and all(before is after for before, after in zip(old, new, strict=True))
    return old if same else new


def _changed_message(message: Json, index: int, change: BlockRewrite) -> Json:
    content = _rewrite_content(message.get("content"), BlockPlace(index), change)
    return message if content is message.get("content") else message | {"content": content}


def _rewrite_content(content: Any, place: BlockPlace, change: BlockRewrite) -> Any:
    if isinstance(content, str):
        whole = _text(content)
        new = change(place, whole)
        return content if new is whole else _without_none([new])
    if isinstance(content, list):
        return reuse_if_same(content, _without_none([_changed_block(block, place, change) for block in content]))
    return content


def _without_none(blocks: Sequence[Any | None]) -> list[Any]:
    return [block for block in blocks if block is not None]


def _changed_block(block: Any, place: BlockPlace, change: BlockRewrite) -> Any | None:
    if not isinstance(block, dict):
        return block
    if is_result(block) and isinstance(block.get("content"), list):
        inner = _rewrite_content(block["content"], BlockPlace(place.at, nested=True), change)
        if inner is not block["content"]:
            block = block | {"content": inner}
    return change(place, block)


def without_empty_messages(request: Json) -> Json:
    """Messages that lost all their blocks go. One stays if all would: a request needs a message."""
    messages = request.get("messages")
    if not isinstance(messages, list):
        return request
    kept = [message for message in messages if isinstance(message, dict) and message.get("content")]
    return request | {"messages": kept or [{"role": "user", "content": "."}]}
