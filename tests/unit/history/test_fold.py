"""Messages that several records spell out."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Origin
from clew.history.fold import with_record
from tests.builders import says


def test_what_a_reported_record_adds_makes_all_of_the_message_reported() -> None:
    added = replace(says("And more."), origin=Origin.REPORTED)
    assert with_record(says("Done."), added).origin is Origin.REPORTED
    assert with_record(says("Done."), says("And more.")).origin is Origin.MODEL
