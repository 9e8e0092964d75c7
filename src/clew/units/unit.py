"""Units: whole things that someone said, did or found, from which a pack is made.

A unit can be read alone: it says who speaks and where it stands, and it is never cut in the middle of a sentence, a
list item or a hunk without a mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from clew.domain.ids import message_id
from clew.text.secrets import splits_secret

#: What stands for a part that was left out of a text.
GAP = "[…]"


class Section(IntEnum):
    """The part of a telling in which a unit stands, in the order in which they are read."""

    CORRECTION = 0
    STATE = 1
    SAID = 2
    WORK = 3
    PLACES = 4
    LAST = 5


class Speaker(StrEnum):
    """Who speaks in a unit, as a pack names them; nobody in one that tells what records bear out, or that says itself
    who speaks."""

    RECORDS = ""
    USER = "user"
    AGENT = "agent"
    THOUGHT = "agent, thinking"
    LAST_WORDS = "agent, last words"
    EDIT = "agent edited"
    RUN = "agent ran"
    READ = "agent read"
    SEARCH = "agent searched"
    SUBAGENT = "subagent's report"
    TOOL = "tool"
    CLIENT = "client"
    EARLIER = "earlier summary"
    PROCEDURE = "file of a skill or command"


#: Who reports in prose: what a model's summary of the same messages stands for.
REPORTERS = frozenset({Speaker.AGENT, Speaker.THOUGHT, Speaker.SUBAGENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit of the past. ``value`` compares units: the higher, the more a reader needs it for each of its characters.

    ``number`` is that of its message, or of the newest one that bears it out, ``position`` its place in it. ``heading``
    is one that it shares with others of an earlier summary, ``lead`` the words that lead to the items of one list.

    What a unit was made from stands in fields of its own: ``command`` is what was run or which tool was called,
    ``printed`` what came of it, ``report`` why a check failed;
    ``pattern`` is what was searched for, ``paths`` the files it was found in, ``record`` the id of what was created
    elsewhere.

    It is compared with other texts by what it is ``about``, where that is not all of its text; one that ``is_compared``
    is left out where units chosen before it say the same. One that was shortened has its whole text in ``longer``.
    """

    number: int
    text: str
    value: float
    speaker: Speaker = Speaker.RECORDS
    section: Section = Section.WORK
    position: int = 0
    heading: str = ""
    lead: str = ""
    command: str = ""
    printed: str = ""
    report: str = ""
    pattern: str = ""
    paths: tuple[str, ...] = ()
    record: str = ""
    about: str = ""
    is_compared: bool = False
    longer: str = ""

    @property
    def content(self) -> str:
        """What the unit tells, without who says it and where."""
        return self.about or (f"{self.lead} {self.text}" if self.lead else self.text)

    @property
    def origin(self) -> str:
        """Where the unit stands and who speaks, as a line begins."""
        return f"{message_id(self.number)} {self.speaker}: " if self.speaker else ""

    @property
    def line(self) -> str:
        """The unit as it is read alone."""
        return f"{self.origin}{self.lead} {self.text}" if self.lead else f"{self.origin}{self.text}"


def indent(text: str) -> str:
    """Returns a text whose lines after the first are moved in; blank ones tell nothing, and are left out."""
    return "\n  ".join(line for line in text.split("\n") if line.strip())


def nearness(number: int, newest: int) -> float:
    """Returns how much of its value a unit keeps with age: all of it at the end, a third at the beginning."""
    share: float = (number / max(newest, 1)) ** 1.6
    return 0.35 + 0.65 * share


def clip_middle(text: str, limit: int) -> str:
    """Returns at most about ``limit`` characters: the beginning, a mark, and the end; words stay whole, and so do the
    lines of a text that has many."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 2 // 3], text[len(text) - limit // 3 :]
    if splits_secret(text, len(head)):
        head = _without_last_word(head)
    if splits_secret(text, len(text) - len(tail)):
        tail = "".join(tail.split(None, 1)[1:])
    if "\n" in head[len(head) // 2 :] and "\n" in tail[: len(tail) // 2]:
        return f"{head.rsplit(chr(10), 1)[0].rstrip()}\n{GAP}\n{tail.split(chr(10), 1)[1]}"
    head = head.rsplit(None, 1)[0] if _has_blank(head[-40:]) else head
    tail = tail.split(None, 1)[1] if _has_blank(tail[:40].lstrip()) else tail
    head, tail = head.rstrip().removesuffix(GAP), tail.lstrip().removeprefix(GAP)  # clipped before
    return f"{head.rstrip()} {GAP} {tail.lstrip()}"


def _without_last_word(text: str) -> str:
    return text[: len(text) - len(text.rsplit(maxsplit=1)[-1])] if text.split() else ""


def _has_blank(text: str) -> bool:
    return len(text.split(None, 1)) > 1


def clip_lines(text: str, limit: int) -> str:
    """Returns the first lines that fit into ``limit`` characters, and a mark where some are left out."""
    if len(text) <= limit:
        return text
    kept, used = list[str](), 0
    for line in text.split("\n"):
        used += len(line) + 1
        if used > limit and kept:
            break
        kept.append(line)
    return clip_middle("\n".join(kept), limit) + (f" {GAP}" if len(kept) > 1 else "")
