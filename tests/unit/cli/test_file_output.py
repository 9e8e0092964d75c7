"""A file is replaced whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.cli.file_output import write_file
from clew.errors import StorageError


def test_a_file_takes_its_place_after_it_was_looked_at(tmp_path: Path) -> None:
    out, seen = tmp_path / "out.json", []
    out.write_bytes(b"old")
    assert write_file(out, [b"ne", b"w"], verify=lambda draft: seen.append((draft.read_bytes(), out.read_bytes()))) == 3
    assert seen == [(b"new", b"old")]
    assert out.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [out]


def test_what_does_not_pass_leaves_everything_as_it_was(tmp_path: Path) -> None:
    def refuse(_draft: Path) -> None:
        raise StorageError("no")

    out = tmp_path / "out.json"
    out.write_bytes(b"old")
    for place in (out, tmp_path / "new.json"):
        with pytest.raises(StorageError, match="no"):
            write_file(place, [b"new"], verify=refuse)
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_file(link, [b"new"])
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_file(tmp_path / "no" / "such", [b"x"])
