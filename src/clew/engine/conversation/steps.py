"""The steps of a turn: words for the user, and calls that whoever drives the turn makes for it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outside:
    """A call of a model or a tool. It may take long and needs nothing of the engine, so that it can be made in any
    thread; ``is_async`` is one that gives a coroutine. The turn goes on with what it returns or raises.
    """

    call: Callable[[], Any]
    is_async: bool = False


#: What a turn is made of, and what it returns in the end.
Steps = Generator[str | Outside, Any, T]
