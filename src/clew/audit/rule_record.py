"""Rules in a session: those that people said, and where the agent broke one.

Both come from the signals that watch live sessions. A rule counts as broken only where a program can check it. Rules
that a client puts into the conversation from a project's AGENTS.md are judged as well, as they stood then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clew.audit.recorded_session import RecordedSession
from clew.domain import EntryKind, Message, Origin, Role
from clew.domain.critical import CriticalItem
from clew.domain.ids import message_number
from clew.domain.sessions import SessionKey
from clew.domain.values import fields_of
from clew.engine.ledger.rows import SessionRows
from clew.history.person_words import StatementKind, next_statements
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback
from clew.signals.projection import SignalsProjection
from clew.signals.rows import RULE, items_in
from clew.storage.memory import MemoryStore

#: How Codex hands a project's rules to its model.
_INSTRUCTIONS = re.compile(
    r"# (AGENTS\.md) instructions for [^\n]+\n+<INSTRUCTIONS>\n(.{1,200000}?)</INSTRUCTIONS>", re.DOTALL
)
#: Nobody types more than this: it was pasted.
_TYPED_CHARS = 4_000


_KEY = SessionKey("", "", "audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSaid:
    """A rule that a person said, and the whole message it stands in."""

    text: str
    number: int
    message: str
    replies_before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBroken:
    """A rule, where it was given, and the message that broke it with what shows it."""

    rule: str
    given: int
    by: str
    number: int
    shown: str


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """What a session tells of rules."""

    said: tuple[RuleSaid, ...] = ()
    broken: tuple[RuleBroken, ...] = ()


def rule_record(session: RecordedSession) -> RuleRecord:
    """Reads the rules of a session."""
    return RuleRecord(tuple(_stated_rules(session)), tuple(_broken(session)))


def _stated_rules(session: RecordedSession) -> Iterator[RuleSaid]:
    from clew.signals.critical.candidates import candidates_in

    waiting: dict[str, Any] = {}
    replies = 0
    for message in session.main:
        replies += message.role is Role.ASSISTANT
        for statement in next_statements(message, waiting):
            if statement.kind is StatementKind.PLAN or len(statement.text) > _TYPED_CHARS:
                continue
            for rule in candidates_in(statement, at=message.at):
                if not rule.doubtful and not rule.lifts:
                    yield RuleSaid(
                        text=rule.text, number=message.number, message=statement.text, replies_before=replies
                    )


def _broken(session: RecordedSession) -> Iterator[RuleBroken]:
    watch = _Watch()
    for entry, record in session.records:
        changes: list[LedgerEvent] = [Rollback(record.rollback)] if record.rollback else []
        if record.message is not None and entry.message:
            grows = entry.kind is EntryKind.MORE
            changes.append(MessageChange(entry.message, record.message, (), grows, entry.replaces))
            changes += watch.rule_events(record.message, entry.message)
        if changes:
            watch.take(changes)
            if record.message is not None and record.message.role is Role.ASSISTANT:
                yield from watch.lapses()


@dataclass(slots=True)
class _Watch:
    """The signals of one session, in memory."""

    rows: SessionRows = field(default_factory=lambda: SessionRows(MemoryStore(), _KEY, SignalsProjection.name))
    _state: Any = None
    _times: dict[str, int] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)

    def take(self, changes: list[LedgerEvent]) -> None:
        self._state = SignalsProjection().apply(self._state, changes, self.rows)

    def rule_events(self, message: Message, number: int) -> list[LedgerEvent]:
        """The rules of a project that a client's message hands over: those that a program can check."""
        if message.origin is not Origin.CLIENT or not (match := _INSTRUCTIONS.search(message.text)):
            return []
        from clew.signals.adherence.checks.compiler import is_checkable
        from clew.signals.rule_files.extract import rules_in

        rules = [rule for rule in rules_in(match[2], match[1]) if not rule.doubtful and is_checkable(rule.text)]
        self._places.setdefault(match[1], number)
        row = {"by": "file", "digest": str(number), "rules": [fields_of(rule) for rule in rules]}
        return [LedgerNote(EntryKind.PIN, 0, {"given": row})]

    def lapses(self) -> Iterator[RuleBroken]:
        """What has been broken since the last time."""
        if not self._state["acts"]:
            return
        fresh = [(name, row) for name, row in self.rows.scan(RULE, RULE + "~") if self._is_new(name, row)]
        items = {item.id: item for item in items_in(self.rows)} if fresh else {}
        for name, row in fresh:
            self._times[name] = row["times"]
            item = items[name.removeprefix(RULE)]
            yield RuleBroken(
                rule=item.text,
                given=self._given_at(item),
                by=item.by,
                number=message_number(row["message"]),
                shown=row["evidence"],
            )

    def _is_new(self, name: str, row: Any) -> bool:
        return bool(row.get("times", 0) > self._times.get(name, 0))

    def _given_at(self, item: CriticalItem) -> int:
        return self._places.get(item.source, 0) or message_number(item.source)
