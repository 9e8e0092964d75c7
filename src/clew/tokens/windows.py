"""How much may be sent in a session, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass

from clew.domain.health import LimitSource
from clew.tokens.models import ModelInfo, asks_for_large_window, model_info

#: Windows that models come in, by family. Where a session shows only that its window is no smaller than something, the
#: next of these is assumed.
_WINDOWS = {"claude": (200_000, 1_000_000), "gpt": (128_000, 272_000, 400_000, 1_050_000)}
_OTHER_WINDOWS = (200_000, 400_000, 1_000_000, 2_000_000)
#: Clients that run models in a window of their own choice, which their files need not tell: the smallest they choose.
_CLIENT_WINDOWS = {"claude-code": 200_000, "codex": 272_000, "copilot": 128_000}
#: Clients that state the whole window; others state what of it they send.
_STATE_THE_WHOLE = frozenset({"claude-code"})


@dataclass(frozen=True, slots=True)
class Window:
    """A window in tokens, and who says so. ``leaves_room`` says that the room for the answer is left out already."""

    tokens: int
    source: LimitSource
    leaves_room: bool = False


def session_window(
    model: str, *, given: int = 0, client: str = "", stated: int = 0, compacted_at: int = 0, most_taken: int = 0
) -> Window:
    """Returns the window of a session: as the caller gave it, as the client states it, or as the model's name tells.

    Where ``client`` may have chosen among windows, the smallest is assumed that holds what was seen: the largest prompt
    that the provider has taken, and where the client compacted by itself, which it does near the end of its window.
    """
    if given:
        return Window(given, LimitSource.GIVEN)
    if stated:
        return Window(stated, LimitSource.CLIENT, leaves_room=client not in _STATE_THE_WHOLE)
    info, is_large = model_info(model), asks_for_large_window(model)
    window = info.window if is_large else _usual_window(info, client)
    if compacted_at and not is_large:
        window = min(window, _next_window(info, compacted_at))
    if (seen := max(most_taken, compacted_at)) > window:
        window = _next_window(info, seen)
    is_sure = info.is_known and window == info.window
    return Window(window, LimitSource.MODEL if is_sure else LimitSource.ASSUMED)


def _usual_window(info: ModelInfo, client: str) -> int:
    """The window that a client runs a model in unless it is asked for another; its own one for an unknown model."""
    own = _CLIENT_WINDOWS.get(client)
    return info.window if own is None else min(info.window, own) if info.is_known else own


def _next_window(info: ModelInfo, tokens: int) -> int:
    return next((window for window in _WINDOWS.get(info.family, _OTHER_WINDOWS) if window >= tokens), tokens)
