"""The newest steps as text: what was said, called and printed, outputs clipped in the middle.

Of a change nothing is shown but what was put in; of a test run what failed and how many passed. What was only looked
at can be looked at again, so it is clipped most.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clew.domain import Call, Message, Output, Reasoning, Role, Status, Text
from clew.history.person_words import person_statements
from clew.history.repair.rules import safe_cuts
from clew.history.work_map.commands import command_key, only_looks
from clew.ports import TokenCounter
from clew.text.definitions import without_line_numbers
from clew.text.injected_text import without_reminders
from clew.text.memo import remember
from clew.text.names import relative_path
from clew.text.terminal import safe
from clew.text.tools.actions import LOOKS, Action, ActionKind, RunResult, TextEdit
from clew.text.tools.calls import call_actions
from clew.text.tools.outcomes import read_outcome
from clew.text.tools.purposes import is_check
from clew.text.tools.reports import counts_in, failure_report, read_report, without_noise, without_passes
from clew.units.action_units import plain_arguments
from clew.units.client_units import ClientText, client_text
from clew.units.code_lines import command_line, removed_lines, telling_code, without_removed
from clew.units.outline import outline
from clew.units.person_lines import StatementInContext, person_line
from clew.units.report_units import reasons_in, without_plans
from clew.units.unit import GAP, Speaker, clip_lines, clip_middle, indent

#: So many of the newest messages are near: they are shown at greater length.
_NEAR_MESSAGES = 10
#: Characters of words and arguments, near and far; of a person's words.
_WORDS, _ARGUMENTS, _PERSON_CHARS = (2_600, 1_300), (420, 190), 1_500
#: Characters of outputs, newest, near and far: of commands and unknown tools, of looks, of subagents.
_PRINTED, _LOOKED, _REPORTED = (1_300, 600, 260), (500, 240, 0), (3_000, 1_600, 700)
#: Characters of the text of a skill or command file.
_PROCEDURE = (900, 700, 400)
#: Characters of files that were read, which can be read again, and of data that a service answered.
_READ, _DATA = (500, 0, 0), (240, 0, 0)
#: In a room so much larger, files that were read are shown as well, and more messages are near.
_WIDE_SCALE = 8.0
#: Less of a call or an output says nothing.
_LEAST_ARGUMENTS, _LEAST_PRINTED = 70, 80
_FAILED_CHARS = 400
#: Characters of an output that are read, more than are ever shown, and outputs that are remembered as they are shown:
#: steps are tried in one room after the other.
_MAX_OUTPUT_CHARS, _MAX_OUTPUTS = 200_000, 1 << 8
#: How far back removed lines are looked for, and steps are told at most: the time that takes has a bound.
_MAX_MESSAGES, _MAX_STEPS = 1_500, 3_000
#: The room in tokens that the limits were chosen for, and how far a larger one stretches them.
_PLAIN_ROOM, _MAX_SCALE = 900, 30.0
_LONG_DATA = re.compile(r"[A-Za-z0-9+/=]{200,}")


@dataclass(frozen=True, slots=True)
class StepContext:
    """What steps are shown with: calls by id, lines ``removed`` from files since, ids of calls that would have changed
    a file and did not, and the folder that paths are seen from."""

    calls: Mapping[str, Call]
    removed: frozenset[str] = frozenset()
    failed_changes: Container[str] = frozenset()
    root: str = ""


@dataclass(frozen=True, slots=True)
class StepHistory:
    """Messages, what their steps are shown with, and where they may be cut; ``last`` is the place of the newest
    message that is sent after them."""

    messages: Sequence[Message]
    context: StepContext
    cuts: Sequence[int]
    last: int


def step_history(
    messages: Sequence[Message], sent: Sequence[Message], *, root: str, pieces: int | None = None
) -> StepHistory:
    """Returns messages with what is read of them once, in however many rooms their newest steps are tried.
    Those ``sent`` after them word for word, in so many ``pieces``, make them older.
    """
    start = max(len(messages) - _MAX_STEPS, 0)
    newest = messages[start:]
    calls = {call.id: call for message in newest for call in message.calls}
    removed = removed_lines([*messages[-_MAX_MESSAGES:], *sent])
    # The first of the newest may stand inside a step, of which the rest is not looked at.
    cuts = [start + cut for cut in safe_cuts(newest) if cut < len(newest) and (cut or not start)]
    last = len(messages) + (len(sent) if pieces is None else pieces) - 1
    return StepHistory(messages, StepContext(calls, removed, _FailedChanges(newest, calls), root), cuts, last)


def newest_steps(
    history: StepHistory, *, room: int, count: TokenCounter, with_looks: bool = False
) -> tuple[int, list[tuple[str, str]]]:
    """Returns where the newest messages begin that fit into the room as steps, and each as a pair of id and text.
    In a larger room, steps are clipped less; ``with_looks`` they show what was only looked at as well.
    """
    messages, context, last = history.messages, history.context, history.last
    scale = min(max(room / _PLAIN_ROOM, _WIDE_SCALE if with_looks else 1.0), _MAX_SCALE)
    first, newest = len(messages), list[tuple[str, str]]()
    for cut in reversed(history.cuts):
        for narrower in (1, 2, 4, 8) if first == len(messages) else (1,):
            steps = [
                (message.id, render_step(message, context, age=last - index, scale=scale / narrower))
                for index, message in enumerate(messages[cut:first], cut)
            ]
            steps = [(id, step) for id, step in steps if step]
            price = sum(count(step) + 1 for _, step in steps)
            if price <= room:
                break
        if price > room:
            break
        room -= price
        first, newest = cut, [*steps, *newest]
    return first, newest


class StepPart(NamedTuple):
    """A part of a step: who speaks or what is done, as the line begins, and what it says."""

    mark: str
    text: str


#: How a line begins in which the agent speaks.
AGENT = f"{Speaker.AGENT}: "


def render_step(message: Message, context: StepContext, *, age: int, scale: float) -> str:
    """Returns a message as text after its id. ``age`` is the number of messages after it."""
    text_of_parts = "\n".join(mark + text for mark, text in step_parts(message, context, age=age, scale=scale))
    return f"{message.id or 'input'} {indent(text_of_parts)}" if text_of_parts else ""


def step_parts(message: Message, context: StepContext, *, age: int, scale: float) -> Iterator[StepPart]:
    """Yields what was said, called and printed in a message, shortened."""
    if message.thread or message.role is Role.SYSTEM:
        return
    is_far = _nearness(age, scale) == 2
    if message.role is Role.ASSISTANT:
        for part in message.parts:
            if isinstance(part, Text) and (words := without_plans(part.text) if is_far else part.text).strip():
                yield StepPart(AGENT, clip_middle(words, int(_WORDS[is_far] * scale)))
            elif isinstance(part, Call) and not _is_told_elsewhere(call_actions(part)[0], is_far=is_far):
                yield from _call_parts(part, context, scale=scale, is_far=is_far)
            elif isinstance(part, Reasoning) and (words := _thinking(part.text, message, is_far=is_far)):
                yield StepPart(f"{Speaker.THOUGHT}: ", clip_middle(words, int(_ARGUMENTS[0] * scale)))
    if (client := client_text(message)) is not None:
        yield _client_part(client, _nearness(age, scale), scale)
    statements = list(person_statements(message, context.calls))
    answered = {statement.call.id for statement in statements if statement.call is not None}
    for output in message.outputs:
        call = context.calls.get(output.call_id)
        text = output_text(output, call, age=age, scale=scale, removed=context.removed)
        if text and output.call_id not in answered:
            yield StepPart("← ", text)
    for statement in statements:
        line = person_line(StatementInContext(statement), int(_PERSON_CHARS * scale), context.root)
        yield StepPart("", line.removeprefix(f"{statement.source} "))


def _call_parts(call: Call, context: StepContext, *, scale: float, is_far: bool) -> Iterator[StepPart]:
    limit = max(int(_ARGUMENTS[is_far] * scale), _LEAST_ARGUMENTS)
    done = call_text(call, limit if call.id not in context.failed_changes else _LEAST_ARGUMENTS, context.root)
    if not (is_far and done == relative_path(call_actions(call)[0].path, context.root)):
        yield StepPart(f"→ {call.name} ".rstrip() + (" " if done else ""), without_removed(done, context.removed))


def _client_part(words: ClientText, nearness: int, scale: float) -> StepPart:
    if words.speaker is Speaker.PROCEDURE:
        return StepPart(f"{words.speaker}: ", f"{words.name}: {outline(words.text, int(_PROCEDURE[nearness] * scale))}")
    if words.speaker is Speaker.SUBAGENT:
        return StepPart(f"{words.speaker}: ", clip_middle(without_plans(words.text), int(_REPORTED[nearness] * scale)))
    return StepPart(f"{words.speaker}: ", clip_middle(f"failed: {words.text}", int(_PRINTED[nearness > 1] * scale)))


class _FailedChanges(Container[str]):
    """The ids of calls that would have changed a file, and did not. Each is looked at when its step is shown: most of
    a long history never is.
    """

    def __init__(self, messages: Sequence[Message], calls: Mapping[str, Call]) -> None:
        self._calls = calls
        self._outputs: dict[str, list[Output]] = {}
        for output in (output for message in messages for output in message.outputs):
            self._outputs.setdefault(output.call_id, []).append(output)

    def __contains__(self, id: object) -> bool:
        if not isinstance(id, str) or id not in self._calls:
            return False
        action = call_actions(self._calls[id])[0]
        if not action.kind.changes_files or action.command:
            return False
        return any(read_outcome(action, output).ok is False for output in self._outputs.get(id, ()))


def _is_told_elsewhere(action: Action, *, is_far: bool) -> bool:
    """Returns True for a change of the to-dos, which the state tells, and further back for what only looks."""
    if action.command:
        return is_far and only_looks(command_key(action.command))
    return action.kind is ActionKind.TODO or (is_far and action.kind in LOOKS)


def _thinking(text: str, message: Message, *, is_far: bool) -> str:
    """What an agent thought: nearby where it says nothing else, further back its reasons."""
    if is_far:
        return reasons_in(text)
    return "" if message.text.strip() else without_plans(text).strip()


def call_text(call: Call, limit: int, root: str) -> str:
    """Returns what a call does: the command, or the path and what is put there, asked or searched."""
    action = call_actions(call)[0]
    if action.command:
        return f"`{clip_middle(command_line(action.command, root), limit)}`"
    words = list(_action_words(action, limit, root))
    return " ".join(filter(None, words)) if words else clip_middle(plain_arguments(call), limit)


def _action_words(action: Action, limit: int, root: str) -> Iterator[str]:
    if action.path:
        yield relative_path(action.path, root)
    if action.lines:
        yield f"lines {action.lines[0]}–{action.lines[1]}"
    if action.pattern:
        yield clip_middle(action.pattern, limit)
    for change in action.changes[:3]:
        added = telling_code(change.added_text, action.path)
        yield f"+ {clip_lines(added, limit)}" if added else _taken_out(change, limit)
    if action.content:
        yield clip_lines(telling_code(action.content, action.path), limit)


def _taken_out(change: TextEdit, limit: int) -> str:
    """The first line that an edit took out, and how many more."""
    new = set(map(str.strip, change.new.split("\n")))
    gone = [line.strip() for line in change.old.split("\n") if line.strip() and line.strip() not in new]
    more = f" and {len(gone) - 1} more lines" if len(gone) > 1 else ""
    return f"- {clip_middle(gone[0], limit // 2)}{more}" if gone else ""


def output_text(
    output: Output, call: Call | None, *, age: int, scale: float, removed: frozenset[str] = frozenset()
) -> str:
    """Returns what a tool gave back, clipped by what it is; empty where it only confirms what was done."""
    action = call_actions(call)[0] if call is not None else Action(kind=ActionKind.OTHER)
    limit = int(_limit(action, age, scale) * scale)
    if output.status is not Status.SUCCESS:
        limit = max(limit, _FAILED_CHARS)
    reports = bool(action.command) and is_check(action.command)
    if not limit and not reports:
        return ""
    text = _plain_output(_ends_of(output.text))
    if action.kind is ActionKind.READ:
        text = without_line_numbers(text)
    text = without_removed(text, removed)
    if reports:
        return clip_middle(_report(text), limit)
    text = _telling_lines(text)
    if action.kind is ActionKind.DELEGATE:
        text = without_plans(text)
    if text.startswith(('{"', "[{")):
        limit = min(limit, int(_DATA[_nearness(age, scale)] * scale))
    if limit < min(_LEAST_PRINTED, len(text)):
        return ""
    return clip_lines(text, limit) if action.kind in LOOKS else clip_middle(text, limit)


def _ends_of(text: str) -> str:
    """The text, or of one that is never shown whole its beginning and its end."""
    if len(text) <= _MAX_OUTPUT_CHARS:
        return text
    begins, ends = text[: _MAX_OUTPUT_CHARS // 2], text[-_MAX_OUTPUT_CHARS // 2 :]
    return f"{begins.rpartition(chr(10))[0] or begins}\n{GAP}\n{ends.partition(chr(10))[2] or ends}"


@remember(_MAX_OUTPUTS)
def _plain_output(text: str) -> str:
    return _LONG_DATA.sub("[data]", safe(without_reminders(text))).strip()


@remember(_MAX_OUTPUTS)
def _telling_lines(text: str) -> str:
    return without_noise(without_passes(text)).strip()


def _limit(action: Action, age: int, scale: float) -> int:
    nearness = _nearness(age, scale)
    if (action.kind.changes_files and not action.command) or action.kind is ActionKind.TODO:
        return 0
    if action.kind is ActionKind.DELEGATE:
        return _REPORTED[nearness]
    if action.command and only_looks(command_key(action.command)):
        return _LOOKED[nearness]
    return {
        ActionKind.READ: _READ if scale < _WIDE_SCALE else _LOOKED,
        ActionKind.SEARCH: _LOOKED,
        ActionKind.LIST: _LOOKED,
    }.get(action.kind, _PRINTED)[nearness]


def _nearness(age: int, scale: float) -> int:
    """0 for the newest messages, 1 for near ones, which reach further in a wide room, 2 for those further back."""
    near = _NEAR_MESSAGES if scale < _WIDE_SCALE else _NEAR_MESSAGES * int(scale)
    return 0 if age <= 1 else 1 if age < near else 2


def _report(text: str) -> str:
    """What a check reports: its failures, else its counts, else the last line if it says that all went well."""
    report_text = failure_report(text) or counts_in(text)
    return report_text or (report.line if (report := read_report(text)).result is RunResult.PASSED else text)
