"""Modes of thinking by model: which values of ``thinking.type`` a model takes, and what it does without the field.

Manual thinking (``enabled``) is the only mode up to Claude 4.5, one of two in 4.6, and refused from 4.7 on. Models that
always think refuse ``disabled``. As documented in November 2026. The first row whose pattern is found in the name
holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from clew.domain import Json
from clew.errors import UsageError
from clew.rules.base import string
from clew.tokens.models import model_info

MANUAL, ADAPTIVE, OFF, BETWEEN_TOOLS = "enabled", "adaptive", "disabled", "between_tools"
#: The mode of a request that does not say, of a model that nobody knows.
UNKNOWN = ""
#: The modes that a caller may name.
_STATED = (UNKNOWN, MANUAL, ADAPTIVE, OFF, BETWEEN_TOOLS)


class ThinkingModes(NamedTuple):
    """What a model takes, and the mode that it works in where a request does not say."""

    takes: frozenset[str]
    unstated: str


class _Row(NamedTuple):
    pattern: str
    modes: ThinkingModes


def _row(pattern: str, *takes: str, unstated: str) -> _Row:
    return _Row(pattern, ThinkingModes(frozenset(takes), unstated))


#: ``V`` is a dot or dash between the digits of a version.
_TABLE = (
    _row(r"claude-(3V5|3\b(?!V7)|2|instant)", OFF, unstated=OFF),
    _row(r"mythos-preview", MANUAL, ADAPTIVE, unstated=ADAPTIVE),
    _row(r"(fable|mythos)-5|opus-5V5", ADAPTIVE, unstated=ADAPTIVE),
    _row(r"sonnet-5V5", ADAPTIVE, BETWEEN_TOOLS, unstated=ADAPTIVE),
    _row(r"(opus|sonnet|haiku)-5", ADAPTIVE, OFF, unstated=ADAPTIVE),
    _row(r"(opus|sonnet)-4V[789]|claude-4V[789]", ADAPTIVE, OFF, unstated=OFF),
    _row(r"(opus|sonnet)-4V6|claude-4V6", MANUAL, ADAPTIVE, OFF, unstated=OFF),
    _row(r"claude-3V7|(opus|sonnet|haiku)-4|claude-4", MANUAL, OFF, unstated=OFF),
)
#: A model that no row knows may take anything, and may think or not where a request does not say.
_ANY = ThinkingModes(frozenset({MANUAL, ADAPTIVE, OFF, BETWEEN_TOOLS}), UNKNOWN)
#: Models of other makers have no such field.
_NONE = ThinkingModes(frozenset({OFF}), OFF)


@lru_cache(maxsize=256)
def thinking_modes(model: str) -> ThinkingModes:
    """Returns the modes of a model, by its name."""
    plain = model.lower()
    modes = next((row.modes for row in _TABLE if re.search(row.pattern.replace("V", "[.-]"), plain)), None)
    return modes or (_ANY if model_info(model).family in ("claude", "text") else _NONE)


def thinking_mode(request: Json) -> str:
    """Returns the mode that a request is answered in: what it says, or what its model does where it does not.
    A bare history, without ``max_tokens``, says nothing either way.
    """
    thinking = request.get("thinking")
    if isinstance(thinking, dict) and thinking:
        return string(thinking.get("type"))
    return thinking_modes(string(request.get("model"))).unstated if is_whole(request) else UNKNOWN


def is_whole(request: Json) -> bool:
    """Returns True for a request as it is sent, False for a history that somebody completes."""
    return "max_tokens" in request


def may_be_manual(mode: str, model: str) -> bool:
    """Returns True where the final turn has to begin with thinking, or may have to as nobody says in which mode."""
    return mode == MANUAL if mode else MANUAL in thinking_modes(model).takes


def stated_mode(given: str | Mapping[str, Any] | None, model: str) -> str:
    """The mode that a caller names, by itself or as the field of a request; of an empty one, what the model does.

    Raises UsageError for any other.
    """
    if given == {} and model:
        return thinking_modes(model).unstated
    mode = given.get("type", "") if isinstance(given, Mapping) else given or ""
    if mode not in _STATED:
        raise UsageError(f"thinking is {', '.join(_STATED[1:-1])} or {_STATED[-1]}, not {mode!r}")
    return str(mode)
