"""The session: the live handle on one conversation. It delegates to the components that do the work."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from clew.cancellation import Cancel
from clew.domain import (
    Compaction,
    EntryKind,
    Message,
    Origin,
    Part,
    Role,
    Strategy,
    Text,
)
from clew.domain.argument_kinds import checks_arguments
from clew.domain.ids import message_id
from clew.engine.channels import CALLER, Channels, with_text
from clew.engine.ingest.incoming_replies import as_operation
from clew.engine.ledger.records import ChannelCursor, ChannelKind
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.session_factory import SessionFactory
from clew.engine.watched_session import WatchedSession
from clew.errors import UsageError
from clew.ports import ChatModel, Model
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.engine.compactor.compactor import Compactor
    from clew.engine.conversation.answer import Answer, AnswerStream
    from clew.engine.ingest.recorder import RecordResult
    from clew.engine.ingest.reply_stream import ReplyStream
    from clew.engine.ingest.tool_run import ToolRun
    from clew.engine.prompt.pack import Pack
    from clew.engine.prompt.packer import Packer
    from clew.engine.prompt.system_prompt import SystemPrompt
    from clew.packing.allocation import Budget
    from clew.replies.values import Reply

#: Default size of the text that brings one session's state into another.
RESUME_TOKENS = 4_000
#: The longest reply that a model is asked for, and how many replies a turn takes by default.
ANSWER_TOKENS, ROUNDS = 8_000, 20


E = TypeVar("E")


@checks_arguments
class Session(WatchedSession):
    """One conversation: record, read back, pack, compact, check health, roll back, edit and fork."""

    def __init__(self, factory: SessionFactory, ledger: SessionLedger) -> None:
        super().__init__(factory, ledger)
        self._level = "good"
        self._channels = Channels(self._components, self._incoming, recorded=self._announce_health)

    # ── recording ────────────────────────────────────────────────────────────────────────────────────

    @as_operation
    def record(
        self,
        messages: Any = (),
        *,
        format: str | None = None,
        system: Any = None,
        tools: Sequence[Any] | None = None,
        channel: str = CALLER,
        whole: bool = False,
    ) -> RecordResult:
        """Records messages, one or many: what the SDKs of providers and frameworks give, as it is or dumped, dicts of a
        known format, or Message values. Returns the ids of messages that are new or grew. Raises UsageError for what is
        not understood; then nothing is recorded.

        Messages that the session already ends with are not recorded again, so a caller may hand in only new messages or
        the conversation so far. A ``channel`` with a name of its own (a hook) reports what others report too: late or
        again is no matter where a transcript or gateway reports the same session. ``whole`` is for a channel that
        always reports everything from the start.
        """
        from clew.engine.ingest.decode import decode_messages

        records = decode_messages(messages, format, system=system, tools=tools)
        kind = ChannelKind.CALLER if channel == CALLER else ChannelKind.REPORTER
        return self.channels.record(records, ChannelCursor(channel, ChannelKind.WHOLE if whole else kind))

    @as_operation
    def reply(self, reply: Any, *, format: str | None = None) -> Reply:
        """Records a model's reply and parses it:
        the text for the user, tool calls, the model's notes, and ids it asks to read.

        The reply may be a text, a message, a provider's whole response, or a list of its items or blocks, as an SDK or
        framework gives it. Usage, model and stop reason are recorded where it has them. Raises UsageError for anything
        else. Parts that it asks for are added to the next pack, within the quota of a turn. The input that was
        packed for it is recorded before it, unless somebody has done so since.
        """
        return self.channels.reply(reply, format=format)

    @as_operation
    def stream(self, events: Iterable[E] | AsyncIterable[E], *, format: str | None = None) -> ReplyStream[E]:
        """Passes the events of a provider's stream through, untouched, and records the reply when they end.

        For ``for`` and ``async for``, as the events come. They may be objects of an SDK or dicts; the first that tells
        says which API they are of, unless ``format`` does. What came of a stream that breaks off is recorded as
        interrupted. Its ``reply`` is what ``reply`` returns, once it is recorded.
        """
        from clew.engine.ingest.reply_stream import ReplyStream

        self._incoming.ensure_open()
        return ReplyStream(events, self.channels.streamed_reply(format))

    @as_operation
    def tool(self, call_id: str) -> ToolRun:
        """Returns a ``with`` block for running a tool that the model called; ``run.output(…)`` in it gives the result.

        Start, end, status and size are recorded, and the result as the call's output. An exception is recorded as a
        failure and raised on. Raises NotFound if no such call waits for its output.
        """
        from clew.engine.ingest.tool_run import ToolRun

        return ToolRun(self._ledger, self._services, call_id, record=self.record)

    @property
    def channels(self) -> Channels:
        """What other doors than the caller's own report: hooks, transcripts, frameworks, models' notes."""
        return self._channels

    def _announce_health(self) -> None:
        """Whoever listens hears when the session's health has changed."""
        if self._services.events.has("health.changed") and (report := self.health()).health != self._level:
            before, self._level = self._level, report.health
            self._services.events.emit("health.changed", session=self.id, before=before, health=report)

    # ── the system prompt of packs ───────────────────────────────────────────────────────────────────

    @as_operation
    def system(
        self, base: str | Callable[[], str], *, environment: Any = None, guardrails: str | Iterable[str] = ()
    ) -> None:
        """Sets the system prompt of packs: ``base``, then the environment, then standing rules for the model.

        ``environment`` is a mapping, or an object with ``cwd``, ``platform`` and ``date``; nothing is read from the
        machine. A change takes effect when the next epoch begins, so that prompts keep their prefix. A ``base`` that is
        a function is asked only when one begins. Raises UsageError if there is nothing to say.
        """
        from clew.packing.system_prompt import system_parts

        self._components.prompts.system.set(system_parts(base, environment, guardrails))

    @property
    def system_prompt(self) -> SystemPrompt:
        """The system prompt that ``system`` has set."""
        return self._components.prompts.system

    # ── packing ──────────────────────────────────────────────────────────────────────────────────────

    @as_operation
    def pack(
        self,
        query: str | None = None,
        *,
        budget: int | Budget | None = None,
        target: str | None = None,
        kind: str = "user_query",
        tool_id: str | None = None,
        attachments: Iterable[Part] = (),
        errors: str | Iterable[str] = (),
        record: bool = True,
        notes: bool = False,
        thinking: str | Mapping[str, Any] | None = None,
        model: str = "",
        sent_whole: bool = False,
    ) -> Pack:
        """Builds what to send for this turn, within the budget; by default the window less the reserve for the answer.
        A pack that begins an epoch leaves room for it to grow, so that later ones repeat its bytes.
        Without an input it is the conversation so far: ready to be sent where it ends with the user or a tool, else for
        the next question to be put behind it.

        The pack is built for the session's provider unless ``target`` names another or ``text``. ``kind`` is
        user_query, tool_response (with the ``tool_id`` it answers) or user_feedback. With ``record`` the ledger notes
        the input, and an epoch if one starts, so that later packs begin with the same bytes. Without it nothing is
        written, and the whole budget is used. With ``notes`` the system prompt tells the model how to end its reply
        with notes on it and requests for earlier parts; ``reply`` takes them out of what the user sees, so ask for them
        only where it reads the replies. ``thinking`` is what the request will say of it to Anthropic, or its ``type``;
        without it the pack is one that is accepted whatever the request says. ``model`` is the one that is asked, where
        it may be another than replied last: it is sent no reasoning of others. ``sent_whole`` says that the caller
        sends the conversation as it is, outputs whole, for as long as nothing was compacted; outputs that come after a
        compaction are then whole too. Raises BudgetExceeded when even what must be sent does not fit.
        """
        from clew.packing.allocation import Budget, budget_for
        from clew.packing.inputs import InputKind, input_of
        from clew.replies.instructions import reply_instructions
        from clew.rules.thinking_modes import stated_mode

        total = budget if budget is not None else self.limit()
        input = input_of(query, kind, tool_id=tool_id, attachments=attachments, errors=errors)
        if not isinstance(total, Budget):
            total = budget_for(total, query or "", kind=InputKind(kind), packing=self._services.config.packing)
        instructions = reply_instructions(self._services.config.packing.retrieval_quota) if notes else ""
        mode = stated_mode(thinking, model)
        how: dict[str, Any] = {"instructions": instructions, "thinking": mode, "model": model, "sent_whole": sent_whole}
        pack = self._components.packer.pack(input, total, target=target, record=record, **how)
        if record:
            self._announce_health()
        return pack

    @property
    def packer(self) -> Packer:
        """Counts what packs begin with."""
        return self._components.packer

    # ── asking a model ───────────────────────────────────────────────────────────────────────────────

    @as_operation
    def ask(
        self,
        query: str,
        *,
        model: ChatModel | str | None = None,
        tools: Mapping[str, Any] | Iterable[Any] | None = None,
        budget: int | None = None,
        max_tokens: int = ANSWER_TOKENS,
        rounds: int = ROUNDS,
        cancel: Cancel | None = None,
    ) -> Answer:
        """Asks a model, runs the tools that it calls, and returns its answer. Everything is recorded as it happens.

        ``model`` is a name as in the settings, or a model; by default that of the settings, or the session's own.
        ``tools`` are functions by name, or objects with a name and a schema; calls are left to the caller where none
        are given. ``rounds`` is how many replies the turn may take. Raises a ModelError where the model gives none,
        BudgetExceeded when even what must be sent does not fit; what was said until then stays recorded.
        """
        limits: Any = {"budget": budget, "max_tokens": max_tokens, "rounds": rounds, "cancel": cancel}
        return self.turn(query, model=model, tools=tools, **limits).read()

    @as_operation
    def ask_stream(
        self,
        query: str,
        *,
        model: ChatModel | str | None = None,
        tools: Mapping[str, Any] | Iterable[Any] | None = None,
        budget: int | None = None,
        max_tokens: int = ANSWER_TOKENS,
        rounds: int = ROUNDS,
        cancel: Cancel | None = None,
    ) -> AnswerStream:
        """Asks a model as ``ask`` does, and returns its words for the user as they come; ``answer`` has the whole then.

        Closing the stream ends the reply, and what has come of it is recorded as interrupted.
        """
        limits: Any = {"budget": budget, "max_tokens": max_tokens, "rounds": rounds, "cancel": cancel}
        return self.turn(query, model=model, tools=tools, streams=True, **limits)

    @as_operation
    def turn(
        self,
        query: str,
        *,
        model: ChatModel | str | None = None,
        tools: Mapping[str, Any] | Iterable[Any] | None = None,
        budget: int | None = None,
        max_tokens: int = ANSWER_TOKENS,
        rounds: int = ROUNDS,
        cancel: Cancel | None = None,
        streams: bool = False,
        awaits: bool = False,
    ) -> AnswerStream:
        """Begins a turn as ``ask`` and ``ask_stream`` take it, for whoever drives its steps in another way.

        ``streams`` asks for the model's words as they come; ``awaits`` allows asynchronous tools.
        """
        from clew.engine.conversation.answer import AnswerStream
        from clew.engine.conversation.preparation import chosen_model, kept_answers, turn_limits
        from clew.engine.conversation.toolbox import Toolbox
        from clew.engine.conversation.turn_loop import TurnLoop

        if not query.strip():
            raise UsageError("the question is empty; say what to ask")
        limits = {"budget": budget, "max_tokens": max_tokens, "rounds": rounds, "cancel": cancel}
        config = self._services.config
        chosen = chosen_model(self._services.models, self.info, model)
        limit = self.limit("" if self.info.model else chosen.name)
        made = turn_limits(limits, config, limit=limit)
        parts = self._components
        answers = kept_answers(self._ledger, self._services, store=parts.store, depends=parts.answer_basis)
        toolbox = Toolbox(tools, awaits=awaits)
        loop = TurnLoop(self, chosen, tools=toolbox, limits=made, streams=streams, answers=None if streams else answers)
        return AnswerStream(loop.run(query))

    # ── compacting ───────────────────────────────────────────────────────────────────────────────────

    @property
    def compactor(self) -> Compactor:
        """Looks ahead: what a compaction could save, and what it would do."""
        self._incoming.record_left(self._ledger.key)
        return self._components.compactor

    @as_operation
    def compact(
        self,
        strategy: str = Strategy.AUTO,
        *,
        keep_recent: int | None = None,
        budget: int | None = None,
        model: Model | None = None,
        cancel: Cancel | None = None,
    ) -> Compaction:
        """Moves older messages to smaller sizes and returns the report.
        Every word stays readable, and ``undo`` takes it back.

        ``budget`` is for the whole prompt afterwards. ``keep_recent`` messages stay word for word. ``model`` is asked
        for a summary instead of the configured one; if it fails, units of the history stand for it and
        ``compaction.degraded`` is emitted. Cancelling raises and writes nothing. Raises VersionConflict if the session
        changed meanwhile.
        """
        request = self._components.compactor.request(strategy, keep_recent=keep_recent, budget=budget)
        done = self._components.compactor.compact(request, model=model, cancel=cancel)
        self._announce_health()
        return done

    @as_operation
    def undo(self) -> None:
        """Takes the last compaction back. Raises UsageError if there is none."""
        self._components.compactor.undo()
        self._announce_health()

    # ── going on from another session ────────────────────────────────────────────────────────────────

    @as_operation
    def resume(self, other: Session | str, *, budget: int = RESUME_TOKENS) -> RecordResult:
        """Starts this session with the state of another one: its pack as text, recorded as a message of Clew's own.

        The text names the other session, so that any part of it can be read by its id. Raises UsageError for a session
        of another user.
        """
        if not isinstance(other, str | Session):
            raise UsageError(f"other of resume() is of type {type(other).__name__}; give a session, or its id")
        origin = (
            Session(self._factory, self._factory.ledgers.find(other, user=self.key.user))
            if isinstance(other, str)
            else other
        )
        if origin.key == self.key:
            raise UsageError(
                f"session {self.id} cannot resume itself; it goes on by session.record(…) or session.ask(…)"
            )
        if origin.user != self.user:
            raise UsageError(
                f"session {origin.id} is of {origin.user or 'nobody'} and {self.id} of {self.user or 'nobody'}:"
                " what one user said is for no other"
            )
        text = origin.pack(None, budget=budget, target="text", record=False).text
        return self.record([Message(role=Role.USER, origin=Origin.CLEW, parts=(Text(text=text),))])

    # ── rewriting the view ───────────────────────────────────────────────────────────────────────────

    @as_operation
    def rollback(self, exchanges: int = 1, *, expect: int | None = None) -> None:
        """Takes the last exchanges out of the prompt view; they can still be read by id.

        Raises VersionConflict if the session's version is no longer ``expect``.
        """
        if exchanges < 1:
            raise UsageError(f"cannot roll back {exchanges} exchanges; give 1 or more")
        if exchanges > (recorded := self._reader.usage().exchanges):
            raise UsageError(f"cannot roll back {exchanges} of {pluralise(recorded, 'exchange')}")
        self._ledger.append(EntryKind.ROLLBACK, {"rollback": exchanges}, expect=expect)

    @as_operation
    def edit(self, id: str, message: Message | str, *, expect: int | None = None) -> str:
        """Records a new version of a message, in its place, and returns its id. The old version stays readable as m5@1.
        A text takes the place of the message's words, or of a tool's output; calls stay.

        Raises NotFound for an unknown message, UsageError for a text where there are several outputs, VersionConflict
        if the session's version is no longer ``expect``.
        """
        old = self._reader.message(self._reader.newest_version(id))
        new = with_text(old, message) if isinstance(message, str) else message
        return message_id(self.channels.edit([(id, new)], expect=expect)[0])

    @as_operation
    def fork(self, id: str, *, at: str | None = None) -> Session:
        """Copies this session's entries, up to message ``at``, into a new session. Both go on independently.

        Raises UsageError if the id is taken.
        """
        until = self.info.messages if at is None else self._reader.number_of(at)
        return Session(self._factory, self._factory.ledgers.copy(self._ledger, id, until=until))
