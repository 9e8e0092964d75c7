"""Entries: decoded once while they are new, and never shared with whoever may change them."""

from __future__ import annotations

import clew
from clew.engine.ledger.entries import read_shared
from clew.text.memo import forget_all
from tests.builders import call, says

BODY = b'{"role": "user", "content": "Hello."}'


def test_a_new_record_is_decoded_once() -> None:
    assert read_shared("anthropic", BODY) is read_shared("anthropic", BODY)


def test_a_long_record_is_not_kept_in_memory() -> None:
    body = b'{"role": "user", "content": "%s"}' % (b"long " * 10_000)
    assert read_shared("anthropic", body) is not read_shared("anthropic", body)


def test_a_purge_forgets_what_was_decoded() -> None:
    before = read_shared("anthropic", BODY)
    forget_all()
    assert read_shared("anthropic", BODY) is not before


def test_who_changes_messages_that_were_handed_out_changes_no_pack() -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record([{"role": "user", "content": "Look."}], format="anthropic")
        session.reply(says(call("c1", path="a.py")))
        session.pack("Go on.", budget=9_000, record=False)
        for handed in (
            session.messages(),
            session.reader.recent_messages(2),
            session.reply(says(call("c1", path="a.py"))).calls,
        ):
            for one in [part for message in handed for part in getattr(message, "calls", (message,))]:
                one.arguments["path"] = "changed"
        assert "changed" not in str(session.reader.request("anthropic")[0].body)
        assert "changed" not in session.pack("Go on.", budget=9_000, target="text", record=False).text
