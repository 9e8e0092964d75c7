"""The names index: from files, functions, errors and other names to the segments that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clew.domain import Digest

#: Names of one segment that are worth a pointer; the most used come first.
_MAX_NAMES = 60
_MAX_NAME_CHARS = 120

Index = Mapping[str, tuple[str, ...]]


def index(digests: Iterable[Digest], known: Index | None = None) -> dict[str, tuple[str, ...]]:
    """Name → ids of segments in the order given; ``known`` is what an earlier call gave, and stays as it is."""
    found = dict(known or {})
    for digest in digests:
        for name in names_of(digest):
            found[name] = added(found.get(name, ()), digest.id)
    return found


def added(ids: Iterable[str], new: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*ids, new)))


def names_of(digest: Digest) -> list[str]:
    """What a segment may be looked up by: paths, what was defined in them, places of errors, names."""
    files = [file.text for file in reversed(digest.files)]
    defined = [name for file in digest.files for name in file.names]
    places = [failure.at for failure in digest.failures if failure.at]
    names = [*files, *defined, *places, *(fact.text for fact in digest.names)]
    return list(dict.fromkeys(name for name in names if len(name) <= _MAX_NAME_CHARS))[:_MAX_NAMES]
