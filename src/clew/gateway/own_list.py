"""A client's own list of messages after replies were made from packs.

Where a client sends its list as it is all the same (for a summary, while Clew is paused), thinking in it may be bound
to what stood before it in a pack, and a provider refuses the request. Without thinking it is valid.
"""

from __future__ import annotations

from typing import Any

from clew.domain import Json
from clew.rules.thinking_modes import may_be_manual, thinking_mode

_THINKING = ("thinking", "redacted_thinking")
#: What only a request that thinks may ask for.
_OF_THINKING = "clear_thinking"


def without_thinking(body: Json) -> Json:
    """Returns a request to Anthropic without the thinking in its messages; where the model would want that back, it is
    asked not to think.
    """
    messages = [kept for one in body.get("messages") or [] if (kept := _without_thinking(one)) is not None]
    found = body | {"messages": messages}
    if may_be_manual(thinking_mode(body), str(body.get("model") or "")) and "thinking" in body:
        found["thinking"] = {"type": "disabled"}
        found = _without_edits(found)
    return found


def has_thinking(body: Any) -> bool:
    """Returns True for a request with thinking in its messages."""
    messages = body.get("messages") if isinstance(body, dict) else None
    blocks = (block for one in messages or [] for block in _blocks(one)) if isinstance(messages, list) else ()
    return any(_is_thinking(block) for block in blocks)


def _without_thinking(message: Any) -> Any:
    """A message without its thinking; None where it has nothing else."""
    blocks = _blocks(message)
    if not any(map(_is_thinking, blocks)):
        return message
    kept = [block for block in blocks if not _is_thinking(block)]
    return message | {"content": kept} if kept else None


def _blocks(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _is_thinking(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in _THINKING


def _without_edits(body: Json) -> Json:
    managed = body.get("context_management")
    edits = managed.get("edits") if isinstance(managed, dict) else None
    if not isinstance(managed, dict) or not isinstance(edits, list):
        return body
    kept = [one for one in edits if not (isinstance(one, dict) and str(one.get("type", "")).startswith(_OF_THINKING))]
    if kept:
        return body | {"context_management": managed | {"edits": kept}}
    return {name: value for name, value in body.items() if name != "context_management"}
