"""Stores by their URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import (
    UsageError,
)
from clew.storage.memory import MemoryStore
from clew.storage.stores import open_store


def test_urls_name_stores(tmp_path: Path) -> None:
    assert isinstance(open_store(":memory:"), MemoryStore)
    for url in (str(tmp_path / "a.db"), f"sqlite:///{tmp_path}/b c.db", f"sqlite:///{tmp_path}/d%20e.db"):
        opened = open_store(url)
        opened.close()
    assert sorted(file.name for file in tmp_path.glob("*.db")) == ["a.db", "b c.db", "d e.db"]


@pytest.mark.parametrize("url", ["", "postgresql://localhost/clew", "mysql://x/y", "sqlite://x", "sqlite:///"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(UsageError):
        open_store(url)
