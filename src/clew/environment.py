"""The environment of this process: its variables, and the user's folders on this machine.

It stands apart from the settings, since what must answer within a tenth of a second cannot wait for their tree to load.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Loading ``typing`` takes longer than all that is done here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def variable(*names: str, env: Mapping[str, str] | None = None) -> str:
    """Returns the first of these environment variables that is not empty, else "".
    It is read anew each time, never stored.
    """
    env = os.environ if env is None else env
    return next((value for name in names if (value := env.get(name, "").strip())), "")


def data_folder(env: Mapping[str, str] | None = None) -> Path:
    """Returns the folder of the default store: the platform's place for user data."""
    return _platform_folder("data", os.environ if env is None else env)


def config_folder(env: Mapping[str, str] | None = None) -> Path:
    """Returns the folder of the user's settings: the platform's place for them."""
    return _platform_folder("config", os.environ if env is None else env)


def cache_folder(env: Mapping[str, str] | None = None) -> Path:
    """Returns the folder of what can be made anew: the platform's place for caches."""
    return _platform_folder("cache", os.environ if env is None else env)


def _platform_folder(kind: str, env: Mapping[str, str]) -> Path:
    if chosen := env.get(f"XDG_{kind.upper()}_HOME"):
        return Path(chosen) / "clew"
    if str(sys.platform) == "linux":  # what is said below, without loading a package for it
        return Path.home() / {"data": ".local/share", "config": ".config", "cache": ".cache"}[kind] / "clew"
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("clew", appauthor=False)
    return Path({"data": dirs.user_data_dir, "config": dirs.user_config_dir, "cache": dirs.user_cache_dir}[kind])
