"""What stands behind an id of a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.audit.report import FigureDetail, look_up
from clew.errors import NotFound
from tests.audited_session import shop
from tests.unit.audit.test_run import audited


def test_findings_compactions_and_figures_are_looked_up_by_id(tmp_path: Path) -> None:
    _, report = audited(shop().write(tmp_path / "s1.jsonl"))
    lost, compaction = report.findings[0], report.compactions[0]
    assert look_up(report, lost.id) is lost
    assert look_up(report, lost.id[:-2]) is lost
    assert look_up(report, compaction.id) is compaction
    figure = look_up(report, "tool:Edit")
    assert isinstance(figure, FigureDetail)
    assert [(id, line) for share in figure.shares for id, line, _ in share.messages] == [("m11", 12), ("m12", 13)]


def test_an_id_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    _, report = audited(shop().write(tmp_path / "s1.jsonl"))
    for id, said in (("lost-none", "no finding"), ("tool:None", "there are kind:")):
        with pytest.raises(NotFound, match=said):
            look_up(report, id)
