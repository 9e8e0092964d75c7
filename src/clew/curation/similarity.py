"""Outputs that repeat an earlier one, word for word or nearly: the later refers to the first and says what differs.

A fingerprint is small enough to keep for every output; it tells cheaply which of them are worth comparing.
Whoever uses this makes sure that the first output is still in the reader's sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from zlib import crc32

from clew.curation.lines import clean_lines, clip
from clew.curation.markers import blob_id, difference_heading, repeat_marker, with_marker
from clew.text.markers import neutralise_markers

#: Shorter outputs cost less than a reference to them.
_MIN_CHARS = 600
#: Lines of a fingerprint, and how many two of them must share to be compared.
_SKETCH_LINES, _MIN_SHARED = 32, 0.6
#: Lines that must be the same, in order.
_MIN_SIMILARITY = 0.85
#: Comparing takes time with the product of both lengths.
_MAX_LINES = 4_000
_MAX_CHANGED_LINE = 200


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A small sample of a text: its id, how many lines it has, and the smallest hashes of its lines."""

    blob: str
    lines: int
    sketch: tuple[int, ...]


def fingerprint(text: str) -> Fingerprint:
    """The fingerprint of a text; equal texts have equal ones."""
    lines = clean_lines(text)
    # A sample needs no strong hash: what it finds alike is compared line by line.
    hashes = {crc32(line.encode()) for line in set(lines[: 2 * _MAX_LINES])}
    return Fingerprint(blob_id(text), len(lines), tuple(sorted(hashes)[:_SKETCH_LINES]))


def may_be_similar(first: Fingerprint, other: Fingerprint) -> bool:
    """True when the two may be nearly equal: about as long, and alike in what was sampled of them."""
    if first.blob == other.blob:
        return True
    if max(first.lines, other.lines) * _MIN_SIMILARITY > min(first.lines, other.lines) or first.lines > _MAX_LINES:
        return False
    smallest = sorted({*first.sketch, *other.sketch})[:_SKETCH_LINES]
    shared = {*first.sketch} & {*other.sketch}
    return sum(1 for value in smallest if value in shared) >= _MIN_SHARED * len(smallest)


def reference(text: str, first: str, *, first_message_id: str) -> str | None:
    """What stands for an output when the reader has seen an equal or nearly equal one; None if it is neither.

    Never longer than four fifths of the text.
    """
    if len(text) < _MIN_CHARS:
        return None
    if text == first:
        return repeat_marker(first_message_id, blob_id(text))
    similarity, changes = _compare(clean_lines(first), clean_lines(text))
    if similarity < _MIN_SIMILARITY:
        return None
    differs = neutralise_markers("\n".join(changes))
    shown = with_marker(f"{difference_heading(first_message_id, similarity)}\n{differs}", text)
    return shown if len(shown) * 5 <= len(text) * 4 else None


def _compare(old: Sequence[str], new: Sequence[str]) -> tuple[float, list[str]]:
    """The share of equal lines, and those that went (-) or came (+) with their number."""
    from rapidfuzz.distance import Indel

    if max(len(old), len(new)) > _MAX_LINES:
        return 0.0, []
    before, after = [_hash(line) for line in old], [_hash(line) for line in new]
    similarity = Indel.normalized_similarity(before, after, score_cutoff=_MIN_SIMILARITY)
    if similarity < _MIN_SIMILARITY:
        return 0.0, []
    changes: list[str] = []
    for step in sorted(Indel.opcodes(before, after), key=lambda step: (step.src_start, step.tag == "insert")):
        if step.tag == "delete":
            changes += _format_changes("-", old, step.src_start, step.src_end)
        elif step.tag == "insert":
            changes += _format_changes("+", new, step.dest_start, step.dest_end)
    return similarity, changes


def _format_changes(sign: str, lines: Sequence[str], start: int, end: int) -> list[str]:
    rows = enumerate(lines[start:end], start + 1)
    return [f"{sign}{number} {clip(line, _MAX_CHANGED_LINE)}" for number, line in rows if line.strip()]


def _hash(line: str) -> int:
    """The same in every process, unlike the built-in one."""
    return int.from_bytes(blake2b(line.encode("utf-8", "replace"), digest_size=8).digest(), "big")
