"""Several responses of one turn as one: without calls of a tool that its reader never hears of, and with their usage
added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from clew.codecs.fields import count_of, list_of, object_of, text_of
from clew.codecs.streams.pieces import INTERRUPTED
from clew.domain import Json

#: Stands between the texts of two responses, where an API has one text for them.
BETWEEN = "\n\n"
#: Where servers of Chat Completions put reasoning.
REASONING_FIELDS = ("reasoning_content", "reasoning")
#: Under these names an API counts what was asked and said, and within the first, what was read from a cache.
_COUNTS = {
    "openai-chat": ("prompt_tokens", "completion_tokens", "prompt_tokens_details"),
    "openai-responses": ("input_tokens", "output_tokens", "input_tokens_details"),
}
_ANTHROPIC_ASKED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "cache_creation")
#: How a response ends that waits for outputs, and one that is done.
_WAITS = {"anthropic": ("tool_use", "end_turn"), "openai-chat": ("tool_calls", "stop")}

Show = Callable[[str], str]


def is_call_of(item: Any, name: str) -> bool:
    """Returns True for a call of a tool: a block, an item, or a call in a message of Chat Completions."""
    if not isinstance(item, dict) or item.get("type", "function") not in ("tool_use", "function_call", "function"):
        return False
    return bool(name) and name in (item.get("name"), object_of(item, "function").get("name"))


def join_responses(format: str, responses: Sequence[Json], *, hidden: str, show: Sequence[Show]) -> Json:
    """Returns the responses of one turn as one, without calls of the ``hidden`` tool; ``show`` says for each what is
    left of its texts.
    """
    join = {"anthropic": _join_messages, "openai-chat": _join_completions, "openai-responses": _join_items}[format]
    joined = join(responses, hidden, show)
    joined |= {"usage": used} if (used := add_usage([object_of(response, "usage") for response in responses])) else {}
    broken = {INTERRUPTED: True} if any(response.get(INTERRUPTED) for response in responses) else {}
    return joined | broken


def _join_messages(responses: Sequence[Json], hidden: str, show: Sequence[Show]) -> Json:
    content = [
        block
        for response, shown in zip(responses, show, strict=True)
        for block in _shown_pieces(list_of(response, "content"), shown)
        if not is_call_of(block, hidden)
    ]
    waits = any(isinstance(block, dict) and block.get("type") == "tool_use" for block in content)
    head = responses[0] | responses[-1] | {"id": responses[0].get("id")}
    return head | {"content": content, "stop_reason": _end("anthropic", responses[-1].get("stop_reason"), waits=waits)}


def _join_completions(responses: Sequence[Json], hidden: str, show: Sequence[Show]) -> Json:
    choices: list[Json] = [next(iter(list_of(response, "choices")), {}) for response in responses]
    messages = [object_of(choice, "message") for choice in choices]
    texts = [shown(text_of(message, "content")) for message, shown in zip(messages, show, strict=True)]
    calls = [call for message in messages for call in list_of(message, "tool_calls") if not is_call_of(call, hidden)]
    message = messages[-1] | {"content": BETWEEN.join(filter(None, texts)) or None}
    for name in REASONING_FIELDS:
        if thoughts := [text for message in messages if (text := text_of(message, name))]:
            message[name] = BETWEEN.join(thoughts)
    message.pop("tool_calls", None)
    message |= {"tool_calls": calls} if calls else {}
    end = _end("openai-chat", choices[-1].get("finish_reason"), waits=bool(calls))
    first = choices[-1] | {"message": message, "finish_reason": end}
    same = {name: responses[0][name] for name in ("id", "created") if name in responses[0]}
    return responses[-1] | same | {"choices": [first, *list_of(responses[-1], "choices")[1:]]}


def _join_items(responses: Sequence[Json], hidden: str, show: Sequence[Show]) -> Json:
    items = [
        shown
        for response, show_text in zip(responses, show, strict=True)
        for item in list_of(response, "output")
        if not is_call_of(item, hidden) and (shown := shown_item(item, show_text)) is not None
    ]
    return responses[-1] | {"id": responses[0].get("id"), "output": items}


def without_lone_reasoning(items: Sequence[Any], hidden: str) -> list[Any]:
    """Returns items of the Responses API without reasoning that belongs to a call of the ``hidden`` tool: it is refused
    without what followed it.
    """
    kept: list[Any] = []
    for item in reversed(items):
        is_reasoning = isinstance(item, dict) and item.get("type") == "reasoning"
        if not (is_reasoning and kept and is_call_of(kept[-1], hidden)):
            kept.append(item)
    return kept[::-1]


def shown_item(item: Any, show: Show) -> Any:
    """Returns an item with its texts as they are shown; None for a message of which nothing is."""
    if not isinstance(item, dict) or item.get("type") != "message":
        return item
    pieces = _shown_pieces(list_of(item, "content"), show)
    return item | {"content": pieces} if pieces or not item.get("content") else None


def _shown_pieces(pieces: Sequence[Any], show: Show) -> list[Any]:
    """Blocks with their texts as they are shown; what is nothing else is left out."""
    found = []
    for piece in pieces:
        text = piece.get("text") if isinstance(piece, dict) and "text" in str(piece.get("type")) else None
        shown = show(text) if isinstance(text, str) else text
        if shown == text:
            found.append(piece)
        elif shown:
            found.append(piece | {"text": shown})
    return found


def _end(format: str, end: Any, *, waits: bool) -> Any:
    """Why a response ends: one whose calls are all hidden waits for nothing."""
    waiting, done = _WAITS[format]
    return done if end == waiting and not waits else end


# ── usage ────────────────────────────────────────────────────────────────────────────────────────────


def add_usage(usages: Sequence[Json]) -> Json:
    """Returns the sum of what was counted; what is no number is as the last one says."""
    total: Json = {}
    for usage in usages:
        for name, value in usage.items():
            before = total.get(name)
            if isinstance(value, dict):
                total[name] = add_usage([before if isinstance(before, dict) else {}, value])
            elif _is_number(value):
                total[name] = value + before if _is_number(before) else value
            elif value is not None or name not in total:
                total[name] = value
    return total


def usage_of_history(format: str, usages: Sequence[Json], *, history: int) -> Json:
    """Returns what would have been counted if the first response had answered a request of the whole ``history``, of
    which the cache had what is more than was sent, and there had been no others but for what they said.
    """
    first, total = next(iter(usages), {}), add_usage(usages)
    if format == "anthropic":
        asked = {name: first[name] for name in _ANTHROPIC_ASKED if name in first}
        more = max(history - sum(count_of(first, name) for name in _ANTHROPIC_ASKED[:3]), 0)
        cached = {"cache_read_input_tokens": count_of(first, "cache_read_input_tokens") + more}
        return total | asked | (cached if asked else {})
    asked_name, said_name, details = _COUNTS[format]
    if not _is_number(first.get(asked_name)):
        return total
    more = max(history - first[asked_name], 0)
    tokens, inner = first[asked_name] + more, object_of(first, details)
    counts: Json = {asked_name: tokens, "total_tokens": tokens + count_of(total, said_name)}
    return total | counts | {details: inner | {"cached_tokens": count_of(inner, "cached_tokens") + more}}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
