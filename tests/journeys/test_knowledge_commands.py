"""Knowledge is registered, found, changed and removed, as a person does it."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.program import Program

DEPLOY = "---\nid: deploy\nname: Deploying\ncategory: ops\npriority: high\n---\n# Rollback\nRun the rollback script.\n"


def test_modules_from_a_folder(clew_program: Program, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "deploy.md").write_text(DEPLOY, "utf-8")
    assert clew_program("knowledge", "add", "docs", "--json").json["added"] == ["deploy"]
    found = clew_program("knowledge", "search", "rollback", "--filter", "category=ops", "--json").json["results"]
    assert [(one["id"], one["text"]) for one in found] == [("deploy#1", "# Rollback\nRun the rollback script.")]
    (docs / "deploy.md").write_text(DEPLOY.replace("Run", "Start"), "utf-8")
    assert clew_program("knowledge", "refresh").out == "updated 1: deploy\n"
    shown = clew_program("knowledge", "show", "deploy", "--version", "1", "--json").json["module"]
    assert (shown["content"].splitlines()[-1], shown["revision"]) == ("Run the rollback script.", 1)
    assert clew_program("knowledge", "list").out.split()[:2] == ["deploy", "high"]
    assert clew_program("knowledge", "remove", "deploy").out == "removed deploy\n"
    assert clew_program("knowledge", "show", "deploy").code == 3


def test_wrong_files_are_told_by_file_and_line(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nid: a\npriority: urgent\n---\ntext\n", "utf-8")
    done = clew_program("knowledge", "add", "a.md")
    told = "clew: a.md:3: priority is one of high, medium, low, not 'urgent'; nothing was added\n"
    assert (done.code, done.err) == (2, told)


def test_what_a_query_needs_is_printed_part_by_part(clew_program: Program) -> None:
    (clew_program.folder / "a.md").write_text("---\nid: rules\nusage_scope: always\n---\nNever push on Fridays.\n")
    (clew_program.folder / "b.md").write_text("---\nid: keys\n---\nKeys are rotated daily.\n")
    assert clew_program("knowledge", "add", "a.md", "b.md").code == 0
    units = clew_program("knowledge", "load", "how are keys rotated?", "--json").json["units"]
    assert [(one["sources"], one["why"]) for one in units] == [(["rules#1"], "required"), (["keys#1"], "matches")]
    done = clew_program("knowledge", "load", "how are keys rotated?", "--after", "rules#1")
    assert done.out.startswith("[keys#1] b.md (priority medium)\nKeys are rotated daily.")
    assert "keys#1: matches" in done.err
    assert "nothing is needed" in clew_program("knowledge", "load", "monads", "--after", "rules#1").out
