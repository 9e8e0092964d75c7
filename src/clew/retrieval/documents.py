"""What search finds: documents of five kinds, each with metadata to filter by and the source it came from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class DocumentKind(StrEnum):
    """Kinds of documents. Segments, messages and blobs belong to a session, modules and chunks to knowledge."""

    SEGMENT = "segment"
    MESSAGE = "message"
    BLOB = "blob"
    MODULE = "module"
    CHUNK = "chunk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text that can be found.

    ``id`` is unique within its collection. ``title`` is found like the text and stands for its headings and names.
    ``source`` says where it comes from, such as ``docs/retry.md:10-42``. ``whole`` is the id of the document that this
    one is a part of. ``metadata`` holds JSON values that ``filters`` of a search are compared with.
    """

    id: str
    kind: DocumentKind
    text: str
    title: str = ""
    source: str = ""
    whole: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document that matches a query, and how well. Scores compare within one search only; ``why`` has the shares that
    words and meaning have in the score. ``nearness`` is how near it is by meaning: up to 0 where it has nothing to do
    with the query, from 1 on where both are about the same; None without a vector.
    """

    document: Document
    score: float
    why: Mapping[str, float] = field(default_factory=dict)
    nearness: float | None = None


def matches_filters(metadata: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether metadata has what every filter asks for: the value itself, one of several values that the filter lists,
    or a list that holds one of them.
    """
    return all(_matches(metadata.get(name), wanted) for name, wanted in filters.items())


def _matches(value: Any, wanted: Any) -> bool:
    values = value if isinstance(value, list | tuple) else [value]
    return any(one in values for one in (wanted if _is_several(wanted) else [wanted]))


def _is_several(wanted: Any) -> bool:
    return isinstance(wanted, Collection) and not isinstance(wanted, str | bytes | Mapping)
