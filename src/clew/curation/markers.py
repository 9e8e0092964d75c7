"""Markers: lines that say that an output was shortened and where the whole is, and that only Clew can write.

A marker is the last line of a curated text. It begins with an opening bracket, the word ``clew`` and a colon;
no tool may say that, so in text of tools the word becomes ``tool`` (same length, plain to see). The whole that
the id leads to keeps every letter.
"""

from __future__ import annotations

import re
from collections.abc import Container
from hashlib import sha256

from clew.domain.ids import BlobId
from clew.text.markers import MARKER_OPENING

#: Behind the id a command may stand, for readers who have a shell.
_WHOLE = r"whole: (?P<blob>b[0-9a-f]{12})(?: \(clew show \S{1,80} (?P=blob)\))?\]"
_MARKER = re.compile(r"\[clew: ([\d,]{1,15}) of [\d,]{1,15} characters \([\d,]{1,15} lines?\) shown; " + _WHOLE)
_SAME = re.compile(r"\[clew: the same as the output in m\d{1,9}; " + _WHOLE)
_LIKE = re.compile(r"\[clew: \d{1,2}% of the lines are those of the output in m\d{1,9}; what differs:\]\n")
#: No marker is longer.
_MAX_MARKER = 280
#: Longer names of sessions are not told; no id of a client's is.
_MAX_NAME = 80
#: So much of the hash tells the blobs of a session apart.
_BLOB_DIGITS = 12


def blob_id(text: str) -> str:
    """The id under which the whole text can be read back."""
    return str(BlobId(sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_BLOB_DIGITS]))


def marker(blob: str, *, shown: int, chars: int, lines: int) -> str:
    """The marker of a shortened text: how much is shown of how much, and how to get the whole."""
    rows = f"{lines:,} line{'s' if lines != 1 else ''}"
    return f"[clew: {shown:,} of {chars:,} characters ({rows}) shown; {_whole(blob)}]"


def repeat_marker(message_id: str, blob: str) -> str:
    """The marker that stands for an output that is equal to an earlier one."""
    return f"[clew: the same as the output in {message_id}; {_whole(blob)}]"


def difference_heading(message_id: str, similarity: float) -> str:
    """The line above those in which an output differs from an earlier one."""
    share = min(99, int(similarity * 100))
    return f"[clew: {share}% of the lines are those of the output in {message_id}; what differs:]"


def _whole(blob: str) -> str:
    return f"whole: {blob}"


def with_command(text: str, session: str) -> str:
    """A curated text whose marker says which command shows the whole, for a reader who has a shell."""
    blob = marker_blob(text)
    name = session if len(session) <= _MAX_NAME and not any(map(str.isspace, session)) else "SESSION"
    return f"{text[:-1]} (clew show {name} {blob})]" if blob and text.endswith(f"{blob}]") else text


def with_marker(shown: str, whole: str) -> str:
    """What is shown of a text, with its marker below."""
    note = marker(blob_id(whole), shown=len(shown), chars=len(whole), lines=whole.count("\n") + 1)
    return f"{shown}\n{note}"


def marker_blob(text: str) -> str | None:
    """The id of the blob that a marker at the end names, if the marker is well formed and fits the text above it.

    It may still be forged: only who can see that there is such a blob knows.
    """
    if not text.endswith("]"):
        return None
    if same := _SAME.fullmatch(text):
        return same["blob"]
    index = text.rfind("\n", max(0, len(text) - _MAX_MARKER))
    match = _MARKER.fullmatch(text, index + 1) if index >= 0 else None
    if match is None or int(match[1].replace(",", "")) != index:
        return None
    above = _LIKE.match(text)
    return match["blob"] if MARKER_OPENING.search(text, above.end() if above else 0, index) is None else None


def is_curated(text: str, known: Container[str]) -> bool:
    """True when the text ends with a marker that leads to a blob we have."""
    blob = marker_blob(text)
    return blob is not None and blob in known
