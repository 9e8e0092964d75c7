from __future__ import annotations

from pathlib import Path

import pytest

from clew.domain.modules import Module
from clew.knowledge.module_files import checked_module, digest_of, files_in, read_modules
from clew.knowledge.problems import InvalidModules, ModuleProblem


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "guide.md").write_text("# The guide\n\ntext\n", "utf-8")
    (tmp_path / "sub" / "pay me.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "photo.png").write_bytes(b"\0")
    (tmp_path / ".git" / "x.md").write_text("x", "utf-8")
    return tmp_path


def test_plain_files_are_modules_by_their_way_and_first_heading(docs: Path) -> None:
    found = [one.module for one in read_modules(files_in(str(docs)), max_bytes=1000)]
    assert [(one.id, one.name, one.format) for one in found] == [
        ("guide", "The guide", "markdown"),
        ("sub/pay-me.py", "pay me.py", "code"),
    ]


def test_a_glob_and_a_file_name_files(docs: Path) -> None:
    assert [path.name for path, _ in files_in(str(docs / "**" / "*.md"))] == ["guide.md"]
    assert files_in(str(docs / "guide.md")) == [(docs / "guide.md", docs)]


@pytest.mark.parametrize("source", ["nowhere", "sub/*.md"])
def test_a_source_without_files_is_told(docs: Path, source: str) -> None:
    with pytest.raises(ModuleProblem, match="there is no"):
        files_in(str(docs / source))


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nid: a\npriority: x\n---\ntext", "utf-8")
    (tmp_path / "b.md").write_text("", "utf-8")
    (tmp_path / "c.md").write_text("---\nid: c\n---\n", "utf-8")
    with pytest.raises(InvalidModules) as caught:
        read_modules(files_in(str(tmp_path)), max_bytes=1000)
    assert [(Path(one.path).name, one.line) for one in caught.value.problems] == [("a.md", 3), ("b.md", 0), ("c.md", 4)]
    assert "nothing was added" in str(caught.value)


def test_a_link_out_of_the_folder_is_passed_over(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("other") / "secret.md"
    secret.write_text("secret", "utf-8")
    (docs / "link.md").symlink_to(secret)
    assert "link.md" not in [path.name for path, _ in files_in(str(docs))]


def test_the_digest_changes_with_what_is_said_and_not_with_where() -> None:
    module = Module(id="a", name="A", content="text")
    assert digest_of(module) == digest_of(Module(id="a", name="A", content="text", source="/x", revision=3))
    assert digest_of(module) != digest_of(Module(id="a", name="A", content="text", tags=("t",)))


def test_a_module_made_by_hand_is_checked() -> None:
    for module in (Module(id="a b", name="A", content="x"), Module(id="a", name="A", content=" ")):
        with pytest.raises(ModuleProblem):
            checked_module(module)
