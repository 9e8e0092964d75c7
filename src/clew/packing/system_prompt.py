"""The system prompt that Clew puts together: the caller's prompt, the environment, standing rules, in that order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any

from clew.domain.checks import checked_items
from clew.errors import UsageError

#: Fields of an environment that come first, in this order, and what each is called.
_FIRST = {"cwd": "Working folder", "platform": "Platform", "date": "Date"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemParts:
    """What a system prompt is made of. ``base`` may be a function that is asked whenever the text is made."""

    base: str | Callable[[], str]
    environment: tuple[tuple[str, str], ...] = ()
    guardrails: tuple[str, ...] = ()

    def text(self) -> str:
        """Returns the prompt. Equal parts give equal bytes.

        Raises UsageError if it is empty or no text, or the function that makes it fails.
        """
        base = _call_base(self.base) if callable(self.base) else self.base
        if not isinstance(base, str):
            raise UsageError(f"the base of a system prompt must be a text, not a {type(base).__name__}")
        environment = [f"{name}: {value}" for name, value in self.environment]
        blocks = [
            base.strip(),
            _block("environment", environment),
            _block("guardrails", [f"- {rule}" for rule in self.guardrails]),
        ]
        text = "\n\n".join(block for block in blocks if block)
        if not text:
            raise UsageError("the system prompt is empty; give it a base, an environment or guardrails")
        return text


def system_parts(base: str | Callable[[], str], environment: Any, guardrails: str | Iterable[str]) -> SystemParts:
    """Returns the parts of what a caller gives: the environment as a mapping, or an object with ``cwd``, ``platform``
    and ``date``. Raises UsageError for anything else.
    """
    if iscoroutinefunction(base):
        raise UsageError("the function that makes a system prompt cannot be asynchronous; give one that returns text")
    rules = checked_items(
        [guardrails] if isinstance(guardrails, str) else guardrails,
        str,
        "guardrails must be texts: one, or a list of them",
    )
    fields = tuple((_FIRST.get(name, _title(name)), _line(value)) for name, value in _fields(environment))
    return SystemParts(base=base, environment=fields, guardrails=tuple(filter(None, map(_line, rules))))


def _call_base(base: Callable[[], str]) -> str:
    try:
        return base()
    except Exception as error:
        told = f"{type(error).__name__}: {error}".removesuffix(": ")
        name = getattr(base, "__qualname__", type(base).__name__)
        raise UsageError(f"the function {name} that makes the system prompt failed: {told}") from error


def _fields(environment: Any) -> list[tuple[str, Any]]:
    """The fields that say something: the usual ones first, then others in order of name."""
    if environment is None:
        return []
    if isinstance(environment, Mapping):
        given = {str(name): value for name, value in environment.items()}
    else:
        given = {name: getattr(environment, name) for name in _FIRST if hasattr(environment, name)}
        if not given:
            kind = type(environment).__name__
            raise UsageError(f"an environment is a mapping, or has {', '.join(_FIRST)}; a {kind} has none of them")
    order = [*(name for name in _FIRST if name in given), *sorted(given.keys() - _FIRST.keys())]
    return [(name, given[name]) for name in order if given[name] not in (None, "")]


def _block(name: str, lines: list[str]) -> str:
    return "\n".join([f"<{name}>", *lines, f"</{name}>"]) if lines else ""


def _title(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()


def _line(value: object) -> str:
    try:
        return " ".join(str(value).split())
    except RecursionError:
        raise UsageError("a value of the environment is nested too deeply; give lines of text") from None
