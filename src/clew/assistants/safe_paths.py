"""Safe paths: a path that a client or a caller names is read only if it is a file in the assistant's own folder."""

from __future__ import annotations

import os
from pathlib import Path

from clew.errors import UnreadableSource


def is_safe(path: Path, root: Path) -> bool:
    """Returns True for a plain file in a folder, or in folders of it. A link that leads out of the folder is none."""
    try:
        real = Path(os.path.realpath(path, strict=True))
        return real.is_file() and real.is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):
        return False


def ensure_safe(path: Path, root: Path, *, owner: str) -> None:
    """Raises UnreadableSource unless the path is a plain file in the folder of the assistant that is named."""
    if not is_safe(path, root):
        raise UnreadableSource(
            f"{path} is not read: it is no file among the transcripts of {owner} in {root}; name one of those, or"
            f" store it with clew import"
        )
