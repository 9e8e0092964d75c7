"""Where settings come from: files, the environment and the caller, merged into one tree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from math import inf
from pathlib import Path
from typing import Any, cast, get_type_hints

from clew.config.tree import COMMAND_MODELS, Config, PackingConfig
from clew.config.values import convert_value, ensure_shares, range_of
from clew.environment import config_folder, data_folder
from clew.errors import UsageError


def load(
    *, cwd: Path | None = None, env: Mapping[str, str] | None = None, is_command: bool = False, **given: Any
) -> Config:
    """Returns the settings in force; ``given`` beats all other sources. What a command asks of models has limits.

    Raises UsageError for an unknown name or a bad value, saying where it was found.
    """
    here, env = cwd or Path.cwd(), os.environ if env is None else env
    config = Config(models=COMMAND_MODELS) if is_command else Config()
    for path, table in _files(here, env):
        config = _merge_settings(config, table, where=str(path))
    config = _merge_settings(config, _environment(config, env), where="the environment")
    called = {name: value for name, value in given.items() if value is not None}
    return with_settings(config, called)


def with_settings(config: Config, given: Mapping[str, Any]) -> Config:
    """Returns settings with others in their place, by dotted name (``compaction.target_tokens``) or as tables.

    Raises UsageError for an unknown name, naming those that are near, and for a bad value.
    """
    changed = cast(Config, _merge_settings(config, _tables(given), where="the call"))
    _ensure_packing(changed.packing)
    _ensure_ranges(changed)
    return changed


def _tables(given: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted names as tables within tables."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise UsageError('settings must be a mapping by name, such as {"compaction.target_tokens": 20_000}')
    tables: dict[str, Any] = {}
    for name, value in given.items():
        *outer, last = name.split(".")
        table = tables
        for step in outer:
            table = table.setdefault(step, {})
        table[last] = {**table[last], **value} if last in table and isinstance(value, Mapping) else value
    return tables


def _ensure_packing(packing: PackingConfig) -> None:
    """Checked when all sources are in: one may set a share, and another the one that makes room for it."""
    for prefix in ("", "high_"):
        names = [f"{prefix}{name}_share" for name in ("system", "knowledge", "conversation", "query")]
        ensure_shares({name: getattr(packing, name) for name in names}, "the packing settings")


def _ensure_ranges(node: Any, prefix: str = "") -> None:
    for one in fields(node):
        value = getattr(node, one.name)
        if is_dataclass(value):
            _ensure_ranges(value, f"{one.name}.")
        elif (bounds := range_of(one.default)) and not (bounds[0] <= value <= bounds[1] and value < inf):
            words = "from 0 to 1" if bounds[1] < inf else "0 or more"
            raise UsageError(f"setting {prefix}{one.name} must be {words}, not {value:g}")


def store_url(config: Config) -> str:
    """Returns the store that the settings name, or the default one."""
    return config.store or str(data_folder() / "clew.db")


def names(node: Any = None, prefix: str = "CLEW_") -> list[str]:
    """Returns the names of the environment variables that are read, in lower case after the prefix."""
    node = Config() if node is None else node
    found: list[str] = []
    for one in fields(node):
        value = getattr(node, one.name)
        found += names(value, f"{prefix}{one.name}__") if is_dataclass(value) else [prefix + one.name]
    return found


def _files(here: Path, env: Mapping[str, str]) -> list[tuple[Path, dict[str, Any]]]:
    user, project, own = config_folder(env) / "config.toml", here / "pyproject.toml", here / "clew.toml"
    found = [(user, _toml(user)), (project, _toml(project).get("tool", {}).get("clew", {})), (own, _toml(own))]
    for path, table in found[1:]:
        _ensure_no_choice_of_servers(table, path, user)
    return [(path, table) for path, table in found if table]


def _ensure_no_choice_of_servers(table: Mapping[str, Any], path: Path, user: Path) -> None:
    """Whoever clones a repository would pay for the model it names, and send keys and conversations where it says."""
    for name in ("models", "gateway"):
        if name in table:
            raise UsageError(
                f"[{name}] in {path}: a project cannot choose which model is asked, where and at whose cost; "
                f"remove it there, and set it in {user}, as CLEW_{name.upper()}__… or in the call"
            )


def _toml(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    import tomllib  # here, as most folders have no settings of their own

    try:
        return tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}; mend or remove it") from None


def _environment(config: Config, env: Mapping[str, str]) -> dict[str, Any]:
    """CLEW_SEGMENTS__MAX_TOKENS=8000 and the like; other CLEW_* variables belong to somebody else."""
    table: dict[str, Any] = {}
    for name, value in sorted(env.items()):
        path = name.removeprefix("CLEW_").lower().split("__")
        if name.startswith("CLEW_") and _has(config, path):
            inner = table
            for step in path[:-1]:
                inner = inner.setdefault(step, {})
            inner[path[-1]] = value
    return table


def _has(node: Any, path: list[str]) -> bool:
    for step in path:
        if not is_dataclass(node) or step not in {f.name for f in fields(node)}:
            return False
        node = getattr(node, step)
    return not is_dataclass(node)


def _merge_settings(node: Any, table: Mapping[str, Any], *, where: str, prefix: str = "") -> Any:
    known = {f.name for f in fields(node)}
    hints = get_type_hints(type(node))
    changes = {}
    for name, value in table.items():
        if name not in known:
            from difflib import get_close_matches

            near = [f"{prefix}{one}" for one in get_close_matches(name, known, n=1)] or _places_of(name)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise UsageError(f"unknown setting {prefix}{name} in {where}{hint}")
        old = getattr(node, name)
        if is_dataclass(old):
            if not isinstance(value, Mapping):
                raise UsageError(f"setting {prefix}{name} in {where} must be a table")
            changes[name] = _merge_settings(old, value, where=where, prefix=f"{prefix}{name}.")
        else:
            changes[name] = convert_value(value, hints[name], f"{prefix}{name} in {where}")
    return replace(node, **changes)


def _places_of(name: str) -> list[str]:
    """Settings that have this name in some table, with the names of their tables."""
    tables = ((one.name, getattr(Config(), one.name)) for one in fields(Config))
    return [f"{table}.{name}" for table, node in tables if is_dataclass(node) and hasattr(node, name)]
