"""Reports: what was found, repaired, skipped or left out. Nothing is dropped without a line here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a request breaks: ``at`` is the index in the request, from 0."""

    rule: str
    at: int
    message: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """What was changed in a view so that it is valid; the record keeps what came."""

    rule: str
    at: str
    message: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A piece of a file that could not be read, by line number (from 1; 0 when the file has no lines)."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that cannot cross from one format to another, and was left out."""

    at: str
    what: str
