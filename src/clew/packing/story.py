"""The story: where a session stands, in the lines that packs show for it and from the same records.

What people said, the first request among it; the state of the work; the files that were changed; and what was found and
done, chosen by value. Nothing is narrated: every line says who speaks or which message bears it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from clew.domain import Digest, Message, Origin, Role
from clew.domain.ids import message_number
from clew.history.work_map.view import WorkMap
from clew.packing.formats import FORMATS, PackSection, render_sections
from clew.packing.unit_sections import facts_section, lines_section, lines_that_fit, with_units
from clew.ports import TokenCounter
from clew.text.sentences import sentences
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.file_lines import file_lines
from clew.units.gather import GatheredUnits, first_statement, gather_statements, gather_units
from clew.units.person_lines import StatementInContext, newest_request, person_line, person_lines, request_line
from clew.units.report_units import announces
from clew.units.state_lines import state_lines
from clew.units.unit import Speaker, Unit, clip_lines

#: Shares of the budget: what people said, the state, and each line of it, the files.
_PEOPLE_SHARE, _STATE_SHARE, _STATE_LINE_SHARE, _FILES_SHARE = 0.28, 0.4, 0.16, 0.08
#: The most that the first and the newest request take: a reader who has half of what is asked does something else.
_REQUEST_SHARE = 0.8
#: Characters of the first request where the newest words leave no room for more of it.
_FIRST_CHARS = 150
#: The share of the agent's newest report, of which the beginning is told at least: it says where the work stands, and
#: no newest steps follow a story. It is looked for in so many messages, and no other unit is worth as much.
_REPORT_SHARE, _REPORT_MESSAGES, _REPORT_VALUE = 0.22, 40, 100.0
#: Tokens that a unit takes beside its own: heading, id and speaker.
_FRAME_TOKENS = 12
_FORMAT = FORMATS["text"]


def build_story(
    messages: Sequence[Message],
    work: WorkMap,
    exchanges: Mapping[str, int],
    *,
    budget: int,
    count: TokenCounter,
    noted: Digest | None = None,
) -> tuple[PackSection, ...]:
    """Returns the sections of the story within the budget, without those that have nothing to say.

    ``exchanges`` are the numbers of exchanges by the id of the message they began with; ``noted`` is the newest segment
    that the model wrote notes on.
    """
    gathered = gather_units(messages, root=work.root)
    return story_of_units(messages, gathered, work, exchanges, budget=budget, count=count, noted=noted)


def story_of_units(
    messages: Sequence[Message],
    gathered: GatheredUnits,
    work: WorkMap,
    exchanges: Mapping[str, int],
    *,
    budget: int,
    count: TokenCounter,
    noted: Digest | None = None,
) -> tuple[PackSection, ...]:
    """Returns the sections of the story of messages whose units are gathered."""
    chars = int(budget * _REPORT_SHARE * CHARS_PER_TOKEN)
    report, notes = _newest_report(messages, chars), _notes(noted, messages, chars)
    if notes and (report is None or notes[0].number >= report.number):
        report = notes.pop(0)
    reserved = count(report.text) + _FRAME_TOKENS if report else 0
    files = file_lines(work, gathered.changes, chars=int(budget * _FILES_SHARE * CHARS_PER_TOKEN))
    sections = (
        *_facts(
            gathered.said, first_statement(messages), work, exchanges, budget=budget, reserved=reserved, count=count
        ),
        facts_section("files", 0, files),
    )
    if count(render_sections(sections, _FORMAT)) > budget - reserved:
        sections = sections[:-1]  # files are known from the state, too
    while count(render_sections(sections, _FORMAT)) > budget:
        sections = sections[:-1]
    left = budget - count(render_sections(sections, _FORMAT))
    units = [*([report] if report else ()), *notes]
    units += [unit for unit in gathered.units if not _is_told(unit, report)]
    units = [unit for unit in units if count(unit.text) + _FRAME_TOKENS <= left]
    found = with_units(sections, units, budget=budget, count=count, format=_FORMAT)
    return tuple(section for section in found if section.text)


def build_story_facts(
    messages: Sequence[Message], work: WorkMap, exchanges: Mapping[str, int], *, budget: int, count: TokenCounter
) -> tuple[PackSection, ...]:
    """Returns the sections of a story of so many tokens that tell what people said and the state of the work."""
    said, first = gather_statements(messages), first_statement(messages)
    return _facts(said, first, work, exchanges, budget=budget, reserved=0, count=count)


def _facts(
    said: Sequence[StatementInContext],
    first: StatementInContext | None,
    work: WorkMap,
    exchanges: Mapping[str, int],
    *,
    budget: int,
    reserved: int,
    count: TokenCounter,
) -> tuple[PackSection, ...]:
    placed = [_with_exchange(one, exchanges) for one in said]
    people = _people(placed, _with_exchange(first, exchanges) if first else None, work.root, budget, count)
    chars = int(budget * _STATE_LINE_SHARE * CHARS_PER_TOKEN)
    state = state_lines(work, chars=chars)
    left = budget - sum(count(line) + 1 for _, line in people) - _FRAME_TOKENS - reserved
    return (
        lines_section("user-said", 0, people),
        facts_section("state", 0, lines_that_fit(state, min(int(budget * _STATE_SHARE), left), count)),
    )


def render_story(sections: Sequence[PackSection]) -> str:
    """Returns the story as text, each section under its heading."""
    return render_sections(sections, _FORMAT)


def _newest_report(messages: Sequence[Message], chars: int) -> Unit | None:
    """The beginning of what the agent said last, words aside that only announce the next step."""
    for message in reversed(messages[-_REPORT_MESSAGES:]):
        if message.role is not Role.ASSISTANT or message.thread or not message.text.strip():
            continue
        lines = [line for line in map(_told_line, message.text.splitlines()) if line.strip()]
        if lines:
            text = clip_lines("\n".join(lines), chars)
            return Unit(number=message.number, speaker=Speaker.AGENT, text=text, value=_REPORT_VALUE)
    return None


def _notes(noted: Digest | None, messages: Sequence[Message], chars: int) -> list[Unit]:
    """What the model noted and no message says: what its work comes to first, then what it took the request to mean and
    what it decided. They are claims, and are told as such.
    """
    if noted is None:
        return []
    said = {message.id: message.text for message in messages}
    facts = (noted.gist, noted.intent, *(fact for fact in noted.decisions if fact.by is Origin.MODEL))
    return [
        Unit(
            number=message_number(fact.source),
            speaker=Speaker.AGENT,
            text=clip_lines(f"noted: {fact.text}", chars),
            value=_REPORT_VALUE,
        )
        for fact in facts
        if fact and fact.text not in said.get(fact.source, "")
    ]


def _told_line(line: str) -> str:
    said = sentences(line)
    told = [sentence for sentence in said if not announces(sentence)]
    return line if len(told) == len(said) else " ".join(told)


def _is_told(unit: Unit, report: Unit | None) -> bool:
    return report is not None and unit.number == report.number and unit.text in report.text


def _with_exchange(one: StatementInContext, exchanges: Mapping[str, int]) -> StatementInContext:
    return replace(one, exchange=exchanges.get(one.statement.source, 0))


def _people(
    said: Sequence[StatementInContext], first: StatementInContext | None, root: str, budget: int, count: TokenCounter
) -> list[tuple[str, str]]:
    """What people said, oldest first: the first request at least in short, the newest whole where it fits, and others
    in their share of the budget."""
    if first is None:
        return []
    most = int(budget * _REQUEST_SHARE)
    later = [one for one in said if one.statement.source != first.statement.source]
    request = newest_request(later)
    if request is None:
        return [(first.statement.source, request_line(first, most=most, count=count, root=root))]
    short = person_line(first, _FIRST_CHARS, root)
    line = request_line(request, most=most - count(short) - 2, count=count, root=root)
    others = [one for one in later if one is not request]
    left = int(budget * _PEOPLE_SHARE) - count(short) - count(line) - 2
    found = (
        person_lines(others, room=left, count=count, chars=int(left * CHARS_PER_TOKEN), root=root) if left > 0 else []
    )
    lines = [*found, (request.statement.source, line)]
    places = {one.statement.source: at for at, one in enumerate(later)}
    return [(first.statement.source, short), *sorted(lines, key=lambda pair: places[pair[0]])]
