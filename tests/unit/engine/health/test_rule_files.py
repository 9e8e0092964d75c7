"""Rule files are read from known places only, never at the cost of a session, and written only as shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.domain.critical import Scope
from clew.engine.health.rule_files import (
    ProjectRules,
    place_for_promotion,
    promote,
    read_rules,
    write,
)
from clew.errors import UsageError

needs_rights = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a folder in it."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "app").mkdir()
    return tmp_path / "repo"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def shown(rules: ProjectRules) -> list[tuple[str, list[str]]]:
    return [(file.path, [rule.text for rule in file.rules]) for file in rules.files]


# ── places ───────────────────────────────────────────────────────────────────────────────────────────


def test_places_go_from_the_users_own_over_the_root_to_the_working_folder(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    of_folder = [
        "AGENTS.md",
        "GEMINI.md",
        ".github/copilot-instructions.md",
        ".claude/CLAUDE.md",
        "CLAUDE.md",
        "CLAUDE.local.md",
    ]
    of_user = [".codex/AGENTS.md", ".gemini/GEMINI.md", ".claude/CLAUDE.md"]
    for folder, names in ((home, of_user), (root, of_folder), (root / "app", of_folder)):
        for name in names:
            put(folder / name, f"- Say {folder.name} {name}\n")
    assert [file.path for file in read_rules(str(root / "app"), home).files] == [
        *(f"~/{name}" for name in of_user),
        *(f"../{name}" for name in of_folder),
        *of_folder,
    ]


def test_without_a_repository_only_the_working_folder_counts(tmp_path: Path) -> None:
    put(tmp_path / "CLAUDE.md", "- Use tabs\n")
    folder = tmp_path / "plain"
    folder.mkdir()
    put(folder / "AGENTS.md", "- Use spaces\n")
    assert shown(read_rules(str(folder), None)) == [("AGENTS.md", ["Use spaces"])]


def test_a_worktree_is_a_repository_too(tmp_path: Path) -> None:
    put(tmp_path / "tree" / ".git", "gitdir: elsewhere\n")
    put(tmp_path / "tree" / "CLAUDE.md", "- Use tabs\n")
    (tmp_path / "tree" / "sub").mkdir()
    assert shown(read_rules(str(tmp_path / "tree" / "sub"), None)) == [("../CLAUDE.md", ["Use tabs"])]


@pytest.mark.parametrize("cwd", ["", ".", "some/folder", "/no/such/folder/anywhere", "/bad\x00name"])
def test_a_folder_that_is_not_there_gives_nothing(cwd: str, tmp_path: Path) -> None:
    put(tmp_path / ".claude/CLAUDE.md", "- Use tabs\n")
    assert read_rules(cwd, tmp_path) == ProjectRules()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    assert read_rules(str(put(tmp_path / "CLAUDE.md", "- Use tabs\n")), None) == ProjectRules()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def test_rules_are_read_with_names_as_people_say_them(root: Path, tmp_path: Path) -> None:
    put(tmp_path / "home/.claude/CLAUDE.md", "- Answer in German\n")
    put(root / "CLAUDE.md", "- Use tabs\n")
    put(root / "app/AGENTS.md", "- Never log secrets\n")
    found = read_rules(str(root / "app"), tmp_path / "home")
    assert shown(found) == [
        ("~/.claude/CLAUDE.md", ["Answer in German"]),
        ("../CLAUDE.md", ["Use tabs"]),
        ("AGENTS.md", ["Never log secrets"]),
    ]
    assert [(rule.source, rule.scope) for file in found.files for rule in file.rules] == [
        ("~/.claude/CLAUDE.md", Scope.USER),
        ("../CLAUDE.md", Scope.PROJECT),
        ("AGENTS.md", Scope.PROJECT),
    ]


def test_the_hash_tells_whether_a_file_changed(root: Path) -> None:
    put(root / "CLAUDE.md", "- Use tabs\n")
    first = read_rules(str(root), None)
    assert read_rules(str(root), None) == first
    put(root / "CLAUDE.md", "- Use spaces\n")
    assert read_rules(str(root), None).files[0].digest != first.files[0].digest


def test_a_file_under_two_names_is_read_once(root: Path) -> None:
    put(root / "AGENTS.md", "- Use tabs\n")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert shown(read_rules(str(root), None)) == [("AGENTS.md", ["Use tabs"])]


def test_other_files_of_the_project_are_not_read(root: Path) -> None:
    put(root / "README.md", "- Use tabs\n")
    put(root / "docs/CLAUDE.md", "- Use tabs\n")
    put(root / "CLAUDE.md", "@docs/CLAUDE.md\n")
    assert [file.rules for file in read_rules(str(root), None).files] == [()]


def test_a_link_that_leads_out_of_the_project_is_left_out(root: Path, tmp_path: Path) -> None:
    put(tmp_path / "secret.md", "- Use tabs\n")
    (root / "CLAUDE.md").symlink_to(tmp_path / "secret.md")
    put(tmp_path / "elsewhere/CLAUDE.md", "- Use tabs\n")
    (root / ".claude").symlink_to(tmp_path / "elsewhere")
    assert read_rules(str(root), None) == ProjectRules()


def test_a_link_in_circles_is_left_out(root: Path) -> None:
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    assert read_rules(str(root), None) == ProjectRules()


def test_what_is_no_plain_text_file_is_left_out(root: Path) -> None:
    (root / "CLAUDE.md").mkdir()
    os.mkfifo(root / "AGENTS.md")
    (root / "GEMINI.md").write_bytes(b"- Use \xff\xfe tabs\n")
    put(root / "CLAUDE.local.md", "- Use tabs\n" + "x" * 200_000)
    assert read_rules(str(root), None) == ProjectRules()


@needs_rights
def test_what_may_not_be_read_is_left_out(root: Path) -> None:
    put(root / "CLAUDE.md", "- Use tabs\n").chmod(0)
    assert read_rules(str(root), None) == ProjectRules()


# ── promoting ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("present", "place"),
    [
        ({"CLAUDE.md": "# A\n", "AGENTS.md": "# B\n"}, "CLAUDE.md"),
        ({".claude/CLAUDE.md": "# A\n", "AGENTS.md": "# B\n"}, ".claude/CLAUDE.md"),
        ({"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "# B\n"}, "AGENTS.md"),
        ({"AGENTS.md": "# B\n"}, "AGENTS.md"),
        ({"GEMINI.md": "# C\n"}, "AGENTS.md"),
        ({}, "AGENTS.md"),
    ],
)
def test_a_rule_goes_into_the_file_that_people_keep(root: Path, present: dict[str, str], place: str) -> None:
    for name, text in present.items():
        put(root / name, text)
    assert place_for_promotion(str(root / "app")) == root / place


def test_a_rule_of_no_folder_has_no_place() -> None:
    with pytest.raises(UsageError, match="no folder"):
        place_for_promotion("some/folder")


def test_a_promotion_is_shown_before_it_is_written(root: Path) -> None:
    path = put(root / "CLAUDE.md", "# A\r\n")
    promotion = promote(path, "Use tabs")
    assert path.read_bytes() == b"# A\r\n"
    write(promotion)
    assert path.read_bytes() == promotion.after.encode() != promotion.before.encode()
    assert shown(read_rules(str(root), None)) == [("CLAUDE.md", ["Use tabs"])]
    assert not promote(path, "Use tabs").is_change


def test_a_file_that_is_not_there_is_made(root: Path) -> None:
    write(promote(place_for_promotion(str(root)), "Use tabs"))
    assert shown(read_rules(str(root), None)) == [("AGENTS.md", ["Use tabs"])]


def test_the_rights_of_the_file_are_kept_and_nothing_is_left_beside_it(root: Path) -> None:
    path = put(root / "CLAUDE.md", "# A\n")
    path.chmod(0o640)
    write(promote(path, "Use tabs"))
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in root.iterdir()) == [".git", "CLAUDE.md", "app"]


def test_a_file_that_changed_meanwhile_is_not_written(root: Path) -> None:
    path = put(root / "CLAUDE.md", "# A\n")
    promotion = promote(path, "Use tabs")
    put(path, "# Somebody else's\n")
    with pytest.raises(UsageError, match="has changed"):
        write(promotion)
    assert path.read_text() == "# Somebody else's\n"


def test_a_file_that_came_meanwhile_is_not_written(root: Path) -> None:
    promotion = promote(root / "AGENTS.md", "Use tabs")
    put(root / "AGENTS.md", "# New\n")
    with pytest.raises(UsageError, match="has changed"):
        write(promotion)


def test_a_link_within_the_project_is_written_through(root: Path) -> None:
    put(root / "AGENTS.md", "# A\n")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    write(promote(root / "CLAUDE.md", "Use tabs"))
    assert (root / "CLAUDE.md").is_symlink()
    assert "- Use tabs\n" in (root / "AGENTS.md").read_text()


def test_a_link_out_of_the_project_is_refused(root: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside.md", "# A\n")
    (root / "AGENTS.md").symlink_to(tmp_path / "outside.md")
    with pytest.raises(UsageError, match="leads out"):
        promote(place_for_promotion(str(root)), "Use tabs")


def test_what_cannot_be_read_cannot_be_promoted_into(root: Path) -> None:
    (root / "CLAUDE.md").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="no text file"):
        promote(root / "CLAUDE.md", "Use tabs")


def test_words_that_no_file_can_hold_are_written_without_what_spoils_them(root: Path) -> None:
    write(promote(root / "AGENTS.md", "Use tabs \ud800 always"))
    assert "- Use tabs ? always\n" in (root / "AGENTS.md").read_text()
