"""Notes of a model on its own turns: with enough of them no question is needed for a summary."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Digest

#: The share of segments that must have notes.
_ENOUGH = 0.8


def has_enough_notes(digests: Sequence[Digest]) -> bool:
    """True when the model has said of most segments what they come to."""
    relevant = [digest for digest in digests if digest.requests or digest.final or digest.files or digest.commands]
    noted = sum(_has_notes(digest) for digest in relevant)
    return bool(relevant) and noted >= _ENOUGH * len(relevant)


def _has_notes(digest: Digest) -> bool:
    """True for a note on the outcome; one on the request, or on a file, is not enough."""
    return bool(digest.gist or digest.response)
