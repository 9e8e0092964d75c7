"""The loop of one turn: pack, ask the model, record the reply, run its tools, and again until it has answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from clew.cancellation import Cancel
from clew.codecs.streams.assembler import begins_part, text_delta
from clew.domain import Call, Json, Message, Origin, Role, SentInput, SessionInfo, Text, Usage
from clew.engine.conversation.answer import Answer, AnswerEnd, ToolResult
from clew.engine.conversation.answer_cache import SessionAnswers
from clew.engine.conversation.steps import Outside, Steps
from clew.engine.conversation.toolbox import Toolbox
from clew.errors import ModelBadAnswer, ModelOverflow, ModelUnavailable, UsageError
from clew.ports import ChatModel, ChatRequest
from clew.replies.parsing import Stripper
from clew.replies.values import Reply

if TYPE_CHECKING:
    from clew.engine.channels import Channels
    from clew.engine.compactor.compactor import Compactor
    from clew.engine.ingest.reply_stream import StreamedReplyRecord
    from clew.engine.ingest.tool_run import ToolRun
    from clew.engine.prompt.pack import Pack


class TurnSession(Protocol):
    """The session that a turn belongs to."""

    @property
    def info(self) -> SessionInfo: ...

    def record(self, messages: Any = (), *, format: str | None = None, tools: Any = None) -> Any: ...

    def pack(self, query: str | None, *, budget: int, target: str, notes: bool) -> Pack: ...

    def tool(self, call_id: str) -> ToolRun: ...

    @property
    def channels(self) -> Channels: ...

    @property
    def compactor(self) -> Compactor: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """What a turn may take: tokens to send and to answer, replies, and seconds for each; who may end it; and whether
    the model is asked for notes."""

    budget: int
    max_tokens: int
    rounds: int
    seconds: float
    cancel: Cancel | None = None
    notes: bool = True


class TurnLoop:
    """One turn of a session with a model. No error loses what was said.

    It makes no call of the model or of a tool itself: each is a step for whoever drives the turn.
    """

    def __init__(
        self,
        session: TurnSession,
        model: ChatModel,
        *,
        tools: Toolbox,
        limits: TurnLimits,
        streams: bool,
        answers: SessionAnswers | None = None,
    ) -> None:
        self._session, self._model, self._tools, self._answers = session, model, tools, answers
        self._limits, self._streams = limits, streams
        self._replies: list[Reply] = []
        self._results: list[ToolResult] = []
        self._usage: Usage | None = None
        self._asked: SentInput | None = None

    def run(self, query: str) -> Steps[Answer]:
        """Yields the words for the user as they come, and calls to make; returns the whole answer."""
        if self._tools:
            self._session.record(format="openai-chat", tools=self._tools.definitions())
        question = Message(role=Role.USER, origin=Origin.PERSON, parts=(Text(text=query),))
        self._asked = SentInput(stream="", after=self._session.info.messages, input=(question,))
        try:
            return (yield from self._rounds(query))
        except BaseException:
            self._session.channels.record_unanswered(self._asked)
            raise

    def _rounds(self, query: str) -> Steps[Answer]:
        asked: str | None = query
        for _ in range(self._limits.rounds):
            reply = yield from self._next_reply(asked)
            self._replies.append(reply)
            asked = None
            if reply.calls and not self._tools:
                return self._answer("calls")
            if not reply.calls and (reply.content.strip() or not reply.requests):
                return self._answer("answered")
            for call in reply.calls:
                yield from self._run_tool(call)
        return self._answer("rounds")

    def _answer(self, end: AnswerEnd) -> Answer:
        return Answer(
            text=self._replies[-1].content,
            replies=tuple(self._replies),
            tools=tuple(self._results),
            end=end,
            usage=self._usage,
        )

    def _next_reply(self, query: str | None) -> Steps[Reply]:
        """The reply to what is packed now. One that was too long for the model is packed smaller, once."""
        try:
            return (yield from self._reply_to(self._pack(query, self._limits.budget)))
        except ModelOverflow as overflow:
            smaller = self._smaller_budget(overflow)
            if smaller is None:
                raise
        return (yield from self._reply_to(self._pack(query, smaller)))

    def _smaller_budget(self, overflow: ModelOverflow) -> int | None:
        """A budget that the model can read, as it says or after a compaction; None where nothing can be done."""
        budget = self._limits.budget
        if overflow.window and overflow.window - self._limits.max_tokens < budget:
            return max(overflow.window - min(self._limits.max_tokens, overflow.window // 4), 1)
        done = self._session.compactor.compact_on_overflow(str(overflow))
        return budget if done is not None and done.undo else None

    def _pack(self, query: str | None, budget: int) -> ChatRequest:
        pack = self._session.pack(query, budget=budget, target=self._model.format, notes=self._limits.notes)
        if query is not None and self._asked:
            self._asked = replace(self._asked, input=pack.content.turn.recorded_input)
        return ChatRequest(pack.request(), self._limits.max_tokens)

    def _reply_to(self, request: ChatRequest) -> Steps[Reply]:
        limits: Any = {"seconds": self._limits.seconds, "cancel": self._limits.cancel}
        if self._streams:
            return (yield from self._stream_reply(self._model.stream(request, **limits)))
        key = self._answers.key(self._model, request) if self._answers else ""
        answer = self._answers.find(key) if self._answers else None
        is_known = answer is not None
        if answer is None:
            answer = yield Outside(partial(self._model.respond, request, **limits))
            self._add_usage(self._model.usage(answer))
        try:
            reply = self._session.channels.reply(answer, format=self._model.format, asked=self._asked)
        except UsageError as error:
            raise ModelBadAnswer(f"{self._model.name} answered what is no reply") from error
        if self._answers and not is_known and reply.content.strip() and not reply.calls and not reply.requests:
            self._answers.put(key, answer)
        if reply.content:
            yield reply.content
        return reply

    def _stream_reply(self, events: Iterator[Json]) -> Steps[Reply]:
        record = self._session.channels.streamed_reply(self._model.format, asked=self._asked)
        record.begin()
        try:
            yield from self._words(events, record)
            record.finish()
        except GeneratorExit:  # whoever reads has gone, or Python drops the turn, wherever that happens
            record.drop()
            record.record_if_dropped()
            raise
        except BaseException:
            record.break_off()
            raise
        finally:
            if callable(close := getattr(events, "close", None)):
                close()
        if record.reply is None or record.is_interrupted:
            raise ModelUnavailable(f"{self._model.name} broke off before its answer was whole; ask again")
        return record.reply

    def _words(self, events: Iterator[Json], record: StreamedReplyRecord) -> Steps[None]:
        """The words for the user in the events of a reply, which is recorded as they come."""
        stripper, most = Stripper(), Usage()
        while (event := (yield Outside(partial(next, events, None)))) is not None:
            record.feed(event)
            most = _larger(most, self._model.usage(event))
            if begins_part(event, self._model.format) and (rest := stripper.close()):
                yield rest
            if shown := stripper.feed(text_delta(event, self._model.format)):
                yield shown
        self._add_usage(most if most.input_tokens else None)
        if rest := stripper.close():
            yield rest

    def _add_usage(self, used: Usage | None) -> None:
        if used is not None:
            before = self._usage or Usage()
            self._usage = Usage(*(getattr(before, name) + getattr(used, name) for name in Usage.__slots__))

    def _run_tool(self, call: Call) -> Steps[None]:
        """Runs a tool; whatever it raises is told to the model as the tool's failure."""
        failure, run = None, self._session.tool(call.id)
        try:
            with run:
                try:  # here and in no generator below: Python lets no StopIteration out of one
                    if call.name in self._tools:
                        run.output((yield self._tools.step(call)))
                    else:
                        run.output(f"no tool {call.name}; there are {self._tools.names}", status="failed")
                except Exception as error:
                    failure = error
                    raise
        except Exception as error:
            if error is not failure:  # the store's, not the tool's
                raise
        self._results.append(ToolResult(call=call, status=run.status.value))


def _larger(usage: Usage, other: Usage | None) -> Usage:
    """Of two counts of one reply that grows, the larger."""
    return Usage(*(max(getattr(usage, name), getattr(other or usage, name)) for name in Usage.__slots__))
