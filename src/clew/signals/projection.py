"""What is watched as a session grows: critical items, how rules are kept, statements that contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from clew.domain import EntryKind, Json, Message, Role
from clew.domain.critical import CriticalItem, Scope
from clew.domain.ids import message_id, message_number, pin_number
from clew.domain.values import fields_of
from clew.history.overview import OverviewProjection, place_of
from clew.history.person_words import PersonStatement, StatementKind, next_statements
from clew.history.prompt_state import is_beside
from clew.history.user_requests import is_request
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback, Rows
from clew.signals.adherence.rule_record import Standing
from clew.signals.rows import ACT, CLASH, PIN, RULE, SIZE, act_row, items_in, standing, turn_row
from clew.signals.statements import MAX_CHARS, compare_statement

if TYPE_CHECKING:
    from clew.signals.critical.items import Items

#: A rule for one task ends when so many more requests have come.
_TASK_REQUESTS = 3
#: Whose words make items that end with their task.
_SPEAKERS = {"person", "system", "plan"}
_TASK_OVER = f"said for one task, and {_TASK_REQUESTS} more requests have come"
_EARLIER_REQUESTS = 3
#: Acts by which somebody says that an item is to hold.
_BY_HAND = {"pin", "accept"}
#: What the row of a contradiction tells.
_OF_CLASH = {"earlier", "later", "score", "about", "speaker"}
#: Of a reply, so much is judged by its words.
_MOST_OF_REPLY = 4_000
#: Replies, and how much of each, that say what the work is about now.
_RECENT_REPLIES, _REPLY_CHARS, _CALL_CHARS = 6, 600, 200


#: What hashes of profiles begin with. Those of versions that shared one profile among all sessions do not.
PROFILE_FORM = "2:"


@dataclass(slots=True)
class _State:
    """``request`` and ``earlier`` are what was asked last; ``requests`` counts them, ``exchanges`` those of the prompt
    view; ``turns`` counts replies, and ``replies`` is how the newest ones begin.

    ``reply`` is the newest reply so far, ``undo`` how rules stood before it was taken for whole, ``offered`` the
    reminders that were handed out and not answered yet. ``ignored`` is the alert that somebody waved off, ``given`` are
    digests of what was taken in from beside the session. ``calls`` are calls without output. ``acts`` and ``last``
    count acts, and ids of items; ``number`` is the highest of a message. ``is_played``: roles are played, so nobody
    speaks of themselves."""

    request: str = ""
    earlier: list[str] = field(default_factory=list)
    requests: int = 0
    exchanges: int = 0
    turns: int = 0
    replies: list[str] = field(default_factory=list)
    reply: Json = field(default_factory=dict)
    undo: Json = field(default_factory=dict)
    offered: list[list[str]] = field(default_factory=list)
    ignored: Json = field(default_factory=dict)
    given: Json = field(default_factory=dict)
    calls: Json = field(default_factory=dict)
    acts: int = 0
    last: int = 0
    number: int = 0
    is_played: bool = False


class SignalsProjection:
    name = "watch"
    version = 23
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        update = _Update(_State(**state) if state else _State(), rows)
        for change in changes:
            if isinstance(change, LedgerNote):
                update.note(change)
            elif isinstance(change, Rollback):
                update.roll_back(change.exchanges)
            elif not change.message.thread:
                update.take(change)
        return fields_of(update.state)


class _Update:
    def __init__(self, state: _State, rows: Rows) -> None:
        self.state, self._rows = state, rows
        self._items: Items | None = None

    @property
    def items(self) -> Items:
        from clew.signals.critical.items import Items

        if self._items is None:
            self._items = Items(items_in(self._rows) if self.state.acts else (), self.state.last)
        return self._items

    def note(self, aside: LedgerNote) -> None:
        from clew.signals.critical.items import act_of

        state = self.state
        if aside.kind is EntryKind.PIN and "verdict" in aside.about:
            self._take_verdict(aside.about["verdict"])
        elif aside.kind is EntryKind.PIN and (act := act_of(aside.about)):
            source = str((act.get("pin") or {}).get("source", ""))
            self._act(act, place=message_number(source))
            if "given" in act:
                state.given = state.given | {act["given"]["by"]: act["given"]["digest"]}
        elif aside.kind is EntryKind.ALERT:
            ignored = aside.about.get("ignored")
            state.ignored = ignored if isinstance(ignored, dict) else {}
        elif aside.kind is EntryKind.SENT:
            sent = aside.about.get("sent")
            state.offered = list(sent.get("reminders", ())) if isinstance(sent, dict) else []

    def _take_verdict(self, verdict: Json) -> None:
        """What the encoder made of a person's words; unreadable verdicts of another version count for nothing."""
        from clew.signals.critical.items import denied_acts, heard_acts

        is_new = [self._hear_again(act) for act in heard_acts(verdict)]
        if any(is_new):
            self._fold()
        for act in denied_acts(verdict):
            if act["deny"]["text"] not in self._settled_by_hand():
                place = place_of(message_number(act["deny"]["source"]), self._rows.of(OverviewProjection.name))
                self._act(act, place=place)
        for clash in verdict.get("clashes") or ():
            if isinstance(clash, dict) and clash.keys() >= _OF_CLASH and message_number(clash["later"]):
                self._rows.put(f"{CLASH}{message_number(clash['later']):09d}/{clash['earlier']}", clash)

    def _settled_by_hand(self) -> set[str]:
        """The words that somebody pinned or accepted."""
        acts = [act for _, act in self._rows.scan(ACT, ACT + "~")]
        return {str(act["pin"]["text"] if "pin" in act else act["text"]) for act in acts if act.keys() & _BY_HAND}

    def _hear_again(self, act: Json) -> bool:
        """Takes in what was said a while ago. True if it is put among earlier acts, which are to be folded again.

        What is held already, of the same words or of later ones, needs no second item, and what was said for a task
        that is over makes none.
        """
        from clew.signals.critical.items import held_already

        heard = act["hear"]
        number = message_number(heard["source"])
        place = place_of(number, self._rows.of(OverviewProjection.name))
        held = held_already(heard, self.items.all())
        is_known = held is not None and held.newest >= number and (heard["doubtful"] or not held.is_proposed)
        if is_known or (heard["scope"] == Scope.TASK and self._is_task_over(place)):
            return False
        if held is None and self._rows.scan(act_row(number + 1, 0), ACT + "~", last=1):
            self.state.acts += 1
            self._rows.put(act_row(number, self.state.acts), act | {"place": place})
            return True
        self._act(act, place=place)
        return False

    def _is_task_over(self, place: int) -> bool:
        """Whether so many requests have come since a message that a rule for its task has ended."""
        row = self._rows.get(turn_row(self.state.exchanges - _TASK_REQUESTS + 1))
        return row is not None and place < row["first"]

    def take(self, change: MessageChange) -> None:
        message, place = replace(change.message, id=message_id(change.number)), change.number
        self.state.number = max(self.state.number, change.number)
        if change.replaces:
            place = self._rewrite(change.replaces)
        statements = next_statements(message, self.state.calls)
        if message.role is Role.ASSISTANT:
            self._reply(message, grows=change.grows)
        elif is_request(message) and place == change.number and not change.grows:
            self.state.exchanges += 1
            about = {"first": place, "requests": self.state.requests}
            self._rows.put(turn_row(self.state.exchanges), about)
        if message.role is Role.SYSTEM:
            self._read_instructions(message, place)
        elif statements:
            self._read_statements(message, place, statements)

    # ── what is no longer so ─────────────────────────────────────────────────────────────────────────

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
        self._fold_again(lambda place: place < row["first"])
        for item in self.items.all():
            self._stand(item.id, self._standing(item.id).forgetting(row["first"]))

    def _rewrite(self, old: int) -> int:
        """A message has a new version: what it said is said anew, or not at all. Gives its place."""
        place = place_of(old, self._rows.of(OverviewProjection.name))
        self._fold_again(lambda other: other != place)
        return place

    def _fold_again(self, counts: Callable[[int], bool]) -> None:
        """Items anew, without the acts of messages that no longer count."""
        acts = self._rows.scan(ACT, ACT + "~") if self.state.acts else []
        gone = [name for name, act in acts if act["place"] and not counts(act["place"])]
        for name in gone:
            self._rows.remove(name)
        if gone:
            self._fold()

    def _fold(self) -> None:
        """Items anew, of all acts in their order."""
        from clew.signals.critical.items import Items

        for name, _ in self._rows.scan(PIN, PIN + "~"):
            self._rows.remove(name)
        self._items = Items((), self.state.last)
        for name, act in self._rows.scan(ACT, ACT + "~"):
            self._rows.put(name, self.items.apply(act))
        self._save()

    # ── items ────────────────────────────────────────────────────────────────────────────────────────

    def _act(self, act: Json, *, place: int) -> None:
        self.state.acts += 1
        self._rows.put(act_row(self.state.number, self.state.acts), self.items.apply(act | {"place": place}))
        for id in sorted({item.id for item in self.items.in_force()} & self.items.changed):
            if self._rows.get(RULE + id) is not None:  # who says it again wants it for as long again
                self._stand(id, replace(self._standing(id), asked=self.state.requests))
        self._save()

    def _save(self) -> None:
        """Writes the items that changed; a new one has not been touched yet."""
        from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for

        count = tokenizer_for(STORED_MEASURE).count
        known = {item.id: item for item in self.items.all()}
        for id in sorted(self.items.changed):
            self._rows.put(f"{PIN}{pin_number(id):06d}", fields_of(known[id]))
            self._rows.put(SIZE + id, count(known[id].text))
            if self._rows.get(RULE + id) is None:
                self._stand(id, Standing(touched=self.state.turns, asked=self.state.requests))
        self.items.changed.clear()
        self.state.last = self.items.last

    def _end_tasks(self, message: Message, place: int) -> None:
        """Rules for a task go with it."""
        known = [item for item in self.items.in_force() if item.scope is Scope.TASK] if self.state.acts else []
        asked = {item.id: self._standing(item.id).asked for item in known if item.by in _SPEAKERS}
        over = [id for id, requests in asked.items() if self.state.requests - requests >= _TASK_REQUESTS]
        if over:
            act = {"lapse": over, "reason": _TASK_OVER, "at": message.at, "in": message.id}
            self._act(act, place=place)

    def _standing(self, id: str) -> Standing:
        return standing(self._rows, id)

    def _stand(self, id: str, how: Standing) -> None:
        self._rows.put(RULE + id, fields_of(how))

    # ── what people say ──────────────────────────────────────────────────────────────────────────────

    def _read_instructions(self, message: Message, place: int) -> None:
        from clew.signals.critical.candidates import find_candidates
        from clew.signals.critical.items import hearing_act

        is_leading = is_beside(message) or not (self.state.requests or self.state.turns)
        for candidate in find_candidates(message, is_leading=is_leading):
            self._act(hearing_act(candidate, "system"), place=place)

    def _read_statements(self, message: Message, place: int, statements: Sequence[PersonStatement]) -> None:
        from clew.signals.critical.candidates import candidates_in
        from clew.signals.critical.items import hearing_act
        from clew.signals.critical.own_words import plays_on

        self._note_request(statements)
        for statement in statements:
            self.state.is_played = plays_on(statement.text[:MAX_CHARS].lower(), before=self.state.is_played)
            for candidate in candidates_in(
                statement, at=message.at, before=self.state.reply.get("text", ""), is_played=self.state.is_played
            ):
                self._act(
                    hearing_act(candidate, "plan" if statement.kind is StatementKind.PLAN else "person"), place=place
                )
        if any(statement.is_message for statement in statements):
            self._end_tasks(message, place)
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

    # ── what the assistant does ──────────────────────────────────────────────────────────────────────

    def _reply(self, message: Message, *, grows: bool) -> None:
        state = self.state
        if grows:
            self._take_back()
        else:
            self._next_turn()
        text = f"{state.reply.get('text', '')}{message.text}"[:_MOST_OF_REPLY]
        state.reply = {"text": text, "acts": bool(message.calls) or bool(state.reply.get("acts"))}
        if about := _about(message):
            state.replies = [*state.replies, about][-_RECENT_REPLIES:]
        if rules := self.items.in_force() if state.acts else []:
            self._judge(message, rules)
        if not state.reply["acts"] and message.text.strip():
            compare_statement(self._rows, message.id, message.text, "assistant")

    def _next_turn(self) -> None:
        """A new reply: what was offered with its prompt is told, and the one before it was whole."""
        state = self.state
        state.turns += 1
        for id, lapse in state.offered:
            self._stand(id, replace(self._standing(id), reminded=lapse))
        state.reply, state.undo, state.offered = {}, {}, []

    def _take_back(self) -> None:
        """The reply goes on: as its end it was judged too early."""
        for id, row in self.state.undo.items():
            self._rows.put(RULE + id, row)
        self.state.undo = {}

    def _judge(self, message: Message, rules: list[CriticalItem]) -> None:
        from clew.signals.adherence.checks.compiler import judge
        from clew.signals.adherence.checks.rule import read
        from clew.signals.adherence.checks.turn import CheckedTurn

        turn = CheckedTurn(
            request=self.state.request,
            reply=self.state.reply["text"],
            calls=message.calls,
            message=message.id,
            makers=(message.id,) * len(message.calls),
            earlier=tuple(self.state.earlier),
            is_final=not self.state.reply["acts"],
        )
        for item in rules:
            before, rule = self._standing(item.id), read(item.text)
            is_idle = bool(message.calls) and bool(rule and rule.forbids)
            after = before.after_verdict(judge(item.text, turn, kind=str(item.kind)), self.state.turns, is_idle=is_idle)
            if after != before:
                self._stand(item.id, after)
                if turn.is_final:
                    self.state.undo[item.id] = fields_of(before)


def _about(message: Message) -> str:
    """How a reply begins, or what it does: enough to tell what the work is about."""
    done = [str(call.arguments)[:_CALL_CHARS] for call in message.calls]
    return " ".join([message.text[:_REPLY_CHARS], *done])[:_REPLY_CHARS].strip()


def is_shared_by_all(state: Json) -> bool:
    """Returns True for a session that has taken in a profile of versions that shared one among all sessions."""
    digest = str(state.get("given", {}).get("profile", ""))
    return bool(digest) and not digest.startswith(PROFILE_FORM)
