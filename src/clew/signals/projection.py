"""What is watched as a session grows: critical items, how rules are kept, statements that contradict each other.

Rows: ``pin/`` an item by the number of its id; ``rule/`` how an item stands, by its id; ``say/`` a statement by its
message, ``key/`` and a speaker the newest ones about a subject; ``clash/`` two that contradict each other; ``epoch/``
what the session counted for when an epoch began.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from clew.domain import Json, Kind, Message, Origin, Role, RuleState
from clew.domain.critical import Candidate, Item, ItemKind, ItemState, Scope
from clew.domain.values import fields_of
from clew.history.requests import request_words
from clew.history.segments import Segments
from clew.ports import Aside, Change, News, Rollback, Rows
from clew.signals.critical import found, spoken
from clew.signals.critical_merging import is_same_rule, merged, next_id
from clew.signals.critical_subjects import subject_of
from clew.signals.standing import Standing

PIN, RULE, SAY, KEY, CLASH, EPOCH = "pin/", "rule/", "say/", "key/", "clash/", "epoch/"
#: A rule for one task ends when so many more requests have come.
_TASK_REQUESTS = 3
#: Of a statement, so much is kept and compared; longer texts are reports, not statements.
_MOST_CHARS, _MOST_OF_KEY = 1_200, 24
#: An assistant says much: its statements are held against few earlier ones, and only sure clashes are kept.
_OF_ASSISTANT, _SURE, _LIKELY = 4, 0.6, 0.1
_EARLIER_REQUESTS = 3
#: Of a reply, so much is held against what was decided.
_MOST_OF_REPLY = 4_000
#: Nobody writes so much by hand.
_HUGE_CHARS = 400_000
#: The weight of the newest reply in the mean of what a turn adds.
_NEWEST = 0.1
_GONE = "no longer said there"
#: Replies, and how much of each, that say what the work is about now.
_RECENT_REPLIES, _REPLY_CHARS = 6, 600


@dataclass(slots=True)
class _State:
    """``request`` and ``earlier`` are what was asked last; ``requests`` counts them. ``total`` is the size of the
    conversation, ``before`` that at the last reply, and ``grown`` what a reply adds on average; ``turns`` counts
    replies, and ``replies`` is how the newest ones begin. ``ignored`` is the alert that somebody waved off. ``given``
    are digests of what was taken in from beside the session; ``personal`` counts items that belong into the profile.
    ``sent`` is what the provider counted at the newest reply, 0 where nobody knows, when ``total`` was ``sent_at``."""

    request: str = ""
    earlier: list[str] = field(default_factory=list)
    requests: int = 0
    turns: int = 0
    total: int = 0
    before: int = 0
    grown: float = 0.0
    items: int = 0
    replies: list[str] = field(default_factory=list)
    ignored: Json = field(default_factory=dict)
    given: Json = field(default_factory=dict)
    personal: int = 0
    sent: int = 0
    sent_at: int = 0


class Watch:
    name = "watch"
    version = 3
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[News], rows: Rows) -> Any:
        work = _Work(_State(**state) if state else _State(), rows)
        for change in changes:
            if isinstance(change, Aside):
                work.note(change)
            elif isinstance(change, Rollback):
                work.roll_back()
            elif not change.message.thread:
                work.take(change)
        return fields_of(work.state)


class _Work:
    def __init__(self, state: _State, rows: Rows) -> None:
        self.state, self._rows = state, rows
        self._items: list[Item] | None = None

    @property
    def items(self) -> list[Item]:
        if self._items is None:
            self._items = items_in(self._rows) if self.state.items else []
        return self._items

    def note(self, aside: Aside) -> None:
        if aside.kind is Kind.PIN:
            self.pin(aside.about)
        elif aside.kind is Kind.EPOCH:
            self._rows.put(epoch_total(aside.seq), self.state.total)
            self.state.sent = 0  # the next prompt is another one
        elif aside.kind is Kind.ALERT:
            self.state.ignored = aside.about["ignored"]
        elif aside.kind is Kind.SENT:
            for id, lapse in aside.about["sent"].get("reminders", ()):
                self._stand(id, replace(self._standing(id), reminded=lapse))

    def roll_back(self) -> None:
        """Rare, so the sum is made anew."""
        self.state.sent = 0
        known = [row for _, row in self._rows.of(Segments.name).scan("0")]
        self.state.total = self.state.before = sum(row["tokens"] for row in known if not row.get("left"))

    def take(self, change: Change) -> None:
        message = replace(change.message, id=f"m{change.number}")
        self.state.total += sum(change.tokens)
        if change.replaces:
            self._drop(f"m{change.replaces}")
        if message.role is Role.ASSISTANT:
            self._reply(message)
        elif not message.outputs and len(message.text) <= _HUGE_CHARS:
            self._said(message)

    # ── what people say ──────────────────────────────────────────────────────────────────────────────

    def _said(self, message: Message) -> None:
        words = request_words(message)
        if words:
            state = self.state
            state.earlier = [*state.earlier, state.request[:_MOST_CHARS]][-_EARLIER_REQUESTS:]
            state.request, state.requests = words[:_MOST_CHARS], state.requests + 1
            self._end_tasks()
        for candidate in found(message):
            self._hear(candidate)
        if message.origin is Origin.PERSON and words:
            self._compare(message.id, spoken(message), "user")

    def _hear(self, candidate: Candidate) -> None:
        for item in merged(self.items, candidate):
            self._put(item)

    def _end_tasks(self) -> None:
        """Rules for a task go with it."""
        for item in list(self.items):
            old = self.state.requests - self._standing(item.id).asked >= _TASK_REQUESTS
            if item.is_in_force and item.scope is Scope.TASK and item.by == "person" and old:
                self._put(replace(item, state=ItemState.UNPINNED, reason="the task is over"))

    def pin(self, about: Any) -> None:
        """By hand, or through the API."""
        if "unpin" in about:
            for item in [item for item in self.items if item.id == about["unpin"]]:
                self._put(replace(item, state=ItemState.UNPINNED))
            return
        if "accept" in about:
            for item in [item for item in self.items if item.id == about["accept"]]:
                self._put(replace(item, state=ItemState.PINNED))
            return
        if "given" in about:
            self._give(about["given"])
            return
        given = about["pin"]
        self._put(
            Item(
                id=next_id(self.items),
                kind=ItemKind(given["kind"]),
                text=given["text"],
                source=given.get("source", ""),
                subject=subject_of(given["text"]),
                reason=given.get("reason", ""),
                by=given.get("by", "person"),
                scope=Scope(given.get("scope", Scope.PROJECT)),
                created=given.get("created"),
            )
        )

    def _give(self, given: Json) -> None:
        """What a profile or rule files say now, in place of what they said before. What somebody unpinned stays so, and
        what a person said in this session as well is no second item."""
        self.state.given = self.state.given | {given["by"]: given["digest"]}
        known = {item.text: item for item in self.items if item.by == given["by"]}
        told = {rule["text"]: rule for rule in given["rules"]}
        for item in [item for text, item in known.items() if text not in told and item.is_in_force]:
            self._put(replace(item, state=ItemState.UNPINNED, reason=_GONE))
        for text, rule in told.items():
            if text not in known:
                self._take_given(rule, given["by"])
            elif known[text].reason == _GONE:
                self._put(replace(known[text], state=ItemState.PINNED, reason=""))

    def _take_given(self, rule: Json, by: str) -> None:
        twin = next((item for item in self.items if item.is_in_force and is_same_rule(item.text, rule["text"])), None)
        if twin and (twin.by != "person" or by != "file"):
            return
        if twin:  # the file is sent by the assistant itself
            self._put(replace(twin, state=ItemState.SUPERSEDED, reason=f"said in {rule['source']}"))
        item = Item(
            id=next_id(self.items),
            kind=ItemKind(rule["kind"]),
            text=rule["text"],
            source=rule["source"],
            subject=rule["subject"],
            by=by,
            scope=Scope(rule["scope"]),
            supersedes=twin.id if twin else "",
        )
        self._put(item)

    def _put(self, item: Item) -> None:
        known = [one for one in self.items if one.id != item.id]
        self._items = sorted([*known, item], key=lambda one: int(one.id[1:]))
        self.state.items = len(self._items)
        own = [one for one in self._items if one.by == "person" and one.scope is Scope.USER and one.is_in_force]
        self.state.personal = len(own)
        self._rows.put(f"{PIN}{int(item.id[1:]):06d}", fields_of(item))
        if self._rows.get(RULE + item.id) is None:
            self._stand(item.id, Standing(touched=self.state.turns, asked=self.state.requests))

    def _standing(self, id: str) -> Standing:
        return standing(self._rows, id)

    def _stand(self, id: str, how: Standing) -> None:
        self._rows.put(RULE + id, fields_of(how))

    def _drop(self, source: str) -> None:
        """A message was rewritten: what it said is said anew, or not at all."""
        for item in [item for item in self.items if item.source == source and item.by == "person"]:
            self._put(replace(item, state=ItemState.UNPINNED, reason="its message was rewritten"))

    # ── what the assistant does ──────────────────────────────────────────────────────────────────────

    def _reply(self, message: Message) -> None:
        state = self.state
        if message.usage and message.usage.input_tokens:
            state.sent, state.sent_at = message.usage.input_tokens + message.usage.output_tokens, state.total
        state.turns += 1
        added = state.total - state.before
        state.before = state.total
        state.grown = added if state.turns == 1 else (1 - _NEWEST) * state.grown + _NEWEST * added
        if message.text.strip():
            state.replies = [*state.replies, message.text[:_REPLY_CHARS]][-_RECENT_REPLIES:]
        rules = [item for item in self.items if item.is_in_force]
        if rules:
            self._judge(message, rules)
            self._hold_against(message, rules)
        if not message.calls and message.text.strip():
            self._compare(message.id, message.text, "assistant")

    def _judge(self, message: Message, rules: list[Item]) -> None:
        from clew.signals.adherence import judge
        from clew.signals.checks_values import Turn

        turn = Turn(
            request=self.state.request,
            reply=message.text,
            calls=message.calls,
            message=message.id,
            makers=(message.id,) * len(message.calls),
            earlier=tuple(self.state.earlier),
            is_final=not message.calls,
        )
        for item in rules:
            before = self._standing(item.id)
            after = before.after(judge(item.text, turn, kind=str(item.kind)), self.state.turns)
            if after != before:
                self._stand(item.id, after)

    def _hold_against(self, message: Message, rules: list[Item]) -> None:
        """What a reply says it did or will do against what was decided."""
        from clew.signals.contradiction import Statement
        from clew.signals.contradiction_replies import against

        words = message.text[:_MOST_OF_REPLY]
        sources = {item.id: item.source if item.source.startswith("m") else item.id for item in rules}
        for one in against(words, [Statement(id=item.id, text=item.text) for item in rules]) if words.strip() else ():
            told = {"earlier": sources[one.rule], "later": message.id, "score": one.score, "about": one.about}
            self._rows.put(f"{CLASH}{int(message.id[1:]):09d}/{one.rule}", told | {"speaker": "rule"})

    # ── statements against each other ────────────────────────────────────────────────────────────────

    def _compare(self, id: str, text: str, speaker: str) -> None:
        from clew.signals.contradiction import ClashKind, Statement, contradictions
        from clew.signals.contradiction_index import candidates, filed

        text = text.strip()
        if not text or len(text) > _MOST_CHARS:
            return
        new = Statement(id=id, text=text)
        keys = sorted(filed(new))
        found = {key: self._rows.get(f"{KEY}{speaker}/{key}") or [] for key in keys}

        def lookup(key: str) -> list[Statement]:
            return [Statement(id=one, text="") for one in found.get(key, ())]

        limit, threshold = (None, _LIKELY) if speaker == "user" else (_OF_ASSISTANT, _SURE)
        earlier = [replace(one, text=self._rows.get(SAY + one.id) or "") for one in candidates(new, lookup)[:limit]]
        for clash in contradictions(new, earlier, threshold=threshold):
            if clash.kind is ClashKind.CONTRADICTION:
                name = f"{CLASH}{int(clash.later[1:]):09d}/{clash.earlier}"
                self._rows.put(name, asdict(clash) | {"speaker": speaker})
        self._rows.put(SAY + id, text)
        for key in keys:
            self._rows.put(f"{KEY}{speaker}/{key}", [*found[key], id][-_MOST_OF_KEY:])


def epoch_total(seq: int) -> str:
    return f"{EPOCH}{seq:09d}"


def standing(rows: Rows, id: str) -> Standing:
    """How an item stands."""
    row = rows.get(RULE + id) or {}
    return Standing(**(row | {"state": RuleState(row.get("state", RuleState.UNKNOWN))}))


def items_in(rows: Rows) -> list[Item]:
    """All items, in the order they were made."""
    return [item_from(row) for _, row in rows.scan(PIN, PIN + "~")]


def item_from(row: Any) -> Item:
    made = {"kind": ItemKind(row["kind"]), "scope": Scope(row["scope"]), "state": ItemState(row["state"])}
    return Item(**(row | made | {"repeats": tuple(row["repeats"])}))
