"""The snapshot: sections that stand for everything that is not sent word for word.

It is read by someone who has nothing else: what people said, the state of the work as the records bear it out, the
files, and what was found and done, in whole units that say who speaks and where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from clew.domain import Header, Message, Origin, Role, Text
from clew.domain.ids import message_id
from clew.errors import BudgetExceeded
from clew.history.work_map.view import WorkMap
from clew.packing.fit import choose_units, lay_out, lay_out_earlier, longest_fitting_prefix
from clew.packing.formats import FORMATS, SUMMARY, Format, PackSection, render_sections
from clew.packing.timeline import era_line, timeline_lines
from clew.ports import TokenCounter
from clew.units.file_lines import file_lines
from clew.units.gather import GatheredUnits, gather_units, newest_statement
from clew.units.person_lines import Said, person_line, person_lines
from clew.units.state_lines import state_lines
from clew.units.steps import newest_steps
from clew.units.unit import Unit

#: Shares of the room: what people said, the files, the state, headers of what nothing else names.
_PEOPLE_SHARE, _FILES_SHARE, _STATE_SHARE, _TIMELINE_SHARE = 0.36, 0.2, 0.2, 0.04
#: Share of a snapshot for the newest steps that are not sent word for word.
_STEPS_SHARE = 0.27
#: A snapshot that uses this share of its room is full; else the newest steps get more of it, in so many tries.
_FULL, _TRIES = 0.95, 4
#: Characters of the newest words of a person that are shown whatever the room is.
_LEAST_WORDS = 300
#: Characters per token, before a text has been counted; and how much more than fits is chosen, so that the exact
#: count decides.
_CHARS_PER_TOKEN, _MARGIN = 4.0, 1.2
_SLACK_TOKENS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotSources:
    """What a snapshot is built from beside the messages. Chunks and critical items are pairs of id and text.

    ``exchanges`` are the numbers of exchanges by the id of the message they began with. ``retrieval_hint`` tells the
    model how to read more. ``summary`` covers the whole older part, was made from ``summary_sources``, and stands in
    for reports.
    """

    session: str
    work: WorkMap = field(default_factory=WorkMap)
    headers: Sequence[Header] = ()
    exchanges: Mapping[str, int] = field(default_factory=dict)
    retrieval_hint: str = ""
    summary: str = ""
    summary_sources: tuple[str, ...] = ()
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
    least = build_least_snapshot(messages, sources)
    sizes = {section.name: count(format(section)) for section in least if section.text}
    left = budget - count(render_sections(least, format))
    if left < 0:
        raise BudgetExceeded(budget, sizes)
    best, used, share = least, -1, _STEPS_SHARE
    for _ in range(_TRIES):
        steps = min(int(budget * share), left)
        sections = _sections(messages, sources, sent, steps=steps, budget=budget, count=count, format=format)
        tokens = count(render_sections(sections, format))
        if tokens <= used or (best[-1].text and not sections[-1].text):
            break
        best, used = sections, tokens
        if tokens >= budget * _FULL or steps == left:
            break
        share += (budget - tokens) / budget
    return best


def _sections(
    messages: Sequence[Message],
    sources: SnapshotSources,
    sent: Sequence[Message],
    *,
    steps: int,
    budget: int,
    count: TokenCounter,
    format: Format,
) -> tuple[PackSection, ...]:
    """The sections, with newest steps of so many tokens at most, the last one theirs; with none if they do not fit."""
    first, newest = newest_steps(messages, sent, room=steps, count=count, root=sources.work.root)
    gathered = gather_units(messages[:first], [*messages[first:], *sent], root=sources.work.root)
    fixed = _guaranteed(sources, gathered.said[-1] if gathered.said else newest_statement(messages[:first]))
    steps_section = _lines_section("newest-steps", 1, newest)
    room = budget - count(render_sections((*fixed, steps_section), format))
    if room < 0 and steps:
        return _sections(messages, sources, sent, steps=0, budget=budget, count=count, format=format)
    sections = _with_people_and_state(fixed, gathered, sources, steps_section=steps_section, room=room, count=count)
    return _with_units(sections, steps_section, gathered, budget=budget, count=count, format=format)


def build_least_snapshot(messages: Sequence[Message], sources: SnapshotSources) -> tuple[PackSection, ...]:
    """Returns the guaranteed sections alone, with the newest request in short."""
    return _guaranteed(sources, newest_statement(messages))


# ── what is always shown ─────────────────────────────────────────────────────────────────────────────


def _guaranteed(sources: SnapshotSources, newest: Said | None) -> tuple[PackSection, ...]:
    about = f"What came before, shortened; `clew show {sources.session} ID` gives any id below (m12, x3) whole."
    about = f"{about} {sources.retrieval_hint}" if sources.retrieval_hint else about
    about = f"{about} Paths are from {sources.work.root}." if sources.work.root else about
    least = [(newest.statement.source, person_line(newest, _LEAST_WORDS, sources.work.root))] if newest else []
    return (
        PackSection("about", 0, about),
        _list_section("critical", 0, sources.critical),
        PackSection(SUMMARY, 3, sources.summary, sources.summary_sources),
        _list_section("chunks", 3, sources.chunks),
        _list_section("timeline", 2, [era_line(sources.headers)] if sources.headers else ()),
        _lines_section("user-said", 1, least),
    )


def _list_section(name: str, layer: int, rows: Sequence[tuple[str, str]]) -> PackSection:
    """A section of texts, each after the id it was drawn from."""
    return PackSection(name, layer, "\n".join(f"{id} {text}" for id, text in rows), tuple(id for id, _ in rows))


def _lines_section(name: str, layer: int, rows: Sequence[tuple[str, str]]) -> PackSection:
    """A section of lines that name their source themselves."""
    return PackSection(name, layer, "\n".join(line for _, line in rows), tuple(id for id, _ in rows))


# ── what people said, state, files ───────────────────────────────────────────────────────────────────


def _with_people_and_state(
    fixed: tuple[PackSection, ...],
    gathered: GatheredUnits,
    sources: SnapshotSources,
    *,
    steps_section: PackSection,
    room: int,
    count: TokenCounter,
) -> tuple[PackSection, ...]:
    people = int(room * _PEOPLE_SHARE)
    said = [replace(one, exchange=sources.exchanges.get(one.statement.source, 0)) for one in gathered.said]
    lines = person_lines(said, room=people, count=count, chars=int(people * _CHARS_PER_TOKEN), root=sources.work.root)
    shown = {sources.exchanges.get(id, 0) for id in (*(id for id, _ in lines), *steps_section.sources)}
    headers = timeline_lines(sources.headers, shown, room=int(room * _TIMELINE_SHARE), count=count)
    files = file_lines(sources.work, gathered.words_before_change, chars=int(room * _FILES_SHARE * _CHARS_PER_TOKEN))
    state = _lines_that_fit(state_lines(sources.work), int(room * _STATE_SHARE), count)
    return (
        *fixed[:-2],
        _list_section("timeline", 2, headers),
        _with_newest(fixed[-1], lines),
        PackSection("story", 0, "\n".join(f"- {line}" for line in state)),
        PackSection("files", 4, "\n".join(f"- {line}" for line in files)),
    )


def _with_newest(newest: PackSection, lines: Sequence[tuple[str, str]]) -> PackSection:
    """What people said, their newest words among it: those are guaranteed, at least in short."""
    if not set(newest.sources) <= {id for id, _ in lines}:
        lines = [*lines, (newest.sources[0], newest.text)]
    return _lines_section("user-said", 1, lines)


def _lines_that_fit(lines: Sequence[str], room: int, count: TokenCounter) -> list[str]:
    """The lines that fit, in order."""
    kept = []
    for line in lines:
        price = count(line) + 2
        if price <= room:
            kept.append(line)
            room -= price
    return kept


# ── what is chosen ───────────────────────────────────────────────────────────────────────────────────


def _with_units(
    sections: tuple[PackSection, ...],
    steps_section: PackSection,
    gathered: GatheredUnits,
    *,
    budget: int,
    count: TokenCounter,
    format: Format,
) -> tuple[PackSection, ...]:
    """The sections, as many units as the budget has room for, and the newest steps."""
    left = budget - count(render_sections((*sections, steps_section), format))
    told = (section.text for section in (*sections, steps_section))
    chosen = choose_units(gathered.units, max(0, left) * _CHARS_PER_TOKEN * _MARGIN, told)

    def with_first(number: int) -> tuple[PackSection, ...]:
        shown = chosen[:number]
        earlier = [unit for unit in shown if unit.heading]
        found = [unit for unit in shown if not unit.heading]
        return (
            *sections,
            PackSection("earlier-summary", 3, lay_out_earlier(earlier), _sources(earlier)),
            PackSection("work", 3, lay_out(found), _sources(found)),
            steps_section,
        )

    best = longest_fitting_prefix(
        [len(unit.text) / _CHARS_PER_TOKEN for unit in chosen],
        lambda number: count(render_sections(with_first(number), format)),
        budget,
        slack=_SLACK_TOKENS,
    )
    return with_first(best)


def _sources(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(message_id(number) for number in sorted({unit.number for unit in units}))


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
