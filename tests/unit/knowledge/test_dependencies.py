from __future__ import annotations

import pytest

from clew.domain.modules import Module
from clew.knowledge.dependencies import dependents, ensure_registrable, related_modules, with_dependencies
from clew.knowledge.module_files import ModuleFile
from clew.knowledge.problems import InvalidModules


def file(id: str, *dependencies: str, source: str = "") -> ModuleFile:
    module = Module(id=id, name=id, content="x", dependencies=dependencies, source=source or f"{id}.md")
    return ModuleFile(module, {"id": 2, "dependencies": 5})


def modules(*files: ModuleFile) -> dict[str, Module]:
    return {one.module.id: one.module for one in files}


def problem(*new: ModuleFile, known: dict[str, Module] | None = None) -> str:
    with pytest.raises(InvalidModules) as caught:
        ensure_registrable(new, known or {})
    return str(caught.value)


def test_a_missing_dependency_is_told_with_its_line() -> None:
    assert problem(file("a", "b")).startswith("a.md:5: it depends on 'b', which is not registered")
    ensure_registrable([file("a", "b")], modules(file("b")))


def test_a_circle_is_refused() -> None:
    assert "a → b → c → a" in problem(file("a", "b"), file("b", "c"), file("c", "a"))
    assert "circle" in problem(file("b", "a"), known=modules(file("a", "b"), file("b")))
    assert "circle" in problem(file("a", "a"))


def test_two_modules_of_one_id_are_refused() -> None:
    assert "x.md:2: the id 'a' is also that of a.md" in problem(file("a"), file("a", source="x.md"))
    assert "taken by a module of old.md" in problem(file("a"), known=modules(file("a", source="old.md")))


def test_what_a_module_builds_on_comes_before_it() -> None:
    known = modules(file("a", "b", "c"), file("b", "d"), file("c", "d"), file("d"))
    assert with_dependencies(["a"], known) == ["d", "b", "c", "a"]
    assert with_dependencies(["c", "a", "gone"], known) == ["d", "c", "b", "a"]


def test_related_modules_are_neighbours_in_the_graph_and_those_that_share_a_tag() -> None:
    known = modules(file("a", "b"), file("b"), file("c", "a")) | {
        "d": Module(id="d", name="d", content="x", tags=("t",)),
        "e": Module(id="e", name="e", content="x", tags=("t",)),
    }
    assert dependents("a", known) == ["c"]
    assert related_modules("a", known) == ["b", "c"]
    assert related_modules("d", known) == ["e"]
