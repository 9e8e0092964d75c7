"""An audit over many files."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.audit import run as module
from clew.audit.report import AuditReport
from clew.audit.run import Audit, AuditOptions
from clew.audit.values import FindingKind
from tests.audited_session import Lines, shop


def audited(*paths: Path, options: AuditOptions | None = None) -> tuple[Audit, AuditReport]:
    audit = Audit(options or AuditOptions())
    audit.find_files(map(str, paths))
    audit.read_figures(lambda _path: None)
    return audit, audit.read_findings(lambda _path: None)


def test_a_folder_is_walked_and_what_cannot_be_read_is_listed(tmp_path: Path) -> None:
    good = shop().write(tmp_path / "projects" / "s1.jsonl")
    (tmp_path / "notes.md").write_text("my notes")
    silent = Lines("s2")
    silent.add("progress", "", type="progress")
    silent.write(tmp_path / "projects" / "s2.jsonl")
    audit, report = audited(tmp_path)
    assert [one.path for one in report.sessions] == [str(good)]
    assert [Path(one.path).name for one in report.skipped] == ["s2.jsonl"]
    assert (report.other_files, audit.exit_code) == (1, 0)


def test_a_path_that_is_not_there_costs_no_other_anything(tmp_path: Path) -> None:
    audit, report = audited(tmp_path / "none.jsonl", shop().write(tmp_path / "s1.jsonl"))
    assert (len(report.sessions), audit.exit_code) == (1, 3)
    assert "no file" in report.skipped[0].reason


def test_a_copy_of_a_session_is_counted_once(tmp_path: Path) -> None:
    whole, part = shop(), shop()
    part.lines = part.lines[:9]
    audited_paths = part.write(tmp_path / "a.jsonl"), whole.write(tmp_path / "b.jsonl")
    _, report = audited(*audited_paths)
    assert [one.path for one in report.sessions] == [str(audited_paths[1])]
    assert "is a copy" in report.skipped[0].reason


def test_files_of_subagents_are_no_copies_and_are_told_apart(tmp_path: Path) -> None:
    lines = Lines("s1")
    lines.add("user", "Look at the taxes.", isSidechain=True, agentId="a1", uuid="a1-1")
    lines.add("assistant", [{"type": "text", "text": "They are fine."}], isSidechain=True, agentId="a1", uuid="a1-2")
    lines.write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl")
    shop().write(tmp_path / "s1.jsonl")
    _, report = audited(tmp_path)
    assert report.size == "1 session and 1 file of subagents"
    assert set(report.figures("kind:")) > {"subagents"}
    assert len(report.compactions) == 1


def test_processes_find_what_one_process_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        lines = shop()
        lines.lines = [line | {"uuid": f"{number}-{line['uuid']}", "sessionId": f"s{number}"} for line in lines.lines]
        lines.write(tmp_path / f"{number}.jsonl")
    _, alone = audited(tmp_path)
    monkeypatch.setattr(module, "_SMALL_BYTES", 0)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 2)
    _, together = audited(tmp_path)
    assert together == alone
    assert len(together.compactions) == 3


def test_packs_of_clew_are_compared_with_the_summary(tmp_path: Path) -> None:
    path = shop().write(tmp_path / "s1.jsonl")
    _, report = audited(path, options=AuditOptions(what_if=True, budget=3_000))
    (compaction,) = report.compactions
    assert (compaction.needed, compaction.held, compaction.lost) == (3, 2, 1)
    assert compaction.what_if is not None
    assert compaction.what_if.budget == 3_000
    assert compaction.what_if.tokens <= 3_000
    assert compaction.what_if.held == 3


def test_every_finding_names_the_messages_that_show_it(tmp_path: Path) -> None:
    _, report = audited(shop().write(tmp_path / "s1.jsonl"))
    (lost,) = report.of_kind(FindingKind.LOST)
    assert [(one.role, one.message, one.line) for one in lost.evidence] == [
        ("known before", "m3", 3),
        ("the summary, which does not hold it", "m8", 9),
        ("asked for again", "m9", 10),
        ("shown again", "m10", 11),
        ("used", "m11", 12),
    ]
    assert "def total(basket):" in lost.evidence[0].text
    assert report.compactions[0].id == lost.compaction
