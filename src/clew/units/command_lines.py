"""Commands as a pack shows them: on one line, seen from the root."""

from __future__ import annotations

import re

_CHANGES_FOLDER = re.compile(r"cd \"?([^\s;&|\"]+)\"?[ ]*(?:2>/dev/null[ ]*)?(?:&&|;)[ ]*(?=\S)")


def command_line(command: str, root: str) -> str:
    """Returns a command on one line, without the way to the root."""
    line = " ".join(command.split())
    lead = _CHANGES_FOLDER.match(line)
    return line[lead.end() :] if lead and root and lead[1].rstrip("/") == root else line
