"""The report as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from clew.audit.report_json import report_json
from tests.audited_session import shop
from tests.unit.audit.test_run import audited


def test_the_json_leads_from_each_figure_to_its_messages(tmp_path: Path) -> None:
    path = shop().write(tmp_path / "s1.jsonl")
    value = json.loads(json.dumps(report_json(audited(path)[1])))
    assert (value["totals"]["lost"], value["totals"]["waited_seconds"]) == (0, 60.0)
    assert value["totals"]["code"] == {"held": 0, "kept": 0, "read_again": 1}
    assert value["totals"]["sent"] == value["sessions"][0]["sent"]
    (session,) = value["sessions"]
    read = next(one for one in session["tools"] if one["name"] == "Read")
    assert sum(read["messages"].values()) == read["tokens"]
    assert session["lines"]["m3"] == 3
    assert session["compactions"][0]["summary"] == "m8"
    assert {one["kind"] for one in value["findings"]} == {"code"}
