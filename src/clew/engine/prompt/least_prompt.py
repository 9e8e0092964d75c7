"""The least prompt: the smallest that can be sent, which says how large a budget has to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from clew.curation.markers import blob_id
from clew.domain import Epoch, Strategy
from clew.engine.compactor.strategies import StrategyResult
from clew.engine.epochs.message_clips import clip_messages
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.prompt_log import PromptLog
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.turn import BuiltPrompt, Turn
from clew.engine.prompt.builder import PromptBuilder
from clew.engine.prompt.snapshot_collector import SnapshotCollector, report_snapshot

#: Tokens of an input that is clipped as far as it may be.
_LEAST_INPUT = 100


class LeastPrompt:
    """Builds the least prompts of one stream. Their size does not depend on the budget."""

    def __init__(
        self,
        builder: PromptBuilder,
        renderer: MessageRenderer,
        collector: SnapshotCollector,
        *,
        log: PromptLog,
        full_view: PromptView,
        begin: Callable[..., BuiltPrompt],
    ) -> None:
        self._builder, self._renderer, self._collector = builder, renderer, collector
        self._log, self._full_view, self._begin = log, full_view, begin

    def build(self, epoch: Epoch, turn: Turn, *, record: bool) -> BuiltPrompt:
        """Returns a prompt with what is guaranteed at its least, or with everything, if that is less."""
        turn = clip_input(turn, _LEAST_INPUT, self._renderer)
        least = self._with_snapshot(epoch, turn, record=record)
        if not self._collector.may_fit(least.tokens):
            return least
        everything = self._begin(epoch, turn, record=record, complete=True)
        return min(least, everything, key=lambda prompt: prompt.tokens)

    def _with_snapshot(self, epoch: Epoch, turn: Turn, *, record: bool) -> BuiltPrompt:
        """A snapshot at its least, without messages behind it but those of the call that the input answers."""
        view, lead = self._full_view.messages(), set(self._log.state().system)
        first, forms = self._newest_step(epoch) if turn.answers_call else (epoch.started_at + 1, {})
        count, target = self._renderer.tokenizer.count, self._builder.target
        older = StrategyResult(strategy=Strategy.AUTO)
        sources = self._collector.collect(older, critical_room=0, count=count, layout=turn.layout)
        before = [message for place, message in view if place < first and message.number not in lead]
        sections, text = report_snapshot(before, sources, None, count=count, target=target)
        by_id = {blob_id(whole): form for whole, form in forms.items()}
        epoch = replace(epoch, tail_start=first, forms=by_id, snapshot=text, sections=sections)
        return replace(self._begin(epoch, turn, record=record, complete=True), full_texts=tuple(forms))

    def _newest_step(self, epoch: Epoch) -> tuple[int, dict[str, str]]:
        """Where the step of the newest calls begins, and the least that can stand for its outputs."""
        view = self._full_view.messages()
        at = next((at for at in reversed(range(len(view))) if view[at][1].calls), len(view))
        pairs, _ = self._builder.render_messages(self._full_view, view[at:], epoch)
        step, count = [message for _, message in pairs], self._renderer.tokenizer.count
        forms = clip_messages(step, 0, size=self._renderer.tokens, count=count).forms
        return pairs[0][0] if pairs else epoch.started_at + 1, forms


def clip_input(turn: Turn, tokens: int, renderer: MessageRenderer) -> Turn:
    """Returns the turn with no more of its input than these tokens, as far as it can be clipped."""
    input = turn.recorded_input
    if renderer.total_tokens(input) <= tokens:
        return turn
    found = clip_messages(input, tokens, size=renderer.tokens, count=renderer.tokenizer.count)
    if tuple(found.messages) == input:
        return turn
    full_texts = (*turn.full_texts, *sorted((*found.wholes, *found.forms), key=len))
    return replace(turn, input_messages=tuple(found.messages), whole_input=input, full_texts=full_texts)


def sizes_of(prompt: BuiltPrompt) -> dict[str, int]:
    """Returns what each part of a prompt takes, and what stands around them: together, what the prompt takes."""
    found = {section.name: section.tokens for section in prompt.sections}
    rest = prompt.tokens - sum(found.values())
    if rest >= 0:
        return found | {"frame": rest} if rest else found
    largest = max(found, key=lambda name: found[name])
    return found | {largest: found[largest] + rest}
