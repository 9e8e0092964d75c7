"""What is watched as a session grows: critical items, how rules are kept, statements that contradict each other.

Events are handed on by what they are: acts on items to ``item_acts``, replies to ``replies``, statements to
``statements`` and ``critical.candidates``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clew.domain import EntryKind, Json, Message, Role
from clew.domain.ids import message_id, message_number
from clew.domain.values import fields_of
from clew.history.overview import OverviewProjection, place_of
from clew.history.person_words import PersonStatement, StatementKind, next_statements
from clew.history.prompt_state import is_beside
from clew.history.user_requests import is_request
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback, Rows
from clew.signals.replies import judge_reply, note_reply
from clew.signals.rows import turn_row
from clew.signals.session_state import SignalsState
from clew.signals.statements import MAX_CHARS, compare_statement

if TYPE_CHECKING:
    from clew.signals.item_acts import ItemActs

_EARLIER_REQUESTS = 3
#: What hashes of profiles begin with. Those of versions that shared one profile among all sessions do not.
PROFILE_FORM = "2:"


class SignalsProjection:
    name = "watch"
    version = 24
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        update = _Update(SignalsState(**state) if state else SignalsState(), rows)
        for change in changes:
            if isinstance(change, LedgerNote):
                update.note(change)
            elif isinstance(change, Rollback):
                update.roll_back(change.exchanges)
            elif not change.message.thread:
                update.take(change)
        return fields_of(update.state)


class _Update:
    """One run over new events."""

    def __init__(self, state: SignalsState, rows: Rows) -> None:
        self.state, self._rows = state, rows

    @cached_property
    def _items(self) -> ItemActs:
        from clew.signals.item_acts import ItemActs  # here, as most messages say nothing of items

        return ItemActs(self.state, self._rows)

    def note(self, note: LedgerNote) -> None:
        """Takes in an entry that is no message: a pin, a verdict, an alert, what was sent."""
        if note.kind is EntryKind.PIN and "verdict" in note.about:
            self._items.take_verdict(note.about["verdict"])
        elif note.kind is EntryKind.PIN:
            self._take_pin(note.about)
        elif note.kind is EntryKind.ALERT:
            ignored = note.about.get("ignored")
            self.state.ignored = ignored if isinstance(ignored, dict) else {}
        elif note.kind is EntryKind.SENT:
            sent = note.about.get("sent")
            self.state.offered = list(sent.get("reminders", ())) if isinstance(sent, dict) else []

    def _take_pin(self, about: Json) -> None:
        from clew.signals.critical.items import act_of

        if act := act_of(about):
            source = str((act.get("pin") or {}).get("source", ""))
            self._items.take(act, place=message_number(source))
            if "given" in act:
                self.state.given = self.state.given | {act["given"]["by"]: act["given"]["digest"]}

    def take(self, change: MessageChange) -> None:
        """Takes in a message that is new, grew, or replaces another."""
        message, place = replace(change.message, id=message_id(change.number)), change.number
        self.state.number = max(self.state.number, change.number)
        if change.replaces:
            place = self._rewrite(change.replaces)
        statements = next_statements(message, self.state.calls)
        if message.role is Role.ASSISTANT:
            self._take_reply(message, grows=change.grows)
        elif is_request(message) and place == change.number and not change.grows:
            self.state.exchanges += 1
            about = {"first": place, "requests": self.state.requests}
            self._rows.put(turn_row(self.state.exchanges), about)
        if message.role is Role.SYSTEM:
            self._read_instructions(message, place)
        elif statements:
            self._read_statements(message, place, statements)

    def roll_back(self, exchanges: int) -> None:
        """The last exchanges are out of the prompt view, with all that was said in them."""
        state = self.state
        left = max(state.exchanges - exchanges, 0)
        row = self._rows.get(turn_row(left + 1))
        if row is None:
            return
        for number in range(left + 1, state.exchanges + 1):
            self._rows.remove(turn_row(number))
        state.exchanges, state.requests = left, row["requests"]
        state.request, state.reply, state.undo, state.offered = "", {}, {}, []
        if state.acts:
            self._items.forget_acts(lambda place: place < row["first"])
            self._items.forget_verdicts(row["first"])

    def _rewrite(self, old: int) -> int:
        """A message has a new version: what it said is said anew, or not at all. Gives its place."""
        place = place_of(old, self._rows.of(OverviewProjection.name))
        if self.state.acts:
            self._items.forget_acts(lambda other: other != place)
        return place

    def _read_instructions(self, message: Message, place: int) -> None:
        from clew.signals.critical.candidates import find_candidates
        from clew.signals.critical.items import hearing_act

        is_leading = is_beside(message) or not (self.state.requests or self.state.turns)
        for candidate in find_candidates(message, is_leading=is_leading):
            self._items.take(hearing_act(candidate, "system"), place=place)

    def _read_statements(self, message: Message, place: int, statements: Sequence[PersonStatement]) -> None:
        from clew.signals.critical.candidates import candidates_in
        from clew.signals.critical.items import hearing_act
        from clew.signals.critical.own_words import plays_on

        self._note_request(statements)
        for statement in statements:
            self.state.is_played = plays_on(statement.text[:MAX_CHARS].lower(), before=self.state.is_played)
            by = "plan" if statement.kind is StatementKind.PLAN else "person"
            before, is_played = self.state.reply.get("text", ""), self.state.is_played
            for candidate in candidates_in(statement, at=message.at, before=before, is_played=is_played):
                self._items.take(hearing_act(candidate, by), place=place)
        if self.state.acts and any(statement.is_message for statement in statements):
            self._items.end_tasks(message, place)
        own = [
            statement.text for statement in statements if statement.text and statement.kind is not StatementKind.PLAN
        ]
        compare_statement(self._rows, message.id, "\n".join(own), "user")

    def _note_request(self, statements: Sequence[PersonStatement]) -> None:
        """A message is a new request; what is said while a call is refused or a question answered adds to the last."""
        state = self.state
        for statement in statements:
            if statement.is_message:
                state.earlier = [*state.earlier, state.request[:MAX_CHARS]][-_EARLIER_REQUESTS:]
                state.request, state.requests = statement.text[:MAX_CHARS], state.requests + 1
            elif statement.kind is not StatementKind.PLAN and statement.text:
                state.request = f"{state.request}\n{statement.text}"[-MAX_CHARS:].strip()

    def _take_reply(self, message: Message, *, grows: bool) -> None:
        note_reply(message, self.state, self._rows, grows=grows)
        if self.state.acts and (rules := self._items.in_force()):
            judge_reply(message, rules, self.state, self._rows)
        if not self.state.reply["acts"] and message.text.strip():
            compare_statement(self._rows, message.id, message.text, "assistant")


def is_shared_by_all(state: Json) -> bool:
    """Returns True for a session that has taken in a profile of versions that shared one among all sessions."""
    digest = str(state.get("given", {}).get("profile", ""))
    return bool(digest) and not digest.startswith(PROFILE_FORM)
