"""Rows of the digests projection: ``draft/`` facts of a segment, and once it is finished ``trio/`` its header and
summary, ``told/`` the story as it stood after it, ``name/`` segments by name; ``moved/`` the segment of a new version
of a message. ``reader.py`` reads them.
"""

from __future__ import annotations

DRAFT, TRIO, STORY, NAME, MOVED = "draft/", "trio/", "told/", "name/", "moved/"


def prefix_end(prefix: str) -> str:
    """Returns the first row name after all that begin with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
