"""Stored bodies of wire records: long strings inside them become blobs, so that equal tool outputs are kept once.

A body is stored as ``=`` and its own bytes, or as ``~`` and JSON in which each long string is replaced by
a reference. The second form is used only when it leads back to exactly the same bytes. Where a damaged store has
lost a blob, a text that says so stands in the string's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import orjson

#: Shorter strings cost more as a blob (a row, an index entry, worse compression) than they save.
MIN_BLOB_CHARS = 4096
#: A member name that starts with NUL: no provider writes it, and the check below catches one that does.
_REFERENCE = "\x00blob"
#: How many bytes the blob has; references of earlier versions do not say.
_SIZE = "bytes"
#: How the text begins that stands in the place of a lost blob.
LOST = "[missing: b"
_VERBATIM, _SPLIT = b"=", b"~"


def blob_digest(content: bytes) -> str:
    """Returns the SHA-256 of a blob in hexadecimal, the name it is stored under."""
    return sha256(content).hexdigest()


def split_body(body: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Returns the stored form of a body, and the blobs it refers to by digest."""
    if len(body) < MIN_BLOB_CHARS:
        return _VERBATIM + body, {}
    try:
        value = orjson.loads(body)
        whole = [value]
        places = _long_strings(whole)
        if places and orjson.dumps(value) == body:
            blobs = dict(_put_reference(holder, at) for holder, at in places)
            return _SPLIT + orjson.dumps(whole[0]), blobs
    except (ValueError, TypeError, RecursionError):
        pass
    return _VERBATIM + body, {}


def _long_strings(whole: list[Any]) -> list[tuple[Any, Any]]:
    """The places of long strings in a value, each as what holds it, and its name or number there."""
    places: list[tuple[Any, Any]] = []
    waiting: list[Any] = [whole]
    for holder in waiting:
        if type(holder) is dict and _REFERENCE in holder:
            raise ValueError("a record that looks like a reference is kept verbatim")
        for at, item in holder.items() if type(holder) is dict else enumerate(holder):
            kind = type(item)
            if kind is str:
                if len(item) >= MIN_BLOB_CHARS:
                    places.append((holder, at))
            elif kind is dict or kind is list:
                waiting.append(item)
    return places


def _put_reference(holder: Any, at: Any) -> tuple[str, bytes]:
    """Puts a reference in the place of a string; returns the digest and the blob that it refers to."""
    content = holder[at].encode()
    digest = blob_digest(content)
    holder[at] = {_REFERENCE: digest, _SIZE: len(content)}
    return digest, content


def lost_text(digest: str, size: int | None) -> str:
    """Returns what stands in the place of a blob that the store has lost."""
    how_large = f", {size:,} bytes" if isinstance(size, int) else ""
    return f"{LOST}{digest[:12]}{how_large}, lost when the store was damaged]"


def is_lost(body: bytes) -> bool:
    """Returns True for a body of which a part is lost."""
    return LOST.encode() in body


def join_body(stored: bytes, fetch: Callable[[set[str]], Mapping[str, bytes]]) -> bytes:
    """Returns the body as it came; ``fetch`` is called once for all blobs of the record.
    A blob that it does not return is lost.
    """
    if stored[:1] == _VERBATIM:
        return stored[1:]
    blobs = fetch(set(blob_references(stored)))

    def whole(reference: dict[str, Any]) -> str:
        digest: str = reference[_REFERENCE]
        return blobs[digest].decode() if digest in blobs else lost_text(digest, reference.get(_SIZE))

    return orjson.dumps(_replace_references(orjson.loads(stored[1:]), whole))


def blob_references(stored: bytes) -> dict[str, int]:
    """Returns the digests of the blobs that a stored body needs, each with its size in bytes, or 0 if it is unknown."""
    sizes: dict[str, int] = {}

    def note(reference: dict[str, Any]) -> Any:
        sizes[reference[_REFERENCE]] = reference.get(_SIZE, 0)

    if stored[:1] == _SPLIT:
        _replace_references(orjson.loads(stored[1:]), note)
    return sizes


def body_identity(stored: bytes) -> bytes:
    """Returns what two stored forms of one body have in common, whichever version wrote them."""
    if stored[:1] == _SPLIT:
        value = _replace_references(orjson.loads(stored[1:]), lambda reference: {_REFERENCE: reference[_REFERENCE]})
        stored = _SPLIT + orjson.dumps(value)
    return sha256(stored).digest()


def _replace_references(value: Any, instead: Callable[[dict[str, Any]], Any]) -> Any:
    """The value with something else in the place of each reference."""
    if isinstance(value, dict):
        if _REFERENCE in value:
            return instead(value)
        return {name: _replace_references(item, instead) for name, item in value.items()}
    return [_replace_references(item, instead) for item in value] if isinstance(value, list) else value
