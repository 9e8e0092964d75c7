"""An audit over many files."""

from __future__ import annotations

from multiprocessing import active_children
from pathlib import Path

import pytest

from clew.audit import run as module
from clew.audit.page import report_page
from clew.audit.report import AuditReport, FigureDetail, look_up
from clew.audit.report_json import totals_json
from clew.audit.run import Audit, AuditOptions
from clew.audit.session_audit import session_figures
from clew.audit.values import CodeUse, FindingKind, SessionFigures
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
    assert "has more of that session" in report.skipped[0].reason


def test_a_file_with_the_same_session_is_said_to_be_the_same(tmp_path: Path) -> None:
    _, report = audited(*(shop().write(tmp_path / name) for name in ("a.jsonl", "b.jsonl")))
    assert report.skipped[0].reason.endswith("a.jsonl has the same session")


def test_what_providers_counted_beyond_the_record_is_one_row_of_what_was_sent(tmp_path: Path) -> None:
    lines = shop()
    for line in lines.lines:
        if line["type"] == "assistant":
            line["message"]["usage"] = {"input_tokens": 90_000, "output_tokens": 10}
    _, report = audited(lines.write(tmp_path / "s1.jsonl"))
    recorded = sum(one.sent for one in report.figures("kind:").values())
    assert report.sent_tokens == report.usage.input_tokens == recorded + report.not_in_record
    assert report.not_in_record > 100_000
    detail = look_up(report, "kind:not in the record")
    assert isinstance(detail, FigureDetail)
    assert [share.tokens for share in detail.shares] == [report.not_in_record]


def test_where_no_summary_can_be_read_nobody_knows_what_was_lost(tmp_path: Path) -> None:
    lines = shop()
    lines.lines = [line for line in lines.lines if not line.get("isCompactSummary")]
    _, report = audited(lines.write(tmp_path / "s1.jsonl"))
    (compaction,) = report.compactions
    assert (compaction.needed, compaction.held, compaction.lost, compaction.code) == (None, None, None, None)
    assert not report.is_loss_known
    totals = totals_json(report)
    assert (totals["hidden_summaries"], totals["needed"], totals["lost"]) == (1, None, None)
    assert "Unknown: no summary can be read." in report_page(report)


def test_processes_are_gone_when_an_audit_ends_or_is_left(tmp_path: Path) -> None:
    paths = [str(shop().write(tmp_path / f"{number}.jsonl")) for number in range(4)]
    work = module._in_processes(module._Job(session_figures, SessionFigures, ("auto",), None), paths, 2)
    next(work)
    work.close()  # type: ignore[attr-defined]
    assert active_children() == []
    assert len(list(module._in_processes(module._Job(session_figures, SessionFigures, ("auto",), None), paths, 2))) == 4
    assert active_children() == []


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
    assert (compaction.needed, compaction.held, compaction.lost) == (2, 2, 0)
    assert compaction.code == CodeUse(held=0, kept=0, read_again=1)
    assert compaction.what_if is not None
    assert compaction.what_if.budget == 3_000
    assert compaction.what_if.tokens <= 3_000
    assert (compaction.what_if.held, compaction.what_if.code_held) == (2, 1)


def test_every_finding_names_the_messages_that_show_it(tmp_path: Path) -> None:
    _, report = audited(shop().write(tmp_path / "s1.jsonl"))
    (code,) = report.findings
    assert (code.kind, code.how) == (FindingKind.CODE, "read again before it was used")
    assert [(one.role, one.message, one.line) for one in code.evidence] == [
        ("known before", "m3", 3),
        ("the summary, which does not hold it", "m8", 9),
        ("asked for again", "m9", 10),
        ("shown again", "m10", 11),
        ("used", "m11", 12),
    ]
    assert "def total(basket):" in code.evidence[0].text
    assert report.compactions[0].id == code.compaction
