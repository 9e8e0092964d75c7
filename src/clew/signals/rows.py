"""The rows of what is watched, and how they are read.

``act/`` what made and changed items, in the order in which it was said or done, and ``pin/`` the items that came
of it; ``size/`` an item's tokens and ``rule/`` how it stands, by its id; ``turn/`` where each exchange of the prompt
view began; ``say/`` a statement by its message, ``key/`` and a speaker the newest ones about a subject; ``clash/`` two
that contradict each other.
"""

from __future__ import annotations

from typing import Any

from clew.codecs import jsonio
from clew.domain import Json, RuleState
from clew.domain.critical import CriticalItem, ItemKind, ItemState, Scope
from clew.domain.values import fields_of
from clew.ports import Rows
from clew.signals.adherence.rule_record import Standing
from clew.text.memo import remember

ACT, PIN, RULE, TURN = "act/", "pin/", "rule/", "turn/"
SAY, KEY, CLASH, SIZE = "say/", "key/", "clash/", "size/"


def act_row(number: int, count: int) -> str:
    """The row of an act that was done, or said, when the message of that number was the newest."""
    return f"{ACT}{number:09d}/{count:07d}"


def turn_row(number: int) -> str:
    return f"{TURN}{number:07d}"


def standing(rows: Rows, id: str) -> Standing:
    """How an item stands."""
    return standing_of(rows.get(RULE + id) or {})


def put_standing(rows: Rows, id: str, standing: Standing) -> None:
    """Writes how an item stands."""
    rows.put(RULE + id, fields_of(standing))


def standing_of(row: Json) -> Standing:
    return Standing(**(row | {"state": RuleState(row.get("state", RuleState.UNKNOWN))}))


def sizes_in(rows: Rows) -> dict[str, int]:
    """Tokens of items, by id."""
    return {name.removeprefix(SIZE): tokens for name, tokens in rows.scan(SIZE, SIZE + "~")}


def items_in(rows: Rows) -> list[CriticalItem]:
    """All items, in the order they were made."""
    return [_item_of(raw) for _, raw in rows.raw(PIN, PIN + "~")]


@remember(4_096)  # a reply reads them all, and hardly one has changed
def _item_of(raw: bytes) -> CriticalItem:
    return item_from(jsonio.loads(raw))


def item_from(row: Any) -> CriticalItem:
    made = {"kind": ItemKind(row["kind"]), "scope": Scope(row["scope"]), "state": ItemState(row["state"])}
    return CriticalItem(**(row | made | {"repeats": tuple(row["repeats"])}))
