"""Requests that a client makes for itself: summaries, titles, checks of what a message is about. They pass as they are,
and nothing of them is recorded: nobody said it.
"""

from __future__ import annotations

from typing import Any

from clew.adapters.requests import ConversationRequest

#: How requests for a summary begin, as Claude Code and Codex write them.
_SUMMARY = (
    "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.",
    "You are performing a CONTEXT CHECKPOINT COMPACTION",
    "You are about to lose this conversation",
)
#: Of the last messages, so many may hold it: a client may add something behind it.
_LAST = 3


def is_summary_request(request: ConversationRequest) -> bool:
    """Returns True for a client's own request to have its conversation summed up."""
    texts = (text for message in request.messages[-_LAST:] for text in _texts(message))
    return any(text.lstrip().startswith(_SUMMARY) for text in texts)


def is_side_work(request: ConversationRequest, *, has_tools: bool) -> bool:
    """Returns True for a request that is no turn of its conversation: a summary, or, in a conversation whose client
    ``has_tools``, a question without any.
    """
    return is_summary_request(request) or (has_tools and not request.tools)


def _texts(message: Any) -> list[str]:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [content]
    pieces = content if isinstance(content, list) else []
    return [str(piece.get("text", "")) for piece in pieces if isinstance(piece, dict)]
