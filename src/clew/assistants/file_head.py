"""What the beginning of a transcript says of its session. It does not change as the file grows, so it is remembered."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from clew.codecs import jsonio, registry
from clew.codecs.sources import open_source
from clew.domain import Json, SessionFacts, SkippedRecord
from clew.errors import ClewError

#: So many records at the head of a file are read for what they say of the session.
_MOST_RECORDS = 20
#: A first line of Codex holds its instructions.
_MOST_LINE_BYTES = 4 << 20
_MOST_REMEMBERED = 4_000
_UNREADABLE = (ClewError, OSError, ValueError)


class _Incomplete(Exception):
    """The file does not say everything yet; ``facts`` is what it says."""

    def __init__(self, facts: SessionFacts) -> None:
        self.facts = facts


def head_facts(path: Path, format: str, *, needed: tuple[str, ...] = ("session", "cwd")) -> SessionFacts:
    """Returns session and working folder as the first records name them; empty where a file does not say.

    What is ``needed`` is looked for in more than one record, and remembered once all of it is found.
    """
    try:
        return _facts(path, format, needed, _place(path))
    except _Incomplete as found:
        return found.facts
    except _UNREADABLE:  # damaged, or gone meanwhile: it is no session that anybody can read
        return SessionFacts()


def head_object(path: Path) -> Json:
    """Returns the object on the first line; an empty one where there is none."""
    try:
        return _first_object(path, _place(path))
    except _UNREADABLE:
        return {}


def _place(path: Path) -> tuple[int, int]:
    """The file itself, whatever its name: one that replaces it has another."""
    status = path.stat()
    return status.st_dev, status.st_ino


@lru_cache(maxsize=_MOST_REMEMBERED)
def _facts(path: Path, format: str, needed: tuple[str, ...], _file: tuple[int, int]) -> SessionFacts:
    codec, found = registry.codec(format), SessionFacts()
    with open_source(path) as stream:
        for raw in islice(codec.split(stream), _MOST_RECORDS):
            if isinstance(raw, SkippedRecord):
                continue
            facts = codec.read(raw.body).facts
            found = replace(found, session=found.session or facts.session, cwd=found.cwd or facts.cwd)
            if all(getattr(found, name) for name in needed):
                return found
    raise _Incomplete(found)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _first_object(path: Path, _file: tuple[int, int]) -> Json:
    with open_source(path) as stream:
        return jsonio.loads_object(stream.readline(_MOST_LINE_BYTES))
