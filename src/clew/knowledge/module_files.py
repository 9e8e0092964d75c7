"""Files as modules: which files a folder, a glob or a path names, and what each says of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from clew.domain.modules import Module, ModuleKind, Priority
from clew.knowledge.file_text import format_of, read_file
from clew.knowledge.front_matter import FrontMatter, check_text, split_front_matter
from clew.knowledge.problems import InvalidModules, ModuleProblem
from clew.knowledge.sections import document_sections

#: Folders in which programs keep what nobody wrote to be read.
_PASSED_OVER = {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "site-packages", "__pycache__"}
_GLOB = re.compile(r"[*?\[]")
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._/-]+")
_ID_CHARS = 120


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module as its file has it; ``lines`` has the line of each name in its front matter."""

    module: Module
    lines: dict[str, int]

    def problem(self, what: str, name: str = "") -> ModuleProblem:
        """Returns what is wrong with the module, at the line where it stands."""
        return ModuleProblem(self.module.source or self.module.id, self.lines.get(name, 0), what)


def files_in(source: str) -> list[tuple[Path, Path]]:
    """Returns the files that a path, a folder or a glob names, each with the folder that its id counts from.

    Raises ModuleProblem if there is none.
    """
    path = Path(source).expanduser()
    if path.is_dir():
        files = [(file, path) for file in _walk(path)]
    elif path.is_file():
        files = [(path, path.parent)]
    elif _GLOB.search(source):
        root = Path(*_before_glob(path))
        named = sorted(root.glob(str(path.relative_to(root))))
        files = [(file, root) for file in named if _is_wanted(file, root)]
    else:
        raise ModuleProblem(source, 0, "there is no such file or folder")
    if not files:
        raise ModuleProblem(source, 0, "there is no file in it that a module can be made of")
    return files


def _before_glob(path: Path) -> Iterator[str]:
    for part in path.parts:
        if _GLOB.search(part):
            return
        yield part


def _walk(folder: Path) -> Iterator[Path]:
    """Files with endings that modules have; hidden ones, and links that lead out of the folder, are passed over."""
    return (path for path in sorted(folder.rglob("*")) if _is_wanted(path, folder))


def _is_wanted(path: Path, root: Path) -> bool:
    parts = path.relative_to(root).parts
    if any(part.startswith(".") or part in _PASSED_OVER for part in parts):
        return False
    return path.is_file() and bool(format_of(path)) and path.resolve().is_relative_to(root.resolve())


def read_modules(files: list[tuple[Path, Path]], *, max_bytes: int) -> list[ModuleFile]:
    """Returns the modules of files. Raises InvalidModules with everything that is wrong, by file and line."""
    modules, problems = list[ModuleFile](), list[ModuleProblem]()
    for path, root in files:
        try:
            modules.append(_read(path, root, max_bytes=max_bytes))
        except ModuleProblem as problem:
            problems.append(problem)
    if problems:
        raise InvalidModules(problems)
    return modules


def _read(path: Path, root: Path, *, max_bytes: int) -> ModuleFile:
    read = read_file(path, max_bytes=max_bytes)
    head = split_front_matter(read.text, str(path)) if read.format != "code" else FrontMatter(body=read.text)
    if not head.body.strip():
        raise ModuleProblem(str(path), head.body_line, "there is no text below the front matter")
    values: dict[str, Any] = {"id": _id(path, root), "name": _title(head.body, read.format) or path.name, **head.values}
    values = {name: value for name, value in values.items() if name != "token_count"}
    first_line = head.body_line if format_of(path) not in {"html", "pdf"} else 0
    module = Module(
        content=head.body,
        format=read.format,
        source=str(path.resolve()),
        first_line=first_line,
        **_convert_kinds(values),
    )
    return ModuleFile(module, dict(head.lines))


def _convert_kinds(values: dict[str, Any]) -> dict[str, Any]:
    typed = {"priority": Priority, "kind": ModuleKind}
    return {name: typed[name](value) if name in typed else value for name, value in values.items()}


def _id(path: Path, root: Path) -> str:
    """The way to the file from the folder that was added; Markdown goes without its ending."""
    named = path.relative_to(root).as_posix()
    if format_of(path) == "markdown":
        named = named[: -len(path.suffix)]
    return _NOT_IN_IDS.sub("-", named).lstrip("._/-")[-_ID_CHARS:].lstrip("._/-") or "module"


def _title(text: str, format: str) -> str:
    """The first heading of a document."""
    sections = document_sections(text, format)
    return sections[0].headings[0] if sections and sections[0].headings else ""


def checked_module(module: Module) -> Module:
    """Returns a module that a caller made by hand. Raises ModuleProblem for one that cannot be registered."""
    for name in ("id", "priority", "kind", "last_updated"):
        if problem := check_text(name, str(getattr(module, name))):
            raise ModuleProblem(module.id or "module", 0, problem)
    if not module.content.strip():
        raise ModuleProblem(module.id, 0, "it has no content")
    return replace(module, **_convert_kinds({"priority": module.priority, "kind": module.kind}))


def digest_of(module: Module) -> str:
    """Returns a hash of everything that a module says; where it stands and how often it changed aside."""
    content = replace(module, source="", first_line=1, revision=1, digest="", token_count=0)
    return sha256(repr(content).encode("utf-8", "surrogatepass")).hexdigest()[:24]
