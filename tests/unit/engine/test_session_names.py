"""What a session offers is what its page explains; the rest lies in its parts."""

from __future__ import annotations

from pathlib import Path

import clew

PAGE = Path(__file__).parents[3] / "docs" / "python.md"


def test_every_public_name_of_a_session_is_explained() -> None:
    names = {name for name in dir(clew.Session) if not name.startswith("_")}
    page = PAGE.read_text("utf-8")
    assert {name for name in names if f"`{name}" not in page and f"session.{name}" not in page} == set()
