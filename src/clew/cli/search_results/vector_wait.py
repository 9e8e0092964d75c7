"""How long a command waits for vectors: they are made in the background, which ends with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.cli.output import note

if TYPE_CHECKING:
    from clew.engine.engine import Engine

#: What is missing when patience ends is made by later commands.
_PATIENCE_SECONDS = 3.0


def wait_for_vectors(engine: Engine, *, tell: bool = False) -> bool:
    """Waits until vectors are made, but not for long; can tell that some are missing still. Returns whether there is an
    embedder to make them.
    """
    if not engine.has_embedder:
        return False
    if not engine.wait(_PATIENCE_SECONDS) and tell:
        note("clew: not all vectors are made yet, and the rest is found by words; `clew rebuild --missing` makes them")
    return True


@contextmanager
def noted_failures(engine: Engine, consequence: str) -> Iterator[None]:
    """Notes why the embedder failed while something was done, and what comes of it."""
    reasons: dict[str, None] = {}
    stop = engine.on("search.degraded", lambda event: reasons.setdefault(str(event.data["reason"])))
    try:
        yield
    finally:
        stop()
        for reason in reasons:
            note(f"clew: {consequence}: {reason}")
