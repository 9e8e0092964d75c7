"""The layout holds: imports point from higher ranks to lower ones only, and files are named after what they hold."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import clew

ROOT = Path(clew.__file__).parent

#: Rank of each package; the helpers of rank 3 have an order of their own, written as tenths.
RANKS = {
    "_version": 0.0,
    "cancellation": 0.0,
    "environment": 0.0,
    "errors": 0.0,
    "foreground": 0.0,
    "request_user": 0.0,
    "config": 0.1,
    "domain": 1.0,
    "parts": 1.5,
    "plugins": 1.5,
    "ports": 2.0,
    "text": 3.0,
    "tokens": 3.1,
    "codecs": 3.2,
    "rules": 3.3,
    "history": 3.4,
    "units": 3.5,
    "compaction": 4.0,
    "curation": 4.0,
    "digests": 4.0,
    "models": 4.0,
    "knowledge": 4.0,
    "packing": 4.0,
    "replies": 4.0,
    "retrieval": 4.0,
    "signals": 4.0,
    "storage": 4.0,
    "summaries": 4.0,
    "summary_patch": 4.0,
    "telemetry": 4.0,
    "samples": 4.0,
    "engine": 5.0,
    "app": 6.0,
    "async_engine": 6.5,
    "assistants": 6.6,
    "audit": 6.6,
    "adapters": 7.0,
    "hooks": 7.0,
    "mcp_server": 7.0,
    "gateway": 7.2,
    "dashboard": 7.2,
    "server": 7.5,
    "cli": 8.0,
}
#: The way of the data within the engine: each imports only those above it in this list.
ENGINE = (
    "background",
    "ledger",
    "services",
    "read",
    "epochs",
    "knowledge",
    "health",
    "session_core",
    "ingest",
    "prompt",
    "compactor",
    "shared_objects",
    "stream_factory",
    "session_factory",
    "session_listing",
    "store_searches",
    "derived_data",
    "gains",
    "channels",
    "readable_session",
    "watched_session",
    "conversation",
    "session",
    "session_branches",
    "session_handles",
    "importing_engine",
    "engine",
    "one_shot",
)
#: A folder with more files than this is split.
MOST_FILES = 26
#: Lines of a file; one that needs more has more than one duty.
MOST_LINES = 450
#: Words ending in -ing that name a thing.
NOUNS = {"packing", "parsing", "string"}
#: Words that say where something stands, not what it is.
PREPOSITIONS = {
    "above",
    "aside",
    "before",
    "behind",
    "below",
    "beside",
    "between",
    "beyond",
    "inside",
    "outside",
    "within",
}


def modules() -> dict[str, Path]:
    """Every file of the package, by its dotted name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = ("clew", *path.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Modules of ours that a file imports: at its top, inside functions, and for types alone."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


MODULES = modules()


@cache
def imports() -> dict[str, set[str]]:
    """The modules of ours that each imports."""
    return {
        name: {other for other in imported(path, MODULES) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }


def place(module: str, depth: int) -> str:
    """The part of a dotted name that says where it belongs: the package, or the sub-package."""
    parts = module.split(".")
    return parts[depth] if len(parts) > depth else ""


def test_imports_point_to_lower_ranks_only() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in imports().items()
        for other in others
        if place(module, 1) and place(other, 1) not in (place(module, 1), "")
        if RANKS[place(other, 1)] >= RANKS[place(module, 1)]
    ]
    assert sorted(wrong) == []


def test_the_engine_imports_downwards_only() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in imports().items()
        for other in others
        if module.startswith("clew.engine.") and other.startswith("clew.engine.")
        if place(other, 2) != place(module, 2) and ENGINE.index(place(other, 2)) >= ENGINE.index(place(module, 2))
    ]
    assert sorted(wrong) == []


def test_no_two_files_import_each_other_by_any_way() -> None:
    files = {name: {other for other in imports()[name] if MODULES[other].name != "__init__.py"} for name in MODULES}
    try:
        TopologicalSorter(files).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_every_package_has_a_rank() -> None:
    assert {place(name, 1) for name in MODULES} - {""} <= RANKS.keys()
    assert {place(name, 2) for name in MODULES if name.startswith("clew.engine.")} <= set(ENGINE)


def test_every_package_says_what_it_is() -> None:
    for path in ROOT.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_no_folder_is_overfull() -> None:
    counts = Counter(path.parent for path in MODULES.values())
    assert not {str(folder): count for folder, count in counts.items() if count > MOST_FILES}


def test_no_file_is_overlong() -> None:
    lines = {name: path.read_text().count("\n") for name, path in MODULES.items()}
    assert not {name: count for name, count in lines.items() if count > MOST_LINES}


def test_files_are_named_after_what_they_hold() -> None:
    stems = {path.stem for path in MODULES.values()}
    assert not {stem for stem in stems if stem.endswith("ing") and "_" not in stem and stem not in NOUNS}
    assert not stems & PREPOSITIONS


def test_ids_are_parsed_in_one_place() -> None:
    by_hand = re.compile(r"\bint\((?:message|item|one|clash|\w*source|id)(?:\.\w+)?\[1:\]|\(r\"[mxp]\(\?*\\?\[?[0d]")
    found = [name for name, path in MODULES.items() if by_hand.search(path.read_text())]
    assert [name for name in found if name != "clew.domain.ids"] == []
