"""The snapshot: sections that stand for everything that is not sent word for word.

It is read by someone who has nothing else: what people said, the state of the work as the records bear it out, the
files, and what was found and done, in whole units that say who speaks and where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from clew.config import PackingConfig
from clew.domain import Header, Message, Origin, Role, Text
from clew.errors import BudgetExceeded
from clew.history.work_map.view import WorkMap
from clew.packing.formats import FORMATS, SUMMARY, Format, PackSection, render_sections
from clew.packing.timeline import era_line, timeline_lines
from clew.packing.unit_sections import (
    facts_section,
    lines_section,
    lines_that_fit,
    list_section,
    with_units,
)
from clew.ports import TokenCounter
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.file_lines import file_lines
from clew.units.gather import GatheredUnits, UnitGatherer, newest_statement
from clew.units.person_lines import StatementInContext, person_line, person_lines
from clew.units.state_lines import state_lines
from clew.units.steps import newest_steps, step_history
from clew.units.unit import REPORTERS, Unit

#: Share of a snapshot for the state of the work, which comes before all that is not guaranteed: what is open is shown
#: however long the newest steps are.
_STATE_SHARE = 0.15
#: Shares of the room that state and newest steps leave: what people said, the same where nothing was done but talk, the
#: files.
_PEOPLE_SHARE, _TALK_SHARE, _FILES_SHARE = 0.56, 0.7, 0.22
#: Shares of a snapshot: the newest steps that are not sent word for word, headers of what nothing else names.
_STEPS_SHARE, _TIMELINE_SHARE = 0.27, 0.05
#: A snapshot that uses this share of its room is full; else the newest steps get more of it, in so many tries.
_FULL, _TRIES = 0.95, 4
#: One that leaves more than this has room for what was only looked at.
_SPARSE = 0.7
#: One that uses less than this tells next to nothing: what was looked at is worth more than older steps.
_BARE = 0.5
#: Characters of the newest words of a person that are shown whatever the room is.
_LEAST_WORDS = 300
_MAX_SUMMARIES = PackingConfig().summaries


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSources:
    """What a snapshot is built from beside the messages. Chunks and critical items are pairs of id and text.

    ``session`` is the name by which a reader with a shell can read more, "" for one that has none.
    ``exchanges`` are the numbers of exchanges by the id of the message they began with. ``summary`` was made from
    ``summary_sources`` and stands for what was reported up to message ``summarised``. At most ``max_summaries`` are
    shown, earlier ones in messages included, the newest first.
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


def build_snapshot(
    messages: Sequence[Message],
    sources: SnapshotSources,
    *,
    sent: Sequence[Message],
    budget: int,
    count: TokenCounter,
    format: Format,
) -> tuple[PackSection, ...]:
    """Returns the sections that stand for the messages within the budget; those in ``sent`` follow word for word.
    Critical items, headers and the newest request are guaranteed.

    Raises BudgetExceeded when those do not fit.
    """
    least = _guaranteed_sections(sources, newest_statement(messages))
    left = budget - count(render_sections(least, format))
    if left < 0:
        least = build_least_snapshot(messages, sources)
        left = budget - count(render_sections(least, format))
    if left < 0:
        raise BudgetExceeded(budget, {section.name: count(format(section)) for section in least if section.text})
    state = facts_section("story", 0, lines_that_fit(state_lines(sources.work), int(left * _STATE_SHARE), count))
    left -= count(format(state)) if state.text else 0
    best, used, share = (*least, PackSection("newest-steps", 1, "")), -1, _STEPS_SHARE
    draft = _Draft(messages, sources, state, sent=sent, budget=budget, count=count, format=format)
    for _ in range(1 if sources.summary else _TRIES):  # a summary has told what more steps would show
        steps = min(int(budget * share), left)
        sections = draft.sections(steps)
        tokens = count(render_sections(sections, format))
        if tokens > budget or (best[-1].text and not sections[-1].text):
            break
        if tokens > used:
            best, used = sections, tokens
        if tokens >= budget * _FULL or steps == left:
            break
        share += (budget - tokens) / budget
    if used >= budget * _SPARSE or sources.summary:
        return best
    return draft.with_looks(left, best, used)


class _Draft:
    """A snapshot that is tried with more or fewer of the newest steps. The history is read once for all tries."""

    def __init__(
        self,
        messages: Sequence[Message],
        sources: SnapshotSources,
        state: PackSection,
        *,
        sent: Sequence[Message],
        budget: int,
        count: TokenCounter,
        format: Format,
    ) -> None:
        self._messages, self._sources, self._state = messages, sources, state
        self._budget, self._count, self._format = budget, count, format
        self._room = 0
        self._steps = step_history(messages, sent, root=sources.work.root)
        self._units = UnitGatherer(messages, sent, root=sources.work.root)

    def with_looks(self, steps: int, best: tuple[PackSection, ...], used: int) -> tuple[PackSection, ...]:
        """The sections, with newest steps that show what was only looked at as well; or the ``best`` so far, which
        ``used`` so many tokens. Where that is next to nothing, fewer steps are shown, that they fit beside people's
        words, which keep the room they had.
        """
        for _ in range(1 if used >= self._budget * _BARE else _TRIES):
            sections = self.sections(steps, with_looks=True)
            tokens = self._count(render_sections(sections, self._format))
            if used < tokens <= self._budget:
                best, used = sections, tokens
            steps = min(steps, self._count(sections[-1].text)) - (tokens - self._budget)
            if steps <= 0 or (tokens <= self._budget and sections[-1].text):
                break
        return best

    def sections(self, steps: int, *, with_looks: bool = False) -> tuple[PackSection, ...]:
        """The sections, with newest steps of so many tokens at most, the last one theirs; with none if they do not
        fit.
        """
        sources, budget, count, format = self._sources, self._budget, self._count, self._format
        first, newest = newest_steps(self._steps, room=steps, count=count, with_looks=with_looks)
        gathered = self._units.gather_before(first)
        fixed = _guaranteed_sections(
            sources, gathered.said[-1] if gathered.said else newest_statement(self._messages[:first])
        )
        steps_section = lines_section("newest-steps", 1, newest)
        around = (*fixed, self._state, steps_section)
        room = budget - count(render_sections(around, format))
        if room < 0 and steps:
            return self.sections(0)
        usual = max(self._room, room)  # steps that get more of it take nothing from people's words and files
        self._room = usual if steps else self._room
        timeline = min(int(budget * _TIMELINE_SHARE), room // 4)
        sections = _with_people_and_files(around, gathered, sources, room=usual, timeline=timeline, count=count)
        units = _without_summarised(gathered.units, sources)
        return with_units(sections, units, after=(steps_section,), budget=budget, count=count, format=format)


def build_least_snapshot(messages: Sequence[Message], sources: SnapshotSources) -> tuple[PackSection, ...]:
    """Returns the guaranteed sections alone, with the newest request in short, without what it replies to."""
    newest = newest_statement(messages)
    return _guaranteed_sections(sources, replace(newest, before="") if newest else None)


# ── what is always shown ─────────────────────────────────────────────────────────────────────────────


def _guaranteed_sections(sources: SnapshotSources, newest: StatementInContext | None) -> tuple[PackSection, ...]:
    about = "What came before, shortened; m12, x3 and the like are ids of what was said in full."
    about = f"{about} `clew show {sources.session} ID` shows any of it." if sources.session else about
    about = f"{about} → is a call, ← its output, […] what was left out."
    about = f"{about} Paths are from {sources.work.root}." if sources.work.root else about
    least = [(newest.statement.source, person_line(newest, _LEAST_WORDS, sources.work.root))] if newest else []
    return (
        PackSection("about", 0, about),
        list_section("critical", 0, sources.critical),
        PackSection(SUMMARY, 3, sources.summary, sources.summary_sources),
        list_section("chunks", 3, sources.chunks),
        list_section("timeline", 2, [era_line(sources.headers)] if sources.headers else ()),
        lines_section("user-said", 1, least),
    )


# ── what people said, state, files ───────────────────────────────────────────────────────────────────


def _with_people_and_files(
    around: tuple[PackSection, ...],
    gathered: GatheredUnits,
    sources: SnapshotSources,
    *,
    room: int,
    timeline: int,
    count: TokenCounter,
) -> tuple[PackSection, ...]:
    *fixed, newest, state, steps = around
    people = int(room * (_PEOPLE_SHARE if gathered.has_actions else _TALK_SHARE))
    stated = "\n".join(text for _, text in sources.critical)
    said = [
        replace(one, exchange=sources.exchanges.get(one.statement.source, 0))
        for one in gathered.said
        if not (words := one.statement.text.strip()) or words not in stated
    ]
    lines = person_lines(said, room=people, count=count, chars=int(people * CHARS_PER_TOKEN), root=sources.work.root)
    shown = {sources.exchanges.get(id, 0) for id in (*(id for id, _ in lines), *steps.sources)}
    headers = timeline_lines(sources.headers, shown, room=timeline, count=count)
    files = file_lines(sources.work, gathered.changes, chars=int(room * _FILES_SHARE * CHARS_PER_TOKEN))
    return (
        *fixed[:-1],
        list_section("timeline", 2, headers),
        _with_newest(newest, lines),
        state,
        facts_section("files", 4, files),
    )


def _with_newest(newest: PackSection, lines: Sequence[tuple[str, str]]) -> PackSection:
    """What people said, their newest words among it: those are guaranteed, at least in short."""
    if not set(newest.sources) <= {id for id, _ in lines}:
        lines = [*lines, (newest.sources[0], newest.text)]
    return lines_section("user-said", 1, lines)


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
