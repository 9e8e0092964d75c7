"""The names index: maps files, functions, errors and other names to the segments that hold them."""

from __future__ import annotations

from collections.abc import Iterable

from clew.domain import Digest

#: Names of one segment that are worth a pointer; the most used come first.
_MAX_NAMES = 60
_MAX_NAME_CHARS = 120


def append_id(ids: Iterable[str], new: str) -> tuple[str, ...]:
    """Returns the ids with one more at the end, unless it is among them."""
    return tuple(dict.fromkeys((*ids, new)))


def names_of(digest: Digest) -> list[str]:
    """Returns names by which a segment may be looked up:
    paths, symbols defined in them, places of errors, other names.
    """
    files = [file.text for file in reversed(digest.files)]
    defined = [name for file in digest.files for name in file.names]
    places = [failure.at for failure in digest.failures if failure.at]
    names = [*files, *defined, *places, *(fact.text for fact in digest.names)]
    return list(dict.fromkeys(name for name in names if len(name) <= _MAX_NAME_CHARS))[:_MAX_NAMES]
