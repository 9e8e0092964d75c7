"""The message renderer:
shows messages as an epoch does, with outputs in their chosen form and thinking where it is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from clew.curation.markers import blob_id, repeat_marker
from clew.curation.output_forms import with_forms
from clew.domain import Epoch, Message
from clew.domain.ids import message_id
from clew.engine.epochs.message_clips import with_stand_ins
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.services import Tokenizers
from clew.history.prompt_state import PromptState
from clew.packing.model_switch import as_another_models
from clew.packing.told_steps import step_text, thinks, without_bound_thinking
from clew.text.trim import CHARS_PER_TOKEN
from clew.tokens.counts import count_message

#: Sizes of messages that are kept in memory: a long session is counted in several forms for one plan.
_MOST_SIZES = 50_000


class MessageRenderer:
    """Renders and counts messages for one model. Each message is rendered and counted once."""

    def __init__(self, model: str, tokenizers: Tokenizers) -> None:
        self.model, self._tokenizers, self._ratio = model, tokenizers, 0.0
        self.tokenizer = tokenizers.of_model(model)
        self._sizes: dict[int, tuple[Message, int]] = {}
        self._rendered: dict[int, tuple[Message, Message]] = {}
        self._rendered_for: tuple[int, Epoch, tuple[str, bool, bool]] | None = None
        self._asked, self._sends_whole = ("", False), False

    def count_as(self, epoch: Epoch) -> None:
        """Counts as the epoch does from here on, whatever the model's replies have shown since it started."""
        ratio = epoch.ratio if epoch.model == self.model else 0.0
        if ratio != self._ratio:
            self._ratio, self.tokenizer = ratio, self._tokenizers.of_model(self.model, ratio)
            self._sizes.clear()

    def render_for(self, model: str, *, is_off: bool, sends_whole: bool = False) -> None:
        """Renders for a model from here on, and with ``is_off`` for one that does not think. With ``sends_whole``
        outputs that came since the last compaction are shown whole: who asked for them may have no way to read the
        rest.
        """
        self._asked, self._sends_whole = (model, is_off), sends_whole

    def _forget_unless_same(self, first: int, epoch: Epoch) -> None:
        """How a message is rendered depends on the epoch and on where the messages begin; its size does not."""
        before = self._rendered_for
        asked = (*self._asked, self._sends_whole)
        is_same = before is not None and (before[0], before[2]) == (first, asked)
        if before is None or not is_same or not _shows_the_same(before[1], epoch):
            self._rendered = {}
            if len(self._sizes) > _MOST_SIZES:
                self._sizes.clear()
        self._rendered_for = (first, epoch, asked)

    def render(
        self, messages: Sequence[tuple[int, Message]], view: PromptView, epoch: Epoch, state: PromptState
    ) -> list[tuple[int, Message]]:
        """Returns a view's messages as the epoch shows them, with their places, without the caller's system prompt.

        Bound thinking stays only in replies that were made from exactly what stands before them: since the epoch
        started, since system prompt and tools last changed, and since the last edit, on this stream, in no epoch that
        was taken back. Session files do not say what stood before what is in them. Of replies of other models than
        the one that is asked no reasoning is sent.
        """
        model, is_off = self._asked
        self._forget_unless_same(messages[0][0] if messages else 0, epoch)
        edited, without = bool(epoch.snapshot), set(state.system)
        bound = state.changed
        out: list[tuple[int, Message]] = []
        seen: dict[int, Message] = {}
        for place, message in messages:
            number = message.number
            if number in without:
                continue
            rendered = self._render_outputs(message, seen, view, epoch)
            if message.id in epoch.texts and number <= epoch.started_at:
                rendered = self._once(rendered, lambda message: with_stand_ins(message, epoch.texts[message.id]))
            seen[number] = message
            edited = edited or (rendered is not message and number <= epoch.started_at)
            bound = max(bound, number) if number != place else bound
            is_other = state.asked_on(number) not in (None, epoch.stream)
            is_changed = (edited and number <= epoch.started_at) or number < bound or number == state.changed
            if is_changed or is_other or is_off or view.is_transcribed(number):
                rendered = self._once(rendered, self._without_thinking)
            elif message.model and model:
                rendered = self._once(rendered, self._as_asked)
            if rendered.parts:
                out.append((place, rendered))
        return out

    def _as_asked(self, message: Message) -> Message:
        return as_another_models(message, self._asked[0])

    def _without_thinking(self, message: Message) -> Message:
        return without_bound_thinking(self._as_asked(message))

    def tokens(self, message: Message) -> int:
        """Returns the tokens of a message, counted once."""
        cached = self._sizes.get(id(message))
        if cached is None or cached[0] is not message:
            cached = self._sizes[id(message)] = (message, count_message(message, self.tokenizer))
        return cached[1]

    def estimate_tokens(self, message: Message, view: PromptView) -> int:
        """Estimates the tokens of a message in its recorded form. Long outputs that are shortened are not counted, and
        no bound thinking, which goes when an epoch starts.
        """
        if thinks(message):
            return int(len(step_text(message)) / CHARS_PER_TOKEN)
        forms = view.forms(message.number)
        shown = [form["text"] for form in forms.values() if "text" in form]
        return int(sum(len(text) for text in shown) / CHARS_PER_TOKEN) if shown else self.tokens(message)

    def total_tokens(self, messages: Iterable[Message]) -> int:
        """Returns the tokens of all messages. A prompt is counted several times: what is known costs one look."""
        known, total = self._sizes, 0
        for message in messages:
            cached = known.get(id(message))
            total += cached[1] if cached is not None and cached[0] is message else self.tokens(message)
        return total

    def _render_outputs(self, message: Message, seen: Mapping[int, Message], view: PromptView, epoch: Epoch) -> Message:
        number = message.number
        forms = view.forms(number)
        is_new = number > epoch.started_at
        frozen = {} if is_new else epoch.forms
        if not message.outputs or not (forms or frozen) or (self._sends_whole and (is_new or epoch.is_whole)):
            return message

        def form_of(blob: str) -> str | None:
            return frozen.get(blob) or _chosen(blob, forms.get(blob, {}), seen, shrunk=epoch.forms)

        return self._once(message, lambda message: with_forms(message, form_of))

    def _once(self, message: Message, render: Callable[[Message], Message]) -> Message:
        cached = self._rendered.get(id(message))
        if cached is None or cached[0] is not message:
            cached = self._rendered[id(message)] = (message, render(message))
        return cached[1]


def _chosen(blob: str, form: Mapping[str, Any], seen: Mapping[int, Message], *, shrunk: Container[str]) -> str | None:
    """What stands for an output: a reference if another of its kind stands above as it was, else a shorter text."""

    def stands(number: int, whole: str) -> bool:
        return (
            number in seen
            and whole not in shrunk
            and any(blob_id(output.text) == whole for output in seen[number].outputs)
        )

    first = next((number for number in form.get("same", ()) if stands(number, blob)), None)
    if first is not None:
        return repeat_marker(message_id(first), blob)
    number, text, whole = form.get("like") or (0, "", "")
    return str(text) if stands(number, whole) else form.get("text")


def _shows_the_same(epoch: Epoch, other: Epoch) -> bool:
    """True when two epochs show messages alike: what is reported of them may differ."""
    names = ("started_at", "tail_start", "kept", "snapshot", "forms", "texts", "is_whole")
    return all(getattr(epoch, name) == getattr(other, name) for name in names)
