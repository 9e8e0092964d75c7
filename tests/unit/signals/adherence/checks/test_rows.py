"""Rows of tables: where they look, and which of them counts."""

from __future__ import annotations

from clew.signals.adherence.checks.rows import Demand, Row, demands, of_work
from clew.signals.adherence.checks.rule import read
from clew.signals.adherence.checks.turn import KEPT, CheckedTurn, Judgement


def judge(_: CheckedTurn, *__: object) -> Judgement:
    return KEPT


def found(text: str, **columns: object) -> list[Demand]:
    rule = read(text)
    assert rule is not None
    row = Row("tea|milk", judge, lambda _, match: [(match[0],)], of_work, **columns)  # type: ignore[arg-type]
    return list(demands(rule, [row, row]))


def test_what_is_wanted_is_told_from_what_is_forbidden():
    assert [one.wanted for one in found("Use tea, no milk", group="drink")] == [("tea",)]
    assert [one.wanted for one in found("Use tea, no milk", signs="-", group="drink")] == [("milk",)]
    both = found("Use tea, no milk", signs="+-", is_told=True, group="drink")
    assert [one.wanted for one in both] == [(False, "tea"), (True, "milk")]


def test_the_head_is_looked_at_in_rules_that_forbid():
    assert [one.wanted for one in found("Never tea", at_head=True, group="drink")] == [("tea",)]
    assert found("Always tea", at_head=True, group="drink") == []


def test_of_a_group_the_first_row_counts():
    assert len(found("Use tea")) == 2
    assert len(found("Use tea", group="drink")) == 1
