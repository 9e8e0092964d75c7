from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.environment import data_folder
from clew.hooks import deliveries


def test_only_the_first_to_claim_gets_it() -> None:
    assert deliveries.claim("claude-code", "s1", "compact", "p1")
    assert not deliveries.claim("claude-code", "s1", "compact", "p1")
    assert deliveries.claim("claude-code", "s1", "compact", "p2")


def test_a_summary_is_taken_once() -> None:
    deliveries.keep_text(deliveries.SUMMARY, "s1", "all done ü")
    deliveries.keep_text(deliveries.SUMMARY, "s2", "another")
    for _ in range(2):
        assert deliveries.kept_text(deliveries.SUMMARY, "s1") == "all done ü"
    deliveries.forget_text(deliveries.SUMMARY, "s1")
    deliveries.forget_text(deliveries.SUMMARY, "s1")
    assert deliveries.kept_text(deliveries.SUMMARY, "s1") == ""
    assert deliveries.kept_text(deliveries.SUMMARY, "../s2") == ""


def test_an_old_summary_belongs_to_a_compaction_that_was_called_off() -> None:
    deliveries.keep_text(deliveries.SUMMARY, "s1", "old")
    for path in (data_folder() / "hooks" / "summaries").iterdir():
        os.utime(path, (1, 1))
    assert deliveries.kept_text(deliveries.SUMMARY, "s1") == ""
    deliveries.keep_text(deliveries.SUMMARY, "s2", "new")
    deliveries.forget_text(deliveries.SUMMARY, "s2")
    assert list((data_folder() / "hooks" / "summaries").iterdir()) == []


def test_summaries_that_nobody_took_are_deleted() -> None:
    deliveries.keep_text(deliveries.SUMMARY, "s1", "old")
    for path in (data_folder() / "hooks" / "summaries").iterdir():
        os.utime(path, (1, 1))
    deliveries.keep_text(deliveries.SUMMARY, "s2", "new")
    assert len(list((data_folder() / "hooks" / "summaries").iterdir())) == 1


def test_old_claims_are_forgotten_once_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "_MOST_CLAIMS", 2)
    for name in "abc":
        deliveries.claim(name)
        for path in (data_folder() / "hooks" / "delivered").iterdir():
            os.utime(path, (1, 1))
    assert len(list((data_folder() / "hooks" / "delivered").iterdir())) == 1


def test_what_is_kept_is_for_nobody_else() -> None:
    deliveries.keep_text(deliveries.SUMMARY, "s1", "x")
    paths = [path for path in (data_folder() / "hooks").rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in [*paths, *(Path(path).parent for path in paths)]} == {0}
