"""A model that says what it was told to, for tests and for demonstrations without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from clew.errors import ModelCancelled, ModelTimeout, ModelUnavailable
from clew.ports import Asked, Cancel, Said

#: An answer: a text, a whole one, or an error that is raised instead.
Line = str | Said | Exception


class Scripted:
    """Answers from a list, one after the other, or from a function of what is asked. ``asked`` has all questions.

    A list that has run out is ModelUnavailable. The function may cancel, as somebody else would while it works.
    """

    def __init__(self, lines: Iterable[Line] | Callable[[Asked], Line], *, name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Asked] = []
        self._answer = lines if callable(lines) else _from(iter(lines))

    def ask(self, asked: Asked, *, seconds: float, cancel: Cancel | None = None) -> Said:
        self._ensure_wanted(cancel)
        self.asked.append(asked)
        if seconds <= 0:
            raise ModelTimeout(f"{self.name} gave no answer within {seconds:g} seconds")
        line = self._answer(asked)
        self._ensure_wanted(cancel)
        if isinstance(line, Exception):
            raise line
        return Said(line) if isinstance(line, str) else line

    def _ensure_wanted(self, cancel: Cancel | None) -> None:
        if cancel and cancel.is_set:
            raise ModelCancelled(f"the question to {self.name} was cancelled")


def _from(lines: Iterable[Line]) -> Callable[[Asked], Line]:
    rest = iter(lines)
    return lambda _asked: next(rest, ModelUnavailable("the script has no more answers"))
