"""What a client's summary must keep of a session, as sections of text within a limit: rules and requests of the user,
decisions with their reasons, the state of the work, and the files that are in no commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.domain import Message
from clew.domain.ids import message_id, message_number
from clew.engine.session import Session
from clew.history.work_map.view import FileFacts, WorkMap
from clew.hooks.work_lines import STATE, rule_lines
from clew.packing.layout import Content, Part, Sections, Slot, facts_content, fill_layout, lines_that_fit
from clew.summary_patch.contested_replies import contested_replies, offered_choices
from clew.summary_patch.focus import Focus, focus_texts
from clew.summary_patch.work_losses import work_losses
from clew.units.already_said import SaidText
from clew.units.choice import choose_units, worth_below_summary
from clew.units.gather import GatheredUnits, first_statement, gather_units
from clew.units.later_work import LaterWork
from clew.units.lay_out import list_line
from clew.units.pasted_text import with_short_pastes
from clew.units.person_lines import StatementInContext, newest_request, person_line, person_lines, request_line
from clew.units.report_units import gives_reason, offers
from clew.units.state_lines import StateKind, state_facts
from clew.units.unit import GAP, Speaker, Unit

#: The headings of the sections; what stands under none follows the section before it.
_HEADINGS = {
    "rules": "Rules in force, word for word:",
    "request": "What the user asked and said, the newest request first, then the others, oldest first"
    " (m12 is a message):",
    "said": "",
    "decided": "Decided and found, with reasons:",
    "state": STATE,
    "open files": "Files edited, no commit seen since:",
    "files": "Files edited before the last commit:",
}
#: As far back as a session is read.
_MESSAGES = 4_000
#: Share of the limit that is kept for decisions at least.
_DECIDED_SHARE = 0.18
#: Share of the room for other words in which the newest stand whole, and what a line has beside the words.
_WHOLE_SHARE, _FRAME_CHARS = 0.65, 40
_STATE_LINE_CHARS, _MOST_COMMITTED, _MORE = 420, 6, "and {} more"
#: A command to the client; one that prompts the model has words of its own behind it.
_COMMAND = re.compile(r"/(?:compact\b.*|[\w:.-]+\s*)\Z", re.DOTALL)


def summary_needs(session: Session, *, asked: str, limit: int) -> str:
    """Returns the sections, together at most ``limit`` characters. ``asked`` is what the user told the summariser."""
    messages = session.reader.recent_messages(_MESSAGES)
    work = session.reader.work_map(alone=True)
    work = replace(work, root=session.info.cwd or work.root)
    gathered = gather_units(messages, root=work.root)
    statements = _statements(messages, gathered, asked)
    needs = _Needs(limit, rule_lines(session), messages, work, gathered, statements, newest_request(statements))
    return _render(fill_layout(NEEDS, needs, budget=limit, size=lambda sections: len(_render(sections))))


def _render(sections: Sections) -> str:
    parts = [(_HEADINGS[section.name], section.text) for section in sections if section.text]
    return "".join(f"\n\n{heading}\n{text}" if heading else f"\n{text}" for heading, text in parts).lstrip("\n")


@dataclass(frozen=True, slots=True)
class _Needs:
    """What the sections are filled from."""

    limit: int
    rules: Sequence[str]
    messages: Sequence[Message]
    work: WorkMap
    gathered: GatheredUnits
    said: Sequence[StatementInContext]
    newest: StatementInContext | None

    @property
    def others(self) -> list[StatementInContext]:
        return [context for context in self.said if context is not self.newest]

    def rules_in_force(self, slot: Slot) -> Content:
        """The last rules that fit; a mark stands for those before them."""
        room = _beside_heading(slot, "rules") - len(GAP) - 1
        shown = lines_that_fit(self.rules[::-1], room, len)[::-1]
        return Content("\n".join(shown if len(shown) == len(self.rules) else (GAP, *shown)) if shown else "")

    def request(self, slot: Slot) -> Content:
        room, root = _beside_heading(slot, "request"), self.work.root
        return Content(request_line(self.newest, most=room, count=len, root=root) if self.newest and room > 0 else "")

    def state(self, slot: Slot) -> Content:
        """The state in lines; files without a commit have a section of their own."""
        facts = (fact for fact in state_facts(self.work) if fact.kind is not StateKind.UNCOMMITTED)
        lines = [fact.line_within(_STATE_LINE_CHARS) for fact in facts]
        return facts_content(lines_that_fit(lines, _beside_heading(slot, "state"), len))

    def open_files(self, slot: Slot) -> Content:
        """Edited files that no commit is known to hold, each with its last edit."""
        settled = self.work.repository.settled_at
        return self._file_names(
            [facts for facts in self._edited_files() if facts.edited > settled], _beside_heading(slot, "files")
        )

    def committed_files(self, slot: Slot) -> Content:
        settled, room = self.work.repository.settled_at, _beside_heading(slot, "files")
        files = [facts for facts in self._edited_files() if facts.edited <= settled][:_MOST_COMMITTED]
        return self._file_names(files, room - len(slot.told["open files"].text))

    def _edited_files(self) -> list[FileFacts]:
        return sorted(
            (file for file in self.work.files if file.edited and not file.deleted), key=lambda file: -file.edited
        )

    def _file_names(self, files: Sequence[FileFacts], room: int) -> Content:
        names = [f"{self.work.relative_path(file.path)} ({message_id(file.edited)})" for file in files]
        shown = lines_that_fit(names, room - len(_MORE.format(len(names))), len)
        more = [_MORE.format(len(names) - len(shown))] if len(shown) < len(names) else []
        return facts_content([", ".join((*shown, *more))] if shown else [])

    def decisions(self, slot: Slot) -> Content:
        """Reasons and decisions that the other sections do not tell, in the agent's own words, oldest first. Words of
        people come before them, a share aside."""
        whole = sum(len(other.statement.text) + _FRAME_CHARS for other in self.others)
        shown = "\n".join((*self.rules, slot.told["state"].text, *(context.statement.text for context in self.said)))
        known_text = SaidText(shown, [unit.text for unit in self.gathered.units])
        room = min(max(int(self.limit * _DECIDED_SHARE), slot.room - whole), slot.room) - len(_HEADINGS["decided"]) - 3
        chosen = choose_units(
            _decisions(self.messages, self.work, self.gathered, known_text),
            said_text=known_text,
            room=room,
            price=lambda unit: len(list_line(unit)) + 1,
            worth=worth_below_summary,
        )
        return Content("\n".join(map(list_line, sorted(chosen, key=lambda unit: (unit.number, unit.position)))))

    def older_words(self, slot: Slot) -> Content:
        return Content("\n".join(_older(self.others, slot.room - 1, self.work.root)))


def _beside_heading(slot: Slot, name: str) -> int:
    return slot.room - len(_HEADINGS[name]) - 3


NEEDS: tuple[Part[_Needs], ...] = (
    Part("rules", turn=1, fill=_Needs.rules_in_force, share=0.45),
    Part("request", turn=2, fill=_Needs.request),
    Part("said", turn=6, fill=_Needs.older_words),
    Part("decided", turn=5, fill=_Needs.decisions),
    Part("state", turn=3, fill=_Needs.state, share=0.3),
    Part("open files", turn=4, fill=_Needs.open_files, share=0.16),
    Part("files", turn=4, fill=_Needs.committed_files, share=0.16),
)


# ── what was asked ───────────────────────────────────────────────────────────────────────────────────


def _statements(messages: Sequence[Message], gathered: GatheredUnits, asked: str) -> list[StatementInContext]:
    """What people said, the first of it also where it is long ago; no commands, and nothing that was taken back or
    that the summariser was told by them, and of long pastes a few lines."""
    first = first_statement(messages)
    known = {context.statement.source for context in gathered.statements}
    contexts = [*([first] if first and first.statement.source not in known else []), *gathered.statements]
    # People repeat what was not heard.
    newest = {context.statement.text: context for context in contexts if context.statement.is_message}
    return [
        replace(context, statement=replace(context.statement, text=with_short_pastes(context.statement.text)))
        for context in contexts
        if not context.withdrawn
        and context.statement.text.strip()
        and not _is_command(context.statement.text, asked)
        and newest.get(context.statement.text, context) is context
    ]


def _is_command(text: str, asked: str) -> bool:
    return bool(_COMMAND.match(text)) or (bool(asked.strip()) and text.strip() == asked.strip())


def _older(statements: Sequence[StatementInContext], room: int, root: str) -> list[str]:
    """What was said beside the newest request: the newest words whole, as many as fit into a part of the room; older
    ones share what is left."""
    most, whole = int(room * _WHOLE_SHARE), list[str]()
    for context in reversed(statements):
        line = person_line(context, most, root)
        if len(line) > most - sum(len(other) + 1 for other in whole) or (
            GAP in line and GAP not in context.statement.text
        ):
            break
        whole.append(line)
    left = room - sum(len(line) + 1 for line in whole)
    return [*_shorten_words(statements[: len(statements) - len(whole)], left, root), *reversed(whole)]


def _shorten_words(statements: Sequence[StatementInContext], room: int, root: str) -> list[str]:
    """Older words, shortened alike; where that leaves room, the newest of them stand whole as well."""
    lines = person_lines(statements, room=room, count=len, chars=room, root=root)
    left = room - sum(len(line) + 1 for _, line in lines)
    uncut = {context.statement.source: person_line(context, room, root) for context in statements}
    for index, (source, line) in reversed(list(enumerate(lines))):
        more = len(uncut[source]) - len(line)
        if 0 < more <= left and sum(id == source for id, _ in lines) == 1:
            lines[index], left = (source, uncut[source]), left - more
    return [line for _, line in lines]


# ── what was decided ─────────────────────────────────────────────────────────────────────────────────


def _decisions(
    messages: Sequence[Message], work: WorkMap, gathered: GatheredUnits, known_text: SaidText
) -> Iterator[Unit]:
    """Yields what the agent decided and gave reasons for, where ``known_text`` does not tell it."""
    units = [unit for unit in gathered.units if unit.speaker in {Speaker.AGENT, Speaker.SUBAGENT}]
    last = next((unit.text for unit in reversed(units)), "")
    request = max(
        (message_number(context.statement.source) for context in gathered.statements if context.statement.is_message),
        default=0,
    )
    losses = work_losses(
        units,
        known_text,
        Focus("", known_text, focus_texts(work, gathered.statements, last)),
        request=request,
        contested=(),
        later=LaterWork(messages),
    )
    turned_down, offered = contested_replies(messages), offered_choices(messages)
    # what was offered before the newest request, people have answered: their words tell what was taken
    for unit in losses:
        is_answered = unit.number <= request and offers(unit.content)
        if gives_reason(unit.content) and unit.number not in turned_down | offered and not is_answered:
            yield unit
