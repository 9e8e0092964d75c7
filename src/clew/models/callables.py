"""A function of the caller's as a model: it is given instructions and material as one text, and returns an answer.

A model that says what it was told to, for tests and for demonstrations without a network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from queue import Empty, Queue
from threading import Thread

from clew.cancellation import Cancel
from clew.errors import ModelBadAnswer, ModelCancelled, ModelError, ModelTimeout, ModelUnavailable
from clew.ports import ModelReply, ModelRequest

#: An answer: a text, a whole one, or an error that is raised instead.
ScriptedAnswer = str | ModelReply | Exception
Summariser = Callable[[str], str]
_SUMMARY = "<summary>"
#: How often it is looked whether somebody has cancelled, in seconds.
_GLANCE_SECONDS = 0.05


class CallableModel:
    """A model that asks a function. What the function raises is a ModelError, so that work goes on without it."""

    def __init__(self, function: Summariser) -> None:
        self._function = function
        self.name = str(getattr(function, "__name__", type(function).__name__))

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        """Returns what the function returns. One that takes too long is left behind; it cannot be stopped."""
        answers: Queue[object] = Queue()
        asked = f"{request.system}\n\n{request.user}" if request.system else request.user
        Thread(target=lambda: answers.put(self._answer(asked)), name="clew-summariser", daemon=True).start()
        answer = self._wait(answers, seconds, cancel)
        if isinstance(answer, ModelError):
            raise answer
        if not isinstance(answer, str) or not answer.strip():
            raise ModelBadAnswer(f"{self.name} returned {type(answer).__name__}, not a text that says something")
        # A plain text is meant as the summary that was asked for.
        is_plain = _SUMMARY in asked and _SUMMARY not in answer
        return ModelReply(f"{_SUMMARY}\n{answer}\n</summary>" if is_plain else answer)

    def _answer(self, asked: str) -> object:
        try:
            return self._function(asked)
        except ModelError as error:
            return error
        except Exception as error:
            return ModelUnavailable(f"{self.name} failed: {type(error).__name__}: {error}")

    def _wait(self, answers: Queue[object], seconds: float, cancel: Cancel | None) -> object:
        left = seconds
        while left > 0:
            if cancel is not None and cancel.is_set:
                raise ModelCancelled(f"the question to {self.name} was cancelled")
            try:
                return answers.get(timeout=min(_GLANCE_SECONDS if cancel is not None else left, left))
            except Empty:
                left -= _GLANCE_SECONDS if cancel is not None else left
        raise ModelTimeout(f"{self.name} took longer than {seconds:g} s")


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
