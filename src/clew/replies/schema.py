"""Reads JSON that a model wrote into values, or refuses it with a reason. Nothing is guessed and nothing cut short."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Any, TypeVar

import orjson

from clew.domain import CodeChange, Housekeeping
from clew.replies import values
from clew.replies.values import Format, Priority, RetrievalRequest
from clew.text.terminal import safe

_MODEL = ("response_header", "context_summary", "key_decisions", "code_changes")
_USER = ("query_header", "understood_intent", "context_used")
#: So much of an unknown key is repeated in a finding.
_KEY_CHARS = 40


class Refusal(ValueError):
    """Why a block cannot be used; ``rule`` is one word for it."""

    def __init__(self, rule: str, message: str) -> None:
        self.rule = rule
        super().__init__(message)


def parse_json(content: str) -> Any:
    """Parses the JSON of a block; a code fence around it is a habit of models, and harmless."""
    if len(content) > values.MAX_BLOCK_CHARS:
        raise Refusal("too-long", f"it has {len(content):,} characters, more than {values.MAX_BLOCK_CHARS:,}")
    try:
        return orjson.loads(_without_fence(content))
    except orjson.JSONDecodeError:
        raise Refusal("json", "its content is no JSON") from None


def housekeeping_from(data: Any) -> Housekeeping:
    """Refuses unknown keys, wrong types, control characters, and more than the caps allow."""
    sides = _object(data, "the block", ("model", "user"))
    model = _object(sides.get("model", {}), "model", _MODEL)
    user = _object(sides.get("user", {}), "user", _USER)
    housekeeping = Housekeeping(
        response_header=_line(model, "response_header", values.MAX_HEADER_CHARS),
        context_summary=_line(model, "context_summary", values.MAX_SUMMARY_CHARS),
        key_decisions=tuple(_text(one, "key_decisions") for one in _list(model, "key_decisions")),
        code_changes=tuple(_change(one) for one in _list(model, "code_changes")),
        query_header=_line(user, "query_header", values.MAX_HEADER_CHARS),
        understood_intent=_line(user, "understood_intent", values.MAX_SUMMARY_CHARS),
        context_used=_ids(user, "context_used"),
    )
    if housekeeping == Housekeeping():
        raise Refusal("schema", "it says nothing")
    return housekeeping


def request_from(data: Any) -> RetrievalRequest:
    """Refuses as above; ids may be left out where the priority says which are meant. A run of characters is one of the
    full text unless another is named.
    """
    request = _object(data, "the block", ("conversation_ids", "format", "priority", "offset", "limit"))
    ids = _ids(request, "conversation_ids")
    offset, limit = _number(request, "offset"), _number(request, "limit")
    format = _choice(request, "format", Format.FULL if offset or limit else Format.SUMMARY)
    priority = _choice(request, "priority", Priority.SPECIFIC)
    if not ids and priority is Priority.SPECIFIC:
        raise Refusal("schema", "conversation_ids is empty, and only recent and relevant can do without")
    if (offset or limit) and len(ids) != 1:
        raise Refusal("schema", "offset and limit are of one part; name one id")
    return RetrievalRequest(ids, format, priority, offset, limit)


def _without_fence(content: str) -> str:
    text = content.strip()
    _, end, inner = text.partition("\n")
    return inner[:-3] if end and text.startswith("```") and text.endswith("```") else text


def _object(value: Any, what: str, known: Collection[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refusal("schema", f"{what} must be an object")
    if unknown := sorted(value.keys() - set(known)):
        raise Refusal("schema", f"{what} has an unknown key {unknown[0][:_KEY_CHARS]!a}")
    return value


def _list(data: dict[str, Any], name: str) -> list[Any]:
    found = data.get(name, [])
    if not isinstance(found, list):
        raise Refusal("schema", f"{name} must be a list")
    if len(found) > values.MAX_ITEMS:
        raise Refusal("too-long", f"{name} has {len(found)} items, more than {values.MAX_ITEMS}")
    return found


def _line(data: dict[str, Any], name: str, limit: int) -> str:
    return _text(data.get(name, ""), name, limit)


def _text(value: Any, name: str, limit: int = values.MAX_LINE_CHARS) -> str:
    """One line: white space is folded, so that nothing here can look like a line of somebody else."""
    if not isinstance(value, str):
        raise Refusal("schema", f"{name} must be text")
    if len(value) > limit:
        raise Refusal("too-long", f"{name} has {len(value):,} characters, more than {limit:,}")
    folded = " ".join(value.split())
    if safe(folded) != folded:
        raise Refusal("control", f"{name} has control characters")
    return folded


def _number(data: dict[str, Any], name: str) -> int:
    value = data.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Refusal("schema", f"{name} must be a whole number of 0 or more")
    return value


def _change(value: Any) -> CodeChange:
    change = _object(value, "a code change", ("path", "what"))
    path = _text(change.get("path", ""), "path")
    if not path:
        raise Refusal("schema", "a code change must name its path")
    return CodeChange(path, _text(change.get("what", ""), "what"))


def _ids(data: dict[str, Any], name: str) -> tuple[str, ...]:
    found = [_text(one, name) for one in _list(data, name)]
    if not all(map(values.is_id, found)):
        raise Refusal("schema", f"{name} has something that is no id")
    return tuple(dict.fromkeys(found))


Choice = TypeVar("Choice", bound=StrEnum)


def _choice(data: dict[str, Any], name: str, default: Choice) -> Choice:
    kind = type(default)
    try:
        return kind(data.get(name, default))
    except ValueError:
        raise Refusal("schema", f"{name} must be {', '.join(kind)}") from None
