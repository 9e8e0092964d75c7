"""Templates that say how modules are laid out in a prompt: files with named slots, checked and versioned.

A file begins with ``version: 1`` and a line of ``---``; below stands the text with its slots, such as ``{text}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clew.domain.ids import ChunkId
from clew.domain.modules import Module
from clew.knowledge.problems import ModuleProblem

_BUNDLED = Path(__file__).parent / "templates"
_VERSION = re.compile(r"version: ([0-9]{1,6})")
_SLOT = re.compile(r"\{([a-z_]+)\}")
#: The slots of each template, those that it must have first.
SLOTS = {
    "module": ("id", "text", "title", "name", "priority", "category", "version", "last_updated", "source"),
    "catalogue": ("id", "name", "kind", "description", "priority", "category"),
}
_NEEDED = {"module": ("id", "text"), "catalogue": ("id", "description")}


@dataclass(frozen=True, slots=True)
class Template:
    """A text with named slots; its version says which edition of the file it is."""

    name: str
    version: int
    text: str

    def filled(self, values: Mapping[str, str]) -> str:
        """Returns the text with every slot filled; what is filled in is not read for slots again."""
        return _SLOT.sub(lambda slot: values.get(slot[1], ""), self.text)


@dataclass(frozen=True, slots=True)
class Layout:
    """The templates of one folder, or the bundled ones."""

    module: Template
    catalogue: Template

    def chunk(self, module: Module, text: str, *, id: str, headings: tuple[str, ...] = ()) -> str:
        """Returns a part of a module as prompts show it: where it comes from, what it is called, and its text."""
        title = " › ".join(dict.fromkeys((module.name, *headings)))
        return self.module.filled({**_values(module), "id": id, "text": text.strip("\n"), "title": title})

    def line(self, module: Module) -> str:
        """Returns the line that names a tool or a skill until the work turns to it."""
        return self.catalogue.filled({**_values(module), "id": str(ChunkId(module.id, 0))})


def _values(module: Module) -> dict[str, str]:
    names = ("id", "name", "priority", "category", "version", "last_updated", "source", "kind", "description")
    return {name: " ".join(str(getattr(module, name)).split()) for name in names}


@cache
def layout(folder: str = "") -> Layout:
    """Returns the templates of a folder; the bundled one for each that is not there. Raises ModuleProblem, with the
    line, for a template that is broken.
    """
    return Layout(**{name: _template(name, folder) for name in SLOTS})


def _template(name: str, folder: str) -> Template:
    own = Path(folder).expanduser() / f"{name}.txt" if folder else None
    path = own if own and own.is_file() else _BUNDLED / f"{name}.txt"
    try:
        return checked_template(name, path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError):
        raise ModuleProblem(str(path), 0, "the template cannot be read; save it as UTF-8") from None


def checked_template(name: str, text: str, path: str) -> Template:
    """Returns the template that a file holds. Raises ModuleProblem for a slot that is unknown or missing."""
    lines = text.splitlines()
    version = _VERSION.fullmatch(lines[0].strip()) if lines else None
    if version is None or len(lines) < 3 or lines[1].strip() != "---":
        raise ModuleProblem(path, 1, "a template begins with `version: 1` and a line of ---")
    for number, line in enumerate(lines[2:], 3):
        for slot in _SLOT.findall(line):
            if slot not in SLOTS[name]:
                raise ModuleProblem(path, number, f"there is no slot {{{slot}}}; there are {', '.join(SLOTS[name])}")
    body = "\n".join(lines[2:])
    if missing := [slot for slot in _NEEDED[name] if f"{{{slot}}}" not in body]:
        raise ModuleProblem(path, len(lines), f"the template lacks {{{missing[0]}}}")
    return Template(name, int(version[1]), body)
