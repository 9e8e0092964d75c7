"""What sessions cost, and the windows they ran in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import clew
from clew.audit.costs import DAY, MODEL, PROJECT, left_out
from clew.audit.page import report_page
from clew.audit.report_json import report_json
from clew.audit.run import AuditOptions
from clew.domain import Usage
from tests.assistant_files import written
from tests.audited_session import Lines, shop
from tests.unit.audit.test_run import audited

SPARK = "gpt-5.3-codex-spark"


def codex(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"timestamp": f"2026-03-0{1 + number // 6}T10:00:00Z", **line} for number, line in enumerate(lines)]


def item(**payload: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": payload}


def said(role: str, text: str) -> dict[str, Any]:
    kind = "input_text" if role == "user" else "output_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text}])


def counted(input: int, cached: int, output: int) -> dict[str, Any]:
    told = {"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output}
    info = {"total_token_usage": told, "last_token_usage": {"total_tokens": 1}, "model_context_window": 258_400}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def turn(model: str) -> dict[str, Any]:
    return {"type": "turn_context", "payload": {"cwd": "/srv/shop", "model": model}}


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    lines = codex(
        {"type": "session_meta", "payload": {"id": "c1", "cwd": "/srv/shop"}},
        turn("gpt-5.5"),
        said("user", "Why is the total wrong?"),
        said("assistant", "I look."),
        counted(100_000, 60_000, 1_000),
        counted(100_000, 60_000, 1_000),  # it is said again when limits change
        turn(SPARK),
        said("user", "And now?"),
        said("assistant", "It is right."),
        counted(300_000, 100_000, 3_000),
    )
    return written(tmp_path / "rollout.jsonl", lines)


def test_what_codex_counted_is_what_was_sent(rollout: Path) -> None:
    _, report = audited(rollout)
    assert report.usage == Usage(300_000, 3_000, 100_000)
    assert report.sent_tokens == 300_000
    spent = report.spending
    dollars = pytest.approx((40_000 * 5 + 60_000 * 0.5 + 1_000 * 30) / 1e6)
    assert (spent.total.dollars, spent.total.unpriced_tokens) == (dollars, 202_000)
    assert {name: one.dollars for name, one in spent.tables[MODEL].items()} == {"gpt-5.5": dollars, SPARK: 0.0}
    assert {name: one.requests for name, one in spent.tables[DAY].items()} == {"2026-03-01": 1, "2026-03-02": 1}
    assert list(spent.tables[PROJECT]) == ["/srv/shop"]


def test_a_model_without_a_known_price_is_named_and_not_guessed(rollout: Path) -> None:
    _, report = audited(rollout)
    assert left_out(report.spending, 1) == [f"no price is known of {SPARK}"]
    assert report.spending.tables[MODEL][SPARK].display_text == "?"
    assert report.spending.total.display_text.endswith("+")
    own = {SPARK: {"input": 1.0, "cache_read": 0.0, "cache_write": 1.0, "output": 0.0}}
    _, priced = audited(rollout, options=AuditOptions(prices=own))
    assert priced.spending.unpriced == []
    assert priced.spending.tables[MODEL][SPARK].dollars == pytest.approx(0.16)


def test_a_file_without_counts_costs_nobody_knows_what(tmp_path: Path) -> None:
    lines = shop()
    for line in lines.lines:
        line["message"].pop("usage", None)
    _, report = audited(lines.write(tmp_path / "s1.jsonl"))
    assert left_out(report.spending, 1) == ["what requests took is not said by 1 of 1 session"]
    assert report_json(report)["sessions"][0]["cost"] is None


def test_an_answer_counted_while_it_came_counts_by_the_record(tmp_path: Path) -> None:
    lines = Lines()
    lines.says("Tell me all.")
    lines.answers("All of it, word by word. " * 50)
    _, report = audited(lines.write(tmp_path / "s1.jsonl"))
    assert report.usage.output_tokens == report.sessions[0].use.figures["kind:agent's words"].tokens > 300


@pytest.mark.parametrize("most", [1_000, 230_000])
def test_windows_are_those_of_health(tmp_path: Path, rollout: Path, most: int) -> None:
    lines = shop()
    for line in lines.lines:
        if line["type"] == "assistant":
            line["message"]["usage"] = {"input_tokens": most, "output_tokens": 10}
    paths = [lines.write(tmp_path / "s1.jsonl"), rollout]
    _, report = audited(*paths)
    with clew.open(":memory:") as engine:
        for path in paths:
            engine.import_file(path)
        known = [engine.find(one.id).health() for one in report.sessions]
    assert [(one.window.tokens, one.window.source) for one in report.sessions] == [
        (one.window, one.limit_source) for one in known
    ]
    assert [one["window"]["tokens"] for one in report_json(report)["sessions"]] == [one.window for one in known]


def test_findings_come_before_tools_and_name_their_session(tmp_path: Path) -> None:
    _, report = audited(shop().write(tmp_path / "s1.jsonl"))
    page = report_page(report)
    order = [page.index(f'<h2 id="{id}"') for id in ("lost", "read-again", "compactions", "cost", "kinds", "tools")]
    assert order == sorted(order)
    assert {one.session for one in report.findings} == {"s1"}
