"""A client's own list of messages after replies were made from packs, or from what the client never saw.

Where a client sends its list as it is all the same (for a summary, while Clew is paused), thinking in it may be bound
to what stood before it in what was sent, and a provider refuses the request. Without thinking it is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from clew.domain import Json
from clew.rules.thinking_modes import may_be_manual, thinking_mode

_THINKING = ("thinking", "redacted_thinking", "reasoning")
#: What only a request that thinks may ask for.
_OF_THINKING = "clear_thinking"


def without_thinking(body: Json) -> Json:
    """Returns a request to Anthropic without the thinking in its messages; where the model would want that back, it is
    asked not to think.
    """
    found = body | {"messages": without_thoughts(body.get("messages") or [], lambda _: True)}
    if may_be_manual(thinking_mode(body), str(body.get("model") or "")) and "thinking" in body:
        found["thinking"] = {"type": "disabled"}
        found = _without_edits(found)
    return found


def without_thoughts(items: Iterable[Any], is_lost: Callable[[Json], bool]) -> list[Any]:
    """Returns the items of a request without the blocks or items of thinking that are lost."""
    kept = (_without_thoughts(item, is_lost) for item in items if not (is_thinking(item) and is_lost(item)))
    return [item for item in kept if item is not None]


def has_thinking(body: Any) -> bool:
    """Returns True for a request with thinking in its messages."""
    messages = body.get("messages") if isinstance(body, dict) else None
    return isinstance(messages, list) and bool(thoughts_in(messages))


def thoughts_in(items: Iterable[Any]) -> list[Json]:
    """Returns the blocks and items of thinking in the items of a request."""
    return [one for item in items for one in (item, *_blocks(item)) if is_thinking(one)]


def is_thinking(block: Any) -> bool:
    """Returns True for a block or item of thinking."""
    return isinstance(block, dict) and block.get("type") in _THINKING


def _without_thoughts(message: Any, is_lost: Callable[[Json], bool]) -> Any:
    """A message without its lost thinking; None where it has nothing else."""
    blocks = _blocks(message)
    kept = [block for block in blocks if not (is_thinking(block) and is_lost(block))]
    if len(kept) == len(blocks):
        return message
    return message | {"content": kept} if kept else None


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _without_edits(body: Json) -> Json:
    managed = body.get("context_management")
    edits = managed.get("edits") if isinstance(managed, dict) else None
    if not isinstance(managed, dict) or not isinstance(edits, list):
        return body
    kept = [one for one in edits if not (isinstance(one, dict) and str(one.get("type", "")).startswith(_OF_THINKING))]
    if kept:
        return body | {"context_management": managed | {"edits": kept}}
    return {name: value for name, value in body.items() if name != "context_management"}
