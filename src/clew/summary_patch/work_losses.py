"""What a summary lost of what was found, decided and done: whole sentences, commands and edits of the session."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from clew.history.work_map.commands import command_key
from clew.summary_patch.focus import Focus
from clew.summary_patch.prose_pieces import pieces_of
from clew.text.telling_tokens import NUMBER, telling_tokens
from clew.text.tools.purposes import is_check
from clew.units.already_said import SaidText
from clew.units.later_work import LaterWork
from clew.units.report_units import gives_reason, guesses, reports_change
from clew.units.terms import says_little
from clew.units.unit import REPORTERS, Speaker, Unit

#: From the first share missing in the summary on, a piece counts in full; from the second on, in part.
_MISSING, _PARTLY_MISSING = 0.42, 0.3
#: What is worth less than in a pack: failures that are over, thinking, hunks, which the files show.
_FACTORS = {
    Speaker.RUN: 0.7,
    Speaker.THOUGHT: 0.6,
    Speaker.SUBAGENT: 0.8,
}
#: From this closeness to the present work on, a reason from before the newest request counts in full, and from the
#: second on in part; what is further off only fills what is left.
_CLOSE, _RATHER_CLOSE = 1.0, 0.65
#: What is needed less than all else, and shown where there is room.
_SECOND = 0.12
#: What a choice between ways is worth that is rather close to the present work.
_DECIDED = 0.6
#: What a reason is worth that has little to do with the present work: it fills what is left.
_FAR = 0.04
#: Ways that were turned down, and what cannot be done, are found in no file.
_REJECTED = 1.5
_REJECTS = re.compile(
    r"(?i)\b(?:instead of|rather than|rejected|can(?:'t|not)\b|won't|doesn't work"
    r"|would (?:break|cause|not|create|require)|alternativ\w+|trade-?off"
    r"|not (?:possible|supported|needed|necessary|worth)"
    r"|option \w\b|decided (?:not|against)|cycle)"
)
#: A longer command is a script: its beginning and end say little.
_SCRIPT_CHARS = 180
#: What only lists or shows, or is told as state: searches are last steps, files can be looked at again.
_LISTS = re.compile(
    r"(?:gh (?:pr|issue) \w+|git (?:add|commit|push|status|log|diff|show|branch)"
    r"|ls|cat|head|tail|wc|find|grep|rg|sed -n|tree|stat|file|pwd|echo|which|diff)\b"
)
_OF_CLIENT = re.compile(r"(?:Skill|EnterPlanMode|ExitPlanMode|TodoWrite|ToolSearch|Task[A-Z]\w*)\b")
_FEWEST_WORDS = 6
_SUSPECTS = re.compile(
    r"(?i)\b(?:suspicion|suspect\w*|theory|hypothes\w+|smoking gun|i think|my guess|wonder"
    r"|appears? to|looks like|seems?)\b"
)
#: Words by which an agent turns from one idea to the next.
RECONSIDERS = re.compile(r"(?i)\W*(?:wait|actually|hmm+|hold on|let me think)\b")
_PLANS = re.compile(
    r"(?i)\b(?:i'll|i will|i should|i need|i'm|i am|i would|let me|we need|i (?:can )?see|looking at)\b"
)
#: Searches are last steps, edits have places; what was read can be read again, and clients give procedures again.
_TOLD_ELSEWHERE = frozenset({Speaker.CLIENT, Speaker.SEARCH, Speaker.READ, Speaker.EDIT, Speaker.PROCEDURE})
#: What a reply is worth that its reader objected to.
_CONTESTED = 0.25
#: Weight of what a piece adds for each token of its length that is worth its plain value.
_PLAIN_GAIN = 0.42


def work_losses(
    units: Sequence[Unit],
    summary: SaidText,
    focus: Focus,
    *,
    request: int,
    contested: Container[int],
    later: LaterWork,
) -> Iterator[Unit]:
    """Yields the pieces of units that the summary does not tell. ``request`` is the message of the newest request;
    replies that are ``contested`` were objected to by the person who read them. What work ``later`` than a unit has
    overtaken is left out.
    """
    last_runs = {unit.command: unit.number for unit in units if unit.speaker is Speaker.RUN}
    for unit in units:
        if unit.speaker is Speaker.RUN and last_runs[unit.command] > unit.number:  # run again since
            continue
        for position, piece in enumerate(pieces_of(unit)):
            text = piece.content
            missing, closeness = summary.missing(text), focus.closeness(text)
            need = _need(unit, text, closeness, is_present=unit.number > request)
            if missing < _PARTLY_MISSING or not need or says_little(text):
                continue
            if unit.speaker in REPORTERS and later.overtakes(text, unit.number):
                continue
            need *= _SECOND if missing < _MISSING else 1.0
            value = unit.value * _FACTORS.get(unit.speaker, 1.0) * missing * _density(text, summary) * closeness
            value *= need * (_CONTESTED if unit.number in contested else 1.0)
            value *= _REJECTED if unit.speaker in REPORTERS and _REJECTS.search(text) else 1.0
            speaker = Speaker.EARLIER if unit.heading else unit.speaker
            place = unit.position * 100 + position
            yield replace(piece, speaker=speaker, value=value, position=place, is_compared=True)


def _need(unit: Unit, text: str, closeness: float, *, is_present: bool) -> float:
    """How much a piece is needed: not at all where the state tells it or it may be out of date, little where the files
    show it, or it has little to do with the present work."""
    if (
        unit.speaker in _TOLD_ELSEWHERE or unit.report or unit.pattern or unit.record
    ):  # what is open is told as state, the rest is over
        return 0.0
    if unit.heading or unit.speaker in REPORTERS:
        return _need_of_prose(unit, text, closeness, is_present=is_present and not unit.heading)
    if unit.speaker is Speaker.RUN:
        return float(_tells_result(unit))
    is_data = unit.printed.startswith(("[", "{"))
    return float(
        not is_data and not _OF_CLIENT.match(unit.command)
    )  # ids in data that a service answered are told as state


def _need_of_prose(unit: Unit, text: str, closeness: float, *, is_present: bool) -> float:
    """Reasons, decisions and exact values about the present work; a change that was reported before the newest request
    may have been undone since."""
    if guesses(text) or _SUSPECTS.search(text) or len(text.split()) < _FEWEST_WORDS:
        return 0.0
    if (
        text.endswith("?")
        or RECONSIDERS.match(text)
        or _PLANS.search(text)
        or (unit.speaker is Speaker.THOUGHT and not is_present)
    ):
        return 0.0
    tells = gives_reason(text) or (has_values(text) and unit.speaker is not Speaker.SUBAGENT)
    if is_present:
        return float(tells or reports_change(text))
    if reports_change(text) or not tells:
        return 0.0
    if closeness < _RATHER_CLOSE:
        return _FAR if gives_reason(text) and unit.speaker is Speaker.AGENT else 0.0
    if not gives_reason(text):
        return _SECOND
    return 1.0 if closeness >= _CLOSE else _DECIDED if _REJECTS.search(text) else _SECOND


def _tells_result(unit: Unit) -> bool:
    """Returns True for a command whose result is told nowhere else: no check, no look, no script."""
    command = command_key(unit.command)
    is_whole = bool(unit.printed) and "…" not in unit.text and "<tool_use_error>" not in unit.printed
    return is_whole and len(unit.command) < _SCRIPT_CHARS and not _LISTS.match(command) and not is_check(command)


def has_values(text: str) -> bool:
    """Returns True for words with ids, numbers or quotations in them."""
    return any(weight >= NUMBER for weight in telling_tokens(text).values()) or '"' in text


def _density(text: str, summary: SaidText) -> float:
    """How much a piece adds for its length, beside one that is worth its plain value."""
    return min(1.8, summary.gain(text) / (_PLAIN_GAIN * (len(text) / 4 + 8)))
