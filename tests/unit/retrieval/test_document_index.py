"""Documents beside sessions: put, found, filtered, replaced, removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.ports import Store
from clew.retrieval.document_index import DocumentIndex, collection_key
from clew.retrieval.documents import Document, DocumentKind
from clew.storage.stores import open_store

MODULE = Document(
    id="retry",
    kind=DocumentKind.MODULE,
    text="How calls are repeated.",
    title="Retry policy",
    metadata={"tags": ["ops"]},
)
CHUNKS = [
    Document(
        id="retry#1", kind=DocumentKind.CHUNK, text="A timeout is repeated twice.", whole="retry", source="retry.md:3"
    ),
    Document(
        id="tides#1", kind=DocumentKind.CHUNK, text="The harbour falls dry.", whole="tides", metadata={"area": "sea"}
    ),
]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(":memory:" if request.param == "memory" else str(tmp_path / "clew.db"))
    yield opened
    opened.close()


@pytest.fixture
def index(store: Store) -> DocumentIndex:
    found = DocumentIndex(store, collection_key("t", "u", "knowledge"))
    found.put([MODULE, *CHUNKS])
    return found


def ids(index: DocumentIndex, query: str, **asked: object) -> list[str]:
    return [one.document.id for one in index.search(query, **asked)]  # type: ignore[arg-type]


def test_documents_come_back_whole_with_their_source(index: DocumentIndex) -> None:
    [found] = index.search("timeout", limit=1)
    assert found.document == CHUNKS[0]
    assert index.get("retry") == MODULE
    assert index.get("nothing") is None


def test_titles_are_found_and_kinds_and_metadata_filter(index: DocumentIndex) -> None:
    assert ids(index, "policy", limit=1) == ["retry"]
    assert ids(index, "repeated", kinds=["module"]) == ["retry"]
    assert ids(index, "repeated", filters={"tags": "ops"}) == ["retry"]
    assert ids(index, "harbour repeated", filters={"area": ["sea", "land"]}) == ["tides#1"]
    assert ids(index, "harbour", filters={"area": "land"}) == []
    assert [one.id for one in index.documents(kinds=["chunk"])] == ["retry#1", "tides#1"]


def test_a_document_put_again_takes_the_place_of_the_old_one(index: DocumentIndex) -> None:
    index.put([Document(id="tides#1", kind=DocumentKind.CHUNK, text="Springs come twice a month.")])
    assert ids(index, "harbour") == []
    assert ids(index, "springs", limit=1) == ["tides#1"]


def test_removed_documents_are_found_no_more(index: DocumentIndex) -> None:
    index.remove(["retry#1", "unknown"])
    assert ids(index, "timeout") == []
    assert index.get("retry#1") is None
    index.clear()
    assert index.documents() == []


def test_a_collection_is_no_session_and_apart_from_others(store: Store, index: DocumentIndex) -> None:
    assert DocumentIndex(store, collection_key("t", "other", "knowledge")).search("timeout") == []
    assert store.sessions("t", "u") == []
