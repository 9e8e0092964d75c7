"""What a model noted of its own turns: enough of it makes a summary without a single question."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Digest

#: The share of segments that must have notes.
_ENOUGH = 0.8


def is_noted(digests: Sequence[Digest]) -> bool:
    """True when the model has said of most segments what they come to."""
    told = [digest for digest in digests if digest.requests or digest.final or digest.files or digest.commands]
    noted = sum(_has_notes(digest) for digest in told)
    return bool(told) and noted >= _ENOUGH * len(told)


def _has_notes(digest: Digest) -> bool:
    """What it came to; what was asked for, or a word on a file, is not enough."""
    return bool(digest.gist or digest.response)
