"""The stores that there are, by the scheme of their URLs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from clew.config import Durability
from clew.errors import UsageError
from clew.plugins import Registry
from clew.ports import Store

#: How long a writer waits for one other, unless told otherwise: what takes a second takes twenty on a loaded machine.
BUSY_TIMEOUT_SECONDS = 60.0


#: What opens a store by the scheme of its URL; it gets the URL, the durability and the seconds to wait for a lock.
STORES: Registry[Callable[..., Store]] = Registry(
    "clew.stores",
    kind="store",
    built_in={"memory": "clew.storage.memory:open_memory", "sqlite": "clew.storage.sqlite:SqliteStore"},
)


def open_store(
    url: str, *, durability: Durability = "full", busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS
) -> Store:
    """The store at ``:memory:``, ``sqlite:///path``, a plain path, or a URL whose scheme a package brings in; a file
    that is not there yet is made. NotFound if its folder is not there.

    With ``durability="normal"`` a power cut may take back the last transactions, but never half of one.
    """
    scheme = _scheme(url)
    if scheme == "sqlite" or scheme not in STORES:
        url, scheme = str(store_path(url)), "sqlite"
    return STORES.get(scheme)(url, durability=durability, busy_timeout_seconds=busy_timeout_seconds)


def is_file(url: str) -> bool:
    """True for a store that is a file: a path or ``sqlite:///path``; also for a URL that nothing can open."""
    scheme = _scheme(url)
    return scheme == "sqlite" or scheme not in STORES


def _scheme(url: str) -> str:
    """Of a plain path it is that of the store that keeps files."""
    if url == ":memory:":
        return "memory"
    scheme, found, _ = url.partition("://")
    return scheme if found else "sqlite"


def store_path(url: str) -> Path:
    """The file that a store URL names; UsageError for stores that are no file."""
    scheme, found, rest = url.partition("://")
    if not found and url and url != ":memory:":
        return Path(url).expanduser()
    if scheme in {"postgresql", "postgres"}:
        raise UsageError(f"{scheme}:// stores are not available in this version yet; use a path or sqlite:///path")
    if scheme != "sqlite" or not rest.startswith("/") or rest == "/":
        installed = "".join(f", {name}://…" for name in STORES.installed_names)
        raise UsageError(f"no store can be opened at {url!r}; use a path, sqlite:///path, :memory:{installed}")
    return Path(unquote(rest[1:])).expanduser()


__all__ = ["BUSY_TIMEOUT_SECONDS", "STORES", "is_file", "open_store", "store_path"]
