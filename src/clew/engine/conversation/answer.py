"""The answer to a turn, and the stream of its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from clew.domain import Call, Usage
from clew.engine.conversation.steps import Outside, Steps
from clew.errors import UsageError
from clew.replies.values import Reply

#: Why a turn ended: the model was done, it calls tools that the caller has to run, or it used up its rounds.
AnswerEnd = Literal["answered", "calls", "rounds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A tool that was run in a turn, and how that ended: success, failed or timeout."""

    call: Call
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model answered in one turn.

    ``text`` is what it says to the user in its last reply. ``replies`` are all replies of the turn, each in its four
    outputs, ``tools`` the tools that were run between them, and ``usage`` the tokens of all, as far as the provider
    tells.
    """

    text: str
    replies: tuple[Reply, ...]
    tools: tuple[ToolResult, ...] = ()
    end: AnswerEnd = "answered"
    usage: Usage | None = None

    @property
    def calls(self) -> tuple[Call, ...]:
        """Calls that nobody has answered yet; none where the model was done."""
        return self.replies[-1].calls if self.end != "answered" else ()

    def __str__(self) -> str:
        return self.text


class AnswerStream(Iterator[str]):
    """The words of an answer as they come, for ``for``, once. ``answer`` is the whole, when they have ended.

    ``close`` and the end of a ``with`` block end the reply: what has come of it is recorded as interrupted.
    """

    def __init__(self, turn: Steps[Answer]) -> None:
        self._turn = turn
        self._answer: Answer | None = None

    def __next__(self) -> str:
        step = self.resume()
        while isinstance(step, Outside):
            try:
                reply = step.call()
            except BaseException as error:
                step = self.resume(error=error)
            else:
                step = self.resume(reply)
        if step is None:
            raise StopIteration
        return step

    def resume(self, found: Any = None, *, error: BaseException | None = None) -> str | Outside | None:
        """Goes on with what the last step gave, or raised, and returns the next step; None at the end."""
        try:
            return self._turn.send(found) if error is None else self._turn.throw(error)
        except StopIteration as end:
            self._answer = self._answer or end.value
            return None

    @property
    def answer(self) -> Answer:
        """The whole answer. Raises UsageError while it has not ended, and for one that broke off."""
        if self._answer is None:
            raise UsageError("there is no whole answer; read the stream to its end first")
        return self._answer

    def read(self) -> Answer:
        """Reads to the end and returns the whole answer."""
        for _ in self:
            pass
        return self.answer

    def close(self) -> None:
        """Stops reading, and records what has come."""
        self._turn.close()

    def __enter__(self) -> AnswerStream:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()
