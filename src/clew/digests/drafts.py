"""A digest in the making: facts are drawn from each message as it comes, in time that does not depend on the rest.

A draft is plain data, so that it can be put aside between two messages. Every list in it is capped: a segment
that does a thousand things is told by the newest of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from clew.digests.failures import Found, counts_in, failures_in, shows_failure
from clew.digests.jobs import is_check, makes_good, newest
from clew.digests.noting import Noted, decided, with_claims
from clew.digests.quoting import cut_at_word, one_line, quote
from clew.digests.sayings import decisions_in, left_in, questions_in, sayings
from clew.digests.tasks import Task, changed
from clew.digests.touching import Doing, doing, doings, merged, with_output
from clew.domain import (
    Call,
    Digest,
    Fact,
    Failure,
    Housekeeping,
    Message,
    Origin,
    Outcome,
    Output,
    Ran,
    Role,
    Status,
    Touched,
)
from clew.text.actions import Action, Deed, actions, outcome
from clew.text.names import names_in
from clew.text.patches import edits_in_prose
from clew.text.wrappers import own_words_of

_MAX_REQUEST_CHARS, _MAX_FINAL_CHARS, _MAX_ANSWER_CHARS = 1_600, 500, 240
#: Text of a message that is searched for names; what an agent writes at greater length is a file.
_MAX_NAMED_CHARS = 8_000
_MAX_NAMES, _MAX_SAID, _MAX_COMMANDS, _MAX_FAILURES, _MAX_FILES = 120, 12, 24, 12, 60

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class Named:
    """A name: the message that used it first, whose it was, and how many messages used it."""

    source: str
    by: Origin
    count: int = 1


@dataclass(slots=True)
class Draft:
    """What is known of a segment so far.

    ``waiting`` are calls without output. ``ended`` is true while the assistant has had the last word.
    """

    at: float | None = None
    until: float | None = None
    ended: bool = False
    requests: list[Fact] = field(default_factory=list)
    decisions: list[Fact] = field(default_factory=list)
    files: dict[str, Touched] = field(default_factory=dict)
    commands: list[Ran] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    names: dict[str, Named] = field(default_factory=dict)
    questions: list[Fact] = field(default_factory=list)
    left: list[Fact] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    final: Fact | None = None
    noted: Noted = field(default_factory=Noted)
    waiting: dict[str, list[Doing]] = field(default_factory=dict)

    def add(self, message: Message, source: str, *, notes: Housekeeping | None = None) -> list[str]:
        """Draws what a message, or a further part of one, says and does; returns what succeeded by it."""
        succeeded: list[str] = []
        self.at = message.at if self.at is None else self.at
        self.until = message.at or self.until
        for part in message.parts:
            if isinstance(part, Call):
                self._call(part, source, is_main=not message.thread)
            elif isinstance(part, Output):
                succeeded += self._answer(part, source)
        if message.thread:
            return succeeded
        if message.role is Role.USER and message.origin is Origin.PERSON:
            self._hear(own_words_of(message.parts), source)
        elif message.role is Role.ASSISTANT and message.origin is Origin.MODEL:
            self._say(message.text, source, acts=bool(message.calls))
            if notes:
                self._note(notes, source, acts=bool(message.calls))
        elif message.origin is Origin.SUMMARY and self.final is None:
            self.final = Fact(text=quote(message.text, _MAX_FINAL_CHARS), source=source, by=Origin.SUMMARY)
        return succeeded

    def forget(self, source: str) -> None:
        """Takes back what a message said and did: another version of it has come."""
        self.requests = _without(self.requests, source)
        self.decisions = _without(self.decisions, source)
        self.commands = _without(self.commands, source)
        self.failures = [replace(one, resolved="") if one.resolved == source else one for one in self.failures]
        self.failures = _without(self.failures, source)
        self.questions, self.left = _without(self.questions, source), _without(self.left, source)
        self.tasks = [task for task in self.tasks if task.source != source]
        self.files = {path: one for path, one in self.files.items() if one.source != source}
        self.names = {name: one for name, one in self.names.items() if one.source != source}
        self.final = None if self.final and self.final.source == source else self.final
        self.noted = self.noted.without(source)

    # ── words ────────────────────────────────────────────────────────────────────────────────────────

    def _hear(self, words: str, source: str) -> None:
        if not words:
            return
        self.ended = False
        self.noted = self.noted.after_request()
        text = quote(words, _MAX_REQUEST_CHARS) or cut_at_word(words, _MAX_REQUEST_CHARS)
        self.requests = [*self.requests, Fact(text=text, source=source, by=Origin.PERSON)][-_MAX_SAID:]
        self._decide(decisions_in(sayings(words), person=True), source, Origin.PERSON)
        self._name(words, source, Origin.PERSON)

    def _say(self, text: str, source: str, *, acts: bool) -> None:
        if not text.strip():
            self.ended = self.ended and not acts
            return
        self.ended = not acts and not self.waiting
        self.noted = self.noted.after_reply()
        for action in edits_in_prose(text) if "REPLACE" in text else ():
            self._touch(doing(action, source), "")
        said = sayings(text)
        self._decide(decisions_in(said, person=False), source, Origin.MODEL)
        self.questions = _facts(questions_in(said), source)[-3:]
        self.left = _facts(left_in(said), source)[:4]
        if words := quote(text, _MAX_FINAL_CHARS):
            self.final = Fact(text=words, source=source)
        self._name(text, source, Origin.MODEL)

    def _note(self, notes: Housekeeping, source: str, *, acts: bool) -> None:
        """A reply may consist of notes alone; it is a last word like any other."""
        self.ended = not acts and not self.waiting
        self.noted = self.noted.with_notes(notes, source)
        self._decide(decided(notes, self.decisions), source, Origin.MODEL)

    def _decide(self, found: Iterable[str], source: str, by: Origin) -> None:
        known = {fact.text for fact in self.decisions}
        new = [Fact(text=text, source=source, by=by) for text in dict.fromkeys(found) if text not in known]
        self.decisions = [*self.decisions, *new[:_MAX_SAID]]
        while len(self.decisions) > _MAX_SAID:
            # What people decided outlives what the assistant did.
            at = next((at for at, fact in enumerate(self.decisions) if fact.by is not Origin.PERSON), 0)
            del self.decisions[at]

    def _name(self, text: str, source: str, by: Origin) -> None:
        for name in names_in(text[:_MAX_NAMED_CHARS], limit=_MAX_NAMES):
            if known := self.names.get(name):
                self.names[name] = replace(known, count=known.count + 1)
            elif len(self.names) < _MAX_NAMES:
                self.names[name] = Named(source, by)

    # ── deeds ────────────────────────────────────────────────────────────────────────────────────────

    def _call(self, call: Call, source: str, *, is_main: bool) -> None:
        self.ended = self.ended and not is_main
        for action in actions(call):
            if action.deed is Deed.TODO and is_main:
                self.tasks = changed(self.tasks, action, source)
        found = doings(call, source, is_main=is_main)
        if found:
            self.waiting[call.id] = found
        for one in found:
            # Options of commands are everyday words; those that matter are spoken of, or stand in code.
            words = [word for word in one.command.split() if not word.startswith("-")]
            self._name(" ".join((*words, *one.names)), source, Origin.MODEL)

    def _answer(self, output: Output, source: str) -> list[str]:
        text, succeeded = output.text, []
        for one in self.waiting.pop(output.call_id, ()):
            if one.deed is Deed.ASK:
                self._asked(output, text, source)
            elif self._ran(one, output, text, source) if one.command else self._did(one, output, text, source):
                succeeded.append(one.command or one.path)
        for about in succeeded:
            self.succeed(about, source)
        return succeeded

    def _asked(self, output: Output, text: str, source: str) -> None:
        if output.status is Status.SUCCESS and text.strip():
            self._decide([cut_at_word(one_line(text), _MAX_ANSWER_CHARS)], source, Origin.TOOL)

    def _did(self, one: Doing, output: Output, text: str, source: str) -> bool:
        ended = outcome(Action(deed=one.deed, path=one.path), output)
        if ended.ok is not False:
            self._touch(with_output(one, text), text)
        elif one.is_main:
            self._fail(failures_in(ended.line, ended.line)[:1], source, about=one.path)
        return ended.ok is not False

    def _touch(self, one: Doing | None, text: str) -> None:
        if one is None or (one.deed is Deed.READ and not one.is_main):
            return
        self.files[one.path] = merged(self.files.pop(one.path, None), one, text)
        if len(self.files) > _MAX_FILES:
            oldest = next((path for path, file in self.files.items() if file.use == "read"), next(iter(self.files)))
            del self.files[oldest]

    def _ran(self, one: Doing, output: Output, text: str, source: str) -> bool:
        if not one.is_main:
            return False
        ended = outcome(Action(deed=Deed.RUN, command=one.command), output)
        ok = False if ended.ok and is_check(one.command) and shows_failure(text) else ended.ok
        result = counts_in(text) or ("" if ok else one_line(ended.line))
        run = Ran(text=one.command, source=one.source, ok=ok, status=ended.exit_code, result=result)
        self.commands = newest([*self.commands, run], _MAX_COMMANDS)
        if ok is False:
            self._fail(failures_in(text, ended.line), source, about=one.command)
        return bool(ok)

    def _fail(self, found: Sequence[Found], source: str, *, about: str) -> None:
        """A run that fails again tells the present state of what it is about: the older news goes."""
        kept = [one for one in self.failures if one.resolved or one.about != about]
        new = [Failure(text=text, source=source, by=Origin.TOOL, at=at, about=about) for text, at in found]
        self.failures = [*kept, *new][-_MAX_FAILURES:]

    def succeed(self, about: str, source: str) -> bool:
        """A step did what had failed before, by command or path; True when that resolved anything."""
        mended = [at for at, one in enumerate(self.failures) if not one.resolved and makes_good(about, one.about)]
        for at in mended:
            self.failures[at] = replace(self.failures[at], resolved=source)
        return bool(mended)


def _without(facts: list[F], source: str) -> list[F]:
    return [fact for fact in facts if fact.source != source]


def _facts(found: Iterable[str], source: str) -> list[Fact]:
    return [Fact(text=text, source=source) for text in dict.fromkeys(found)]


def finished(draft: Draft, id: str, *, tokens: int = 0) -> Digest:
    """The draft as a value; deeds whose output never came count as done."""
    files = dict(draft.files)
    for one in (one for found in draft.waiting.values() for one in found):
        if one.path and (one.is_main or one.deed is not Deed.READ):
            files[one.path] = merged(files.pop(one.path, None), one)
    names = sorted(draft.names.items(), key=lambda item: -item[1].count)
    return Digest(
        id=id,
        at=draft.at,
        until=draft.until,
        tokens=tokens,
        outcome=_outcome(draft),
        requests=tuple(draft.requests),
        decisions=tuple(draft.decisions),
        files=tuple(with_claims(files, draft.noted.claims).values()),
        commands=(*draft.commands, *_unanswered(draft)),
        failures=tuple(draft.failures),
        names=tuple(Fact(text=name, source=one.source, by=one.by) for name, one in names),
        questions=tuple(draft.questions) if draft.ended else (),
        todos=(*(task.fact for task in draft.tasks if task.is_open), *(draft.left if draft.ended else ())),
        done=tuple(task.fact for task in draft.tasks if task.is_done),
        final=draft.final,
        query=draft.noted.query,
        intent=draft.noted.intent,
        response=draft.noted.response,
        gist=draft.noted.gist,
    )


def _unanswered(draft: Draft) -> list[Ran]:
    found = [one for waiting in draft.waiting.values() for one in waiting if one.command and one.is_main]
    return [Ran(text=one.command, source=one.source) for one in found]


def _outcome(draft: Draft) -> Outcome:
    if any(not one.resolved and is_check(one.about) for one in draft.failures):
        return Outcome.ERROR
    return Outcome.COMPLETED if draft.ended and not draft.questions else Outcome.ONGOING


def digest(
    messages: Sequence[Message], id: str, *, tokens: int = 0, notes: Mapping[str, Housekeeping] | None = None
) -> Digest:
    """What can be drawn from one segment's messages and what a model noted in them, by the message's id.

    It looks at nothing else. ``tokens`` is what the messages cost.
    """
    draft = Draft()
    for message in messages:
        draft.add(message, message.id, notes=(notes or {}).get(message.id))
    return finished(draft, id, tokens=tokens)
