"""Rows of the digests projection: ``draft/`` facts of a segment, and once it is finished ``trio/`` its header and
summary; ``moved/`` the segment of a new version of a message. ``reader.py`` reads them.
"""

from __future__ import annotations

DRAFT, TRIO, MOVED = "draft/", "trio/", "moved/"


def prefix_end(prefix: str) -> str:
    """Returns the first row name after all that begin with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
