"""The layout holds: imports point from higher ranks to lower ones only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew

ROOT = Path(clew.__file__).parent

#: Rank of each package; the helpers of rank 3 have an order of their own, written as tenths.
RANKS = {
    "_version": 0.0,
    "errors": 0.0,
    "config": 0.1,
    "domain": 1.0,
    "ports": 2.0,
    "text": 3.0,
    "tokens": 3.1,
    "codecs": 3.2,
    "rules": 3.3,
    "history": 3.4,
    "compaction": 4.0,
    "curation": 4.0,
    "digests": 4.0,
    "models": 4.0,
    "packing": 4.0,
    "replies": 4.0,
    "retrieval": 4.0,
    "signals": 4.0,
    "storage": 4.0,
    "summaries": 4.0,
    "telemetry": 4.0,
    "samples": 4.0,
    "engine": 5.0,
    "app": 6.0,
    "cli": 7.0,
}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("clew"):
            if node.module == "clew":
                yield from (alias.name for alias in node.names)
            else:
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("clew."))


def package(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_to_lower_ranks_only(path: Path) -> None:
    own = package(path)
    wrong = {other for other in imported(path) if other not in {own, "__version__"} and RANKS[other] >= RANKS[own]}
    assert not wrong, f"{own} imports {wrong}"


def test_every_package_has_a_rank() -> None:
    assert {package(path) for path in modules()} <= RANKS.keys()


def test_every_package_says_what_it_is() -> None:
    for path in ROOT.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path
