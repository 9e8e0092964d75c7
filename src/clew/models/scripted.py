"""A model that says what it was told to, for tests and for demonstrations without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from clew.cancellation import Cancel
from clew.errors import ModelCancelled, ModelTimeout, ModelUnavailable
from clew.ports import ModelReply, ModelRequest

#: An answer: a text, a whole one, or an error that is raised instead.
ScriptedAnswer = str | ModelReply | Exception


class Scripted:
    """Answers from a list, one after the other, or from a function of what is asked. ``requests`` has all questions.

    A list that has run out is ModelUnavailable. The function may cancel, as somebody else would while it works.
    """

    def __init__(
        self, answers: Iterable[ScriptedAnswer] | Callable[[ModelRequest], ScriptedAnswer], *, name: str = "scripted"
    ) -> None:
        self.name = name
        self.requests: list[ModelRequest] = []
        self._answer = answers if callable(answers) else _from(iter(answers))

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        self._ensure_wanted(cancel)
        self.requests.append(request)
        if seconds <= 0:
            raise ModelTimeout(f"{self.name} gave no answer within {seconds:g} seconds")
        answer = self._answer(request)
        self._ensure_wanted(cancel)
        if isinstance(answer, Exception):
            raise answer
        return ModelReply(answer) if isinstance(answer, str) else answer

    def _ensure_wanted(self, cancel: Cancel | None) -> None:
        if cancel and cancel.is_set:
            raise ModelCancelled(f"the question to {self.name} was cancelled")


def _from(answers: Iterable[ScriptedAnswer]) -> Callable[[ModelRequest], ScriptedAnswer]:
    rest = iter(answers)
    return lambda _request: next(rest, ModelUnavailable("the script has no more answers"))
