"""Texts that a session keeps as blobs, and the ids by which they are read back: b and the first digits of a digest."""

from __future__ import annotations

from collections.abc import Iterable

from clew.domain import SessionKey
from clew.history.body_blobs import blob_digest
from clew.ports import Store

_CODING = ("utf-8", "surrogatepass")


def text_blobs(texts: Iterable[str]) -> dict[str, bytes]:
    """Returns the blobs that hold these texts, by digest."""
    return {blob_digest(content): content for content in (text.encode(*_CODING) for text in texts)}


def find_text(store: Store, key: SessionKey, id: str) -> str | None:
    """Returns the text that an id leads to; None where no blob of the session has the id, or several have it."""
    digests = store.find_blobs(key, id.removeprefix("b"))
    blob = store.blobs(key, digests).get(digests[0]) if len(digests) == 1 else None
    return None if blob is None else blob.decode(*_CODING)
