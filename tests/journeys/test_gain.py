"""The command gain, as somebody types it."""

from __future__ import annotations

from pathlib import Path

import clew
from clew.domain import Usage
from tests.builders import user
from tests.conftest import HandClock
from tests.journeys.program import Program
from tests.unit.engine.test_gains import MODEL, asked


def test_where_nothing_is_recorded_it_says_so(clew_program: Program) -> None:
    done = clew_program("gain")
    assert done.code == 0
    assert done.out.startswith("Nothing is recorded yet: ")
    assert clew_program("gain", "--json").json["rows"] == []
    wrong = clew_program("gain", "--by", "weather")
    assert (wrong.code, wrong.err) == (2, "clew: gains are told by day, project, model, client, not by 'weather'\n")


def test_what_was_saved_is_told_with_what_is_estimated(clew_program: Program, tmp_path: Path) -> None:
    store, clock = tmp_path / "gain.db", HandClock()
    with clew.open(store, clock=clock) as engine:
        session = engine.session("s", model=MODEL, client="bot")
        asked(session, Usage(400_000, 1_000, 0, 400_000))
        asked(session, Usage(404_000, 1_000, 400_000, 4_000))
        session.compact(budget=6_000)
        asked(session, Usage(5_000, 1_000, 0, 5_000))
        clock.time += 86_400
        asked(engine.session("t", model=MODEL), None)
        engine.session("imported").record([user("hi")])
    told = clew_program("gain", "--store", str(store)).out.splitlines()
    assert told[0].split("  ")[0] == "day"
    assert [line.split()[0] for line in told[2:5]] == ["2027-01-15", "2027-01-16", "total"]
    assert "In none of the sums: 1 call of which the provider gave no count." in told
    assert told[-1].startswith("~ is estimated: ")
    found = clew_program("gain", "--by", "client", "--json", "--store", str(store)).json
    (first, other) = found["rows"]
    assert (first["name"], other["name"], other["uncounted_calls"]) == ("bot", "(unknown)", 1)
    assert first["measured"]["input_tokens"] == 809_000
    assert first["estimated"]["input_tokens"] > 1_200_000
    assert first["saved"]["estimated_tokens"] == first["estimated"]["input_tokens"] - 809_000
    later = clew_program("gain", "--since", "2027-01-16", "--json", "--store", str(store)).json
    assert [row["name"] for row in later["rows"]] == ["2027-01-16"]
