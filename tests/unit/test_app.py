"""An engine opened by settings: where its store is made."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import clew
from clew.config import Config
from clew.environment import data_folder
from clew.errors import NotFound


def test_a_store_in_a_folder_that_is_not_there_names_the_command_that_makes_it(tmp_path: Path) -> None:
    folder = tmp_path / "no such" / "folder"
    with pytest.raises(NotFound, match=f"mkdir -p '{folder}'"):
        clew.open(folder / "clew.db", config=Config())
    assert not folder.parent.exists()


def test_the_folder_of_the_users_own_store_is_made_for_its_owner_alone() -> None:
    clew.open(config=Config()).close()
    assert (data_folder() / "clew.db").is_file()
    assert stat.S_IMODE(data_folder().stat().st_mode) == 0o700
