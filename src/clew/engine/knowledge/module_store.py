"""Modules as the store keeps them: one row each, with the texts of all revisions by their digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any

import orjson

from clew.domain.modules import Chunk, Module, ModuleKind, Priority
from clew.ports import Store

#: Rows of modules by id; texts by digest; chunks by id; and what is remembered of all: the stamp and the sources.
_MODULES, _TEXTS, _CHUNKS, _ABOUT = "modules", "module_texts", "module_chunks", "knowledge"
_STAMP, _SOURCES = "stamp", "sources"


@dataclass(frozen=True, slots=True)
class Revision:
    """One version of a module as it was registered: its place, the version it calls itself, and when it came."""

    revision: int
    version: str
    added: float


class ModuleStore:
    """Reads and writes the modules of one user."""

    def __init__(self, store: Store, *, tenant: str, user: str) -> None:
        self._store, self._owner = store, (tenant, user)

    @property
    def store(self) -> Store:
        """The store that holds them."""
        return self._store

    def stamp(self) -> str:
        """Returns a mark that changes with every change of a module; empty while there has been none."""
        return self._about(_STAMP).decode()

    def sources(self) -> dict[str, str]:
        """Returns the paths and globs that modules were added from, each with the state that its files had."""
        sources: dict[str, str] = orjson.loads(self._about(_SOURCES) or b"{}")
        return sources

    def put_sources(self, sources: Mapping[str, str]) -> None:
        """Writes the sources."""
        self._store.put_values(*self._owner, _ABOUT, {_SOURCES: orjson.dumps(dict(sources))})

    def _about(self, name: str) -> bytes:
        return self._store.values(*self._owner, _ABOUT, [name]).get(name, b"")

    def modules(self) -> dict[str, Module]:
        """Returns all modules by id, in order of id, without their texts."""
        rows = self._store.values(*self._owner, _MODULES)
        return {id: _module(orjson.loads(rows[id])["module"], "") for id in sorted(rows)}

    def revisions(self, id: str) -> list[Revision]:
        """Returns all versions of a module, oldest first."""
        return [
            Revision(entry["module"]["revision"], entry["module"]["version"], entry["added"])
            for entry in self._history(id)
        ]

    def module(self, id: str, revision: int = 0) -> Module | None:
        """Returns a module with its text, the newest or the revision asked for; None where there is none."""
        history = self._history(id)
        wanted = [entry for entry in history if revision in (0, entry["module"]["revision"])]
        return self._whole(wanted[-1]) if wanted else None

    def _history(self, id: str) -> list[dict[str, Any]]:
        raw = self._store.values(*self._owner, _MODULES, [id]).get(id)
        if raw is None:
            return []
        row = orjson.loads(raw)
        return [*row["earlier"], {name: row[name] for name in ("module", "text", "added")}]

    def _whole(self, row: dict[str, Any]) -> Module:
        text = self._store.values(*self._owner, _TEXTS, [row["text"]]).get(row["text"], b"")
        return _module(row["module"], text.decode("utf-8", "surrogatepass"))

    def chunks(self, id: str) -> list[Chunk]:
        """Returns the chunks of a module as it is now, in order."""
        raw = self._store.values(*self._owner, _CHUNKS, [id]).get(id, b"[]")
        return [
            Chunk(f"{id}#{number}", start, end, tuple(headings), tokens)
            for number, (start, end, headings, tokens) in enumerate(orjson.loads(raw), 1)
        ]

    def put(self, module: Module, chunks: Sequence[Chunk], *, at: float) -> None:
        """Writes a module as the newest revision of its id."""
        text = module.content.encode("utf-8", "surrogatepass")
        digest = sha256(text).hexdigest()
        about = asdict(replace(module, content=""))
        row = {"module": about, "text": digest, "added": at, "earlier": self._history(module.id)}
        rows = [[chunk.start, chunk.end, chunk.headings, chunk.tokens] for chunk in chunks]
        self._store.put_values(*self._owner, _TEXTS, {digest: text})
        self._store.put_values(*self._owner, _CHUNKS, {module.id: orjson.dumps(rows)})
        self._store.put_values(*self._owner, _MODULES, {module.id: orjson.dumps(row)})
        self._touch()

    def remove(self, id: str) -> None:
        """Deletes a module with all its revisions, and their texts where no other module has the same."""
        own = {row["text"] for row in self._history(id)}
        self._store.put_values(*self._owner, _MODULES, {id: None})
        self._store.put_values(*self._owner, _CHUNKS, {id: None})
        used = {row["text"] for other in self.modules() for row in self._history(other)}
        self._store.put_values(*self._owner, _TEXTS, dict.fromkeys(own - used))
        self._touch()

    def _touch(self) -> None:
        number = int(self.stamp() or 0) + 1
        self._store.put_values(*self._owner, _ABOUT, {_STAMP: str(number).encode()})


def _module(about: dict[str, Any], content: str) -> Module:
    lists = {name: tuple(about[name]) for name in ("tags", "dependencies")}
    typed = {"priority": Priority(about["priority"]), "kind": ModuleKind(about["kind"])}
    return Module(**{**about, **lists, **typed, "content": content})
