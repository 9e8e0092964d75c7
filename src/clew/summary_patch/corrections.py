"""Corrections: claims of a summary that the records do not bear out, each beside what they show.

A claim is corrected only where a record says otherwise: a test that failed and was not seen to pass since, a to-do that
is open, an edit after the last check, words by which the agent said last what it still had to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.domain import Message, Role
from clew.domain.ids import message_id
from clew.history.work_map.view import WorkMap
from clew.summary_patch.state_losses import SAYS_UNCHECKED, SAYS_UNCOMMITTED, newest_check, unchecked_edits
from clew.text.sentences import sentences
from clew.text.telling_tokens import NAME, telling_tokens
from clew.text.tools.checks import is_test
from clew.units.already_said import SaidText
from clew.units.report_units import leaves_to_do, reports_change
from clew.units.state_lines import StateKind, failure_fact, state_facts, uncommitted_files
from clew.units.unit import Section, Unit, clip_middle

#: What a correction is worth: more than anything that is only lost.
_VALUE = 9.0
#: Characters of a claim, of what records show, and of the agent's last words.
_CLAIM_CHARS, _SHOWN_CHARS, _WORDS_CHARS = 140, 320, 200
#: A claim is corrected where more than this share of what the failure reported is missing in the summary.
_UNTOLD = 0.3

#: What makes a sentence no claim: it is about what will, should or did not happen, or about another time.
_NO_CLAIM = re.compile(
    r"(?i)\b(?:should|will|would|must|once|until|ensure|verify|confirm|make sure|need|needs|needed|to run|run the"
    r"|if|whether|before|not|n't|never|fail\w*|expected|expects?|asked|request\w*|want\w*|pending|todo|next|please)\b"
)
#: Says that all passed, with the word that else says the contrary.
_NONE_FAILED = re.compile(r"(?i)\b(?:0|no|zero|without(?: any)?) (?:\w+ )?fail\w*")
#: What was done at some time says nothing of now.
_EVENT = re.compile(
    r"(?i)\W*(?:\d{1,2}[.)]\s*)?\W*(?:(?:i|we|the agent|then|finally|also|and),? )?"
    r"(?:ran|re-?ran|verified|checked|tested|built|executed|compiled|committed|pushed|fixed|added)\b"
)
_PASSES = r"(?:pass(?:es|ed|ing)?|green|succe\w+|clean|0 issues|no (?:errors|issues))"
_TESTS_PASS = re.compile(rf"(?i)\btests?\b[^.;]{{0,40}}\b{_PASSES}\b")
_LINT_PASSES = re.compile(rf"(?i)\b(?:lint(?:er|ing)?|type ?check\w*|vet)\b[^.;]{{0,30}}\b{_PASSES}\b")
_BUILD_PASSES = re.compile(rf"(?i)\b(?:builds?|compil\w+)\b[^.;]{{0,30}}\b{_PASSES}\b")
_LINT_COMMAND = re.compile(r"(?i)lint|\bvet\b|mypy|pyright|\btsc\b|ruff|clippy|rubocop")
_BUILD_COMMAND = re.compile(r"(?i)\bbuild\b|compile|\bmake\b")
_ALL_DONE = re.compile(
    r"(?i)\ball (?:\w+ ){0,3}(?:tasks?|to-?dos?|items?|steps?|work)\b[^.;]{0,20}\b(?:complete\w*|done|finished)"
    r"|\b(?:the )?work is (?:now )?(?:complete|done|finished)"
)
_ALL_COMMITTED = re.compile(
    r"(?i)\b(?:all|everything|all changes|work)\b[^.;]{0,30}\bcommitted\b|\bworking tree (?:is )?clean\b"
)
#: A sentence of the summary is about the same thing if it holds so much of the words.
_SAME = 0.55


def corrections(messages: Sequence[Message], work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Yields claims of the summary that the records do not bear out, at most one of each kind."""
    yield from _failure_corrections(work, summary)
    yield from _open_todos(work, summary)
    yield from _commit_corrections(work, summary)
    yield from _not_begun(messages, summary)


def _claim(pattern: re.Pattern[str], summary: SaidText, about: str = "") -> str:
    """The last sentence that claims something of everything, or of what a command is ``about``; empty if none does."""
    names = telling_tokens(about)
    for sentence in reversed(summary.sentences):
        if pattern.search(sentence) and is_claim(sentence) and not _EVENT.match(sentence):
            named = {token for token, weight in telling_tokens(sentence).items() if weight >= NAME}
            if named <= names.keys():
                return sentence
    return ""


def is_claim(sentence: str) -> bool:
    """Returns True for a sentence that is about what is, not about what will, should or did not happen."""
    return _NO_CLAIM.search(_NONE_FAILED.sub("", sentence)) is None


def correction(claim: str, shown: str, number: int) -> Unit:
    """Returns the line that sets what the records show beside a claim of the summary."""
    text = f'the summary says "{clip_middle(claim, _CLAIM_CHARS)}"; records show: {shown}'
    return Unit(section=Section.CORRECTION, number=number, text=text, value=_VALUE, about=shown)


def _failure_corrections(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Checks that are said to pass, though the last run failed, or files were edited since."""
    open = work.open_failures[::-1]
    claims = (
        (_TESTS_PASS, [failure for failure in open if is_test(failure.about)]),
        (_LINT_PASSES, [failure for failure in open if _LINT_COMMAND.search(failure.about)]),
        (
            _BUILD_PASSES,
            [failure for failure in open if _BUILD_COMMAND.search(failure.about) and not is_test(failure.about)],
        ),
    )
    has_failed = False
    for pattern, failed in claims:
        claim = _claim(pattern, summary, failed[0].about) if failed else ""
        if claim and summary.missing(failed[0].reason) > _UNTOLD:
            has_failed = True
            yield correction(claim, failure_fact(failed[0], work).line_within(_SHOWN_CHARS), failed[0].number)
    if not has_failed:
        yield from _edited_since(work, summary)


def _edited_since(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    claim, unchecked = _claim(_TESTS_PASS, summary), unchecked_edits(work)
    if claim and unchecked and newest_check(work) and not any(map(SAYS_UNCHECKED.search, summary.sentences)):
        yield correction(claim, unchecked[1], unchecked[0])


def _open_todos(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    open = [todo.text for todo in work.todos if todo.status != "done"]
    claim = _claim(_ALL_DONE, summary) if open else ""
    if claim:
        shown = f"to-dos still open ({message_id(work.todos_at)}): {'; '.join(open)}"
        yield correction(claim, clip_middle(shown, _SHOWN_CHARS), work.todos_at)


def _commit_corrections(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    edited = uncommitted_files(work) if work.root else []
    claim = _claim(_ALL_COMMITTED, summary) if edited else ""
    if claim and not any(map(SAYS_UNCOMMITTED.search, summary.sentences)):
        fact = next(fact for fact in state_facts(work) if fact.kind is StateKind.UNCOMMITTED)
        yield correction(claim, fact.line_within(_SHOWN_CHARS), edited[-1].edited)


def _not_begun(messages: Sequence[Message], summary: SaidText) -> Iterator[Unit]:
    """What the agent said last that it still had to do, with no call after it, and the summary tells as done."""
    last = next((message for message in reversed(messages) if message.role is Role.ASSISTANT), None)
    if last is None or last.calls or not last.text.strip():
        return
    for sentence in sentences(last.text)[-2:]:
        closest = summary.closest(sentence)
        is_same = closest and SaidText(closest).missing(sentence) <= 1 - _SAME
        if is_same and leaves_to_do(sentence) and reports_change(closest):
            last_words = clip_middle(sentence, _WORDS_CHARS)
            shown = f'the agent\'s last words were "{last_words}" ({last.id}), and nothing was done after them'
            yield correction(closest, shown, last.number)
            return
