"""How much may be sent in a session, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass

from clew.domain.health import LimitSource
from clew.tokens.models import model_info

#: Usual windows. Where a session shows only that its window is no smaller than something, the next of these is assumed.
_USUAL = (200_000, 400_000, 1_000_000, 2_000_000)
#: Clients that choose among the windows of a model, and record its name without what they chose.
_CHOOSING_CLIENTS = {"claude-code"}


@dataclass(frozen=True, slots=True)
class Window:
    """A window in tokens, and who says so."""

    tokens: int
    source: LimitSource

    def limit(self, reserve: float) -> int:
        """Returns what may be sent: the window less the share for the answer, which a client's own has left out."""
        return self.tokens if self.source is LimitSource.CLIENT else max(int(self.tokens * (1 - reserve)), 1)


def session_window(
    model: str, *, given: int = 0, client: str = "", stated: int = 0, compacted_at: int = 0, most_taken: int = 0
) -> Window:
    """Returns the window of a session: as the caller gave it, as the client states it, or as the model's name tells.

    A large window that ``client`` may not have asked for is assumed. A client that compacted by itself, at
    ``compacted_at`` tokens, did so near the end of its window, which is then assumed; so is a larger one where the
    provider has taken more than what is known would allow.
    """
    if given or stated:
        known = Window(given, LimitSource.GIVEN) if given else Window(stated, LimitSource.CLIENT)
    else:
        info = model_info(model)
        is_sure = info.is_known and (client not in _CHOOSING_CLIENTS or info.window <= _USUAL[0])
        known = Window(info.window, LimitSource.MODEL if is_sure else LimitSource.ASSUMED)
        if compacted_at and (seen := _next_usual(compacted_at)) < known.tokens:
            known = Window(seen, LimitSource.ASSUMED)
    if most_taken > known.tokens:
        return Window(_next_usual(most_taken), LimitSource.ASSUMED)
    return known


def _next_usual(tokens: int) -> int:
    return next((window for window in _USUAL if window >= tokens), tokens)
