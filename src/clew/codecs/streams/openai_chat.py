"""Chunks of the OpenAI Chat Completions API, and of the many servers that speak it."""

from __future__ import annotations

from typing import Any

from clew.codecs.fields import list_of, object_of
from clew.codecs.streams.pieces import Pieces, add_piece, as_interrupted, index_of, join_pieces, parse_object
from clew.domain import Json

#: Texts that come whole; some servers repeat them in every chunk.
_WHOLE = {"role", "id", "type", "name", "format", "index"}
_CHUNK = "chat.completion.chunk"


class OpenAIChatStream:
    """Puts a completion together from chunks, each choice by its index and each call by its own."""

    format = "openai-chat"

    def __init__(self) -> None:
        self._head: Json = {}
        self._messages: dict[int, Json] = {}
        self._choices: dict[int, Json] = {}

    @staticmethod
    def tells(event: Json) -> bool:
        """True for a chunk of this API."""
        choices = event.get("choices")
        return event.get("object") == _CHUNK or (
            isinstance(choices, list) and any(isinstance(choice, dict) and "delta" in choice for choice in choices)
        )

    @property
    def is_complete(self) -> bool:
        """True once the first choice says why it ended."""
        first = min(self._choices, default=0)
        return self._choices.get(first, {}).get("finish_reason") is not None

    def feed(self, event: Json) -> None:
        """Takes in one chunk."""
        fields = {name: value for name, value in event.items() if name != "choices" and value is not None}
        self._head |= fields
        for choice in filter(_is_object, list_of(event, "choices")):
            index = max(index_of(choice), 0)
            self._choices.setdefault(index, {})
            self._choices[index] |= {
                name: value for name, value in choice.items() if name != "delta" and value is not None
            }
            merge_delta(self._messages.setdefault(index, {}), object_of(choice, "delta"))

    def response(self) -> Json | None:
        """The completion as a call without streaming returns it; None while there is nothing to record."""
        messages = {index: _message(self._messages[index]) for index in sorted(self._messages)}
        if not messages:
            return None
        if self.is_complete:
            return self._response(messages)
        unfinished = [call for message in messages.values() for call in _take_unfinished(message)]
        said = next(iter(messages.values()))
        is_empty = not any(value for name, value in said.items() if name != "role")
        return as_interrupted(self._response(messages), unfinished, is_empty=is_empty)

    def _response(self, messages: dict[int, Json]) -> Json:
        ends = {"finish_reason": None}
        choices = [
            ends | self._choices[index] | {"index": index, "message": message} for index, message in messages.items()
        ]
        return self._head | {"object": "chat.completion", "choices": choices}


def merge_delta(target: Json, delta: Json) -> None:
    """Texts grow, but for those that come whole; lists grow by the index of their items; else the last word counts."""
    for name, value in delta.items():
        if value is None:
            continue
        held = target.get(name)
        if isinstance(value, str) and name not in _WHOLE and not _is_list(held):
            add_piece(target, name, value)
        elif isinstance(value, str) and _is_list(held):
            _merge_items(target[name], [{"type": "text", "text": value}])
        elif isinstance(value, dict):
            target[name] = held if isinstance(held, dict) else {}
            merge_delta(target[name], value)
        elif isinstance(value, list):
            target[name] = held if _is_list(held) else [{"type": "text", "text": held}] if held else []
            _merge_items(target[name], value)
        elif not (isinstance(value, str) and held):
            target[name] = value


def _merge_items(target: list[Any], items: list[Any]) -> None:
    """Items name their place in the whole list; those that do not are new ones."""
    for item in items:
        if not _is_object(item):
            target.append(item)
            continue
        index = index_of(item)
        entry = next(
            (other for other in reversed(target) if index >= 0 and _is_object(other) and other.get("index") == index),
            None,
        )
        if entry is None or _is_another(entry, item):
            target.append(entry := {})
        merge_delta(entry, item)


def _is_another(entry: Json, item: Json) -> bool:
    """Some servers give every call the index 0, and tell them apart by their ids only."""
    return bool(entry.get("id") and item.get("id") and entry["id"] != item["id"])


def _message(merged: Json) -> Json:
    """The message as a whole response has it: what was announced and stayed empty says nothing."""
    fields = {name: value for name, value in join_pieces(merged).items() if value or name == "content"}
    whole: Json = {"role": "assistant", "content": None} | fields
    if whole["content"] == "" and len(whole) > 2:
        whole["content"] = None
    if isinstance(calls := whole.get("tool_calls"), list):
        whole["tool_calls"] = [_without_index(call) for call in calls]
    return whole


def _without_index(call: Any) -> Any:
    if not _is_object(call):
        return call
    return {"type": "function"} | {name: value for name, value in call.items() if name != "index"}


def _take_unfinished(message: Json) -> list[Any]:
    """Takes the calls out of a message whose arguments are not whole, and returns them."""
    calls = list_of(message, "tool_calls")
    begun = [call for call in calls if not _is_whole(call)]
    whole = [call for call in calls if call not in begun]
    message.pop("tool_calls", None)
    if whole:
        message["tool_calls"] = whole
    if parse_object(object_of(message, "function_call").get("arguments")) is None and "function_call" in message:
        begun.append({"function_call": message.pop("function_call")})
    if "audio" in message:
        begun.append({"audio": message.pop("audio")})
    return begun


def _is_whole(call: Any) -> bool:
    return _is_object(call) and parse_object(object_of(call, "function").get("arguments")) is not None


def _is_list(value: Any) -> bool:
    """True for a list that came as one: content, with some servers, is a list of pieces."""
    return isinstance(value, list) and not isinstance(value, Pieces)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
