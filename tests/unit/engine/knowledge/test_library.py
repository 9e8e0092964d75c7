from __future__ import annotations

import os
from pathlib import Path

import pytest

import clew
from clew.config import Config, StorageConfig
from clew.domain.modules import Module, Priority
from clew.engine.engine import Engine
from clew.errors import NotFound, UsageError
from clew.knowledge.problems import InvalidModules

KEY = "ghp_" + "a1B2c3" * 6
DEPLOY = """---
id: deploy
name: Deploying
category: ops
tags: [release]
version: 1.0
dependencies: [base]
---
# Release
Run the release script from main.

# Rollback
Run the rollback script. The database is never rolled back.
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "deploy.md").write_text(DEPLOY, "utf-8")
    (folder / "base.md").write_text("# Base\n\nThree machines in Oslo.\n", "utf-8")
    return folder


def test_a_folder_is_added_once_and_shown_as_it_is(engine: Engine, docs: Path) -> None:
    assert engine.knowledge.add(docs).added == ("base", "deploy")
    assert engine.knowledge.add(str(docs)).unchanged == ("base", "deploy")
    shown = engine.knowledge.show("deploy")
    assert (shown.name, shown.version, shown.content) == ("Deploying", "1.0", DEPLOY.split("---\n")[2])
    assert shown.token_count > 10
    assert [one.id for one in engine.knowledge.list(filters={"category": "ops"})] == ["deploy"]


def test_search_names_the_chunk_its_module_and_its_lines(engine: Engine, docs: Path) -> None:
    engine.knowledge.add(docs)
    best = engine.knowledge.search("rollback of the database")[0]
    assert (best.module, best.kind) == ("deploy", "module")
    assert best.source == f"{docs / 'deploy.md'}:12-13"
    assert engine.knowledge.show(best.id).content == best.text
    assert engine.knowledge.search("rollback", filters={"category": "law"}) == []


def test_a_changed_file_becomes_a_new_version_and_the_old_one_stays(engine: Engine, docs: Path) -> None:
    engine.knowledge.add(docs)
    (docs / "deploy.md").write_text(DEPLOY.replace("1.0", "2.0").replace("rollback script", "undo script"), "utf-8")
    assert engine.knowledge.add(docs).updated == ("deploy",)
    assert [(one.revision, one.version) for one in engine.knowledge.versions("deploy")] == [(1, "1.0"), (2, "2.0")]
    assert "undo script" in engine.knowledge.show("deploy").content
    assert "rollback script" in engine.knowledge.show("deploy", version="1.0").content
    assert "undo script" in engine.knowledge.search("undo")[0].text
    with pytest.raises(NotFound, match="no version 3"):
        engine.knowledge.show("deploy", version="3")


def test_refresh_adds_what_changed_and_removes_what_is_gone_on_request(engine: Engine, docs: Path) -> None:
    engine.knowledge.add(docs)
    assert engine.knowledge.refresh() == engine.knowledge.refresh()
    (docs / "new.md").write_text("# New\n\nSomething new.\n", "utf-8")
    (docs / "base.md").write_text("# Base\n\nFour machines.\n", "utf-8")
    os.utime(docs / "base.md", (1, 1))
    done = engine.knowledge.refresh()
    assert (done.added, done.updated) == (("new",), ("base",))
    (docs / "new.md").unlink()
    assert engine.knowledge.refresh().missing == ("new",)
    assert engine.knowledge.refresh(prune=True).removed == ("new",)
    assert [one.id for one in engine.knowledge.list()] == ["base", "deploy"]


def test_sources_that_overlap_name_a_file_once(engine: Engine, docs: Path) -> None:
    assert engine.knowledge.add(docs, docs / "*.md").added == ("base", "deploy")
    (docs / "base.md").write_text("# Base\n\nFour machines, then.\n", "utf-8")
    assert engine.knowledge.refresh().updated == ("base",)


def test_nothing_is_added_when_one_file_is_wrong(engine: Engine, docs: Path) -> None:
    (docs / "bad.md").write_text("---\nid: bad\ndependencies: [nowhere]\n---\ntext\n", "utf-8")
    with pytest.raises(InvalidModules, match=r"bad.md:3: it depends on 'nowhere'"):
        engine.knowledge.add(docs)
    assert list(engine.knowledge.list()) == []
    assert list(engine.knowledge.search("machines")) == []


def test_modules_of_a_caller_are_added_and_checked(engine: Engine) -> None:
    module = Module(id="rules", name="Rules", content="Never on Fridays.", priority=Priority.HIGH)
    assert engine.knowledge.add(module).added == ("rules",)
    assert engine.knowledge.search("fridays")[0].source == ""
    with pytest.raises(InvalidModules, match="an id has letters"):
        engine.knowledge.add(Module(id="a b", name="A", content="x"))


def test_a_module_is_removed_with_its_versions_unless_another_builds_on_it(engine: Engine, docs: Path) -> None:
    engine.knowledge.add(docs)
    with pytest.raises(UsageError, match="deploy depends on base"):
        engine.knowledge.remove("base")
    engine.knowledge.remove("base", "deploy")
    assert list(engine.knowledge.search("rollback machines")) == []
    with pytest.raises(NotFound):
        engine.knowledge.show("deploy")
    with pytest.raises(NotFound):
        engine.knowledge.remove("deploy")


def test_a_lost_index_is_made_anew(engine: Engine, docs: Path) -> None:
    engine.knowledge.add(docs)
    before = engine.knowledge.search("rollback machines")
    engine.documents("knowledge").clear()
    assert list(engine.knowledge.search("rollback machines")) == []
    engine.knowledge.reindex()
    assert engine.knowledge.search("rollback machines") == before


def test_related_modules_are_kept_as_a_graph(engine: Engine, docs: Path) -> None:
    engine.knowledge.add(docs)
    assert list(engine.knowledge.related("base")) == ["deploy"]


@pytest.mark.parametrize("query", ["", "the of and", '"', "NEAR(a b)", "-x* OR", "w " * 60_000])
def test_any_query_is_answered(engine: Engine, docs: Path, query: str) -> None:
    engine.knowledge.add(docs)
    assert isinstance(list(engine.knowledge.search(query)), list)


def test_secrets_are_masked_where_the_store_does_that(tmp_path: Path) -> None:
    config = Config(storage=StorageConfig(mask_secrets=True))
    with clew.open(tmp_path / "m.db", config=config) as engine:
        engine.knowledge.add(Module(id="a", name="A", content=f"The key is {KEY} for the shop."))
        assert KEY not in engine.knowledge.show("a").content
        assert KEY not in engine.knowledge.search("key of the shop")[0].text


def test_an_unknown_filter_is_told(engine: Engine) -> None:
    with pytest.raises(UsageError, match="cannot be filtered by 'colour'"):
        engine.knowledge.search("x", filters={"colour": "red"})


def test_modules_are_there_for_whoever_opens_the_store_next(tmp_path: Path, docs: Path) -> None:
    with clew.open(tmp_path / "k.db") as first:
        first.knowledge.add(docs)
    with clew.open(tmp_path / "k.db") as second:
        assert second.knowledge.search("rollback")[0].module == "deploy"
        assert list(second.sessions()) == []
