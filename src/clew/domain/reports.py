"""Findings, repairs, skipped records and losses: whatever is changed or left out is reported by one of these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A provider's rule that a request breaks. ``at`` is the index of the message in the request, from 0."""

    rule: str
    at: int
    message: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change that made a view valid. The recorded message stays as it came."""

    rule: str
    at: str
    message: str


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """A piece of a file that could not be read. ``line`` counts from 1, and is 0 when the file has no lines."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the target format cannot express and that was therefore left out."""

    at: str
    what: str
