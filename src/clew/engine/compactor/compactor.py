"""The compactor: previews, writes and undoes compactions that somebody asked for.

A compaction is one entry of the ledger. Every stream of the session follows it with its next pack; after an undo, each
goes on with the epoch it had before. No lock is held while a model works: what is recorded meanwhile stays, and of two
compactions at once only one is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew.cancellation import Cancel
from clew.compaction.policy import frees_enough
from clew.compaction.presets import target_tokens
from clew.compaction.prices import price_of
from clew.domain import Balance, Compaction, CompactionRequest, SessionInfo, Strategy, Trigger
from clew.domain.argument_kinds import checks_arguments
from clew.engine.compactor.report import CompactionReporter, Preview, Suggestion, balance_of
from clew.engine.epochs.turn import BuiltPrompt, Turn
from clew.engine.health.monitor import HealthMonitor
from clew.engine.prompt.model_summaries import Summariser
from clew.engine.prompt.prompts import Prompts
from clew.engine.prompt.strategies import Strategies
from clew.engine.prompt.stream import PromptStream
from clew.engine.prompt.trigger import make_aggressive
from clew.engine.session_core import SessionCore
from clew.errors import BudgetExceeded, ModelCancelled, UsageError
from clew.foreground import in_foreground
from clew.packing.allocation import budget_for
from clew.packing.inputs import InputKind
from clew.ports import Model

_MILLION = 1_000_000
_TOO_LITTLE = "there is too little to gain"


@dataclass(frozen=True, slots=True)
class _Planned:
    """A compaction that was planned when the session had so many ``entries``: the prompt before and after it, and how
    their counts add up."""

    before: BuiltPrompt
    after: BuiltPrompt
    balance: Balance
    is_worth_it: bool
    entries: int
    why_not: str = ""


@checks_arguments
class Compactor:
    """Compacts one session on request. Automatic compactions are started by ``PromptStream``."""

    def __init__(self, core: SessionCore, *, monitor: HealthMonitor, prompts: Prompts) -> None:
        self._core, self._ledger, self._reader, self._services = core, core.ledger, core.reader, core.services
        self._log, self._monitor, self._prompts = core.log, monitor, prompts
        self._reporter = CompactionReporter(core, monitor)
        #: A prompt that was never sent, and the session that it was planned for.
        self._unsent: tuple[SessionInfo, BuiltPrompt] | None = None

    def request(
        self, strategy: str, *, keep_recent: int | None, budget: int | None, trigger: Trigger = Trigger.HAND
    ) -> CompactionRequest:
        """Checks what a caller asks for and returns it as a request. ``budget`` is for the whole prompt afterwards.

        Raises UsageError for an unknown strategy or a senseless number.
        """
        if strategy not in list(Strategy):
            raise UsageError(f"no strategy {strategy!r}; there are {', '.join(Strategy)}")
        if (keep_recent is not None and keep_recent < 0) or (budget is not None and budget < 1):
            raise UsageError("a compaction keeps 0 or more recent messages, in a budget of 1 token or more")
        system = self._stream.system_tokens(self._turn()) if budget is not None else 0
        request = CompactionRequest(
            trigger=trigger,
            strategy=Strategy(strategy),
            tokens=self._target() if budget is None else budget - system,
            keep_recent=keep_recent,
            cap=budget is not None,
        )
        return make_aggressive(request) if request.strategy is Strategy.AGGRESSIVE and budget is None else request

    @property
    def _stream(self) -> PromptStream:
        """The stream of the session's own provider, whose prompts are compared. None of them is written."""
        return self._prompts.default_stream()

    def _turn(self) -> Turn:
        budget = budget_for(self._reader.limit(), "", kind=InputKind.USER_QUERY, packing=self._services.config.packing)
        return self._prompts.turn_without_input(budget)

    def _has_epoch(self) -> bool:
        """True when a prompt was sent in an epoch that has not ended."""
        return self._stream.current_epoch() is not None

    def _after(self, request: CompactionRequest) -> BuiltPrompt:
        """The prompt as it would be sent after a compaction."""
        return self._stream.preview(self._turn(), request)

    def _target(self) -> int:
        """What is left by default: of what packs may take, where packs are made, else of the window."""
        return target_tokens(self._services.config.compaction, self._monitor.size().tokens_limit)

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────

    def suggest(self) -> Suggestion:
        """Estimates what a compaction could save, from segments alone. Builds no prompt and writes nothing."""
        limit = self._reader.limit()
        strategies = Strategies(self._core, self._monitor)
        pieces = strategies.candidates(self._ledger.info.messages + 1)
        critical = sum(piece.tokens for piece in pieces if piece.is_critical)
        removable = sum(piece.tokens for piece in pieces if piece.is_expendable)
        total = sum(piece.tokens for piece in pieces)
        after = min(total, max(self._target(), critical))
        return Suggestion(
            critical=critical,
            removable=removable,
            summarizable=max(total - removable - critical, 0),
            tokens_saved=total - after,
            utilization=round(total / limit, 3),
            new_utilization=round(after / limit, 3),
            segments=tuple(pieces),
        )

    def preview(
        self, strategy: str = Strategy.AUTO, *, keep_recent: int | None = None, budget: int | None = None
    ) -> Preview:
        """Returns what ``compact`` would do, segment by segment, and what that would cost.
        Writes nothing and asks no model.
        """
        request = self.request(strategy, keep_recent=keep_recent, budget=budget)
        planned = self._plan(request)
        before, after = planned.before, planned.after
        price = price_of(self._ledger.info.model, self._services.config.prices)
        written = planned.balance.tokens_after.total - planned.balance.tokens_after.system if planned.is_worth_it else 0
        return Preview(
            compaction=self._report(request, planned, undo=""),
            changes=tuple(self._reporter.changes(before, after)),
            at_stake=tuple(self._reporter.at_stake(before, after)),
            written_tokens=written,
            cost=written * price.cache_write / _MILLION,
            snapshot=after.epoch.snapshot,
            sections=after.epoch.sections,
        )

    @in_foreground
    def _plan(self, request: CompactionRequest) -> _Planned:
        """What would be done, all of it at one moment. Somebody waits for it."""
        return self._ledger.at_one_moment(lambda: self._plan_now(request))

    def _plan_now(self, request: CompactionRequest) -> _Planned:
        """Before it is what was sent; if nothing was yet, all there is, even if it does not fit."""
        is_sent = self._has_epoch()
        before = self._prompt_before(is_sent=is_sent)
        after = self._after(request)
        is_worth_it = frees_enough(before.tokens, after.tokens)
        if not is_worth_it:
            after = before
        elif before.epoch.snapshot and not is_sent:
            before = self._stream.whole(self._turn())
        balance = balance_of(*((prompt, self._stream.sizes(prompt)) for prompt in (before, after)))
        why_not = "" if is_worth_it else self._why_not(request, balance)
        entries = self._ledger.info.entries
        return _Planned(before, after, balance, is_worth_it=is_worth_it, entries=entries, why_not=why_not)

    def _why_not(self, request: CompactionRequest, balance: Balance) -> str:
        """Why nothing is done, and what would free more, if anything does; who named a budget is told no other."""
        now = balance.tokens_before
        if now.system > now.total / 2:
            why = f"{now.system:,} of {now.total:,} tokens are system prompt and tools, which are sent as they are"
            return f"{_TOO_LITTLE}: {why}; make those smaller, or give the session a larger window"
        why = f"{_TOO_LITTLE} of {now.total:,} tokens without cutting into what came last"
        half = now.system + (now.total - now.system) // 2
        least = 0 if request.cap else self._least_that_frees(request, half, now.total)
        return f"{why}; a budget of {least:,} does" if least else why

    def _least_that_frees(self, request: CompactionRequest, budget: int, total: int) -> int:
        """This budget, or the least that is guaranteed, if a compaction into it frees enough of a prompt; else 0."""
        if budget < 1 or not frees_enough(total, budget):
            return 0
        try:
            smaller = self.request(str(request.strategy), keep_recent=request.keep_recent, budget=budget)
            return budget if frees_enough(total, self._after(smaller).tokens) else 0
        except BudgetExceeded as error:
            least = sum(error.needed.values())
            return self._least_that_frees(request, least, total) if least > budget else 0

    def _prompt_before(self, *, is_sent: bool) -> BuiltPrompt:
        """A prompt that was never sent is planned once to be compared with; if it is too large to be, not at all."""
        info = self._ledger.info
        if is_sent:
            return self._stream.build(self._turn(), record=False)
        if self._unsent is None or self._unsent[0] != info or not self._ledger.is_stored:
            self._unsent = (info, self._as_unsent())
        return self._unsent[1]

    def _as_unsent(self) -> BuiltPrompt:
        if not self._log.state().compaction:
            whole = self._stream.whole(self._turn())
            if whole.tokens > self._reader.limit():
                return whole
        return self._stream.build(self._turn(), record=False)

    # ── doing ────────────────────────────────────────────────────────────────────────────────────────

    def compact_on_overflow(self, said: str, *, status: int = 400) -> Compaction | None:
        """Compacts if a provider's error means that the request was too long; None for any other, or where the settings
        leave that to others.
        """
        from clew.models.overflow import is_overflow  # here, as its patterns are for errors alone

        config = self._services.config.compaction
        if not config.on_overflow or not is_overflow(status, said):
            return None
        request = self.request(config.strategy, keep_recent=None, budget=None, trigger=Trigger.OVERFLOW)
        sent = max(self._monitor.size().tokens_used, self._prompt_before(is_sent=self._has_epoch()).tokens)
        refused = target_tokens(config, sent)  # the window is smaller than what was sent
        return self.compact(replace(request, tokens=min(request.tokens, refused), cap=True))

    def compact(
        self, request: CompactionRequest, *, model: Model | None = None, cancel: Cancel | None = None
    ) -> Compaction:
        """Writes the compaction to the ledger and returns its report.
        Emits ``compaction.started``, then ``complete``, ``skipped`` or ``failed``.

        If it would free too little, writes nothing and returns a report with a ``reason`` and an empty ``undo``. Raises
        VersionConflict if the session was rewritten or compacted meanwhile, ModelCancelled if ``cancel`` was set.
        """
        version, before = self._ledger.info.version, self._log.state().compaction
        self._emit("started", reason=str(request.trigger), strategy=str(request.strategy))
        try:
            self._summarise(request, model, cancel)
            planned = self._plan(request)
            if not planned.is_worth_it:
                self._emit("skipped", reason=planned.why_not)
                return self._report(request, planned, undo="")
            after, now = planned.after.tokens, self._services.clock.now()
            self._log.write_compaction(request, after=after, at=now, version=version, known=before)
            self._keep_unsent(planned)
            done = self._report(request, planned, undo="session.undo()")
        except BaseException as error:
            self._emit("failed", reason=str(error) or type(error).__name__)
            raise
        sizes = {"before": done.before.tokens, "after": done.after.tokens}
        how = {"strategy": str(done.strategy), "rung": done.rung}
        self._emit("complete", reason=str(request.trigger), compaction=done, **sizes, **how)
        return done

    def _keep_unsent(self, planned: _Planned) -> None:
        """What was planned is what would be sent, unless something was recorded meanwhile."""
        info = self._ledger.info
        if info.entries == planned.entries + 1:
            self._unsent = (info, planned.after)

    def undo(self) -> None:
        """Takes the last compaction back, automatic or not: each stream goes on with the epoch it had before.

        Raises UsageError if there is none.
        """
        self._log.undo_compaction()
        self._emit("undone")

    def _summarise(self, request: CompactionRequest, model: Model | None, cancel: Cancel | None) -> None:
        """Asks a model, if there is one and the strategy has a use for what it says."""
        if cancel and cancel.is_set:
            raise ModelCancelled("the compaction was cancelled")
        summariser = Summariser(self._core, lent=model)
        if request.strategy.uses_summary and summariser.can_write:
            until = self._after(request).epoch.tail_start - 1
            summariser.write(until=until, tokens=request.tokens, cancel=cancel)

    def _report(self, request: CompactionRequest, planned: _Planned, *, undo: str) -> Compaction:
        before, after = planned.before, planned.after
        report = self._reporter.compaction(
            request, before, after, messages=self._prompts.messages(), balance=planned.balance, undo=undo
        )
        return report if planned.is_worth_it else replace(report, reason=planned.why_not)

    def _emit(self, name: str, **data: object) -> None:
        self._services.events.emit(f"compaction.{name}", session=self._ledger.id, **data)
