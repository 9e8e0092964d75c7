"""Acts that make and change critical items: each is written as it is done, and those that no longer count are left out
by folding the rest anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clew.domain import Json, Message
from clew.domain.critical import CriticalItem, Scope
from clew.domain.ids import message_number, pin_number
from clew.domain.values import fields_of
from clew.history.overview import OverviewProjection, place_of
from clew.ports import Rows
from clew.signals.adherence.rule_record import Standing
from clew.signals.critical.items import Items, denied_acts, heard_acts, held_already
from clew.signals.rows import ACT, CLASH, PIN, RULE, SIZE, act_row, items_in, put_standing, standing, turn_row
from clew.signals.session_state import SignalsState

#: A rule for one task ends when so many more requests have come.
_TASK_REQUESTS = 3
_TASK_OVER = f"said for one task, and {_TASK_REQUESTS} more requests have come"
#: Whose words make items that end with their task.
_SPEAKERS = {"person", "system", "plan"}
#: Acts by which somebody says that an item is to hold.
_BY_HAND = {"pin", "accept"}
#: What the row of a contradiction tells.
_OF_CLASH = {"earlier", "later", "score", "about", "speaker"}


class ItemActs:
    """The items of a session and what is done to them. Rows and state are brought up to date with every act."""

    def __init__(self, state: SignalsState, rows: Rows) -> None:
        self._state, self._rows = state, rows
        self._items = Items(items_in(rows) if state.acts else (), state.last)

    def in_force(self) -> list[CriticalItem]:
        """Returns the items that hold now: the rules."""
        return self._items.in_force()

    def take(self, act: Json, *, place: int) -> None:
        """Does what an act says; ``place`` is that of the message it stands in, 0 for none."""
        self._state.acts += 1
        self._rows.put(act_row(self._state.number, self._state.acts), self._items.apply(act | {"place": place}))
        for id in sorted({item.id for item in self._items.in_force()} & self._items.changed):
            if self._rows.get(RULE + id) is not None:  # who says it again wants it for as long again
                put_standing(self._rows, id, replace(standing(self._rows, id), asked=self._state.requests))
        self._save()

    def take_verdict(self, verdict: Json) -> None:
        """Takes in what the encoder made of a person's words; a verdict of another version counts for nothing."""
        is_new = [self._hear_again(act) for act in heard_acts(verdict)]
        if any(is_new):
            self._fold()
        for act in denied_acts(verdict):
            if act["deny"]["text"] not in self._settled_by_hand():
                self.take(act, place=self._place_of(message_number(act["deny"]["source"])))
        for clash in verdict.get("clashes") or ():
            if isinstance(clash, dict) and clash.keys() >= _OF_CLASH and message_number(clash["later"]):
                self._rows.put(f"{CLASH}{message_number(clash['later']):09d}/{clash['earlier']}", clash)

    def end_tasks(self, message: Message, place: int) -> None:
        """Ends the rules for tasks that are over."""
        known = [item for item in self._items.in_force() if item.scope is Scope.TASK]
        asked = {item.id: standing(self._rows, item.id).asked for item in known if item.by in _SPEAKERS}
        over = [id for id, requests in asked.items() if self._state.requests - requests >= _TASK_REQUESTS]
        if over:
            self.take({"lapse": over, "reason": _TASK_OVER, "at": message.at, "in": message.id}, place=place)

    def forget_acts(self, counts: Callable[[int], bool]) -> None:
        """Leaves out the acts of messages whose place no longer ``counts``."""
        acts = self._rows.scan(ACT, ACT + "~") if self._state.acts else []
        gone = [name for name, act in acts if act["place"] and not counts(act["place"])]
        for name in gone:
            self._rows.remove(name)
        if gone:
            self._fold()

    def forget_verdicts(self, first: int) -> None:
        """Leaves out of how items stand what messages from a number on showed."""
        for item in self._items.all():
            put_standing(self._rows, item.id, standing(self._rows, item.id).forgetting(first))

    def _place_of(self, number: int) -> int:
        return place_of(number, self._rows.of(OverviewProjection.name))

    def _settled_by_hand(self) -> set[str]:
        """The words that somebody pinned or accepted."""
        acts = [act for _, act in self._rows.scan(ACT, ACT + "~")]
        return {str(act["pin"]["text"] if "pin" in act else act["text"]) for act in acts if act.keys() & _BY_HAND}

    def _hear_again(self, act: Json) -> bool:
        """Takes in what was said a while ago. True if it is put among earlier acts, which are to be folded again.

        What is held already, of the same words or of later ones, needs no second item, and what was said for a task
        that is over makes none.
        """
        heard = act["hear"]
        number = message_number(heard["source"])
        place = self._place_of(number)
        same_item = held_already(heard, self._items.all())
        is_known = (
            same_item is not None and same_item.newest >= number and (heard["doubtful"] or not same_item.is_proposed)
        )
        if is_known or (heard["scope"] == Scope.TASK and self._is_task_over(place)):
            return False
        if same_item is None and self._rows.scan(act_row(number + 1, 0), ACT + "~", last=1):
            self._state.acts += 1
            self._rows.put(act_row(number, self._state.acts), act | {"place": place})
            return True
        self.take(act, place=place)
        return False

    def _is_task_over(self, place: int) -> bool:
        """Whether so many requests have come since a message that a rule for its task has ended."""
        row = self._rows.get(turn_row(self._state.exchanges - _TASK_REQUESTS + 1))
        return row is not None and place < row["first"]

    def _fold(self) -> None:
        """Items anew, of all acts in their order."""
        for name, _ in self._rows.scan(PIN, PIN + "~"):
            self._rows.remove(name)
        self._items = Items((), self._state.last)
        for name, act in self._rows.scan(ACT, ACT + "~"):
            self._rows.put(name, self._items.apply(act))
        self._save()

    def _save(self) -> None:
        """Writes the items that changed; a new one has not been touched yet."""
        from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for

        count = tokenizer_for(STORED_MEASURE).count
        known = {item.id: item for item in self._items.all()}
        for id in sorted(self._items.changed):
            self._rows.put(f"{PIN}{pin_number(id):06d}", fields_of(known[id]))
            self._rows.put(SIZE + id, count(known[id].text))
            if self._rows.get(RULE + id) is None:
                put_standing(self._rows, id, Standing(touched=self._state.turns, asked=self._state.requests))
        self._items.changed.clear()
        self._state.last = self._items.last
