"""Every setting, its default and a line of documentation, in one frozen tree.

This is the only place that reads the environment and TOML files. Later beats earlier: defaults, the
user's config.toml, ``[tool.clew]`` in ./pyproject.toml, ./clew.toml, ``CLEW_*`` (``__`` for nesting),
and what the caller gives.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_type_hints

from clew.errors import UsageError


def knob(default: Any, doc: str) -> Any:
    """A setting with its line of documentation; the reference in docs/ is made from these."""
    return field(default=default, metadata={"doc": doc})


Durability = Literal["full", "normal"]


@dataclass(frozen=True, slots=True)
class StorageConfig:
    durability: Durability = knob(
        "full", "`full` survives a power cut; `normal` may lose the last moments of one, and is faster."
    )
    busy_timeout_seconds: float = knob(15.0, "How long to wait for another process that is writing.")
    mask_secrets: bool = knob(False, "Mask API keys, tokens and private keys before they reach the disk.")


@dataclass(frozen=True, slots=True)
class SegmentConfig:
    max_tokens: int = knob(6_000, "A longer exchange is cut at step borders into segments of about this size.")


@dataclass(frozen=True, slots=True)
class DigestConfig:
    header_tokens: int = knob(12, "The line of a segment's header costs at most so many tokens.")
    summary_tokens: int = knob(120, "A segment's summary costs at most so many tokens.")
    story_tokens: int = knob(300, "The story of the session costs at most so many tokens.")
    max_headers: int = knob(200, "More headers than this roll up into eras, the oldest first.")


@dataclass(frozen=True, slots=True)
class CurationConfig:
    """Limits are characters of what is shown, by kind of output; about four make a token."""

    enabled: bool = knob(True, "Shorten big tool outputs when they are recorded; the whole stays readable by its id.")
    min_chars: int = knob(1_500, "Outputs shorter than this are left alone.")
    min_saving: float = knob(0.2, "A shortened output that saves less than this share is not used.")
    epoch_share: float = knob(0.4, "When a new epoch begins, limits shrink to this share.")
    max_chars: int = knob(2_000_000, "Of a longer output only the beginning and the end are looked at.")
    file_chars: int = knob(8_000, "A file that was read, as its outline; it stays whole until an epoch ends.")
    edit_chars: int = knob(1_200, "The echo of an edit.")
    search_chars: int = knob(6_000, "Matches of a search.")
    listing_chars: int = knob(4_000, "Names of files.")
    tests_chars: int = knob(6_000, "A test run.")
    build_chars: int = knob(6_000, "Compilers, type checkers and linters.")
    diff_chars: int = knob(8_000, "A diff.")
    json_chars: int = knob(6_000, "JSON, whole or line by line.")
    log_chars: int = knob(4_000, "Log lines.")
    page_chars: int = knob(6_000, "A web page.")
    prose_chars: int = knob(12_000, "Text of sentences, such as the report of a subagent.")
    command_chars: int = knob(6_000, "Any other command.")
    other_chars: int = knob(6_000, "Anything else.")


@dataclass(frozen=True, slots=True)
class PackingConfig:
    response_reserve: float = knob(0.1, "The share of the window that is kept free for the answer.")
    epoch_fill: float = knob(0.5, "A new epoch fills at most this share of the budget, and grows from there.")
    retrieval_quota: int = knob(2_000, "Tokens of older parts that one turn may bring in; 0 for none.")
    system_share: float = knob(0.15, "The share of a budget for system prompt and tools.")
    knowledge_share: float = knob(0.45, "The share for what is fetched for a turn: older segments, knowledge.")
    conversation_share: float = knob(0.3, "The share for the conversation; it also has what others do not use.")
    query_share: float = knob(0.1, "The share for the input.")
    high_system_share: float = knob(0.1, "As `system_share`, when the query is complex.")
    high_knowledge_share: float = knob(0.6, "As `knowledge_share`, when the query is complex.")
    high_conversation_share: float = knob(0.2, "As `conversation_share`, when the query is complex.")
    high_query_share: float = knob(0.1, "As `query_share`, when the query is complex.")


@dataclass(frozen=True, slots=True)
class Config:
    store: str = knob("", "Where sessions are kept: a path, `:memory:`; empty for a file in the user data folder.")
    tenant: str = knob("default", "The tenant whose sessions are read and written.")
    user: str = knob("default", "The user whose sessions are read and written.")
    storage: StorageConfig = field(default_factory=StorageConfig)
    segments: SegmentConfig = field(default_factory=SegmentConfig)
    curation: CurationConfig = field(default_factory=CurationConfig)
    packing: PackingConfig = field(default_factory=PackingConfig)
    digests: DigestConfig = field(default_factory=DigestConfig)


def load(*, cwd: Path | None = None, env: Mapping[str, str] | None = None, **given: Any) -> Config:
    """The settings in force; ``given`` beats all. Bad names and values are UsageErrors that say where."""
    here, env = cwd or Path.cwd(), os.environ if env is None else env
    config = Config()
    for path, table in _files(here, env):
        config = _merged(config, table, where=str(path))
    config = _merged(config, _environment(config, env), where="the environment")
    called = {name: value for name, value in given.items() if value is not None}
    config = cast(Config, _merged(config, called, where="the call"))
    _ensure_packing(config.packing)
    return config


def ensure_shares(shares: Mapping[str, float], where: str) -> None:
    """Each share from 0 to 1, and all of them 1 together; else a UsageError that names them."""
    told = ", ".join(f"{name} {value:g}" for name, value in shares.items())
    if not all(0 <= value <= 1 for value in shares.values()):
        raise UsageError(f"each share in {where} must be from 0 to 1: {told}")
    if abs(sum(shares.values()) - 1) > _SHARES_OFF:
        raise UsageError(f"the shares in {where} must add up to 1, not {sum(shares.values()):g}: {told}")


#: Decimal shares do not add up to 1 exactly.
_SHARES_OFF = 1e-6


def _ensure_packing(packing: PackingConfig) -> None:
    """Checked when all sources are in: one may set a share, and another the one that makes room for it."""
    for prefix in ("", "high_"):
        names = [f"{prefix}{name}_share" for name in ("system", "knowledge", "conversation", "query")]
        ensure_shares({name: getattr(packing, name) for name in names}, "the packing settings")


def data_folder(env: Mapping[str, str] | None = None) -> Path:
    """Where the store lives by default: the platform's place for user data."""
    return _platform_folder("data", os.environ if env is None else env)


def store_url(config: Config) -> str:
    return config.store or str(data_folder() / "clew.db")


def names(node: Any = None, prefix: str = "CLEW_") -> list[str]:
    """The environment variables that are read, in lower case after the prefix."""
    node = Config() if node is None else node
    found: list[str] = []
    for one in fields(node):
        value = getattr(node, one.name)
        found += names(value, f"{prefix}{one.name}__") if is_dataclass(value) else [prefix + one.name]
    return found


def _platform_folder(kind: str, env: Mapping[str, str]) -> Path:
    if chosen := env.get(f"XDG_{kind.upper()}_HOME"):
        return Path(chosen) / "clew"
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("clew", appauthor=False)
    return Path(dirs.user_data_dir if kind == "data" else dirs.user_config_dir)


def _files(here: Path, env: Mapping[str, str]) -> list[tuple[Path, dict[str, Any]]]:
    user, project, own = _platform_folder("config", env) / "config.toml", here / "pyproject.toml", here / "clew.toml"
    found = [(user, _toml(user)), (project, _toml(project).get("tool", {}).get("clew", {})), (own, _toml(own))]
    return [(path, table) for path, table in found if table]


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
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


def _merged(node: Any, table: Mapping[str, Any], *, where: str, prefix: str = "") -> Any:
    known = {f.name for f in fields(node)}
    hints = get_type_hints(type(node))
    changes = {}
    for name, value in table.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"; did you mean {prefix}{near[0]}?" if near else ""
            raise UsageError(f"unknown setting {prefix}{name} in {where}{hint}")
        old = getattr(node, name)
        if is_dataclass(old):
            if not isinstance(value, Mapping):
                raise UsageError(f"setting {prefix}{name} in {where} must be a table")
            changes[name] = _merged(old, value, where=where, prefix=f"{prefix}{name}.")
        else:
            changes[name] = _converted(value, hints[name], f"{prefix}{name} in {where}")
    return replace(node, **changes)


_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def _converted(value: Any, kind: Any, what: str) -> Any:
    if choices := get_args(kind):
        if value not in choices:
            raise UsageError(f"setting {what} must be {' or '.join(choices)}, not {value!r}")
        return value
    try:
        if kind is bool:
            return value if isinstance(value, bool) else _BOOLEANS[str(value).lower()]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError
        if kind is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
        return kind(value)
    except (ValueError, KeyError):
        raise UsageError(f"setting {what} must be of type {kind.__name__}, not {value!r}") from None
