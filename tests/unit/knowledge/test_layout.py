from __future__ import annotations

from pathlib import Path

import pytest

from clew.domain.modules import Module, ModuleKind, Priority
from clew.knowledge.layout import checked_template, kept_layout, layout
from clew.knowledge.problems import ModuleProblem

MODULE = Module(
    id="a", name="Name", content="{id}", priority=Priority.HIGH, kind=ModuleKind.TOOL, description="does it"
)


def test_a_chunk_is_shown_with_name_headings_and_priority() -> None:
    shown = layout().chunk(MODULE, "the {id} text\n", id="a#2", headings=("Name", "Part"))
    assert shown == "[a#2] Name › Part (priority high)\nthe {id} text"
    assert layout().line(MODULE) == "[a#0] tool Name: does it"


def test_a_folder_may_have_templates_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "module.txt").write_text("version: 7\n---\n<{id}> {text}\n", "utf-8")
    own = layout(str(tmp_path))
    assert (own.module.version, own.chunk(MODULE, "x", id="a")) == (7, "<a> x")
    assert own.catalogue == layout().catalogue


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("{id} {text}", 1, "begins with `version: 1`"),
        ("version: 1\n---\n{id} {text}\n{colour}", 4, "no slot {colour}"),
        ("version: 1\n---\n{id}", 3, "lacks {text}"),
        ("", 1, "begins with"),
    ],
)
def test_a_broken_template_is_told_by_line(text: str, line: int, told: str) -> None:
    with pytest.raises(ModuleProblem, match=told) as caught:
        checked_template("module", text, "module.txt")
    assert caught.value.line == line


def test_the_most_particular_template_is_taken(tmp_path: Path) -> None:
    for folder in ("", "anthropic", "claude-opus", "openai"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "input.txt").write_text(f"version: 1\n---\n{folder or 'all'}: {{text}}\n", "utf-8")
    asked = {
        ("anthropic", "claude-opus-4-1"): "claude-opus: x",
        ("anthropic", "claude-sonnet-5"): "anthropic: x",
        ("openai-chat", "gpt-5"): "openai: x",
        ("gemini", "gemini-2.5-pro"): "all: x",
        ("text", ""): "all: x",
    }
    for (target, model), told in asked.items():
        assert layout(str(tmp_path), target=target, model=model).words("x", kind="user_query") == told


def test_a_layout_is_kept_and_found_again_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "profile.txt").write_text("version: 3\n---\n{kind}!\n{text}\n", "utf-8")
    own = layout(str(tmp_path))
    assert own.own == {"profile": "version: 3\n---\n{kind}!\n{text}"}
    assert kept_layout(own.own) == own
    assert kept_layout({}) == layout()
    assert layout().own == {}


def test_a_template_without_the_words_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gemini").mkdir()
    (tmp_path / "gemini" / "input.txt").write_text("version: 1\n---\nplease\n", "utf-8")
    with pytest.raises(ModuleProblem, match=r"lacks \{text\}") as caught:
        layout(str(tmp_path), target="gemini")
    assert caught.value.line == 3
    assert layout(str(tmp_path), target="anthropic") == layout()
