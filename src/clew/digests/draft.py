"""Drafts of digests: facts are extracted from each message as it comes, in time that does not depend on the others.

A draft is plain data, so that it can be stored between two messages.
Every list in it is capped: of a segment that does a thousand things the digest has the newest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from clew.digests.model_notes import ModelNotes, noted_decisions, with_claims
from clew.digests.pending_actions import PendingAction, merge_file_use, pending_action, pending_actions, with_output
from clew.digests.statements import decisions_in, questions_in, quote, statements_in
from clew.domain import (
    Call,
    CommandRun,
    Digest,
    Fact,
    Failure,
    FileUsage,
    Housekeeping,
    Json,
    Message,
    Origin,
    Outcome,
    Output,
    Role,
    Status,
)
from clew.history.failures import read_failure
from clew.history.person_words import PersonStatement, StatementKind, next_statements
from clew.text.injected_text import answer_words
from clew.text.names import is_measure, names_in
from clew.text.tools.actions import Action, ActionKind
from clew.text.tools.outcomes import read_outcome
from clew.text.tools.patches import edits_in_prose
from clew.text.tools.purposes import cap_runs, is_check, proves_fixed
from clew.text.tools.reports import counts_in
from clew.text.trim import cut_at_word, one_line

_MAX_REQUEST_CHARS, _MAX_FINAL_CHARS, _MAX_ANSWER_CHARS = 1_600, 500, 240
#: Text of a message that is searched for names; what an agent writes at greater length is a file.
_MAX_NAMED_CHARS = 8_000
_MAX_NAMES, _MAX_SAID, _MAX_COMMANDS, _MAX_FAILURES, _MAX_FILES = 120, 12, 24, 12, 60

_OPTIONS = re.compile(r"\s--?(?:json|jq|q|template|format)[ =]\S+|\s-\S+")
_STRESSED = re.compile(r"_[a-z]+_")

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class NameUse:
    """How a name was used: the first message that used it, who wrote that message, and how many messages used it."""

    source: str
    by: Origin
    count: int = 1


@dataclass(slots=True)
class DigestDraft:
    """Facts of a segment so far. It is stored as JSON, under the names of its fields unless they give a key.

    ``pending`` are actions of calls without output, ``calls`` as much of them as tells what people say in it. ``ended``
    is True while the assistant has had the last word. ``next`` is what came after the segment: more of the same
    exchange, or another one; empty while it is the newest.
    """

    at: float | None = None
    until: float | None = None
    ended: bool = False
    requests: list[Fact] = field(default_factory=list)
    decisions: list[Fact] = field(default_factory=list)
    files: dict[str, FileUsage] = field(default_factory=dict)
    commands: list[CommandRun] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    names: dict[str, NameUse] = field(default_factory=dict)
    questions: list[Fact] = field(default_factory=list)
    final: Fact | None = None
    replied_to: Fact | None = None
    next: Literal["", "segment", "exchange"] = ""
    notes: ModelNotes = field(default_factory=ModelNotes, metadata={"key": "noted"})
    pending: dict[str, list[PendingAction]] = field(default_factory=dict, metadata={"key": "waiting"})
    calls: dict[str, Json] = field(default_factory=dict)

    def add(self, message: Message, source: str, *, notes: Housekeeping | None = None) -> list[str]:
        """Extracts facts from a message, or from a further part of one.
        Returns the commands and paths that succeeded by it.
        """
        succeeded: list[str] = []
        self.at = message.at if self.at is None else self.at
        self.until = message.at or self.until
        statements = [] if message.thread else next_statements(message, self.calls)
        answered = {statement.call.id for statement in statements if statement.call}
        for part in message.parts:
            if isinstance(part, Call):
                self._add_call(part, source, is_main=not message.thread)
            elif isinstance(part, Output):
                succeeded += self._add_output(part, source, is_heard=part.call_id in answered)
        if message.thread:
            return succeeded
        for statement in statements:
            self._add_said(statement, source)
        if message.role is Role.ASSISTANT and message.origin is Origin.MODEL:
            self._add_reply(message.text, source, acts=bool(message.calls))
            if notes:
                self._add_notes(notes, source, acts=bool(message.calls))
        elif message.origin is Origin.SUMMARY and self.final is None:
            self.final = Fact(text=quote(message.text, _MAX_FINAL_CHARS), source=source, by=Origin.SUMMARY)
        return succeeded

    def add_report(self, notes: Housekeeping, source: str) -> None:
        """Adds notes that a model reported outside its replies. They change neither who had the last word nor what is
        open.
        """
        self.notes = self.notes.with_report(notes, source)
        self._add_decisions(noted_decisions(notes, self.decisions), source, Origin.MODEL)

    def forget(self, source: str) -> None:
        """Removes the facts of a message, because another version of it has come."""
        self.requests = _without_source(self.requests, source)
        self.decisions = _without_source(self.decisions, source)
        self.commands = _without_source(self.commands, source)
        self.failures = [
            replace(failure, resolved="") if failure.resolved == source else failure for failure in self.failures
        ]
        self.failures = _without_source(self.failures, source)
        self.questions = _without_source(self.questions, source)
        self.files = {path: file for path, file in self.files.items() if file.source != source}
        self.names = {name: fact for name, fact in self.names.items() if fact.source != source}
        self.final = None if self.final and self.final.source == source else self.final
        self.notes = self.notes.without_source(source)

    # ── words ────────────────────────────────────────────────────────────────────────────────────────

    def _add_said(self, statement: PersonStatement, source: str) -> None:
        """What a person said: words while refusing a call ask for something, answers and approvals decide it."""
        if statement.is_message or statement.kind is StatementKind.REFUSAL:
            self._add_request(statement.text, source)
        elif statement.kind is StatementKind.ANSWER:
            pair = f"{one_line(statement.about)} {one_line(statement.text)}".strip()
            self._add_decisions([cut_at_word(pair, _MAX_ANSWER_CHARS)], source, Origin.PERSON)
        elif title := next(iter(statement.text.lstrip("# \n").split("\n")), ""):
            approved = f"approved the plan: {one_line(title)}"
            self._add_decisions([cut_at_word(approved, _MAX_ANSWER_CHARS)], source, Origin.PERSON)

    def _add_request(self, words: str, source: str) -> None:
        if not words:
            return
        self.ended = False
        self.notes = self.notes.after_request()
        text = quote(words, _MAX_REQUEST_CHARS) or cut_at_word(words, _MAX_REQUEST_CHARS)
        self.requests = [*self.requests, Fact(text=text, source=source, by=Origin.PERSON)][-_MAX_SAID:]
        self._add_decisions(decisions_in(statements_in(words), person=True), source, Origin.PERSON)
        self._add_names(words, source, Origin.PERSON)

    def _add_reply(self, text: str, source: str, *, acts: bool) -> None:
        if not text.strip():
            self.ended = self.ended and not acts
            return
        self.ended = not acts and not self.pending
        self.notes = self.notes.after_reply()
        for action in edits_in_prose(text) if "REPLACE" in text else ():
            self._add_file_use(pending_action(action, source), "")
        reply_statements = statements_in(text)
        self._add_decisions(decisions_in(reply_statements, person=False), source, Origin.MODEL)
        self.questions = _facts(questions_in(reply_statements), source)[-3:]
        if words := quote(text, _MAX_FINAL_CHARS):
            self.final = Fact(text=words, source=source)
        self._add_names(text, source, Origin.MODEL)

    def _add_notes(self, notes: Housekeeping, source: str, *, acts: bool) -> None:
        """Adds the notes of a reply; one that consists of notes alone is a last word like any other.

        What was asked amid work before such a reply was not its last word, and is not open by it.
        """
        is_last = not acts and not self.pending
        if is_last and not self.ended:
            self.questions = []
        self.ended = is_last
        self.notes = self.notes.with_notes(notes, source)
        self._add_decisions(noted_decisions(notes, self.decisions), source, Origin.MODEL)

    def _add_decisions(self, texts: Iterable[str], source: str, by: Origin) -> None:
        """Adds decisions that are not known yet; a person's own words take the place of a model's that say the same."""
        facts = [Fact(text=text, source=source, by=by) for text in dict.fromkeys(texts)]
        if by is Origin.PERSON:
            theirs = {fact.text for fact in facts}
            self.decisions = [
                decision for decision in self.decisions if decision.by is Origin.PERSON or decision.text not in theirs
            ]
        known = {fact.text for fact in self.decisions}
        self.decisions = [*self.decisions, *[fact for fact in facts if fact.text not in known][:_MAX_SAID]]
        while len(self.decisions) > _MAX_SAID:
            # What people decided outlives what the assistant did.
            oldest = next((index for index, fact in enumerate(self.decisions) if fact.by is not Origin.PERSON), 0)
            del self.decisions[oldest]

    def _add_names(self, text: str, source: str, by: Origin) -> None:
        for name in filter(_is_name, names_in(text[:_MAX_NAMED_CHARS], limit=_MAX_NAMES)):
            if known := self.names.get(name):
                self.names[name] = replace(known, count=known.count + 1)
            elif len(self.names) < _MAX_NAMES:
                self.names[name] = NameUse(source, by)

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────

    def _add_call(self, call: Call, source: str, *, is_main: bool) -> None:
        self.ended = self.ended and not is_main
        actions = pending_actions(call, source, is_main=is_main)
        if actions:
            self.pending[call.id] = actions
        for action in actions:
            # Options of commands are everyday words, and so are the fields that one asks a tool to print.
            words = _OPTIONS.sub(" ", f" {action.command}").split()
            self._add_names(" ".join((*words, *action.names)), source, Origin.MODEL)

    def _add_output(self, output: Output, source: str, *, is_heard: bool) -> list[str]:
        text, succeeded = output.text, []
        for action in self.pending.pop(output.call_id, ()):
            if action.kind is ActionKind.ASK:
                if not is_heard:
                    self._add_answer(output, text, source)
                continue
            end = self._end_command if action.command else self._end_file_action
            if end(action, output, text, source):
                succeeded.append(action.command or action.path)
        for about in succeeded:
            self.resolve(about, source)
        return succeeded

    def _add_answer(self, output: Output, text: str, source: str) -> None:
        """What a tool that asks gave back, where its client does not say that a person answered: the tool's words."""
        words = answer_words(text) if output.status is Status.SUCCESS else ""
        if words:
            self._add_decisions([cut_at_word(one_line(words), _MAX_ANSWER_CHARS)], source, Origin.TOOL)

    def _end_file_action(self, action: PendingAction, output: Output, text: str, source: str) -> bool:
        ended = read_outcome(Action(kind=action.kind, path=action.path), output)
        if ended.ok is not False:
            self._add_file_use(with_output(action, text), text)
        elif action.is_main:
            self._add_failure(read_failure(action.path, ended.line, line=ended.line, source=source))
        return ended.ok is not False

    def _add_file_use(self, action: PendingAction | None, text: str) -> None:
        if action is None or (action.kind is ActionKind.READ and not action.is_main):
            return
        self.files[action.path] = merge_file_use(self.files.pop(action.path, None), action, text)
        if len(self.files) > _MAX_FILES:
            oldest = next((path for path, file in self.files.items() if file.use == "read"), next(iter(self.files)))
            del self.files[oldest]

    def _end_command(self, action: PendingAction, output: Output, text: str, source: str) -> bool:
        if not action.is_main:
            return False
        ended = read_outcome(Action(kind=ActionKind.RUN, command=action.command), output)
        ok, result = ended.ok, one_line(ended.line) if ended.ok is False else counts_in(text)
        run = CommandRun(text=action.command, source=action.source, ok=ok, status=ended.exit_code, result=result)
        self.commands = cap_runs([*self.commands, run], _MAX_COMMANDS)
        if ok is False:
            self._add_failure(read_failure(action.command, text, line=ended.line, source=source))
        return bool(ok)

    def _add_failure(self, failure: Failure) -> None:
        """Adds the failure of a command or path, in place of an unresolved one of an earlier run of the same."""
        kept = [earlier for earlier in self.failures if earlier.resolved or earlier.about != failure.about]
        self.failures = [*kept, *([failure] if failure.text else [])][-_MAX_FAILURES:]

    def resolve(self, about: str, source: str) -> bool:
        """Marks the failures that a success with this command or path resolves. Returns whether there were any."""
        left = [index for index, failure in enumerate(self.failures) if not failure.resolved]
        mended = [place for place in left if proves_fixed(about, self.failures[place].about)]
        for place in mended:
            self.failures[place] = replace(self.failures[place], resolved=source)
        return bool(mended)


def _is_name(name: str) -> bool:
    """False for measures ("3 days"), options of commands, and a word that is only _stressed_."""
    return not (is_measure(name) or name.startswith("--") or _STRESSED.fullmatch(name))


def _without_source(facts: list[F], source: str) -> list[F]:
    return [fact for fact in facts if fact.source != source]


def _facts(texts: Iterable[str], source: str) -> list[Fact]:
    return [Fact(text=text, source=source) for text in dict.fromkeys(texts)]


def finish_digest(draft: DigestDraft, id: str, *, tokens: int = 0) -> Digest:
    """Returns the digest of a draft. Actions whose output never came count as done."""
    files = dict(draft.files)
    for action in (action for actions in draft.pending.values() for action in actions):
        if action.path and (action.is_main or action.kind is not ActionKind.READ):
            files[action.path] = merge_file_use(files.pop(action.path, None), action)
    files, noted = with_claims(files, draft.notes.claims)
    names = sorted(draft.names.items(), key=lambda item: -item[1].count)
    return Digest(
        id=id,
        at=draft.at,
        until=draft.until,
        tokens=tokens,
        outcome=_outcome(draft),
        requests=tuple(draft.requests),
        decisions=tuple(draft.decisions),
        files=tuple(files.values()),
        commands=(*draft.commands, *_unanswered_runs(draft)),
        failures=tuple(draft.failures),
        names=tuple(Fact(text=name, source=action.source, by=action.by) for name, action in names),
        questions=tuple(draft.questions) if draft.ended and draft.next != "exchange" else (),
        final=draft.final,
        replied_to=draft.replied_to,
        query=draft.notes.query,
        intent=draft.notes.intent,
        response=draft.notes.response,
        gist=draft.notes.gist,
        changes=noted,
    )


def _unanswered_runs(draft: DigestDraft) -> list[CommandRun]:
    pending = [action for actions in draft.pending.values() for action in actions if action.command and action.is_main]
    return [CommandRun(text=run.command, source=run.source) for run in pending]


def _outcome(draft: DigestDraft) -> Outcome:
    if any(not failure.resolved and is_check(failure.about) for failure in draft.failures):
        return Outcome.ERROR
    if draft.next:
        is_broken_off = draft.next == "exchange" and bool(draft.requests or draft.pending) and not draft.ended
        return Outcome.ONGOING if is_broken_off else Outcome.COMPLETED
    return Outcome.COMPLETED if draft.ended and not draft.questions else Outcome.ONGOING


def digest(
    messages: Sequence[Message], id: str, *, tokens: int = 0, notes: Mapping[str, Housekeeping] | None = None
) -> Digest:
    """Returns the digest of one segment, from its messages and the model's notes by the id of their message.

    It looks at nothing else. ``tokens`` is what the messages cost.
    """
    draft = DigestDraft()
    for message in messages:
        draft.add(message, message.id, notes=(notes or {}).get(message.id))
    return finish_digest(draft, id, tokens=tokens)
