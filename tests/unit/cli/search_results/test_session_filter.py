"""Which sessions are of a project, for lists and searches alike."""

from __future__ import annotations

import pytest

import clew
from clew.cli.search_results.session_filter import Filter


@pytest.mark.parametrize("project", ["cli", "code/cli", "/home/ana/code/cli"])
def test_a_folder_below_a_project_is_of_it(project: str) -> None:
    with clew.open(":memory:") as engine:
        for id, cwd in {"tree": "cli/.worktrees/1", "own": "cli", "other": "cli-old"}.items():
            engine.session(id, cwd=f"/home/ana/code/{cwd}").record([clew.user("The mole is closed.")])
        listed = Filter.read(project=project, since="", limit=0).list_sessions(engine)
        found = engine.search("mole", filters={"project": project})
        several = engine.search("mole", filters={"project": [project, "none"]})
    assert {one.id for one in listed} == {"tree", "own"}
    assert "other" not in str([found, several])
    assert found
    assert several
