"""What a client's summary must keep of a session, as sections of text within a limit: rules and requests of the user,
decisions with their reasons, the state of the work, and the files that are in no commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from clew.domain import Message
from clew.domain.ids import message_id, message_number
from clew.engine.session import Session
from clew.history.work_map.view import FileFacts, WorkMap
from clew.hooks.work_lines import STATE, rule_lines
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
from clew.units.unit import GAP, Speaker

_RULES = "Rules in force, word for word:"
_SAID = "What the user asked and said, the newest request first, then the others, oldest first (m12 is a message):"
_DECIDED = "Decided and found, with reasons:"
_OPEN_FILES, _FILES = "Files edited, no commit seen since:", "Files edited before the last commit:"
#: As far back as a session is read.
_MESSAGES = 4_000
#: Shares of the limit: the most that rules, state and files take, and the least that is kept for decisions.
_RULE_SHARE, _STATE_SHARE, _FILE_SHARE, _DECIDED_SHARE = 0.45, 0.25, 0.14, 0.18
#: Share of the room for other words in which the newest stand whole, and what a line has beside the words.
_WHOLE_SHARE, _FRAME_CHARS = 0.65, 40
_STATE_LINE_CHARS, _MOST_COMMITTED = 420, 6
#: A command to the client; one that prompts the model has words of its own behind it.
_COMMAND = re.compile(r"/(?:compact\b.*|[\w:.-]+\s*)\Z", re.DOTALL)


def summary_needs(session: Session, *, asked: str, limit: int) -> list[str]:
    """Returns the sections, together at most ``limit`` characters. ``asked`` is what the user told the summariser."""
    messages = session.reader.recent_messages(_MESSAGES)
    work = session.reader.work_map(alone=True)
    work = replace(work, root=session.info.cwd or work.root)
    gathered = gather_units(messages, root=work.root)
    rules = _section(_RULES, _newest_that_fit(rule_lines(session), int(limit * _RULE_SHARE)))
    said = _statements(messages, gathered, asked)
    room = limit - len(rules) - len(_SAID) - 5
    newest = newest_request(said)
    request = request_line(newest, most=room, count=len, root=work.root) if newest else ""
    room -= len(request)
    state = _section(STATE, _first_that_fit(_state(work), min(int(limit * _STATE_SHARE), room - len(STATE) - 2)))
    room -= len(state) + 2
    files = _files(work, min(int(limit * _FILE_SHARE), room - len(_OPEN_FILES) - len(_FILES) - 6))
    room -= sum(len(part) + 2 for part in files)
    others = [one for one in said if one is not newest]
    whole = sum(len(one.statement.text) + _FRAME_CHARS for one in others)
    told = "\n".join((rules, state, *(one.statement.text for one in said)))
    most = min(max(int(limit * _DECIDED_SHARE), room - whole), room)
    decided = _section(_DECIDED, _decisions(messages, work, gathered, told, room=most - 2))
    room -= len(decided) + 2 if decided else 0
    requests = _section(_SAID, [one for one in (request, *_older(others, room, work.root)) if one])
    return [part for part in (rules, requests, decided, state, *files) if part]


def _section(heading: str, lines: Sequence[str]) -> str:
    return "\n".join((heading, *lines)) if lines else ""


def _newest_that_fit(lines: Sequence[str], room: int) -> list[str]:
    """The last lines that fit; a mark stands for those before them."""
    kept = _first_that_fit(reversed(lines), room)[::-1]
    return kept if len(kept) == len(lines) else ["[…]", *kept]


def _first_that_fit(lines: Iterable[str], room: int) -> list[str]:
    kept = list[str]()
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


# ── what was asked ───────────────────────────────────────────────────────────────────────────────────


def _statements(messages: Sequence[Message], gathered: GatheredUnits, asked: str) -> list[StatementInContext]:
    """What people said, the first of it also where it is long ago; no commands, and nothing that was taken back or
    that the summariser was told by them, and of long pastes a few lines."""
    first = first_statement(messages)
    known = {one.statement.source for one in gathered.said}
    found = [*([first] if first and first.statement.source not in known else []), *gathered.said]
    newest = {one.statement.text: one for one in found if one.statement.is_message}  # people repeat what was not heard
    return [
        replace(one, statement=replace(one.statement, text=with_short_pastes(one.statement.text)))
        for one in found
        if not one.withdrawn
        and one.statement.text.strip()
        and not _is_command(one.statement.text, asked)
        and newest.get(one.statement.text, one) is one
    ]


def _is_command(text: str, asked: str) -> bool:
    return bool(_COMMAND.match(text)) or (bool(asked.strip()) and text.strip() == asked.strip())


def _older(said: Sequence[StatementInContext], room: int, root: str) -> list[str]:
    """What was said beside the newest request: the newest words whole, as many as fit into a part of the room; older
    ones share what is left."""
    most, whole = int(room * _WHOLE_SHARE), list[str]()
    for one in reversed(said):
        line = person_line(one, most, root)
        if len(line) > most - sum(len(other) + 1 for other in whole) or (GAP in line and GAP not in one.statement.text):
            break
        whole.append(line)
    left = room - sum(len(line) + 1 for line in whole)
    return [*_shorten_words(said[: len(said) - len(whole)], left, root), *reversed(whole)]


def _shorten_words(said: Sequence[StatementInContext], room: int, root: str) -> list[str]:
    """Older words, shortened alike; where that leaves room, the newest of them stand whole as well."""
    found = person_lines(said, room=room, count=len, chars=room, root=root)
    left = room - sum(len(line) + 1 for _, line in found)
    uncut = {one.statement.source: person_line(one, room, root) for one in said}
    for at, (source, line) in reversed(list(enumerate(found))):
        more = len(uncut[source]) - len(line)
        if 0 < more <= left and sum(id == source for id, _ in found) == 1:
            found[at], left = (source, uncut[source]), left - more
    return [line for _, line in found]


# ── what was decided ─────────────────────────────────────────────────────────────────────────────────


def _decisions(
    messages: Sequence[Message], work: WorkMap, gathered: GatheredUnits, told: str, *, room: int
) -> list[str]:
    """Reasons and decisions that the other sections do not tell, in the agent's own words, oldest first."""
    held = SaidText(told, [unit.text for unit in gathered.units])
    units = [unit for unit in gathered.units if unit.speaker in {Speaker.AGENT, Speaker.SUBAGENT}]
    last = next((unit.text for unit in reversed(units)), "")
    request = max(
        (message_number(one.statement.source) for one in gathered.said if one.statement.is_message), default=0
    )
    found = work_losses(
        units,
        held,
        Focus("", held, focus_texts(work, gathered.said, last)),
        request=request,
        contested=(),
        later=LaterWork(messages),
    )
    turned_down, offered = contested_replies(messages), offered_choices(messages)
    # what was offered before the newest request, people have answered: their words tell what was taken
    reasons = [
        unit
        for unit in found
        if gives_reason(unit.content)
        and unit.number not in turned_down
        and unit.number not in offered
        and (unit.number > request or not offers(unit.content))
    ]
    chosen = choose_units(
        reasons,
        said=held,
        room=room - len(_DECIDED),
        price=lambda unit: len(list_line(unit)) + 1,
        worth=worth_below_summary,
    )
    return [list_line(unit) for unit in sorted(chosen, key=lambda unit: (unit.number, unit.position))]


# ── where the work stands ────────────────────────────────────────────────────────────────────────────


def _state(work: WorkMap) -> Iterator[str]:
    """The state in lines; files without a commit have a section of their own."""
    for fact in state_facts(work):
        if fact.kind is not StateKind.UNCOMMITTED:
            yield f"- {fact.within(_STATE_LINE_CHARS)}"


def _files(work: WorkMap, room: int) -> list[str]:
    """All edited files that no commit is known to hold, and the newest of the others, each with its last edit."""
    settled = work.repository.settled_at
    edited = sorted((one for one in work.files if one.edited and not one.deleted), key=lambda one: -one.edited)
    open = [one for one in edited if one.edited > settled]
    committed = [one for one in edited if one.edited <= settled][:_MOST_COMMITTED]
    parts = [_section(_OPEN_FILES, _file_names(open, work, room))]
    parts.append(_section(_FILES, _file_names(committed, work, room - len(parts[0]))))
    return [part for part in parts if part]


def _file_names(files: Sequence[FileFacts], work: WorkMap, room: int) -> list[str]:
    names = [f"{work.relative_path(one.path)} ({message_id(one.edited)})" for one in files]
    kept = _first_that_fit(names, room)
    more = len(names) - len(kept)
    return ["- " + ", ".join((*kept, *([f"and {more} more"] if more else [])))] if kept else []
