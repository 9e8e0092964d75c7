"""Records that tools created elsewhere."""

from __future__ import annotations

from clew.summary_patch.created_records import created_records
from tests.unit.history.work_map.examples import tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts

CREATED = tool_call(
    "mcp__linear__create_issue",
    '{"id": "3ecc-99", "identifier": "ENT-241", "url": "https://linear.app/ENT-241", "team": {"id": "t1"}}',
    title="Round the tax",
)


def test_a_record_is_told_with_its_id() -> None:
    assert texts(created_records(numbered(*CREATED), summary_of("Logged an issue."))) == [
        'm1 agent called create_issue "Round the tax" → ENT-241, https://linear.app/ENT-241'
    ]


def test_a_record_that_the_summary_names_is_not() -> None:
    assert texts(created_records(numbered(*CREATED), summary_of("Logged ENT-241."))) == []
    assert texts(created_records(numbered(*tool_call("mcp__x__create_page", "no data")), summary_of(""))) == []
