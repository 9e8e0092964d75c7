"""Lines that may be added below a summary: what each says, where it stands, and how much a reader needs it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class PatchSection(IntEnum):
    """The part of a patch in which a line stands, in the order in which they are read."""

    CORRECTION = 0
    STATE = 1
    SAID = 2
    WORK = 3
    PLACES = 4
    LAST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchLine:
    """A line that can be read alone. ``number`` is that of its message, or of the newest one that bears it out.

    ``value`` compares lines: the higher, the more a reader needs it for each of its tokens. ``about`` is what it is
    compared with the summary by, where that is not all of its text; ``position`` is its place in its message. A line
    that ``is_compared`` is left out if lines chosen before it say the same. One that was shortened has its whole text
    in ``longer``, for patches with room left.
    """

    section: PatchSection
    number: int
    text: str
    value: float
    about: str = ""
    position: int = 0
    is_compared: bool = False
    longer: str = ""

    @property
    def content(self) -> str:
        """What the line tells, without who says it and where."""
        return self.about or self.text
