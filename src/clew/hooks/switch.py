"""The one switch that silences every hook, the status line and the gateway: a file in the user's data folder."""

from __future__ import annotations

import os

from clew.environment import data_folder


def is_paused() -> bool:
    """Returns True from ``pause`` to ``resume``."""
    return os.path.exists(_path())  # noqa: PTH110


def pause() -> bool:
    """Turns everything off; returns False if it was off already."""
    folder = data_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        os.close(os.open(_path(), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def resume() -> bool:
    """Turns everything on again; returns False if it was on."""
    try:
        os.unlink(_path())  # noqa: PTH108
    except FileNotFoundError:
        return False
    return True


def _path() -> str:
    return os.path.join(data_folder(), "paused")  # noqa: PTH118
