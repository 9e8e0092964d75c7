"""The compaction trigger: measures what a stream carries from call to call, and says when to compact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.compaction.policy import LEAST_FREED, PromptLoad, is_near, trigger_due
from clew.compaction.presets import target_tokens
from clew.compaction.prices import Price, price_of
from clew.domain import CompactionRequest, Epoch, Json, Message, Role, Strategy, Trigger
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.turn import BuiltPrompt, Turn
from clew.engine.health.monitor import HealthMonitor
from clew.engine.session_core import SessionCore
from clew.history.prompt_state import StreamEpochs
from clew.history.user_requests import is_request
from clew.packing.inputs import InputKind
from clew.text.tools.calls import call_actions

#: Tokens that an agent is expected to read again after a compaction, before that can be measured.
_USUAL_REREAD = 1_500
#: After this many calls, what the agent read again can be measured.
_SETTLED_CALLS = 6
#: A to-do list that was just closed is looked for in this many newest messages.
_NEWEST = 3
_DONE = {"done", "dropped"}
#: If more than this share of what was freed is read again at once, the next compaction keeps more.
_READ_AGAIN_SHARE = 0.25
#: How much more that is: as much again, up to so many tokens.
_MOST_MORE = 8_500
#: After this many compactions in a row that would free too little, Clew stops trying; the last is an aggressive one.
_TRIES = 3
#: Target of an aggressive compaction, as a share of the usual one, and its minimum in tokens.
_AGGRESSIVE_SHARE, _LEAST_TOKENS = 0.4, 1_200
_MINUTE_SECONDS = 60.0


class CompactionTrigger:
    """Decides for one stream. It remembers how the last compactions went and what the last prompt carried.

    ``is_read_again`` is True when the agent has read much of what the last compaction removed.
    """

    def __init__(self, core: SessionCore, *, monitor: HealthMonitor, renderer: MessageRenderer, budget: int) -> None:
        self._reader, self._services, self._log = core.reader, core.services, core.log
        self._monitor, self._renderer, self._budget = monitor, renderer, budget
        self._futile = self._failures = 0
        self._last: tuple[PromptLoad, int] | None = None
        self.is_read_again = False
        self._has_said_stopped = False

    def due(self, prompt: BuiltPrompt, view: PromptView, epochs: StreamEpochs | None) -> CompactionRequest | None:
        """Returns the compaction that this prompt calls for; None to go on.

        Nothing is due right after a compaction, after an undo, or when recent ones freed too little, unless the limit
        forces it. Once Clew gives up it emits ``compaction.stopped``.
        """
        config = self._services.config.compaction
        if not config.auto:
            return None
        load = self._load(prompt, view)
        self._last = (load, self._reader.tokens())
        self.is_read_again = _is_read_again(load, prompt.epoch)
        trigger = trigger_due(load, config, self._price())
        if trigger is None or self._is_held(trigger, load):
            return None
        if trigger is not Trigger.HARD and epochs and self._has_just_begun(prompt.epoch, epochs):
            return None
        if trigger is not Trigger.HARD and (self._failures >= _TRIES or _freed_little(epochs)):
            self._say_stopped()
            return None
        return self.request(trigger, epochs, read_again=self.is_read_again)

    def recorded_tokens(self) -> int:
        """Returns the tokens of all that was recorded."""
        return self._reader.tokens()

    def forecast(self) -> tuple[Trigger | None, bool]:
        """Returns the trigger that the next pack will find, if any, and whether a compaction is near.

        It judges by what was recorded since the last prompt.
        """
        config = self._services.config.compaction
        last = self._last
        if last is None or not config.auto:
            return None, False
        load, recorded = last
        context = load.context + self._reader.tokens() - recorded
        grown = replace(load, context=context, at_border=False, is_cold=False)
        return trigger_due(grown, config, self._price()), is_near(grown, config, self._price())

    def request(self, trigger: Trigger, epochs: StreamEpochs | None, *, read_again: bool = False) -> CompactionRequest:
        """Returns the request for a compaction.
        With ``read_again`` it keeps more; after two that freed little it goes further.
        """
        config = self._services.config.compaction
        if _freed_little(epochs) or self._failures == _TRIES - 1:
            return make_aggressive(CompactionRequest(trigger=trigger, tokens=self._target()))
        target = self._target()
        wanted = target + (min(target, _MOST_MORE) if read_again else 0)
        return CompactionRequest(trigger=trigger, strategy=Strategy(config.strategy), tokens=wanted)

    def note_failure(self, prompt: BuiltPrompt) -> None:
        """Remembers that compacting would free too little; it is tried again when the prompt has grown by a tenth."""
        self._futile, self._failures = int(prompt.tokens * (1 + LEAST_FREED)), self._failures + 1

    def note_success(self) -> None:
        """Forgets earlier failures, after an epoch with a snapshot was written."""
        self._futile = self._failures = 0
        self._has_said_stopped = False
        self._last = None

    def _load(self, prompt: BuiltPrompt, view: PromptView) -> PromptLoad:
        config, epoch = self._services.config.compaction, prompt.epoch
        context = self._renderer.total_tokens(prompt.tail) + self._renderer.total_tokens(prompt.turn.messages)
        system = prompt.tokens - context
        room = int((self._budget - system) * self._services.config.packing.epoch_fill)
        next = max(min(self._target(), context, room), 1)
        calls, excess = self._paid(prompt.tail, epoch, next)
        return PromptLoad(
            limit=self._budget,
            system=system,
            context=context,
            next=next,
            reread=self._reread(prompt.tail, view, epoch, calls),
            excess=excess,
            calls=self._reader.replies(),
            at_border=_is_border(prompt.tail, prompt.turn),
            is_cold=self._is_cold(view),
            has_drifted=config.on_drift
            and context > config.floor_tokens
            and self._monitor.has_lapsed(epoch.started_at),
        )

    def _paid(self, messages: Sequence[Message], epoch: Epoch, next: int) -> tuple[int, int]:
        """Calls of this epoch, and what was sent in them beyond what a new one would leave."""
        calls = excess = total = 0
        for message in messages:
            if message.role is Role.ASSISTANT and message.number > epoch.started_at:
                calls += 1
                excess += max(total - next, 0)
            total += self._renderer.tokens(message)
        return calls, excess

    def _reread(self, messages: Sequence[Message], view: PromptView, epoch: Epoch, calls: int) -> int:
        """Outputs of this epoch that say again what an earlier one had said before the cut."""
        if not epoch.snapshot or calls < _SETTLED_CALLS:
            return _USUAL_REREAD
        tokens = 0
        for message in messages:
            number = message.number
            if number > epoch.started_at and any(
                _repeats(form, epoch.tail_start) for form in view.forms(number).values()
            ):
                tokens += self._renderer.tokens(message)
        return tokens

    def _has_just_begun(self, epoch: Epoch, epochs: StreamEpochs) -> bool:
        """True while nothing has come since the last compaction: another one would not change what led to it."""
        is_recorded = epoch.number == epochs.number
        return is_recorded and bool(epoch.snapshot) and epoch.started_at >= self._reader.info.messages

    def _is_held(self, trigger: Trigger, load: PromptLoad) -> bool:
        """True when it was taken back, or has just been found of no use, and nothing forces it."""
        is_undone = bool(self._log.state().undone)
        return trigger is not Trigger.HARD and (is_undone or load.system + load.context < self._futile)

    def _say_stopped(self) -> None:
        """Says once why Clew no longer compacts by itself."""
        if not self._has_said_stopped:
            self._has_said_stopped = True
            reason = "it freed less than a tenth each time: what is sent is nearly all system prompt or newest messages"
            self._services.events.emit("compaction.stopped", session=self._reader.id, reason=reason)

    def _is_cold(self, view: PromptView) -> bool:
        """True when nothing was sent for so long that the provider has forgotten the prefix."""
        config = self._services.config.compaction
        now = self._services.clock.now()
        return now - min(view.replied_at, now) > config.cache_minutes * _MINUTE_SECONDS

    def _target(self) -> int:
        return target_tokens(self._services.config.compaction, self._budget)

    def _price(self) -> Price:
        return price_of(self._reader.info.model, self._services.config.prices)


def make_aggressive(request: CompactionRequest) -> CompactionRequest:
    """Returns the request with the aggressive strategy and two fifths of its tokens, but no less than a minimum."""
    tokens = max(int(request.tokens * _AGGRESSIVE_SHARE), _LEAST_TOKENS)
    return replace(request, strategy=Strategy.AGGRESSIVE, tokens=tokens)


def _freed_little(epochs: StreamEpochs | None) -> bool:
    freed = epochs.freed if epochs else ()
    return len(freed) > 1 and all(share < LEAST_FREED for share in freed)


def _is_read_again(load: PromptLoad, epoch: Epoch) -> bool:
    return bool(epoch.snapshot) and load.reread > _READ_AGAIN_SHARE * max(epoch.tokens_before - epoch.tokens_after, 1)


def _repeats(form: Json, tail_start: int) -> bool:
    like = form.get("like")
    return any(number < tail_start for number in form.get("same", ())) or bool(like and like[0] < tail_start)


def _is_border(messages: Sequence[Message], turn: Turn) -> bool:
    """Where a task ends by itself: a person asks for something, or the list of what was to do has been closed."""
    if turn.input:
        return turn.input.kind is not InputKind.TOOL_RESPONSE
    if messages and is_request(messages[-1]):
        return True
    calls = [call for message in messages[-_NEWEST:] for call in message.calls]
    lists = [action.todos for call in calls for action in call_actions(call) if action.todos and not action.partial]
    return bool(lists) and all(todo.status in _DONE for todo in lists[-1])
