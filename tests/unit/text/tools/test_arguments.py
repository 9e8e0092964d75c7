"""Names of tools and arguments are compared without their spelling."""

from __future__ import annotations

import pytest

from clew.text.memo import forget_all
from clew.text.tools.arguments import plain_name


@pytest.mark.parametrize("name", ["file_path", "filePath", "File-Path", "mcp__disk__file_path", "args.filePath"])
def test_spellings_of_a_name_are_one(name: str) -> None:
    assert plain_name(name) == "filepath"


def test_a_name_is_read_once_until_all_is_forgotten() -> None:
    first = plain_name("Harbour_Master")
    assert plain_name("Harbour_Master") is first
    forget_all()
    assert plain_name("Harbour_Master") is not first
