"""The public names are exactly these; adding one is a decision, taking one away needs a migration note."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import clew


def test_the_public_names_are_exactly_these() -> None:
    assert sorted(clew.__all__) == [
        "Budget",
        "BudgetExceeded",
        "ClewError",
        "Compaction",
        "Config",
        "Engine",
        "Health",
        "Message",
        "Module",
        "Pack",
        "Part",
        "Session",
        "Trio",
        "assistant",
        "compact",
        "open",
        "open_async",
        "user",
        "wrap",
    ]
    assert len(clew.__all__) <= 20


def test_type_checkers_know_every_public_name() -> None:
    tree = ast.parse(Path(clew.__file__).read_text("utf-8"))
    imported = {alias.asname for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(clew.__all__) <= imported


def test_every_public_name_can_be_loaded() -> None:
    assert all(getattr(clew, name) is not None for name in clew.__all__)


def test_importing_clew_loads_nothing_heavy() -> None:
    code = "import sys, clew; print([m for m in ('apsw','orjson','rich','typer','tiktoken','re2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_parts_of_messages_are_found_without_another_import() -> None:
    code = "import clew; print(clew.user('q', clew.parts.Media(media_type='image/png', url='https://x')).parts[1].url)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "https://x"
