"""The projector gives every projection every entry once, in whatever order they ask each other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import clew
from clew.engine.ledger.projector import Projector
from clew.ports import LedgerEvent, Rows
from tests.builders import says, user


class Listing:
    """Counts how often it was given each message."""

    name = "listing"
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        for _ in changes:
            rows.put("given", (rows.get("given") or 0) + 1)
        return state


class Asking(Listing):
    """Asks another that comes after it."""

    name = "asking"

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        return rows.of(Listing.name).get("given")


def test_one_that_another_asks_before_its_turn_gets_each_entry_once(tmp_path: Path) -> None:
    with clew.open(tmp_path / "clew.db") as engine:
        session = engine.session("s")
        ledger, real = session._ledger, session._ledger._projector
        projector = Projector(engine.store, [Asking(), Listing()], real._read, real._count)
        for message in (user("Mend the gate."), says("It is mended."), user("And the fence.")):
            session.record([message])
            projector.catch_up(ledger.info)
            rows = engine.store.row(ledger.key, Listing.name, "given")
            assert (projector.state(ledger.key, Asking.name), rows) == (
                session.info.messages,
                str(session.info.messages).encode(),
            )
