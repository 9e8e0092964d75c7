"""The benchmarks of packs run without data, and read what they are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import packs, plots, validity, warm_packs
from bench.results import Figure

from clew.samples import sample


def test_packs_of_a_file_are_judged_for_every_provider(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    said = [f"what does part {at} do? " + "words " * 40 for at in range(60)]
    path.write_text(
        json.dumps([{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)])
    )
    seen = validity.judge(path, 0, 1)
    assert (seen.sums["sessions"], seen.sums["messages"], seen.sums["made"], seen.sums["ids"] > 0) == (1, 60, 4, True)
    assert [name for name in ("invalid", "over budget", "unreadable", "failed") if seen.sums[name]] == []


def test_budgets_of_many_sessions_are_all_that_there_are() -> None:
    taken = [budget for at in range(50) for budget in validity.budgets_of(at, 8)]
    assert sorted(set(taken)) == validity.BUDGETS == validity.budgets_of(0, None)
    assert (validity.BUDGETS[0], validity.BUDGETS[-1], len(taken)) == (2_000, 200_000, 400)


def test_a_session_told_message_by_message_is_packed_after_each() -> None:
    done = packs.replay_session(sample(), "anthropic", budget=3_000, again=False, messages=20)
    assert len(done.epochs) == 20
    assert (done.moved, done.over, done.refused, done.same_elsewhere) == ((), 0, 0, None)
    assert done.pairs == 20 - len(set(done.epochs))


@pytest.mark.thorough
def test_times_are_told_for_each_budget() -> None:
    figures = warm_packs.run(long=100, rounds=2)
    groups = {"warm", "warm, 8,000", "warm, 100,000", "warm, 50 messages"}
    assert {figure.group for figure in figures} == groups
    assert figures[0] == Figure("warm", "messages", 100)


def test_a_row_of_the_continuity_table_becomes_figures_with_goals_for_all_cuts_only() -> None:
    assert list(packs.continuity_figures('packs   {"bits": 0.7, "stale": 0.004, "fill": 1.0, "n": 3}')) == [
        Figure("continuity", "cuts", 3),
        Figure("continuity", "bits", 0.7, "", ">= 0.76"),
        Figure("continuity", "stale", 0.004, "", "<= 0.005"),
    ]
    assert list(packs.continuity_figures('packs at real cuts  {"words": 0.9, "n": 1}')) == [
        Figure("continuity at real cuts", "cuts", 1),
        Figure("continuity at real cuts", "words", 0.9),
    ]


def test_pictures_of_the_documentation_are_drawn_from_what_was_recorded() -> None:
    recorded = json.loads(plots.RECORDED.read_text())
    assert recorded["date"]
    assert recorded["machine"]
    for name, picture in plots.pictures(recorded).items():
        assert (plots.ROOT / "docs" / "images" / name).read_text() == picture, f"{name}: run `python -m bench.plots`"
