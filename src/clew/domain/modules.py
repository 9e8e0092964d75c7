"""Modules: pieces of registered knowledge with metadata, and the chunks they are read by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clew.domain.checks import check_text, check_whole_number, checked_items, checked_word


class Priority(StrEnum):
    """How much a module matters: what is high comes first."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class ModuleKind(StrEnum):
    """What a module holds. Tools and skills are named in one line until the work turns to them."""

    KNOWLEDGE = "knowledge"
    TOOL = "tool"
    SKILL = "skill"


class Usage(StrEnum):
    """When a module is used, as far as a rule says so; any other ``usage_scope`` says it in words."""

    SYSTEM = "system"
    ALWAYS = "always"
    ON_REQUEST = "on request"


_USAGES = {str(one): one for one in Usage}
_TEXTS = (
    *("id", "name", "content", "description", "category", "version", "last_updated"),
    *("usage_scope", "format", "source", "digest"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A piece of knowledge as it was registered: what is said of it, and its text.

    ``usage_scope`` is a rule (``system``, ``always``, ``on request``) or says in words when the module is of use.
    ``source`` is the file it was read from, empty for one that a caller gave; ``format`` says how its text is
    structured, ``first_line`` which line of the file it begins with, 0 where the file has no such lines. ``revision``
    counts what was registered under this id; ``digest`` changes with anything in it.
    """

    id: str
    name: str
    content: str
    description: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    priority: Priority = Priority.MEDIUM
    version: str = ""
    last_updated: str = ""
    token_count: int = 0
    dependencies: tuple[str, ...] = ()
    usage_scope: str = ""
    kind: ModuleKind = ModuleKind.KNOWLEDGE
    format: str = "markdown"
    source: str = ""
    first_line: int = 1
    revision: int = 1
    digest: str = ""

    def __post_init__(self) -> None:
        for name in _TEXTS:
            check_text(getattr(self, name), f"{name} of a Module")
        for name in ("token_count", "first_line", "revision"):
            check_whole_number(getattr(self, name), f"{name} of a Module")
        made = {
            "tags": checked_items(self.tags, str, "tags of a Module are a list of texts"),
            "dependencies": checked_items(self.dependencies, str, "dependencies of a Module are a list of ids"),
            "priority": checked_word(Priority, self.priority, "priority of a Module"),
            "kind": checked_word(ModuleKind, self.kind, "kind of a Module"),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    @property
    def usage(self) -> Usage | None:
        """The rule that ``usage_scope`` names; None where it says in words when the module is of use."""
        return _USAGES.get(self.usage_scope.strip().casefold())


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a module's text, from ``start`` to ``end`` in characters, under the headings that lead to it.

    Its id is the module's with a number from 1: ``deploy#3``.
    """

    id: str
    start: int
    end: int
    headings: tuple[str, ...] = ()
    tokens: int = 0

    @property
    def module(self) -> str:
        """Id of the module it is part of."""
        return self.id.rpartition("#")[0]
