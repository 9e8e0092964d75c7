"""The conversation of the command chat: line by line, until the input ends."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.cli.chat.masked_text import MaskedText
from clew.cli.chat.slash_commands import run_command
from clew.cli.error_lines import error_line
from clew.cli.output import note, size
from clew.errors import ClewError
from clew.summaries.values import Rung
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.cli.chat.screen import Screen
    from clew.engine.conversation.answer import Answer
    from clew.engine.session import Session
    from clew.telemetry.events import Event

_BY_MODEL = {Rung.FULL, Rung.SIMPLE}
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurn:
    """A line and what answered it: a model, or what a command such as /pins says. ``error`` is what went wrong."""

    question: str
    answer: str = ""
    tokens: dict[str, int] | None = None
    tools: tuple[dict[str, str], ...] = ()
    error: str | None = None


class Conversation:
    """Reads lines and answers each; ``turns`` has those so far."""

    def __init__(self, session: Session, model: str, screen: Screen, *, summariser: str = "") -> None:
        self._session, self._model, self._screen, self._summariser = session, model or None, screen, summariser
        self.turns: list[ChatTurn] = []

    def run(self) -> int:
        """Answers until the input ends; returns the exit code: that of the last error, and 0 at a terminal."""
        code = 0
        if self._screen.is_terminal:
            note(self._greeting())
        while True:
            try:
                line = self._screen.read(self._session.health)
                if line is None or not self._answer(line.strip()):
                    return 0 if self._screen.is_terminal else code
            except ClewError as error:
                code = error.exit_code
                self._tell(error_line(error))
            except KeyboardInterrupt:
                if not self._screen.is_terminal:
                    return _INTERRUPTED
                note("ctrl-d or /quit ends the chat")

    @property
    def has_failed(self) -> bool:
        """Whether questions were asked, and none was answered by as much as a word."""
        asked = [turn for turn in self.turns if not turn.question.startswith("/")]
        return bool(asked) and all(turn.error and not turn.answer for turn in asked)

    def _greeting(self) -> str:
        """Who talks here, and where it is kept."""
        info = self._session.info
        model = self._model or info.model or "no model yet (name one with --model)"
        so_far = f", {pluralise(info.messages, 'message')} so far" if info.messages else ""
        by = f" · summaries by {self._summariser}" if self._summariser else ""
        return f"session {info.key.id}{so_far} · {model}{by} · /help lists commands, ctrl-d ends"

    def tell_compaction(self, event: Event) -> None:
        """Says at a terminal, in a line, that Clew has compacted by itself, and who wrote what stands for the rest."""
        if not self._screen.is_terminal or "compaction" in event.data:  # one that was asked for is reported
            return
        by = f"summarised by {self._summariser}" if event.data["rung"] in _BY_MODEL else "told from the records"
        sizes = f"{size(event.data['before'])} → {size(event.data['after'])} tokens"
        note(f"older messages are {by} ({sizes}); /recall reads any of them, /undo takes it back")

    def _tell(self, error: str) -> None:
        """Says on stderr what went wrong with the last line."""
        note(f"clew: {error}")
        self.turns[-1] = replace(self.turns[-1], error=error)

    def _answer(self, line: str) -> bool:
        """Answers a line, and returns whether the chat goes on."""
        if not line:
            return True
        self.turns.append(ChatTurn(question=line))
        if line.startswith("/"):
            return self._run_command(line)
        self._reply(line)
        return True

    def _run_command(self, line: str) -> bool:
        if not self._screen.is_silent:
            return run_command(self._session, line)
        with redirect_stdout(io.StringIO()) as printed:
            goes_on = run_command(self._session, line)
        self.turns[-1] = ChatTurn(question=line, answer=printed.getvalue().rstrip("\n"))
        return goes_on

    def _reply(self, line: str) -> None:
        """Shows the reply as it comes; at a terminal, an interrupt ends the reply and nothing else."""
        text, answer = MaskedText(), ""
        try:
            with self._session.ask_stream(line, model=self._model) as stream:
                for piece in stream:
                    answer += piece
                    self._screen.write(text.feed(piece))
            self.turns[-1] = _turn(line, stream.answer)
        except BaseException as error:
            self.turns[-1] = ChatTurn(question=line, answer=answer)
            self._screen.end(text.close())
            if not isinstance(error, KeyboardInterrupt) or not self._screen.is_terminal:
                raise
            note("the reply was interrupted; what came of it is recorded")
        else:
            self._screen.end(text.close())


def _turn(question: str, answer: Answer) -> ChatTurn:
    used = answer.usage
    tokens = {"input": used.input_tokens, "output": used.output_tokens} if used else None
    tools = tuple({"name": done.call.name, "status": done.status} for done in answer.tools)
    return ChatTurn(question=question, answer=answer.text, tokens=tokens, tools=tools)
