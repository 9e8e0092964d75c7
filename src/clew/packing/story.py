"""The story: where a session stands, in the lines that packs show for it and from the same records.

What people said, the first request among it; the state of the work; the files that were changed; and what was found and
done, chosen by value. Nothing is narrated: every line says who speaks or which message bears it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clew.domain import Digest, Message, Origin, Role
from clew.domain.ids import message_number
from clew.history.work_map.view import WorkMap
from clew.packing.formats import FORMATS, PackSection, render_sections
from clew.packing.layout import (
    EARLIER,
    WORK,
    Content,
    Part,
    Sections,
    Slot,
    facts_content,
    fill_layout,
    lines_content,
    lines_that_fit,
    with_units,
    without_units,
)
from clew.ports import TokenCounter
from clew.text.sentences import sentences
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.file_lines import file_lines
from clew.units.gather import GatheredUnits, first_statement, gather_statements, gather_units
from clew.units.person_lines import StatementInContext, newest_request, person_line, person_lines, request_line
from clew.units.report_units import announces
from clew.units.state_lines import state_lines
from clew.units.unit import Speaker, Unit, clip_lines

#: Share of the room for what people said that others than the first and the newest request take: a reader who has half
#: of what is asked does something else.
_OTHERS_SHARE = 0.35
#: Characters of the first request where the newest words leave no room for more of it; share of a line of the state.
_FIRST_CHARS, _STATE_LINE_SHARE = 150, 0.4
#: How far back the agent's newest report is looked for, in messages; no other unit is worth as much.
_REPORT_MESSAGES, _REPORT_VALUE = 40, 100.0
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
    gathered: GatheredUnits | None = None,
) -> Sections:
    """Returns the sections of the story within the budget, without those that have nothing to say.

    ``exchanges`` are the numbers of exchanges by the id of the message they began with; ``noted`` is the newest segment
    that the model wrote notes on, ``gathered`` what was gathered of the messages already.
    """
    gathered = gathered or gather_units(messages, root=work.root)
    story = _Story(messages, gathered.statements, work, exchanges, count, gathered=gathered, noted=noted)
    sections = fill_layout(STORY, story, budget=budget, size=story.size)
    left = budget - story.size(without_units(sections))
    units = [unit for unit in story.units() if count(unit.text) + _FRAME_TOKENS <= left]
    found = with_units(sections, units, budget=budget, size=story.size)
    return tuple(section for section in found if section.text)


def build_story_facts(
    messages: Sequence[Message], work: WorkMap, exchanges: Mapping[str, int], *, budget: int, count: TokenCounter
) -> Sections:
    """Returns the sections of a story of so many tokens that tell what people said and the state of the work."""
    story = _Story(messages, gather_statements(messages), work, exchanges, count)
    return fill_layout(STORY_FACTS, story, budget=budget, size=story.size)


@dataclass(slots=True)
class _Story:
    """What a story is told from. ``report`` is what the agent reported last, as far as it has room."""

    messages: Sequence[Message]
    said: Sequence[StatementInContext]
    work: WorkMap
    exchanges: Mapping[str, int]
    count: TokenCounter
    gathered: GatheredUnits | None = None
    noted: Digest | None = None
    report: tuple[Unit, ...] = ()

    def size(self, sections: Sections) -> int:
        return self.count(render_story(sections))

    def units(self) -> list[Unit]:
        """The report, and what it does not tell."""
        told = [(unit.number, unit.text) for unit in self.report]
        found = self.gathered.units if self.gathered else ()
        return [
            *self.report,
            *(unit for unit in found if not any(unit.number == at and unit.text in text for at, text in told)),
        ]

    def people(self, slot: Slot) -> Content:
        """What people said, oldest first: the first request at least in short, the newest whole where it fits, and
        others in their share."""
        root, count, said = self.work.root, self.count, [self._with_exchange(one) for one in self.said]
        if not slot.room or (context := first_statement(self.messages)) is None:
            return Content()
        first = self._with_exchange(context)
        later = [one for one in said if one.statement.source != first.statement.source]
        if (request := newest_request(later)) is None:
            line = request_line(first, most=slot.room, count=count, root=root)
            return lines_content([(first.statement.source, line)])
        short = person_line(first, _FIRST_CHARS, root)
        line = request_line(request, most=slot.room - count(short) - 2, count=count, root=root)
        left = max(0, int(slot.room * _OTHERS_SHARE) - count(short) - count(line) - 2)
        others, chars = [one for one in later if one is not request], int(left * CHARS_PER_TOKEN)
        lines = person_lines(others, room=left, count=count, chars=chars, root=root) if left else []
        lines.append((request.statement.source, line))
        places = {one.statement.source: index for index, one in enumerate(later)}
        return lines_content([(first.statement.source, short), *sorted(lines, key=lambda pair: places[pair[0]])])

    def _with_exchange(self, context: StatementInContext) -> StatementInContext:
        return replace(context, exchange=self.exchanges.get(context.statement.source, 0))

    def state(self, slot: Slot) -> Content:
        chars = int(slot.room * _STATE_LINE_SHARE * CHARS_PER_TOKEN)
        return facts_content(lines_that_fit(state_lines(self.work, chars=chars), slot.room, self.count))

    def files(self, slot: Slot) -> Content:
        changes = self.gathered.changes if self.gathered else {}
        return facts_content(file_lines(self.work, changes, chars=int(slot.room * CHARS_PER_TOKEN)))

    def newest_report(self, slot: Slot) -> Content:
        """The beginning of what the agent reported last: it says where the work stands, and no newest steps follow a
        story. What the model noted since stands for it."""
        chars = int(slot.room * CHARS_PER_TOKEN)
        report, notes = _newest_report(self.messages, chars), _notes(self.noted, self.messages, chars)
        is_noted = notes and (report is None or notes[0].number >= report.number)
        self.report = tuple(notes if is_noted or report is None else (report, *notes)) if chars else ()
        return Content("\n".join(unit.line for unit in self.report[:1]))


#: The sections of a story.
STORY: tuple[Part[_Story], ...] = (
    Part("user-said", turn=1, fill=_Story.people, share=0.8),
    Part("state", turn=3, fill=_Story.state, share=0.4),
    Part("files", turn=4, fill=_Story.files, share=0.08),
    Part(EARLIER, 3),
    Part(WORK, 3, turn=2, fill=_Story.newest_report, share=0.22),
)
#: Those that tell facts alone.
STORY_FACTS = STORY[:2]


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
