"""Checks of what callers make by hand: each says in one line what was given and what is wanted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

from clew.errors import UsageError

_MOST_CHARACTERS = 40
_LEAVES = (str, int, float, bool, type(None))
E = TypeVar("E", bound=StrEnum)


def describe_value(value: Any) -> str:
    """Returns a value in a few characters, with its type."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"{type(value).__name__}(…)"
    text = text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
    return f"{text} ({type(value).__name__})"


def check_text(value: Any, what: str, hint: str = "") -> None:
    """Raises UsageError unless the value is a text."""
    if not isinstance(value, str):
        raise UsageError(f"{what} is a text, not {describe_value(value)}", hint=hint)


def check_text_or_none(value: Any, what: str, hint: str = "") -> None:
    """Raises UsageError unless the value is a text or None."""
    if value is not None:
        check_text(value, what, hint)


def check_whole_number(value: Any, what: str, hint: str = "") -> None:
    """Raises UsageError unless the value is a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{what} is a whole number, not {describe_value(value)}", hint=hint)


def checked_items(values: Any, kinds: type | tuple[type, ...], what: str) -> tuple[Any, ...]:
    """Returns the values as a tuple. Raises UsageError for what is no list, and for items of other kinds."""
    if type(values) is not tuple and (isinstance(values, str | bytes | dict) or not isinstance(values, Iterable)):
        raise UsageError(f"{what}, not {describe_value(values)}")
    found = tuple(values)  # a tuple stays the one it is
    for value in found:
        if not isinstance(value, kinds):
            raise UsageError(f"{what}, not of {describe_value(value)}")
    return found


def checked_word(kind: type[E], value: Any, what: str) -> E:
    """Returns the member of an enumeration that a word names. Raises UsageError with the words that are known."""
    if type(value) is kind:
        return value
    found = next((one for one in kind if isinstance(value, str) and one == value), None)
    if found is None:
        raise UsageError(f"{what} is one of {', '.join(kind)}, not {describe_value(value)}")
    return found


def check_json(value: Any, what: str) -> None:
    """Raises UsageError for a value that JSON has no way to write, with the place where it stands."""
    try:
        _check_json(value, what)
    except RecursionError:
        raise UsageError(f"{what} is nested too deeply to be written; give it as a text, or in fewer levels") from None


def _check_json(value: Any, what: str) -> None:
    if isinstance(value, dict):
        for name, item in value.items():
            if type(item) is str and type(name) is str:
                continue
            if not isinstance(name, str):
                raise UsageError(f"{what} has a name that is no text: {describe_value(name)}; JSON has texts only")
            _check_json(item, f"{what}[{name!r}]")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_json(item, f"{what}[{index}]")
    elif not isinstance(value, _LEAVES) or (isinstance(value, float) and not math.isfinite(value)):
        raise UsageError(f"{what} is {describe_value(value)}, which JSON cannot say; give a text, number, list or dict")
