"""The last resort tells how requests begin and how the newest text ends, in any room."""

from __future__ import annotations

import pytest

from clew.summaries.truncation import truncate_history
from clew.summaries.values import SummaryMaterial
from tests.unit.summaries.examples import RULE, count, material


def test_requests_the_newest_text_and_what_must_be_kept_are_told() -> None:
    text, findings = truncate_history(material(digests=()), room=150, count=count)
    assert text.startswith("asked: The importer drops rows")
    assert text.endswith(f"Shall I?\n## Kept verbatim\n- {RULE}")
    assert findings == []


@pytest.mark.parametrize("room", [20, 21, 30, 50, 90])
def test_there_is_something_in_any_room(room: int) -> None:
    text, _ = truncate_history(material(), room=room, count=count)
    assert 0 < count(text) <= room


def test_an_earlier_summary_keeps_a_share() -> None:
    text, _ = truncate_history(material(before="## Overview\n- Make the ledger fast."), room=150, count=count)
    assert text.startswith("## Overview\n- Make the ledger fast.\nasked: ")


def test_digests_do_where_there_are_no_messages() -> None:
    text, _ = truncate_history(material(messages=()), room=80, count=count)
    assert text.startswith("asked: The importer drops rows")
    assert text.endswith(RULE)


def test_nothing_gives_nothing() -> None:
    assert truncate_history(SummaryMaterial(), room=100, count=count) == ("", [])
