"""The messages of a pack as blocks, for frameworks that have message classes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clew.domain import Json
from clew.engine.prompt.pack import Pack

#: The format whose blocks are read here: it names every kind of content, and each message has a role and a list.
FORMAT = "anthropic"


@dataclass(frozen=True, slots=True)
class BlockMessage:
    """A message of a pack: of the assistant, or of the user and tools. Its marks for the provider's cache are left
    out, since frameworks set their own.
    """

    is_reply: bool
    blocks: tuple[Json, ...]


def block_messages(pack: Pack) -> Iterator[BlockMessage]:
    """Yields the messages of a pack."""
    for message in pack.request(FORMAT)["messages"]:
        yield BlockMessage(message["role"] == "assistant", tuple(map(_unmarked, _blocks(message["content"]))))


def tool_names(pack: Pack) -> dict[str, str]:
    """Returns the names of the tools that are called in a pack, by the ids of the calls."""
    blocks = (block for message in block_messages(pack) for block in message.blocks)
    return {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}


def text_of(content: Any) -> str:
    """Returns the text of a block's content."""
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", "") for block in content or () if block.get("type") == "text")


def _blocks(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _unmarked(block: Json) -> Json:
    return {name: value for name, value in block.items() if name != "cache_control"}
