"""The prompts of one session: a stream for each target and budget."""

from __future__ import annotations

from collections.abc import Callable

from clew.cancellation import Cancel
from clew.domain import CompactionRequest, Message, Strategy
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.turn import Turn
from clew.engine.ingest.record_listeners import RecordListeners
from clew.engine.prompt.model_summaries import Summariser
from clew.engine.prompt.prepared_epoch import PreparedEpoch
from clew.engine.prompt.stream import PromptStream
from clew.engine.prompt.system_prompt import SystemPrompt
from clew.engine.session_core import SessionCore
from clew.packing.allocation import Budget
from clew.tokens.models import api_of, is_known_maker, model_info

#: The model whose tokenizer is used where the session's own is not one of the provider's.
_USUAL_MODELS = {
    "anthropic": "claude-sonnet-4-5",
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "gemini": "gemini-2.5-pro",
}
#: Streams that are kept though nothing was sent by them: whoever tries budgets tries many.
_MOST_LOOKS = 4
_FAMILIES = {"anthropic": {"claude"}, "openai-responses": {"gpt", "gpt-4"}, "gemini": {"gemini"}}


class Prompts:
    """Has the streams of a session made, and keeps them while its handle lives. ``full_view`` is all that they may
    send, ``system`` the system prompt that their epochs begin with.
    """

    def __init__(
        self,
        core: SessionCore,
        *,
        system: SystemPrompt,
        full_view: PromptView,
        listeners: RecordListeners,
        new_stream: Callable[[str, int, str], PromptStream],
    ) -> None:
        self._core, self._ledger, self._reader, self._log = core, core.ledger, core.reader, core.log
        self.system, self._full_view, self._listeners, self._new_stream = system, full_view, listeners, new_stream
        self._streams: dict[tuple[str, int, str], PromptStream] = {}
        self._looks: dict[tuple[str, int, str], PromptStream] = {}

    def default_target(self) -> str:
        """Returns the API of the session's model; ``anthropic`` for a session without one."""
        model = self._reader.info.model
        return api_of(model) if model else "anthropic"

    def default_stream(self) -> PromptStream:
        """Returns the stream of the session's own provider, at its default budget."""
        return self.stream(self.default_target(), self._reader.limit())

    def stream(self, target: str, budget: int, *, is_sent: bool = True) -> PromptStream:
        """Returns the stream of a target and budget. It is notified of everything that is recorded in the session,
        unless its prompts are only looked at."""
        name = (target, budget, self._model(target))
        if name not in self._streams and not is_sent:
            return self._look(name)
        if name not in self._streams:
            stream = self._streams[name] = self._look(name)
            del self._looks[name]
            self._listeners.add(self._ledger, stream.name, stream.notice_record)
        return self._streams[name]

    def _look(self, name: tuple[str, int, str]) -> PromptStream:
        if name not in self._looks:
            self._looks[name] = self._new_stream(*name)
            if len(self._looks) > _MOST_LOOKS:
                del self._looks[next(iter(self._looks))]
        return self._looks[name]

    def turn_without_input(self, budget: Budget) -> Turn:
        """Returns a turn without an input, for prompts that are only planned."""
        system, tools = self._log.system_and_tools()
        return Turn(system=system, tools=tools, budget=budget, input=None)

    def messages(self) -> list[Message]:
        """Returns the messages that may be sent, in order."""
        return [message for _, message in self._full_view.messages()]

    def _model(self, target: str) -> str:
        """The model that is counted for: the session's where the API may offer it, else the API's usual one. Chat
        Completions are the door to models of all makers.
        """
        own = self._reader.info.model
        if target == "text":
            return target
        is_offered = is_known_maker(own) if target == "openai-chat" else model_info(own).family in _FAMILIES[target]
        return own if is_offered else _USUAL_MODELS[target]

    def prepare_epoch(
        self, target: str, budget: int, request: CompactionRequest, cancel: Cancel
    ) -> PreparedEpoch | None:
        """Plans the next epoch; the model, if there is one and the plan has a use for it, first summarises what will
        soon be compacted.

        Writes nothing but the summary. Returns None if the session was purged, or nothing smaller fits.
        """
        stream, turn = self.stream(target, budget), self.turn_without_input(Budget(budget))
        summariser = Summariser(self._core)
        if not request.strategy.uses_summary or not summariser.can_write:
            return stream.prepare_epoch(turn, request)
        planned = stream.prepare_epoch(turn, request)
        if planned is None or planned.epoch.strategy == Strategy.SELECTIVE:  # nothing that a summary would stand for
            return planned
        if summariser.write_ahead(request, cancel) is None:
            return planned if self._ledger.is_stored else None  # purged meanwhile
        return stream.prepare_epoch(turn, request)
