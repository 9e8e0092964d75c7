"""The few settings that hooks and the status line need. All settings are loaded only where somebody has changed one of
these.
"""

from __future__ import annotations

import os

from clew.environment import config_folder, data_folder, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.config import Config

#: The defaults of ``packing.response_reserve`` and ``hooks.listener_minutes``.
_RESERVE, _MINUTES = 0.1, 10.0


def reserve() -> float:
    """Returns the share of a window that is kept for the answer."""
    changed = _changed_settings("CLEW_PACKING__RESPONSE_RESERVE", b"response_reserve")
    return changed.packing.response_reserve if changed else _RESERVE


def shows_tokens() -> bool:
    """Returns whether numbers of tokens are shown."""
    changed = _changed_settings("CLEW_DISPLAY__TOKENS", b"display")
    return changed.display.tokens if changed else True


def listener_minutes() -> float:
    """Returns how long a listener that hooks have started stays without work; 0 where none is to be started."""
    changed = _changed_settings("CLEW_HOOKS__LISTENER_MINUTES", b"listener_minutes")
    return changed.hooks.listener_minutes if changed else _MINUTES


def store_place(store: str) -> str:
    """Returns where the store is that is named, or the one of the settings: a whole path, or the URL of another kind of
    store.
    """
    if not store and any(b"store" in settings_in(path) for path in settings_files()):
        from clew import config

        store = config.store_url(config.load())
    if not store:
        return os.path.join(data_folder(), "clew.db")  # noqa: PTH118
    if store.startswith("sqlite:///"):
        from urllib.parse import unquote

        store = unquote(store.removeprefix("sqlite:///"))
    is_path = store != ":memory:" and "://" not in store
    return os.path.abspath(os.path.expanduser(store)) if is_path else store  # noqa: PTH100, PTH111


def settings_in(path: str) -> bytes:
    """Returns what a file has of settings, and perhaps more; nothing for one that has none, or cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read()
    except OSError:
        return b""
    return content if not path.endswith("pyproject.toml") or b"tool.clew" in content else b""


def _changed_settings(name: str, word: bytes) -> Config | None:
    if not variable(name) and not any(word in settings_in(path) for path in settings_files()):
        return None
    from clew import config

    return config.load()


def settings_files() -> tuple[str, str, str]:
    """Returns where settings may be: the user's own, and those of the working folder."""
    return os.path.join(config_folder(), "config.toml"), "clew.toml", "pyproject.toml"  # noqa: PTH118
