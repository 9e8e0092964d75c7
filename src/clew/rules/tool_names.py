"""Tool names that providers refuse: found wherever a request bears them, and made safe on calls, outputs,
definitions and choices alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from clew.domain import Finding, Json, Repair
from clew.rules.base import OUTSIDE, Case, ProviderRule, portable_id
from clew.rules.changed_requests import with_member

#: Gives the name itself to keep it, or another; ``at`` is the index of the message, or OUTSIDE.
Rename = Callable[[int, str], str]
#: The request with every tool name in it renamed; the very same object when all are kept.
NameRewrite = Callable[[Json, Rename], Json]

#: OpenAI, Anthropic and Gemini alike took 128 in autumn 2026.
MAX_NAME_CHARACTERS = 128
#: What Anthropic and OpenAI take.
PLAIN_NAME = re.compile(rf"[a-zA-Z0-9_-]{{1,{MAX_NAME_CHARACTERS}}}")
#: Made-up names keep to the limit of older models and of servers that speak another's format.
_SHORT_CHARACTERS = 64
_SHOWN_CHARACTERS = 40


def portable_name(name: str) -> str:
    """A name that any provider takes. It depends on the old name alone."""
    name = name or "unnamed"
    return portable_id(f"_{name}" if name[0].isdigit() or name[0] == "-" else name, longest=_SHORT_CHARACTERS)


def name_rule(id: str, rewrite: NameRewrite, *, messages: str, allowed: re.Pattern[str], demand: str) -> ProviderRule:
    """The rule that every tool name matches ``allowed``; ``demand`` says so in words.

    ``messages`` is the name of the request's list.
    """

    def names_are_allowed(case: Case) -> Iterator[Finding]:
        first_uses: dict[str, int] = {}

        def note(index: int, name: str) -> str:
            if not allowed.fullmatch(name):
                first_uses.setdefault(name, index)
            return name

        rewrite(case.request, note)
        for name, index in first_uses.items():
            yield Finding(id, index, f"the tool name {_display_name(name)} is refused: {demand}")

    def make_names_safe(case: Case) -> tuple[Json, list[Repair]]:
        repairs: dict[str, Repair] = {}

        def rename(index: int, name: str) -> str:
            if allowed.fullmatch(name):
                return name
            new = portable_name(name)
            where = "tools" if index == OUTSIDE else f"{messages}[{index}]"
            repairs.setdefault(name, Repair(id, where, f"renamed the tool {_display_name(name)} to {new!r} everywhere"))
            return new

        return rewrite(case.request, rename), list(repairs.values())

    return ProviderRule(id, "tool names keep to the API's pattern", names_are_allowed, make_names_safe)


def _display_name(name: str) -> str:
    return repr(name if len(name) <= _SHOWN_CHARACTERS else f"{name[:_SHOWN_CHARACTERS]}…")


def rename_at(data: Any, path: Sequence[str], rename: Callable[[str], str]) -> Any:
    """The object with the name at the path renamed; the very same when it is kept or not there."""
    if not isinstance(data, dict) or path[0] not in data:
        return data
    old = data[path[0]]
    if len(path) > 1:
        return with_member(data, path[0], rename_at(old, path[1:], rename))
    return with_member(data, path[0], rename(old)) if isinstance(old, str) else data
