"""Results of an audit that are kept for the next one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.audit import result_cache
from clew.audit import run as module
from clew.audit.page import report_page
from clew.audit.report import AuditReport
from clew.audit.result_cache import ResultCache, audit_cache, clear_audit_cache
from clew.audit.run import AuditOptions
from clew.errors import ClewError
from tests.audited_session import Lines, shop
from tests.unit.audit.test_run import audited

SECRET = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lines = shop()
    lines.says(f"From now on always use the token {SECRET} in tests, and never print it.")
    return lines.write(tmp_path / "s1.jsonl")


def kept(path: Path, **options: bool | int) -> AuditReport:
    return audited(path, options=AuditOptions(cache=ResultCache(audit_cache()), **options))[1]  # type: ignore[arg-type]


def entries() -> list[Path]:
    return sorted(audit_cache().glob("*"))


def test_a_second_audit_reads_no_session_and_finds_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept(path)
    assert first.findings
    assert len(entries()) == 2

    def fail(*_: object) -> None:
        raise ClewError("read again")

    for name in ("session_figures", "session_findings"):
        monkeypatch.setattr(module, name, fail)
    assert kept(path) == first
    assert audited(path)[1].sessions == ()


def test_what_is_kept_has_no_secrets_and_is_its_owners_alone(path: Path) -> None:
    import zlib

    kept(path)
    assert not any(SECRET.encode() in zlib.decompress(entry.read_bytes()) for entry in entries())
    assert {entry.stat().st_mode & 0o777 for entry in entries()} == {0o600}
    assert audit_cache().stat().st_mode & 0o777 == 0o700


def test_other_content_other_questions_and_damage_are_looked_at_anew(path: Path) -> None:
    first = kept(path)
    for entry in entries():
        entry.write_bytes(entry.read_bytes()[:-9])
    assert kept(path) == first
    assert kept(path, what_if=True).compactions[0].what_if is not None
    more = Lines("s2")
    more.says("Something else.")
    more.write(path)
    assert [one.id for one in kept(path).sessions] == ["s2"]


def test_a_file_that_changes_while_it_is_read_is_not_kept(path: Path, tmp_path: Path) -> None:
    cache = ResultCache(tmp_path / "cache")

    def make() -> list[object]:
        with path.open("ab") as stream:
            stream.write(b"\n")
        return []

    assert cache.keep(str(path), object, (), make) == []
    assert not (tmp_path / "cache").exists()


def test_where_nothing_can_be_written_the_report_comes_all_the_same(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    _, report = audited(path, options=AuditOptions(cache=ResultCache(tmp_path / "file" / "audit")))
    assert report_page(report) == report_page(audited(path)[1])


def test_the_oldest_entries_go_when_there_are_too_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(path)
    old, new = entries()
    os.utime(old, (1, 1))
    monkeypatch.setattr(result_cache, "_MOST_BYTES", new.stat().st_size)
    ResultCache(audit_cache()).prune()
    assert entries() == [new]
    assert clear_audit_cache() == 1
    assert entries() == []
