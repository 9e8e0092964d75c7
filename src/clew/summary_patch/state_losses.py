"""What a summary lost of the state of the work: branch, commits, pull request, checks, failures, open to-dos."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from clew.domain import Failure, Message
from clew.domain.ids import message_id
from clew.history.work_map.view import CommandFacts, WorkMap
from clew.text.telling_tokens import NAME, telling_tokens
from clew.text.tools.actions import RunResult
from clew.text.tools.report_lines import SAYS_ONLY_FAILED
from clew.units.action_units import PROSE
from clew.units.already_said import SaidText
from clew.units.state_lines import StateFact, StateItem, StateKind, failure_fact, state_facts
from clew.units.unit import Section, Unit, clip_middle, nearness

#: What a fact is worth by what it is about.
_VALUES = {
    StateKind.BRANCH: 3.2,
    StateKind.FORGE: 3.0,
    StateKind.UNCOMMITTED: 2.6,
    StateKind.COMMITS: 2.4,
    StateKind.HEAD: 2.4,
    StateKind.RUNNING: 2.2,
    StateKind.CHECK: 2.0,
    StateKind.PARTLY_PASSED: 2.0,
    StateKind.TODOS: 1.9,
    StateKind.PUSH: 1.9,
    StateKind.STATUS: 1.3,
}
#: From this share missing in the summary on, a fact is told; ``_MISSING`` for all other kinds.
_LEAST_MISSING = {StateKind.CHECK: 0.35, StateKind.PARTLY_PASSED: 0.35, StateKind.TODOS: 0.4, StateKind.STATUS: 0.4}
_MISSING = 0.25
#: How a summary names a fact once and for all, by what it is about.
_IS_NAMED = {
    StateKind.BRANCH: SaidText.names_branch,
    StateKind.PUSH: SaidText.names_branch,
    StateKind.FORGE: SaidText.names_request,
}
#: How summaries say that something has not been done.
_NOT = r"\b(?:not?|never|nothing|hasn't|haven't|isn't|yet to be|pending|awaiting|needs?(?: to)?(?: be)?|before|un)\b"
SAYS_UNCOMMITTED = re.compile(rf"(?i){_NOT}[^.]{{0,40}}\bcommit|\buncommitted\b|commit[^.]{{0,30}}\bpending\b")
SAYS_UNCHECKED = re.compile(
    rf"(?i){_NOT}[^.]{{0,40}}\b(?:test(?:ed|ing)?\b|verif|validat|compil|buil[dt]|check|lint|run\b)"
    r"|\bun(?:tested|verified)\b|\b(?:then|next:?|and) run\b|\brun (?:the )?(?:tests|all tests|full test)\b"
)
#: Facts that speak for their own moment only.
_PASSING = frozenset({StateKind.CHECK, StateKind.STATUS, StateKind.COMMITS, StateKind.HEAD, StateKind.PUSH})
#: Facts that are told in another form: failures apart, checks before edits as edits that were not checked.
_TOLD_APART = frozenset({StateKind.FAILURE, StateKind.STALE_CHECK})
_MAX_FILES, _MAX_ITEMS = 5, 4
#: What edits that no check has seen are worth.
_UNCHECKED = 2.4
#: What the folder is worth, and what tells that it is one of several checkouts. Clients name any other themselves.
_FOLDER, _WORKTREE = 1.8, re.compile(r"(?i)work-?trees?\b")
#: What a record that was created elsewhere is worth beside what it is in a pack.
_RECORD = 2.5
#: What each check is worth beside one that passed after it.
_ANOTHER = 0.6
#: What an open failure is worth, and from which share missing in the summary on it is told.
_FAILURE, _FAILURE_MISSING = 3.4, 0.45
#: What a failure keeps of its value after which another check has passed.
_OLDER_FAILURE = 0.4


def failure_losses(work: WorkMap, summary: SaidText, *, corrected: Container[int]) -> Iterator[Unit]:
    """Yields open failures that the summary does not tell, the newest of each test. ``corrected`` are the numbers of
    messages that corrections tell of already."""
    passed = max((facts.at for facts in work.commands if facts.is_check and facts.ok), default=0)
    seen: set[str] = set()
    for failure in reversed(work.open_failures):
        about = f"{failure.about} {failure.reason}"
        tests = {token for token, weight in telling_tokens(about).items() if weight == NAME}
        is_told = failure.number in corrected or (tests and tests <= seen) or summary.missing(about) < _FAILURE_MISSING
        if is_told or _is_part(failure, work):
            continue
        seen |= tests
        value = _FAILURE * (_OLDER_FAILURE if failure.number < passed else 1.0)
        text = failure_fact(failure, work).line
        yield Unit(section=Section.STATE, number=failure.number, text=text, value=value)


def _is_part(failure: Failure, work: WorkMap) -> bool:
    """Returns True for a check that says only that it failed, if a longer command line with it failed as well."""
    others = (other_failure.about for other_failure in work.open_failures if other_failure.about != failure.about)
    return SAYS_ONLY_FAILED.fullmatch(failure.reason) is not None and any(failure.about in other for other in others)


def state_losses(work: WorkMap, summary: SaidText, *, corrected: Container[int]) -> Iterator[Unit]:
    """Yields facts of the state that the summary does not tell, each with the message that bears it out.

    ``corrected`` are the numbers of messages that corrections tell of already.
    """
    yield from (line for line in _unchecked_lines(work, summary) if line.number not in corrected)
    checks = 0
    for fact in sorted(state_facts(work), key=lambda fact: -fact.at if fact.kind is StateKind.CHECK else 0):
        if fact.kind in _TOLD_APART or _is_left_out(fact, work, summary):
            continue
        lost = tuple(item for item in fact.items if _is_lost(fact.kind, item, summary))[-_MAX_ITEMS:]
        if not lost:
            continue
        shown = replace(fact, items=lost, end="" if fact.kind is StateKind.TODOS else fact.end)
        value = _VALUES[fact.kind] * (nearness(shown.at, work.now) if fact.kind in _PASSING else 1.0)
        if fact.kind is StateKind.CHECK:
            value, checks = value * _ANOTHER**checks, checks + 1
        yield Unit(section=Section.STATE, number=shown.at, text=shown.line, value=value)


def folder_loss(messages: Sequence[Message], work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Yields the folder of the work where it is one of several checkouts, and the summary names no path within it."""
    is_one_of_several = bool(messages) and _WORKTREE.search(work.root) is not None
    if not is_one_of_several or any(work.root in sentence for sentence in summary.sentences):
        return
    first = messages[0].number
    text = f"folder {work.root} ({message_id(first)})"
    yield Unit(section=Section.STATE, number=first, text=text, value=_FOLDER)


def created_records(units: Sequence[Unit], summary: SaidText) -> Iterator[Unit]:
    """Yields records that tools created elsewhere and whose id the summary does not tell."""
    for unit in units:
        if unit.record and not summary.has(unit.record):
            yield replace(unit, section=Section.STATE, value=unit.value * _RECORD)


def _is_left_out(fact: StateFact, work: WorkMap, summary: SaidText) -> bool:
    """Returns True for what the summary tells in words of its own, is over, or out of date."""
    if fact.kind is StateKind.UNCOMMITTED:  # people commit by themselves: that nothing was seen at all says little
        return not fact.at or any(map(SAYS_UNCOMMITTED.search, summary.sentences))
    if fact.kind is StateKind.TODOS:
        return all(todo.status == "done" for todo in work.todos)
    if fact.kind is StateKind.PUSH and not fact.at:
        return any("push" in sentence.lower() for sentence in summary.sentences)
    log = work.repository.log  # what is known of the newest commit from before it is out of date
    return fact.kind is StateKind.HEAD and log is not None and fact.at < log.at


def _is_lost(kind: StateKind, item: StateItem, summary: SaidText) -> bool:
    if item.name:
        return not _IS_NAMED.get(kind, SaidText.has)(summary, item.name)
    is_told_alone = kind is StateKind.UNCOMMITTED or not item.at
    return is_told_alone or summary.missing(item.text) >= _LEAST_MISSING.get(kind, _MISSING)


def _unchecked_lines(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Edits after the last check, where the summary does not say that something is to be checked."""
    if (unchecked := unchecked_edits(work)) and not any(map(SAYS_UNCHECKED.search, summary.sentences)):
        number, text = unchecked
        yield Unit(section=Section.STATE, number=number, text=text, value=_UNCHECKED)


def unchecked_edits(work: WorkMap) -> tuple[int, str] | None:
    """Returns the message of the newest edit after the last check, and which files were edited; None if none was."""
    last = newest_check(work)
    inside = (facts for facts in work.files if work.holds(facts.path))
    edited = [file for file in inside if file.edited > (last.at if last else 0) and not file.deleted]
    edited = sorted((file for file in edited if not file.path.endswith(PROSE)), key=lambda file: file.edited)
    if not edited:
        return None
    names = ", ".join(f"{work.relative_path(file.path)} ({message_id(file.edited)})" for file in edited[-_MAX_FILES:])
    before = f"; last: `{clip_middle(last.command, 80)}` {_result_text(last)} ({message_id(last.at)})" if last else ""
    return edited[-1].edited, f"no build or test run since the edits of {names}{before}"


def newest_check(work: WorkMap) -> CommandFacts | None:
    """Returns the last run of a test, build or linter, however it ended; None if there was none."""
    return max((facts for facts in work.commands if facts.is_check), key=lambda facts: facts.at, default=None)


def _result_text(facts: CommandFacts) -> str:
    return "with unknown result" if facts.result is RunResult.UNKNOWN else str(facts.result)
