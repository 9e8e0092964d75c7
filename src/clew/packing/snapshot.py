"""The snapshot: sections that stand for everything that is not sent word for word.

It is read by someone who has nothing else: what people said, the state of the work as the records bear it out, the
files, and what was found and done, in whole units that say who speaks and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from clew.config import PackingConfig
from clew.domain import Header, Message, Origin, Role, Text
from clew.errors import BudgetExceeded
from clew.history.work_map.view import WorkMap
from clew.packing.formats import FORMATS, SUMMARY, Format, PackSection, render_sections
from clew.packing.layout import (
    EARLIER,
    WORK,
    Content,
    Part,
    Sections,
    Slot,
    facts_content,
    fill_layout,
    least_sections,
    lines_content,
    lines_that_fit,
    list_content,
    with_part,
    with_units,
)
from clew.packing.timeline import era_line, timeline_lines
from clew.ports import TokenCounter
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.file_lines import file_lines
from clew.units.gather import UnitGatherer, newest_statement
from clew.units.person_lines import StatementInContext, person_line, person_lines
from clew.units.state_lines import state_lines
from clew.units.steps import newest_steps, step_history
from clew.units.unit import REPORTERS, Unit

#: A snapshot that uses this share of its room is full; else the newest steps get more of it, in so many tries.
_FULL, _TRIES = 0.95, 4
#: One that leaves more than this has room for what was only looked at.
_SPARSE = 0.7
#: One that uses less than this tells next to nothing: what was looked at is worth more than older steps.
_BARE = 0.5
#: Characters of the newest words of a person that are shown whatever the room is.
_LEAST_WORDS = 300
#: Names of sections, and the share of the newest steps, which grows while room is left.
_SAID, _STEPS, _STEPS_SHARE = "user-said", "newest-steps", 0.27
_MAX_SUMMARIES = PackingConfig().summaries


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSources:
    """What a snapshot is built from beside the messages. Chunks and critical items are pairs of id and text.

    ``session`` is the name by which a reader with a shell can read more, "" for one that has none.
    ``exchanges`` are the numbers of exchanges by the id of the message they began with. ``summary`` was made from
    ``summary_sources`` and stands for what was reported up to message ``summarised``. At most ``max_summaries`` are
    shown, earlier ones in messages included, the newest first. ``sent_pieces`` is how many messages follow it, where
    these are not as many as were recorded.
    """

    session: str = ""
    work: WorkMap = field(default_factory=WorkMap)
    headers: Sequence[Header] = ()
    exchanges: Mapping[str, int] = field(default_factory=dict)
    summary: str = ""
    summary_sources: tuple[str, ...] = ()
    summarised: int = 0
    max_summaries: int = _MAX_SUMMARIES
    chunks: Sequence[tuple[str, str]] = ()
    critical: Sequence[tuple[str, str]] = ()
    sent_pieces: int | None = None


def build_snapshot(
    messages: Sequence[Message],
    sources: SnapshotSources,
    *,
    sent: Sequence[Message],
    budget: int,
    count: TokenCounter,
    format: Format,
) -> Sections:
    """Returns the sections that stand for the messages within the budget; those in ``sent`` follow word for word.
    Critical items, headers and the newest request are guaranteed.

    Raises BudgetExceeded when those do not fit.
    """
    least = _Guaranteed(sources, newest_statement(messages))
    best = least_sections(SNAPSHOT, least)
    if count(render_sections(best, format)) > budget:
        best = least_sections(SNAPSHOT, least.without_context())
    if count(render_sections(best, format)) > budget:
        raise BudgetExceeded(budget, {section.name: count(format(section)) for section in best if section.text})
    draft, used, share = _Draft(least, messages, sent, count), -1, _STEPS_SHARE

    def size(sections: Sections) -> int:
        return count(render_sections(sections, format))

    for _ in range(1 if sources.summary else _TRIES):  # a summary has told what more steps would show
        sections, tokens = draft.sections(share, budget, size)
        if tokens > budget or (best[-1].text and not sections[-1].text):
            break
        if tokens > used:
            best, used = sections, tokens
        if tokens >= budget * _FULL or draft.steps_room < int(budget * share):
            break
        share += (budget - tokens) / budget
    if used >= budget * _SPARSE or sources.summary:
        return best
    # Where next to nothing is told, fewer steps are tried until they fit beside people's words, which keep their room.
    draft.shows_looks, share = True, 1.0
    for _ in range(1 if used >= budget * _BARE else _TRIES):
        sections, tokens = draft.sections(share, budget, size)
        if used < tokens <= budget:
            best, used = sections, tokens
        share = (min(draft.steps_room, count(sections[-1].text)) - (tokens - budget)) / budget
        if share <= 0 or (tokens <= budget and sections[-1].text):
            break
    return best


def build_least_snapshot(messages: Sequence[Message], sources: SnapshotSources) -> Sections:
    """Returns the guaranteed sections alone, with the newest request in short, without what it replies to."""
    return least_sections(SNAPSHOT, _Guaranteed(sources, newest_statement(messages)).without_context())


class _Guaranteed:
    """What is always shown: what the snapshot is made from, and the ``newest`` words of a person. All headers as one
    ``era`` are the same in every try."""

    def __init__(self, sources: SnapshotSources, newest: StatementInContext | None, era: Content | None = None) -> None:
        self.sources, self.newest = sources, newest
        self.era = era or list_content([era_line(sources.headers)] if sources.headers else ())

    def without_context(self) -> _Guaranteed:
        """Without what the newest words reply to."""
        return _Guaranteed(self.sources, replace(self.newest, before="") if self.newest else None, self.era)

    def about(self) -> Content:
        session, root = self.sources.session, self.sources.work.root
        about = "What came before, shortened; m12, x3 and the like are ids of what was said in full."
        about += f" `clew show {session} ID` shows any of it." if session else ""
        about += " → is a call, ← its output, […] what was left out."
        return Content(about + (f" Paths are from {root}." if root else ""))

    def newest_words(self) -> Content:
        return lines_content(self.newest_lines())

    def newest_lines(self) -> list[tuple[str, str]]:
        """The newest words in short, after the id of their message."""
        root = self.sources.work.root
        return [(one.statement.source, person_line(one, _LEAST_WORDS, root)) for one in [self.newest] if one]


class _Draft(_Guaranteed):
    """A snapshot that is tried with more or fewer of the newest steps, in which ``steps_room`` was left for them. The
    history is read once for all tries."""

    def __init__(
        self, least: _Guaranteed, messages: Sequence[Message], sent: Sequence[Message], count: TokenCounter
    ) -> None:
        super().__init__(least.sources, least.newest, least.era)
        self._messages, self._count, sources = messages, count, least.sources
        self._history = step_history(messages, sent, root=sources.work.root, pieces=sources.sent_pieces)
        self._units = UnitGatherer(messages, sent, root=sources.work.root)
        self._gathered = self._units.gather_before(len(messages))
        self._rooms: dict[str, int] = {}
        self.steps_room, self.shows_looks = 0, False

    def sections(self, steps: float, budget: int, size: Callable[[Sections], int]) -> tuple[Sections, int]:
        """The sections with newest steps in such a share of the budget, and what they take; with no steps if they do
        not fit."""
        layout = SNAPSHOT if self._gathered.has_actions else SNAPSHOT_OF_TALK
        sections = fill_layout(with_part(layout, _STEPS, share=steps), self, budget=budget, size=size)
        units = _without_summarised(self._gathered.units, self.sources)
        sections = with_units(sections, units, budget=budget, size=size)
        return sections, size(sections)

    def _usual_room(self, name: str, room: int) -> int:
        """The most that a section has had: steps that get more take nothing from people's words and files."""
        self._rooms[name] = max(room, self._rooms.get(name, 0))
        return self._rooms[name]

    def state(self, slot: Slot) -> Content:
        return facts_content(lines_that_fit(state_lines(self.sources.work), slot.room, self._count))

    def newest_steps(self, slot: Slot) -> Content:
        self.steps_room = slot.room
        first, steps = newest_steps(self._history, room=slot.room, count=self._count, with_looks=self.shows_looks)
        self._gathered = self._units.gather_before(first)
        said = self._gathered.statements
        self.newest = said[-1] if said else newest_statement(self._messages[:first])
        return lines_content(steps)

    def people(self, slot: Slot) -> Content:
        """What people said, their newest words among it: those are guaranteed, at least in short."""
        sources, room = self.sources, self._usual_room(_SAID, slot.room)
        stated = "\n".join(text for _, text in sources.critical)
        said = [
            replace(one, exchange=sources.exchanges.get(one.statement.source, 0))
            for one in self._gathered.statements
            if not (words := one.statement.text.strip()) or words not in stated
        ]
        chars, root = int(room * CHARS_PER_TOKEN), sources.work.root
        lines = person_lines(said, room=room, count=self._count, chars=chars, root=root)
        ids = {id for id, _ in lines}
        return lines_content([*lines, *(line for line in self.newest_lines() if line[0] not in ids)])

    def headers(self, slot: Slot) -> Content:
        ids = (id for name in (_SAID, _STEPS) for id in slot.told[name].sources)
        shown = {self.sources.exchanges.get(id, 0) for id in ids}
        return list_content(timeline_lines(self.sources.headers, shown, room=slot.room, count=self._count))

    def files(self, slot: Slot) -> Content:
        chars = int(self._usual_room("files", slot.room) * CHARS_PER_TOKEN)
        return facts_content(file_lines(self.sources.work, self._gathered.changes, chars=chars))


#: The sections of a snapshot. The state comes before all that is not guaranteed: what is open is shown however long the
#: newest steps are.
SNAPSHOT: tuple[Part[Any], ...] = (
    Part("about", 0, least=_Guaranteed.about),
    Part("critical", 0, least=lambda of: list_content(of.sources.critical)),
    Part(SUMMARY, 3, least=lambda of: Content(of.sources.summary, of.sources.summary_sources)),
    Part("chunks", 3, least=lambda of: list_content(of.sources.chunks)),
    Part("timeline", 2, turn=4, fill=_Draft.headers, share=0.05, most=0.5, least=lambda of: of.era),
    Part(_SAID, 1, turn=3, fill=_Draft.people, most=0.56, least=_Guaranteed.newest_words),
    Part("story", 0, turn=1, fill=_Draft.state, most=0.15),
    Part("files", 4, turn=3, fill=_Draft.files, most=0.22),
    Part(EARLIER, 3),
    Part(WORK, 3),
    Part(_STEPS, 1, turn=2, fill=_Draft.newest_steps, share=_STEPS_SHARE),
)
#: Where nothing was done but talk, there are no files, and people's words get more.
SNAPSHOT_OF_TALK = with_part(SNAPSHOT, _SAID, most=0.7)


# ── summaries ────────────────────────────────────────────────────────────────────────────────────────


def _without_summarised(units: Sequence[Unit], sources: SnapshotSources) -> list[Unit]:
    """The units without reports that the summary stands for, and with no more earlier summaries than may be shown.
    People's words and the state of the work are no units: nothing stands for them."""
    told = sources.summarised if sources.summary else 0
    most = sources.max_summaries - bool(sources.summary)
    earlier = sorted({unit.number for unit in units if unit.heading})
    shown = set(earlier[-most:] if most > 0 else ())

    def is_told(unit: Unit) -> bool:
        if unit.heading:
            return unit.number in shown
        return unit.number > told or unit.speaker not in REPORTERS

    return [unit for unit in units if is_told(unit)]


# ── the snapshot as text ─────────────────────────────────────────────────────────────────────────────


def render_snapshot(
    messages: Sequence[Message],
    sources: SnapshotSources,
    *,
    sent: Sequence[Message],
    room: int | None,
    count: TokenCounter,
    target: str,
) -> tuple[tuple[PackSection, ...], str]:
    """Returns the sections that stand for the messages within the room, and their text in the format of the target;
    without a room, the least there can be.
    """
    format = FORMATS[target]
    if room is None:
        sections = build_least_snapshot(messages, sources)
    else:
        sections = build_snapshot(messages, sources, sent=sent, budget=room, count=count, format=format)
    return sections, render_sections(sections, format)


def with_snapshot(tail: Sequence[Message], text: str, *, in_first_message: bool) -> tuple[Message, ...]:
    """Returns the tail with the snapshot before it.

    With ``in_first_message`` it goes into the first message if that is a user's, else into a message of its own.
    """
    if not text:
        return tuple(tail)
    part = Text(text=text)
    if in_first_message and tail and tail[0].role is Role.USER and not tail[0].outputs:
        return (replace(tail[0], parts=(part, *tail[0].parts), wire=None), *tail[1:])
    return (Message(role=Role.USER, origin=Origin.CLEW, parts=(part,)), *tail)
