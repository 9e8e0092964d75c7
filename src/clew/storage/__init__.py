"""Where the ledger and all that is derived from it is kept: in memory, or in a SQLite file.

A store keeps bytes under keys and promises order, atomicity and durability, as ``clew.ports.Store`` says;
what the bytes mean is decided above it. ``doctor`` and ``salvage`` look after the file itself.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from clew.config import Durability
from clew.errors import UsageError
from clew.ports import Store

#: How long a writer waits for the others, unless told otherwise.
BUSY_TIMEOUT_SECONDS = 15.0


def open_store(
    url: str, *, durability: Durability = "full", busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS
) -> Store:
    """The store at ``:memory:``, ``sqlite:///path`` or a plain path; a file that is not there yet is made.
    NotFound if its folder is not there.

    With ``durability="normal"`` a power cut may take back the last transactions, but never half of one.
    """
    if url == ":memory:":
        from clew.storage.memory import MemoryStore

        return MemoryStore(busy_timeout_seconds=busy_timeout_seconds)
    from clew.storage.sqlite import SqliteStore

    return SqliteStore(store_path(url), durability=durability, busy_timeout_seconds=busy_timeout_seconds)


def store_path(url: str) -> Path:
    """The file that a store URL names; UsageError for stores that are no file."""
    scheme, found, rest = url.partition("://")
    if not found and url and url != ":memory:":
        return Path(url).expanduser()
    if scheme in {"postgresql", "postgres"}:
        raise UsageError(f"{scheme}:// stores are not available in this version yet; use a path or sqlite:///path")
    if scheme != "sqlite" or not rest.startswith("/") or rest == "/":
        raise UsageError(f"no store can be opened at {url!r}; use a path, sqlite:///path or :memory:")
    return Path(unquote(rest[1:])).expanduser()


__all__ = ["BUSY_TIMEOUT_SECONDS", "open_store", "store_path"]
