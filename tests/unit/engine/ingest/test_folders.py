"""Files of a folder that may be transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.engine.ingest.folders import FolderWalk


def lay_out(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def test_files_are_found_by_name_in_order(tmp_path: Path) -> None:
    wanted = [".aider.chat.history.md", "projects/b/1.jsonl", "projects/b/2.JSONL.gz", "projects/c.json", "z.jsonl.zst"]
    lay_out(tmp_path, *wanted, "notes.txt", "clew.db", ".git/x.json", "node_modules/m/package.json")
    walk = FolderWalk(str(tmp_path))
    found = [str(Path(file).relative_to(tmp_path)) for file in walk.files()]
    assert (sorted(found), walk.others, walk.failed) == (sorted(wanted), 2, [])
    assert found == [str(Path(file).relative_to(tmp_path)) for file in FolderWalk(str(tmp_path)).files()]


def test_loops_of_links_and_links_to_nothing_do_no_harm(tmp_path: Path) -> None:
    lay_out(tmp_path, "real/a.jsonl")
    (tmp_path / "real" / "back").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "real")
    (tmp_path / "itself.jsonl").symlink_to(tmp_path / "itself.jsonl")
    (tmp_path / "nowhere.jsonl").symlink_to(tmp_path / "gone")
    walk = FolderWalk(str(tmp_path))
    assert len(list(walk.files())) == 1
    assert (walk.others, walk.failed) == (2, [])


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path, "a/x.jsonl", "b/y.jsonl")
    monkeypatch.chdir(tmp_path)
    walk = FolderWalk("gone")
    assert list(walk.files()) == []
    assert walk.failed == [("gone", "gone cannot be listed: No such file or directory; check your rights to it")]
