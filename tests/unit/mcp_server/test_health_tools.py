"""Health, drift and compaction by tools; summaries that the calling model hands back."""

from __future__ import annotations

import pytest

from clew.engine.engine import Engine
from clew.engine.session import Session
from tests.builders import call, gives, output, says, user
from tests.unit.mcp_server.calls import answer, problem

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


@pytest.fixture
def session(engine: Engine) -> Session:
    found = engine.session("s1", cwd="/srv/shop", window=40_000)
    for turn in range(6):
        text = "\n".join(f"row {turn}-{line}: nothing unusual about it" for line in range(240))
        asked, given = call(f"c{turn}", path=f"a{turn}.txt"), output(f"c{turn}", text)
        found.record([user(f"Please read file number {turn}."), says(asked), gives(given), says(f"Read {turn}.")])
    return found


@pytest.mark.usefixtures("session")
def test_health_keeps_the_keys_and_adds_figures_when_asked(engine: Engine) -> None:
    short = answer(engine, "get_context_health")
    assert short["utilization"] == f"{short['tokensUsed'] / short['tokensLimit']:.0%}"
    assert "details" not in short
    details = answer(engine, "get_context_health", includeDetails=True)["details"]
    assert {"relevance_score", "growth_rate", "turns_left", "critical_items"} <= set(details)
    assert "valid boolean" in problem(engine, "get_context_health", includeDetails="perhaps")


def test_compaction_without_a_model_works_at_once_and_asks_for_summaries(engine: Engine, session: Session) -> None:
    done = answer(engine, "trigger_compaction", strategy="summarize", preserveRecent=4)
    assert done["after"]["tokens"] < done["before"]["tokens"]
    assert done["saved_tokens"] == done["before"]["tokens"] - done["after"]["tokens"]
    assert done["undo"] == "clew compact s1 --undo"
    asked = [one["id"] for one in done["to_summarize"]]
    assert asked == ["x1", "x2", "x3", "x4", "x5"]
    notes = [{"id": "x2", "summary": "File 1 holds nothing unusual.", "header": "File 1 was read"}]
    assert answer(engine, "report_housekeeping", segments=notes)["accepted"] == ["x2"]
    assert "File 1 holds nothing unusual." in session.reader.trio("x2").summary.text
    assert session.reader.trio("x2").header.line.endswith("File 1 was read")
    again = answer(engine, "trigger_compaction", strategy="aggressive")
    assert "x2" not in [one["id"] for one in again["to_summarize"]]


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"preserveRecent": -1}, "preserveRecent must be a whole number of 0 or more, not -1"),
        ({"preserveRecent": 1.5}, "must be a whole number"),
        ({"preserveRecent": "many"}, "valid number"),
        ({"strategy": "magic"}, "'summarize'"),
    ],
)
def test_compaction_refuses_what_makes_no_sense(engine: Engine, arguments: dict[str, object], said: str) -> None:
    assert said in problem(engine, "trigger_compaction", **arguments)


@pytest.mark.usefixtures("session")
def test_all_messages_may_be_preserved(engine: Engine) -> None:
    assert answer(engine, "trigger_compaction", preserveRecent=1e300)["session"] == "s1"


def test_drift_lists_rules_with_broken_ones_first(engine: Engine, session: Session) -> None:
    session.pin("Always answer in French.", kind="instruction")
    found = answer(engine, "check_drift")
    assert [one["text"] for one in found["requirements"]] == ["Always answer in French."]
    assert {"drift_score", "topic_drift", "missing", "reminders", "contradictions"} <= set(found)
    assert "say it in a sentence" in problem(engine, "check_drift", topic="x" * 5_000)
