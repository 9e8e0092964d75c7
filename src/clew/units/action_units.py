"""Units of actions: what the agent changed, ran and looked at, each with what came of it.

What cannot be looked up again counts most: commands that changed something outside the files, and what was created
elsewhere. What was only read counts least, and of it only the lines that later work picked up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from clew.domain import Call, Output, Status
from clew.history.work_map.commands import command_key, only_looks
from clew.text.definitions import without_line_numbers
from clew.text.injected_text import without_reminders
from clew.text.names import relative_path
from clew.text.tools.actions import LOOKS, Action, ActionKind, RunResult
from clew.text.tools.calls import call_actions
from clew.text.tools.purposes import acts_in, is_check
from clew.text.tools.reports import failure_report, read_report, without_noise
from clew.text.trim import with_gaps
from clew.units.code_lines import TEST_PATH, command_line, telling_code, without_removed
from clew.units.created_records import CREATES, record_text
from clew.units.search_units import search_unit
from clew.units.terms import TermUse, terms_of
from clew.units.unit import Speaker, Unit, clip_lines, clip_middle, nearness

#: What actions are worth:
_FAILED = 1.0  # a check that failed, which tells what was wrong
_OUTSIDE = 0.8  # what was changed or created elsewhere
_HUNK, _OLD_HUNK = 0.5, 0.34  # the newest change of a file, and older ones
_OTHER = 0.35  # a call of an unknown tool
_CHECK = 0.34  # a check of which nobody knows how it ended
_COMMAND = 0.3  # any other command
_LOOK = 0.24  # a command that only looks
_READ = 0.2  # a file that was read or searched
#: Factors: a hunk of at most so many characters, which says much in few words, and one in a test, which tells less.
_SHORT_HUNK, _SHORT_CHARS, _TEST = 1.35, 240, 0.6
_MAX_HUNK_CHARS, _MAX_COMMAND_CHARS, _MAX_PRINTED_CHARS, _MAX_SHOWN_CHARS = 700, 260, 340, 420
#: What a look found is a fact worth keeping if it was so little.
_MAX_FACT_CHARS, _MAX_FOUND_CHARS = 200, 300
#: Files that no check reads.
PROSE = (".md", ".txt", ".rst", ".adoc")
_MIN_SHOWN_CHARS = 30
_MAX_LINE_CHARS = 240
#: Less than this share of a hunk says no longer what it did.
_MIN_LEFT = 0.5
_MAX_READ_CHARS = 20_000
#: How data begins that a service answered.
_DATA = ('{"', "[{")

#: What the state of the repository tells as well.
_STATED = re.compile(
    r"\s*(?:git (?:-C \S+ )?(?:push|(?:checkout|switch)(?! (?:--|\.|HEAD))|fetch|pull|add|status|branch)|cd|echo)\b"
)
_NEXT_COMMAND = re.compile(r"&&|\|\||;")
#: The message of a commit after ``-m``: in quotes, or from a here-document.
_HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\s(.*?)\s\1\b", re.DOTALL)
_MESSAGE = re.compile(r"-a?m\s*([\"'])(.*?)(?<!\\)\1", re.DOTALL)
_SIGNED = re.compile(r"\n(?:Co-Authored-By|Signed-off-by|🤖).*\Z", re.DOTALL | re.IGNORECASE)
_ACTS = re.compile(
    r"\bgit (?:-C \S+ )?(?:merge|rebase|tag|cherry-pick|reset|revert|stash(?! list)|worktree add|config)\b"
    r"|\bgh (?:pr|issue|release) (?:create|merge|comment|edit|close|review)\b"
    r"|\b(?:docker|kubectl|terraform|brew|launchctl|systemctl|p?kill|chmod|crontab)\b|\b(?:npm|cargo|twine) publish\b"
)


class _Place(NamedTuple):
    """Where an action stands: its message, what nearness leaves of its value, what later work used, and the root."""

    number: int
    near: float
    uses: TermUse
    root: str


def action_unit(
    call: Call,
    output: Output | None,
    *,
    number: int,
    newest: int,
    uses: TermUse,
    removed: frozenset[str],
    edited: Mapping[str, int],
    is_newest_of_file: bool,
    root: str,
) -> Unit | None:
    """Returns the unit of a call and its output; None where a reader gains nothing from it. ``edited`` is when files
    were edited last, by path as seen from the root."""
    action = call_actions(call)[0]
    if output is not None and output.status is Status.CANCELED:
        return None
    ended_well = output is not None and output.status is Status.SUCCESS
    place = _Place(number, nearness(number, newest), uses, root)
    if action.kind.changes_files and not action.command:
        if output is not None and not ended_well:
            return None
        unit = _hunk(action, place, removed, is_newest=is_newest_of_file)
    elif action.kind is ActionKind.READ and not action.command and not action.path.endswith(PROSE):
        return None  # single lines of code say little, and can be read again
    else:
        text = _printed_text(output, removed)
        unit = search_unit(action, text, number, root=root, edited=edited, near=place.near) if ended_well else None
        if unit is None and action.command:
            unit = _command(action, text, place, ended_well=ended_well)
        elif unit is None and action.kind in LOOKS:
            unit = _look(action, text, place)
        elif unit is None and action.kind in {ActionKind.OTHER, ActionKind.FETCH}:
            unit = _other(call, text, place)
    return unit


def _printed_text(output: Output | None, removed: frozenset[str]) -> str:
    text = without_reminders(output.text[:_MAX_READ_CHARS]) if output is not None else ""
    return without_removed(without_line_numbers(text), removed)


def _hunk(action: Action, place: _Place, removed: frozenset[str], *, is_newest: bool) -> Unit | None:
    put = "\n".join(change.added_text for change in action.changes if change.added_text) or (action.content or "")
    left = without_removed(put, removed)
    added = telling_code(left, action.path)
    if not action.path or not added.strip() or len(left) < len(put) * _MIN_LEFT:
        return None
    words = f"{relative_path(action.path, place.root)}: {clip_lines(added.strip(), _MAX_HUNK_CHARS)}"
    value = (_HUNK if is_newest else _OLD_HUNK) * (_TEST if TEST_PATH.search(action.path) else 1.0)
    value *= _SHORT_HUNK if len(added) <= _SHORT_CHARS else 1.0
    return Unit(number=place.number, speaker=Speaker.EDIT, text=words, value=value * place.near)


def _command(action: Action, text: str, place: _Place, *, ended_well: bool) -> Unit | None:
    line = command_line(action.command, place.root)
    shown = f"`{clip_middle(line, _MAX_COMMAND_CHARS)}`"
    if is_check(action.command) and (report := failure_report(text)):
        return _run(line, f"{shown} failed: {report}", _FAILED, place, report=report)
    if ended_well and "git commit" in acts_in(action.command):
        commit_text = _commit_body(action.command)
        return _run(line, f"git commit: {commit_text}", _OUTSIDE, place) if commit_text else None
    if _ACTS.search(line):
        value = _OUTSIDE
    elif all(map(_STATED.match, _NEXT_COMMAND.split(line))):
        return None
    elif is_check(action.command):
        if read_report(text).result is RunResult.PASSED:  # the state tells how checks ended last
            return None
        value = _CHECK
    elif only_looks(command_key(action.command)):
        if len(text.strip()) > _MAX_FACT_CHARS:  # it can be looked at again
            return None
        value = _LOOK
    else:
        value = _COMMAND
    text = without_noise(text)
    printed = "" if text.startswith(_DATA) else picked_lines(text, place.number, place.uses, limit=_MAX_PRINTED_CHARS)
    return _run(line, f"{shown} → {printed}" if printed else shown, value, place, printed=printed)


def _run(command: str, text: str, value: float, place: _Place, *, printed: str = "", report: str = "") -> Unit:
    return Unit(
        number=place.number,
        speaker=Speaker.RUN,
        text=text,
        value=value * place.near,
        command=command,
        printed=printed,
        report=report,
    )


def _commit_body(command: str) -> str:
    """The message of a commit that says more than its subject, which the state of the repository tells."""
    match = _HERE_DOCUMENT.search(command) or _MESSAGE.search(command)
    message = _SIGNED.sub("", match[2].strip()) if match else ""
    subject, _, body = message.partition("\n")
    return f"{subject}\n{clip_middle(body, _MAX_HUNK_CHARS)}" if body.strip() else ""


def _look(action: Action, text: str, place: _Place) -> Unit | None:
    """What a search found, if it was little, and what a file in prose says."""
    is_read = action.kind is ActionKind.READ
    if not is_read and len(text) > _MAX_FOUND_CHARS:
        return None
    shown, root = picked_lines(text, place.number, place.uses, limit=_MAX_SHOWN_CHARS), place.root
    if len(shown) < _MIN_SHOWN_CHARS:
        return None
    about = " ".join(part for part in (relative_path(action.path, root), clip_middle(action.pattern, 100)) if part)
    shown = shown.replace(f"{root}/", "") if root else shown
    speaker = Speaker.READ if is_read else Speaker.SEARCH
    return Unit(number=place.number, speaker=speaker, text=f"{about}: {shown}", value=_READ * place.near, printed=shown)


def _other(call: Call, text: str, place: _Place) -> Unit:
    value = (_OUTSIDE if CREATES.search(call.name) else _OTHER) * place.near
    if record := record_text(call, text):
        unit_text, came = record.text, ""
    else:
        came = picked_lines(text, place.number, place.uses, limit=_MAX_PRINTED_CHARS)
        came = came or clip_middle(text, _MAX_PRINTED_CHARS // 2)
        unit_text = f"{call.name} {clip_middle(plain_arguments(call), _MAX_SHOWN_CHARS)} → {came}"
    return Unit(
        number=place.number,
        speaker=Speaker.TOOL,
        text=unit_text,
        value=value,
        command=call.name,
        printed=came,
        record=record.id if record else "",
    )


def picked_lines(text: str, number: int, uses: TermUse, *, limit: int) -> str:
    """Returns the whole of a short text, and of a longer one the lines whose terms later messages use."""
    text = text.strip()
    if len(text) <= limit:
        return text
    lines = [line.rstrip()[:_MAX_LINE_CHARS] for line in text.split("\n") if line.strip()]
    worth = [(_use(line, number, uses), index) for index, line in enumerate(lines)]
    kept, used = set[int](), 0
    for value, line_index in sorted(worth, key=lambda pair: (-pair[0], pair[1])):
        if value > 0 and used + len(lines[line_index]) <= limit:
            kept.add(line_index)
            used += len(lines[line_index]) + 1
    return "\n".join(with_gaps(lines, sorted(kept)))


def _use(line: str, number: int, uses: TermUse) -> float:
    return sum(uses.is_used_after(term, number) for term in terms_of(line)) / (3 + len(line) / 40)


def plain_arguments(call: Call) -> str:
    """Returns a call's arguments as names and values, for tools that nobody has described."""
    if not isinstance(call.arguments, dict):
        return str(call.arguments)
    return " ".join(f"{name}={value}" for name, value in call.arguments.items() if name != "description")
