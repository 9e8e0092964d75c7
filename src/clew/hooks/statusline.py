"""The status line: how full the window is, drift, critical items, and whether the prompt cache is warm."""

from __future__ import annotations

import json
import os
import time

from clew.history.prompt_size import is_limited_by_packs, sendable_tokens, tokens_in_use
from clew.hooks.quick_settings import reserve, shows_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from clew.hooks.session_rows import StoredFigures

_CELLS = 10
#: Shares of the window from which on the bar is yellow, and red.
_WARNING, _CRITICAL = 0.7, 0.9
_COLORS = {"good": "", "warning": "\x1b[33m", "critical": "\x1b[31m"}
_DRIFT_WARNING = 0.3
#: How long a provider keeps a prompt unless it is asked for longer.
_CACHE_SECONDS = 300


def status_line(data: bytes, store: str) -> str:
    """Returns one line for what Claude Code says of a session; what it does not say is left out."""
    status = _read(data)
    figures = _stored_figures(status, store)
    parts = [_window(_object(status, "context_window"), figures), *_signals(figures), _cache(status)]
    return " · ".join(part for part in parts if part) + "\n"


def keep_stated_window(data: bytes, store: str) -> None:
    """Records the window that the client states with the session, for all others who ask, unless it is known. Of a
    session that is not stored, nothing is kept.
    """
    status = _read(data)
    size = _number(_object(status, "context_window").get("context_window_size"))
    figures = _stored_figures(status, store)
    if figures is None or not size or figures.usage.get("window") == int(size):
        return
    from clew.app import open
    from clew.domain import ContextReport

    with open(store or None) as engine:
        engine.find(status["session_id"]).channels.report(ContextReport(window=int(size)))


def _read(data: bytes) -> dict[str, Any]:
    status = json.loads(data)
    if not isinstance(status, dict):
        raise ValueError("standard input is no JSON object")
    return status


def _stored_figures(status: dict[str, Any], store: str) -> StoredFigures | None:
    """The session's figures as they are stored, if it is."""
    from clew.hooks.session_rows import session_figures

    session = status.get("session_id")
    if not isinstance(session, str) or not session:
        return None
    try:
        return session_figures(session, store)
    except Exception as error:  # the rest of the line is worth showing
        from clew.hooks.journal import log

        log("statusline", f"{type(error).__name__}: {error}")
        return None


def _object(status: dict[str, Any], key: str) -> dict[str, Any]:
    value = status.get(key)
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value == value else None  # type: ignore[arg-type]


def _window(window: dict[str, Any], figures: StoredFigures | None) -> str:
    size, whose = _size(window, figures)
    usage = figures.usage if figures and "ratio" in figures.usage else {}
    used, limit = (
        _tokens_used(window, usage, size),
        sendable_tokens(int(size), reserve()) if size > 1 else 1 - reserve(),
    )
    if usage and is_limited_by_packs(usage):
        limit, whose = usage["budget"], " (budget)"
    if used is None:
        return "clew"
    share = min(max(used / limit, 0.0), 1.0)
    full = round(share * _CELLS)
    level = "critical" if share >= _CRITICAL else "warning" if share >= _WARNING else "good"
    numbers = f" of {round(limit / 1000)}k{whose}" if limit > 1 and shows_tokens() else ""
    return f"clew {_color_text('▰' * full + '▱' * (_CELLS - full) + f' {share:.0%}', level)}{numbers}"


def _size(window: dict[str, Any], figures: StoredFigures | None) -> tuple[float, str]:
    """The window, and whose word that is where it is not the client's: of a session that is stored, as health has it;
    1 where nobody knows.
    """
    if figures and figures.window:
        return figures.window, " (given)"
    usage = figures.usage if figures and "ratio" in figures.usage else {}
    size = _number(window.get("context_window_size")) or usage.get("window") or 0
    if size or figures is None or not usage:
        return size or 1.0, ""
    from clew.tokens.windows import session_window  # here, as clients state their window with nearly every line

    seen = {"compacted_at": usage.get("compacted_at", 0), "most_taken": usage.get("most", 0)}
    return session_window(figures.model, client=figures.client, **seen).tokens, ""


def _tokens_used(window: dict[str, Any], usage: dict[str, Any], size: float) -> float | None:
    """The tokens of the last request and its reply, as the client tells them, or the share of the window that it gives;
    as the store has them, if it has seen that reply, or the client tells neither: it knows what came since, and of a
    compaction.
    """
    usage_now = _object(window, "current_usage")
    counts = {key: count for key in usage_now if (count := _number(usage_now[key])) is not None}
    asked = sum(count for key, count in counts.items() if key.endswith("input_tokens"))
    percent = _number(window.get("used_percentage"))
    if usage and (asked == usage["asked"] if usage_now else percent is None):
        return tokens_in_use(usage, usage["ratio"])
    if usage_now:
        return asked + counts.get("output_tokens", 0.0)
    return None if percent is None else percent / 100 * size


def _color_text(text: str, level: str) -> str:
    from clew.environment import variable

    color = "" if variable("NO_COLOR") else _COLORS[level]
    return f"{color}{text}\x1b[0m" if color else text


def _signals(figures: StoredFigures | None) -> list[str]:
    """Drift and critical items of a session that is stored."""
    if figures is None:
        return []
    drift = _color_text(f"drift {figures.drift:.2f}", "warning" if figures.drift >= _DRIFT_WARNING else "good")
    return [drift, f"{figures.critical_items} critical"]


def _cache(status: dict[str, Any]) -> str:
    """Warm while the provider still has the last prompt: as the client says, or by when the session was written."""
    until = _number(_object(status, "prompt_cache").get("expires_at"))
    if until is None:
        path = status.get("transcript_path")
        try:
            until = os.stat(path).st_mtime + _CACHE_SECONDS if isinstance(path, str) and path else None  # noqa: PTH116
        except (OSError, ValueError):
            return ""
    return "" if until is None else f"cache {'warm' if until > time.time() else 'cold'}"
