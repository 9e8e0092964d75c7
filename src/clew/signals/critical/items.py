"""Critical items as what was done makes them: words of people, pins by hand, what stands beside the session.

Each deed is an *act* in plain JSON. Items are the fold of all acts that still count, so what a rolled back or rewritten
message said can be taken out by folding again. An act that once made an item keeps the item's id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from clew.domain import Json
from clew.domain.critical import Candidate, CriticalItem, ItemKind, ItemState, Scope
from clew.domain.ids import PinId, message_number, pin_number
from clew.domain.values import fields_of, from_json
from clew.signals.critical.merge import is_same_rule, merge_candidate
from clew.signals.critical.subjects import subject_of

GONE = "no longer said there"
BY_HAND = "unpinned by hand"
READ_AGAIN = "read again: not meant to last"
#: Gives the id of an item that is made.
_NewId = Callable[[], str]


def hearing_act(candidate: Candidate, by: str) -> Json:
    """The act of a sentence that somebody said."""
    return {"hear": fields_of(candidate) | {"span": list(candidate.span)}, "by": by}


def heard_acts(verdict: Json) -> list[Json]:
    """The acts of sentences that the encoder heard; none for a verdict that cannot be read."""
    try:
        return [hearing_act(from_json(Candidate, row), "person") for row in verdict["heard"]]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def denied_acts(verdict: Json) -> list[Json]:
    """The acts of sentences that are not meant to last, as the encoder reads them; none where it cannot be read."""
    try:
        return [{"deny": {name: str(row[name]) for name in ("source", "text")}} for row in verdict.get("denied") or ()]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def held_already(heard: Json, items: Iterable[CriticalItem]) -> CriticalItem | None:
    """The item that holds what a sentence says that is heard late: one in force or proposed, or one that was said there
    or later, whatever has become of it since. None where there is no such item.
    """
    number = message_number(heard["source"])
    same = (item for item in items if is_same_rule(item.text, heard["text"]))
    return next((item for item in same if item.is_live or item.newest >= number), None)


def act_of(about: Json) -> Json | None:
    """What an entry of the ledger asks for; None for one that cannot be read, being damaged or of another version."""
    try:
        if "pin" in about:
            given = about["pin"]
            from_json(Candidate, _pin_as_candidate(given))
            return {"pin": given, "by": str(given.get("by", "person"))}
        if "given" in about:
            given = about["given"]
            rules = [_rule(rule) for rule in given["rules"]]
            return {"given": {"by": str(given["by"]), "digest": str(given["digest"]), "rules": rules}}
        name = "unpin" if "unpin" in about else "accept"
        return {name: str(about[name]), "text": str(about.get("text", "")), "at": about.get("at")}
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


class Items:
    """``last`` is the number of the last id that was given; ids are never given twice."""

    def __init__(self, known: Iterable[CriticalItem], last: int) -> None:
        self._known = {item.id: item for item in known}
        self.last = last
        self.changed: set[str] = set()

    def all(self) -> list[CriticalItem]:
        """In the order in which they were made."""
        return sorted(self._known.values(), key=lambda item: pin_number(item.id))

    def in_force(self) -> list[CriticalItem]:
        return [item for item in self.all() if item.is_in_force]

    def put(self, item: CriticalItem) -> None:
        self._known[item.id] = item
        self.changed.add(item.id)

    def apply(self, act: Json) -> Json:
        """Does what the act says; returns it with the ids of the items it made."""
        made: list[str] = []
        ids = iter(act.get("ids", ()))

        def new_id() -> str:
            id = next(ids, "")
            if not id:
                self.last += 1
                id = str(PinId(self.last))
            made.append(id)
            return id

        if "hear" in act:
            self._merge(from_json(Candidate, act["hear"]), act["by"], new_id)
        elif "pin" in act:
            reason = str(act["pin"].get("reason", ""))
            self._merge(
                from_json(Candidate, _pin_as_candidate(act["pin"])), act["by"], new_id, reason=reason, is_pin=True
            )
        elif "given" in act:
            self._give(act["given"], new_id)
        elif "lapse" in act:
            self._lapse(act)
        elif "deny" in act:
            self._deny(**act["deny"])
        else:
            self._settle(act)
        return act | {"ids": made} if made else act

    def _merge(self, candidate: Candidate, by: str, new_id: _NewId, *, reason: str = "", is_pin: bool = False) -> None:
        known = [item for item in self.all() if item.is_live or not is_pin]  # what was unpinned can be pinned again
        if is_pin and candidate.kind is ItemKind.CUSTOM:  # of words that may be about anything, only the same are one
            known = [item for item in known if item.text == candidate.text]
        if by == "assistant":  # it adds to what holds, and changes nothing that others said
            if any(item.by != by and item.is_in_force and is_same_rule(item.text, candidate.text) for item in known):
                return
            known = [item for item in known if item.by == by]
        for item in merge_candidate(known, candidate):
            if item.id not in {row.id for row in known}:
                self.put(replace(item, id=new_id(), by=by, reason=reason))
            elif by == "person" and item.is_live and (item.by in {"assistant", "plan"} or is_pin):
                self.put(replace(item, by=by, occasion=candidate.occasion))  # what a person says again is theirs
            else:
                self.put(item)

    def _settle(self, act: Json) -> None:
        """Unpinned, or accepted: known by its id, or by its words where ids have been given anew since."""
        is_end = "unpin" in act
        text, named = act.get("text", ""), self._known.get(act["unpin" if is_end else "accept"])
        if text and (named is None or named.text != text):
            named = next((row for row in self.all() if row.text == text and (row.is_live or not is_end)), None)
        if named and is_end:
            self.put(named.end(ItemState.UNPINNED, BY_HAND, at=act.get("at")))
        elif named and named.state is not ItemState.SUPERSEDED:
            is_gone = named.ended_reason == GONE  # it is in no file or profile, so it is the person's own from here on
            self.put(replace(named.restore(), by="person") if is_gone else named.restore())

    def _lapse(self, act: Json) -> None:
        """Rules for a task go with it."""
        for item in (self._known[id] for id in act["lapse"] if id in self._known):
            self.put(item.end(ItemState.LAPSED, act["reason"], at=act["at"], message=act["in"]))

    def _deny(self, source: str, text: str) -> None:
        """An item of words that say nothing lasting ends, unless they were said again; what it replaced holds again."""
        for item in self.in_force():
            if (item.source, item.text, item.by, item.repeats) == (source, text, "person", ()):
                self.put(item.end(ItemState.UNPINNED, READ_AGAIN, at=item.created, message=source))
                if item.supersedes in self._known:
                    self.put(self._known[item.supersedes].restore())

    def _give(self, given: Json, new_id: _NewId) -> None:
        """What a profile or rule files say now, in place of what they said before. What somebody unpinned stays so."""
        known = {item.text: item for item in self.all() if item.by == given["by"]}
        rules = {rule["text"]: rule for rule in given["rules"]}
        for item in [item for text, item in known.items() if text not in rules and item.is_in_force]:
            self.put(item.end(ItemState.UNPINNED, GONE))
            if item.supersedes in self._known:  # a person said it here, too
                self.put(self._known[item.supersedes].restore())
        for text, rule in rules.items():
            if text not in known:
                self._take(rule, given["by"], new_id)
            elif known[text].ended_reason == GONE:
                self.put(known[text].restore())

    def _take(self, rule: Json, by: str, new_id: _NewId) -> None:
        """One rule from beside the session; what is said here already, or was unpinned here, is no second item."""
        twins = [item for item in self.all() if is_same_rule(item.text, rule["text"])]
        twin = next((item for item in twins if item.is_in_force), None)
        is_known = twin is not None and (twin.by != "person" or by != "file")
        is_known = is_known or (twin is None and self._is_settled_here(rule["subject"]))
        if is_known or any(item.state is ItemState.UNPINNED and item.ended_reason != GONE for item in twins):
            return
        if twin:  # a file is sent by the assistant itself
            self.put(twin.end(ItemState.SUPERSEDED, f"said in {rule['source']}"))
        self.put(
            CriticalItem(
                id=new_id(),
                kind=ItemKind(rule["kind"]),
                text=rule["text"],
                source=rule["source"],
                subject=rule["subject"],
                by=by,
                scope=Scope(rule["scope"]),
                supersedes=twin.id if twin else "",
            )
        )

    def _is_settled_here(self, subject: str) -> bool:
        """A person chose otherwise in this very session."""
        return bool(subject) and any(item.subject == subject and item.by == "person" for item in self.in_force())


def _pin_as_candidate(given: Json) -> Json:
    """A pin by hand as a sentence that was said."""
    text = str(given["text"])
    return {
        "kind": given["kind"],
        "text": text,
        "source": str(given.get("source", "")),
        "span": [0, len(text)],
        "scope": given.get("scope", Scope.PROJECT),
        "subject": subject_of(text),
        "at": given.get("created"),
    }


def _rule(rule: Json) -> Json:
    kind, scope = ItemKind(rule["kind"]), Scope(rule["scope"])
    return {"kind": kind, "scope": scope} | {name: str(rule[name]) for name in ("text", "source", "subject")}
