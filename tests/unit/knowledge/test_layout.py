from __future__ import annotations

from pathlib import Path

import pytest

from clew.domain.modules import Module, ModuleKind, Priority
from clew.knowledge.layout import checked_template, layout
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
