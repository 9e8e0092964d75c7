"""Templates that say how modules, items of the profile and a person's input are laid out in a prompt: files with named
slots, checked and versioned, for all models or for a family of them.

A file begins with ``version: 1`` and a line of ``---``; below stands the text with its slots, such as ``{text}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clew.domain import CriticalItem
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
    "profile": ("text", "kind", "source"),
    "input": ("text", "kind"),
}
_NEEDED = {"module": ("id", "text"), "catalogue": ("id", "description"), "profile": ("text",), "input": ("text",)}
#: The folder of a provider's models, by the target of a pack.
_FAMILIES = {"anthropic": "anthropic", "openai-chat": "openai", "openai-responses": "openai", "gemini": "gemini"}


@dataclass(frozen=True, slots=True)
class Template:
    """A text with named slots; its version says which edition of the file it is."""

    name: str
    version: int
    text: str

    def fill(self, values: Mapping[str, str]) -> str:
        """Returns the text with every slot filled; what is filled in is not read for slots again."""
        return _SLOT.sub(lambda slot: values.get(slot[1], ""), self.text)

    @property
    def file_text(self) -> str:
        """What the file says that it was read from."""
        return f"version: {self.version}\n---\n{self.text}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The templates that a prompt is laid out with."""

    module: Template
    catalogue: Template
    profile: Template
    input: Template

    def chunk(self, module: Module, text: str, *, id: str, headings: tuple[str, ...] = ()) -> str:
        """Returns a part of a module as prompts show it: where it comes from, what it is called, and its text."""
        title = " › ".join(dict.fromkeys((module.name, *headings)))
        return self.module.fill({**_values(module), "id": id, "text": text.strip("\n"), "title": title})

    def line(self, module: Module) -> str:
        """Returns the line that names a tool or a skill until the work turns to it."""
        return self.catalogue.fill({**_values(module), "id": str(ChunkId(module.id, 0))})

    def item(self, item: CriticalItem, text: str) -> str:
        """Returns an item of the profile as prompts state it, behind its id."""
        return self.profile.fill({"text": text, "kind": str(item.kind), "source": item.source})

    def words(self, text: str, *, kind: str) -> str:
        """Returns what a person says in a turn as it is sent."""
        return self.input.fill({"text": text, "kind": kind})

    @property
    def own(self) -> dict[str, str]:
        """The templates that are not the bundled ones, as files say them: what an epoch keeps."""
        usual = layout()
        slots = ((name, getattr(self, name)) for name in SLOTS)
        return {name: slot.file_text for name, slot in slots if slot != getattr(usual, name)}


def _values(module: Module) -> dict[str, str]:
    names = ("id", "name", "priority", "category", "version", "last_updated", "source", "kind", "description")
    return {name: " ".join(str(getattr(module, name)).split()) for name in names}


def layout(folder: str = "", *, target: str = "", model: str = "") -> Layout:
    """Returns the templates of a folder for a provider's model; the bundled one for each that is not there.

    A folder in it may be called like a provider (``anthropic``, ``openai``, ``gemini``) or as names of models begin
    (``claude-opus``); what is more particular comes first. Raises ModuleProblem, with the line, for a broken template.
    """
    if not folder:
        return _bundled_layout()
    folders = [*_particular(Path(folder).expanduser(), target, model), _BUNDLED]
    return Layout(**{name: _template(name, folders) for name in SLOTS})


def kept_layout(own: Mapping[str, str]) -> Layout:
    """Returns the layout that an epoch keeps: its own templates, and the bundled ones."""
    usual = _bundled_layout()
    if not own:
        return usual
    kept = {name: checked_template(name, text, name) for name, text in own.items() if name in SLOTS}
    return Layout(**{name: kept.get(name, getattr(usual, name)) for name in SLOTS})


@cache
def _bundled_layout() -> Layout:
    return Layout(**{name: _template(name, [_BUNDLED]) for name in SLOTS})


def _particular(folder: Path, target: str, model: str) -> Sequence[Path]:
    """The folders that hold for a model, the most particular first."""
    family = _FAMILIES.get(target, "")
    known = set(_FAMILIES.values())
    try:
        names = sorted((sub.name for sub in folder.iterdir() if sub.is_dir()), key=lambda name: (-len(name), name))
    except OSError:
        names = []
    of_model = [name for name in names if model and name not in known and model.startswith(name)]
    return [*(folder / name for name in of_model), *([folder / family] if family else []), folder]


def _template(name: str, folders: Sequence[Path]) -> Template:
    paths = [folder / f"{name}.txt" for folder in folders]
    path = next(path for path in paths if path.is_file() or path is paths[-1])
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
