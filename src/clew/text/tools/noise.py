"""Lines of outputs that tell nothing of the work: progress, notices, advice and the headers of diffs."""

from __future__ import annotations

import re

_NOISE = re.compile(
    r"[ \t]*(?:npm (?:notice|http|timing|warn)\b|remote:(?!.*https?://)|hint: |Delta compression|Update available"
    r"|(?:Counting|Compressing|Writing|Receiving|Resolving) (?:objects|deltas)|Run `[^`]{1,80}` to (?:upgrade|update)"
    r"|To \S+(?:\.git|/)$|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}|diff --git |--- (?:a/|/dev/null)|Chunk ID: "
    r"|Wall time: |Process exited with code 0|Resolving dependencies|Resolved, downloaded|Saved lockfile)"
)


def without_noise(text: str) -> str:
    """Returns the text without lines that tell nothing."""
    return "\n".join(line for line in text.split("\n") if not _NOISE.match(line))
