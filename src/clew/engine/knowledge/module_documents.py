"""Modules and their chunks as documents that a search finds."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain.modules import Chunk, Module
from clew.retrieval.documents import Document, DocumentKind

#: What modules can be filtered by.
FILTERS = ("id", "name", "category", "tags", "priority", "version", "kind", "format", "source", "usage_scope")


def module_metadata(module: Module) -> dict[str, object]:
    """What filters of a search are compared with."""
    return {name: getattr(module, name) for name in FILTERS}


def _module_document(module: Module) -> Document:
    """A module as search finds it: by what is said of it."""
    texts = (module.description, module.usage_scope, module.category, " ".join(module.tags))
    return Document(
        id=module.id,
        kind=DocumentKind.MODULE,
        title=module.name,
        text="\n".join(text for text in texts if text),
        source=module.source,
        metadata=module_metadata(module),
    )


def module_documents(module: Module, chunks: Sequence[Chunk]) -> list[Document]:
    """A module and its chunks as search finds them."""
    return [_module_document(module), *(_chunk_document(module, chunk) for chunk in chunks)]


def _place(module: Module, chunk: Chunk) -> str:
    """Where a chunk stands: its file, with the lines if it has any."""
    if not module.source or not module.first_line:
        return module.source
    line = module.first_line + module.content.count("\n", 0, chunk.start)
    last = line + module.content.count("\n", chunk.start, chunk.end)
    return f"{module.source}:{line}-{last}"


def _chunk_document(module: Module, chunk: Chunk) -> Document:
    return Document(
        id=chunk.id,
        kind=DocumentKind.CHUNK,
        title="\n".join(dict.fromkeys((module.name, *chunk.headings))),
        text=module.content[chunk.start : chunk.end],
        source=_place(module, chunk),
        whole=module.id,
        metadata={**module_metadata(module), "headings": chunk.headings},
    )
