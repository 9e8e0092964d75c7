"""The command audit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clew.cli.app import app
from clew.errors import NotFound, UsageError
from tests.audited_session import shop

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def audit(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = shop()
    lines.says(f"My token is {SECRET}, and thanks.")
    lines.write(tmp_path / "projects" / "s1.jsonl")
    return tmp_path


def test_tables_come_first_and_findings_have_ids(folder: Path) -> None:
    said = audit(folder).stdout
    assert said.index("where tokens went") < said.index("compaction-") < said.index("code-")
    assert "1 compaction: 60 s of waiting, 0 of 2 needed facts lost" in said
    assert "lost: facts that were needed next, and are not in the summary: none" in said


def test_the_messages_behind_a_finding_are_shown(folder: Path) -> None:
    found = json.loads(audit(folder, "--json").stdout)["findings"][0]
    said = audit(folder, "--finding", found["id"]).stdout
    assert f"m3 (tool) at {folder}/projects/s1.jsonl:3" in said
    assert "return sum(prices)" in said
    assert f"{found['id']}  3 lines of basket.py" in audit(folder, "--finding", found["compaction"]).stdout
    assert "m11" in audit(folder, "--finding", "tool:Edit").stdout
    figure = json.loads(audit(folder, "--finding", "kind:tool calls", "--json").stdout)["finding"]
    assert figure["shares"][0]["count"] == 6


def test_secrets_are_masked_everywhere(folder: Path) -> None:
    page = folder / "report.html"
    shown = [audit(folder, "--html", page).stdout, audit(folder, "--json").stdout, page.read_text()]
    shown.append(audit(folder, "--finding", "kind:user's words").stdout)
    assert not any(SECRET in text for text in shown)


def test_nothing_is_written_but_the_page(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    audit(folder, "--what-if", "--json")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_what_cannot_be_read_is_a_line(folder: Path) -> None:
    (folder / "empty").mkdir()
    broken = folder / "broken.jsonl"
    broken.write_bytes(b"\x00\x01\x02" * 4000)
    none = audit(folder / "none.jsonl")
    assert isinstance(none.exception, NotFound)
    assert "no file" in str(none.exception)
    assert isinstance(audit(folder / "empty").exception, NotFound)
    both = audit(broken, folder / "projects")
    assert both.exit_code == 2
    assert "is binary" in both.stderr
    assert "1 session" in both.stdout
    for wrong in ([folder, "--budget", "5"], ["-"]):
        assert isinstance(audit(*wrong).exception, UsageError)


def test_the_cache_is_left_alone_or_cleared_on_request(folder: Path) -> None:
    from clew.audit.result_cache import audit_cache

    plain = audit(folder, "--no-cache").stdout
    assert not audit_cache().exists()
    assert audit(folder).stdout == audit(folder).stdout == plain
    assert "deleted 2 entries" in audit("--clear-cache").stderr
    assert not audit_cache().exists()
    audit(folder)
    assert CliRunner().invoke(app, ["purge", "--all", "--yes"]).exit_code == 0
    assert not audit_cache().exists()
    for wrong in ([], [folder, "--html", folder / "a.html", "--finding", "tool:Read"]):
        assert isinstance(audit(*wrong).exception, UsageError)
