"""The status line: how full the window is, drift, critical items, and whether the prompt cache is warm."""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CELLS = 10
#: Shares of the window from which on the bar is yellow, and red.
_WARNING, _CRITICAL = 0.7, 0.9
_COLORS = {"good": "", "warning": "\x1b[33m", "critical": "\x1b[31m"}
_DRIFT_WARNING = 0.3
#: How long a provider keeps a prompt unless it is asked for longer.
_CACHE_SECONDS = 300


def status_line(data: bytes, store: str) -> str:
    """Returns one line for what Claude Code says of a session; what it does not say is left out."""
    found = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError("standard input is no JSON object")
    parts = [_window(_object(found, "context_window")), *_signals(found, store), _cache(found)]
    return " · ".join(part for part in parts if part) + "\n"


def _object(found: dict[str, Any], key: str) -> dict[str, Any]:
    value = found.get(key)
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value == value else None  # type: ignore[arg-type]


def _window(window: dict[str, Any]) -> str:
    share = _share(window)
    if share is None:
        return "clew"
    share = min(max(share, 0.0), 1.0)
    full = round(share * _CELLS)
    level = "critical" if share >= _CRITICAL else "warning" if share >= _WARNING else "good"
    return f"clew {_colored('▰' * full + '▱' * (_CELLS - full) + f' {share:.0%}', level)}"


def _share(window: dict[str, Any]) -> float | None:
    """The tokens of the last request, of the window; else the share that the client gives, which is rounded."""
    size, usage = _number(window.get("context_window_size")), _object(window, "current_usage")
    counts = [_number(usage.get(key)) for key in usage if key.endswith("input_tokens")]
    if size and usage:
        return sum(count for count in counts if count is not None) / size
    percent = _number(window.get("used_percentage"))
    return percent / 100 if percent is not None else None


def _colored(text: str, level: str) -> str:
    from clew.environment import variable

    color = "" if variable("NO_COLOR") else _COLORS[level]
    return f"{color}{text}\x1b[0m" if color else text


def _signals(found: dict[str, Any], store: str) -> list[str]:
    """Drift and critical items of a session that is stored."""
    from clew.hooks.session_rows import session_signals

    session = found.get("session_id")
    if not isinstance(session, str) or not session:
        return []
    try:
        known = session_signals(session, store)
    except Exception as error:  # the rest of the line is worth showing
        from clew.hooks.journal import log

        log("statusline", f"{type(error).__name__}: {error}")
        return []
    if known is None:
        return []
    drift = _colored(f"drift {known[1]:.2f}", "warning" if known[1] >= _DRIFT_WARNING else "good")
    return [drift, f"{known[0]} critical"]


def _cache(found: dict[str, Any]) -> str:
    """Warm while the provider still has the last prompt: as the client says, or by when the session was written."""
    until = _number(_object(found, "prompt_cache").get("expires_at"))
    if until is None:
        path = found.get("transcript_path")
        try:
            until = os.stat(path).st_mtime + _CACHE_SECONDS if isinstance(path, str) and path else None  # noqa: PTH116
        except (OSError, ValueError):
            return ""
    return "" if until is None else f"cache {'warm' if until > time.time() else 'cold'}"
