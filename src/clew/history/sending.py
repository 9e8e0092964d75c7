"""What packing has to find without reading a session: the caller's system prompt and tools, the epoch of each line,
inputs as they were sent, what compaction was asked for last, and the newest summary that a model wrote.

Rows: ``epoch/`` and a line lead to the entry where its epoch began; ``sent/``, a line and a place to the entry of
the input that was handed out there, the last one if there were several.

An epoch's row: ``seq`` is the entry of the epoch that goes on, 0 when it has ended; ``undo`` the compactions that can
be taken back, each with the epoch that went on before it; ``order`` the compaction by hand that it follows, or that
ended it; ``freed`` what share of the prompt each of the last ones took away.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from clew.domain import Json, Kind, Message, Role, Why
from clew.domain.values import fields_of
from clew.history.overview import Overview, place_of, row_name
from clew.ports import Aside, Change, News, Rows

EPOCH, SENT = "epoch/", "sent/"
#: After these, what was taken back no longer holds Clew from compacting by itself.
_FORCED = {Why.EXCEEDED, Why.HARD, Why.OVERFLOW}
#: Compactions that Clew made by itself; those by hand have an entry of their own.
_BY_ITSELF = {Why.EXCEEDED, Why.HARD, Why.SOFT, Why.PAYS, Why.COLD, Why.DRIFT}
#: How many compactions can be taken back, one after the other.
_MOST_UNDONE = 8
#: Epochs whose effect is remembered: two that freed little are enough to see that a third would, too.
_REMEMBERED = 2


@dataclass(slots=True)
class Lead:
    """Numbers of the system messages that came before all others or beside them, newest versions; the entries of the
    tools and of the last input that was handed out; the last message, and the last one before either changed.

    ``order`` is the entry of the compaction that was asked for last, ``undone`` the last message when one was taken
    back, ``summary`` the entry of the newest summary that still holds, and ``told`` the last message it tells of.
    """

    system: list[int] = field(default_factory=list)
    talking: bool = False
    tools: int = 0
    sent: int = 0
    last: int = 0
    changed: int = 0
    order: int = 0
    undone: int = 0
    summary: int = 0
    told: int = 0


def epoch_row(line: str) -> str:
    return EPOCH + line


def sent_row(line: str, after: int) -> str:
    return f"{SENT}{line}/{after:09d}"


class Sending:
    name = "sending"
    version = 2
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[News], rows: Rows) -> Any:
        lead = Lead(**state) if state else Lead()
        for change in changes:
            if isinstance(change, Aside):
                with suppress(KeyError, TypeError, ValueError):  # of another version, or damaged: it changes nothing
                    _note(change, lead, rows)
            elif isinstance(change, Change):
                if change.replaces and change.replaces not in lead.system:
                    place = place_of(change.replaces, rows.of(Overview.name))
                    _end_epochs(rows, rewritten=place)
                    lead.summary = 0 if place <= lead.told else lead.summary
                _lead(change, lead)
            else:
                _end_epochs(rows)
                last = _place_before(lead.told + 1, rows.of(Overview.name))
                lead.summary = 0 if last.get("left") else lead.summary
        return fields_of(lead)


def _note(aside: Aside, lead: Lead, rows: Rows) -> None:
    if aside.kind is Kind.TOOLS:
        lead.changed = lead.last if lead.tools else lead.changed
        lead.tools = aside.seq
    elif aside.kind is Kind.EPOCH:
        _begin(aside, lead, rows)
    elif aside.kind is Kind.COMPACTION:
        _compact(aside, lead, rows)
    elif aside.kind is Kind.SUMMARY:
        lead.summary, lead.told = aside.seq, aside.about["summary"]["last"]
    elif aside.kind is Kind.SENT:
        about = aside.about["sent"]
        rows.put(sent_row(about["line"], about["after"]), aside.seq)
        lead.sent = aside.seq


def _begin(aside: Aside, lead: Lead, rows: Rows) -> None:
    about = aside.about["epoch"]
    lead.undone = 0 if about.get("why") in _FORCED else lead.undone
    row = rows.get(epoch_row(about["line"])) or {}
    before, after = about.get("before", 0), about.get("after", 0)
    freed = [*row.get("freed", ()), round(1 - after / before, 3)][-_REMEMBERED:] if before and after else []
    rows.put(
        epoch_row(about["line"]),
        {
            "seq": aside.seq,
            "number": about["number"],
            "cut": about.get("cut", 1),
            "undo": _pushed(row, aside.seq)
            if about.get("snapshot") and about.get("why") in _BY_ITSELF
            else row.get("undo", []),
            "order": lead.order,
            "freed": freed,
            "is_short": bool(about.get("snapshot")),
        },
    )


def _compact(aside: Aside, lead: Lead, rows: Rows) -> None:
    """Every line follows with its next pack; taken back, each goes on with what it had before."""
    for name, row in rows.scan(EPOCH, EPOCH + "~"):
        if "undo" not in aside.about:
            rows.put(name, row | {"seq": 0, "order": aside.seq, "undo": _pushed(row, aside.seq)})
            continue
        at = next((at for at, (cause, _) in enumerate(row.get("undo", ())) if cause == aside.about["undo"]), None)
        order = aside.about.get("before", row["order"])
        if at is None and row["order"] == aside.about["undo"]:  # what it had before has been rewritten since
            rows.put(name, row | {"seq": 0, "is_short": False, "order": order})
        elif at is not None:
            rows.put(name, row | {"seq": row["undo"][at][1], "undo": row["undo"][:at], "order": order, "freed": []})
    if "undo" in aside.about:
        lead.undone = lead.last
        lead.order = aside.about.get("before", lead.order)
    else:
        lead.order, lead.undone = aside.seq, 0


def _pushed(row: Json, cause: int) -> list[list[int]]:
    """What a compaction puts in the place of the epoch that goes on, for taking it back."""
    return [*row.get("undo", ()), [cause, row.get("seq", 0)]][-_MOST_UNDONE:]


def _lead(change: Change, lead: Lead) -> None:
    message = change.message
    if message.role is Role.SYSTEM and lead.talking and (change.replaces or is_beside(message)):
        lead.changed = lead.last
    lead.last = max(lead.last, change.number)
    if change.replaces:
        lead.system = [change.number if number == change.replaces else number for number in lead.system]
    elif message.role is not Role.SYSTEM:
        lead.talking = lead.talking or not message.thread
    elif not change.grows and (not lead.talking or is_beside(message)):
        lead.system.append(change.number)


def is_beside(message: Message) -> bool:
    """True for a system prompt that came beside the messages, as most providers want it, not among them."""
    wire = message.wire
    return wire is not None and isinstance(wire.data, dict) and "role" not in wire.data


def _place_before(number: int, overview: Rows) -> Any:
    """The row of the last message before a number that is no new version of another."""
    while number > 1:
        number -= 1
        row = overview.get(row_name(number)) or {}
        if "place" not in row:
            return row
    return {}


def end_epochs(rows: Rows) -> None:
    """Every line begins a new epoch with its next pack, and counts on from there."""
    for name, row in rows.scan(EPOCH, EPOCH + "~"):
        rows.put(name, row | {"seq": 0, "undo": []})


def _end_epochs(rows: Rows, *, rewritten: int = 0) -> None:
    """A snapshot that tells of what was rewritten cannot go on; what was sent word for word may change freely.

    The row stays, so that the next epoch counts on, but leads nowhere.
    """
    overview = rows.of(Overview.name)
    for name, row in rows.scan(EPOCH, EPOCH + "~"):
        before = _place_before(row["cut"], overview)
        ends = 0 < rewritten < row["cut"] if rewritten else before.get("left")
        rows.put(name, row | {"seq": 0 if ends else row["seq"], "undo": []})
