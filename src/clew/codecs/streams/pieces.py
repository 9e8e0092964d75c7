"""Texts that arrive piece by piece, and what a response that broke off says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.codecs import jsonio
from clew.domain import Json

#: Marks a response that broke off, beside what the API itself writes.
INTERRUPTED = "interrupted"
#: What had begun and was not finished: kept with the record, part of no message.
UNFINISHED = "unfinished"


class Pieces(list[str]):
    """The pieces of one text; they are joined once, when the text is asked for."""


def add_piece(target: Json, name: str, text: str) -> None:
    """Appends to a text that grows under that name."""
    held = target.get(name)
    if not isinstance(held, Pieces):
        held = target[name] = Pieces([held] if isinstance(held, str) else [])
    held.append(text)


def index_of(event: Json, name: str = "index") -> int:
    """A place that an event names; -1 where it names none."""
    at = event.get(name)
    return at if isinstance(at, int) and at >= 0 else -1


def join_pieces(value: Any) -> Any:
    """The value with all its pieces as texts."""
    if isinstance(value, Pieces):
        return "".join(value)
    if isinstance(value, dict):
        return {name: join_pieces(inner) for name, inner in value.items()}
    return [join_pieces(inner) for inner in value] if isinstance(value, list) else value


def parse_object(text: Any) -> Json | None:
    """The JSON object that a text is as a whole; None for anything else, also for the beginning of one."""
    try:
        value = jsonio.loads(text.encode("utf-8", "replace")) if isinstance(text, str) else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def as_interrupted(response: Json, unfinished: Sequence[Any], *, is_empty: bool) -> Json | None:
    """The response, marked as one that broke off. It may be empty but for what is unfinished; None if that is too."""
    if is_empty and not unfinished:
        return None
    rest = {UNFINISHED: list(unfinished)} if unfinished else {}
    return response | {INTERRUPTED: True} | rest


def is_interrupted(response: Json) -> bool:
    """True for a response that broke off."""
    return response.get(INTERRUPTED) is True
