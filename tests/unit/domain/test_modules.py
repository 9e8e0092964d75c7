from __future__ import annotations

from clew.domain.modules import Chunk, Module, Usage


def test_a_usage_scope_is_a_rule_or_words() -> None:
    def usage(scope: str) -> Usage | None:
        return Module(id="a", name="A", content="x", usage_scope=scope).usage

    assert [usage(scope) for scope in ("system", " Always", "on request", "when releasing", "")] == [
        Usage.SYSTEM,
        Usage.ALWAYS,
        Usage.ON_REQUEST,
        None,
        None,
    ]


def test_a_chunk_names_its_module() -> None:
    assert Chunk("docs/a#3", 0, 1).module == "docs/a"
