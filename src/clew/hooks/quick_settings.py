"""The few settings that the status line needs. All settings are loaded only where somebody has changed one of these."""

from __future__ import annotations

import os

from clew.environment import config_folder, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.config import Config

#: The default of ``packing.response_reserve``.
_RESERVE = 0.1


def reserve() -> float:
    """Returns the share of a window that is kept for the answer."""
    changed = _changed("CLEW_PACKING__RESPONSE_RESERVE", b"response_reserve")
    return changed.packing.response_reserve if changed else _RESERVE


def shows_tokens() -> bool:
    """Returns whether numbers of tokens are shown."""
    changed = _changed("CLEW_DISPLAY__TOKENS", b"display")
    return changed.display.tokens if changed else True


def _changed(name: str, word: bytes) -> Config | None:
    own = os.path.join(config_folder(), "config.toml")  # noqa: PTH118
    if not variable(name) and not any(holds(path, word) for path in (own, "clew.toml", "pyproject.toml")):
        return None
    from clew import config

    return config.load()


def holds(path: str, word: bytes) -> bool:
    """Returns True for a file that can be read and holds a word."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return word in file.read()
    except OSError:
        return False
