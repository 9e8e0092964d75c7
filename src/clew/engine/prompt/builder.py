"""The prompt builder: builds a prompt from an epoch and a turn.

Its memory only saves work: another builder, or another process, builds the same bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from clew.codecs import jsonio
from clew.compaction.presets import SMALL_BUDGET
from clew.curation.markers import blob_id
from clew.domain import ClippedMessage, Epoch, Message, Reasoning, Role, SectionReport, SentInput, Tool
from clew.engine.epochs.message_renderer import MessageRenderer
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.epochs.told_loop import tell_loop
from clew.engine.epochs.turn import BuiltPrompt, PromptSizes, Turn
from clew.engine.prompt.injections import FRAME_TOKENS, Injections
from clew.engine.session_core import SessionCore
from clew.history.message_text import message_text
from clew.packing.cache_breakpoints import with_breakpoints
from clew.packing.formats import FORMATS, PackSection
from clew.packing.inputs import ensure_answers, is_same_input
from clew.packing.request_encoder import RequestEncoder
from clew.packing.snapshot import with_snapshot
from clew.packing.tail_plan import without_open_step
from clew.packing.told_steps import open_loop, starts_with_thinking, tell_steps, thinks
from clew.ports import Tokenizer
from clew.replies.parsing import without_notes
from clew.rules.thinking_modes import OFF

#: Layers of the sections that are no part of a snapshot.
_LAYERS = {"system": 0, "messages": 1, "retrieved": 5, "input": 1, "frame": 1}


class PromptBuilder:
    """Builds the prompts of one stream.
    ``full_view`` is the whole prompt view, which all streams of a session share.
    """

    def __init__(
        self,
        core: SessionCore,
        *,
        target: str,
        budget: int,
        renderer: MessageRenderer,
        injections: Injections,
        full_view: PromptView,
    ) -> None:
        self._ledger, self._log, self._renderer, self._injections = core.ledger, core.log, renderer, injections
        self.target, self.budget, self.name = target, budget, f"{target}/{budget}"
        self._full_view, self.view = full_view, full_view
        self._encoder = RequestEncoder(target) if target != "text" else None
        self._head: Message | None = None
        self._told: Message | None = None
        self._system: tuple[Sequence[Message], Sequence[Tool], Tokenizer, int] | None = None

    def build(self, epoch: Epoch, turn: Turn, *, record: bool, complete: bool = False) -> BuiltPrompt:
        """Builds a prompt:
        the epoch's snapshot, the messages it sends word for word, and the input with its injections.

        With ``record`` a step whose outputs have not all come is held back. A turn that is ``complete`` gets no
        injections. Raises UsageError if the input answers no open call.
        """
        self._show(epoch)
        self._renderer.count_as(epoch)
        self.choose_model(turn)
        pairs = [pair for pair in self.view.messages() if epoch.sends(pair[0])]
        clipped: list[ClippedMessage] = []
        sents = self._sent_inputs(pairs, epoch, turn)
        rendered, stated = self.render_messages(self.view, pairs, epoch, sents, clipped)
        is_held = False
        if turn.input:
            ensure_answers(turn.input, [message for _, message in rendered])
        elif record:
            before, rendered = len(rendered), without_open_step(rendered)
            is_held = len(rendered) < before  # nothing may come between a call and its output
        shown = tell_loop(rendered, turn, epoch, tell=self._tell)
        tail = self._with_snapshot(shown.pairs, epoch)
        if not complete and not is_held:
            turn = self._inject(turn, epoch, (*tail, *shown.sent_turn(turn).input_messages), stated, grows=record)
        prompt = self._built(epoch, tail, shown.sent_turn(turn))
        if prompt.bare_loop:
            lost = any(thinks(message) for _, message in pairs if message.number == prompt.bare_loop)
            prompt = replace(prompt, has_lost_thinking=lost)
        if epoch.told_from:
            whole = with_snapshot([message for _, message in rendered], epoch.snapshot, in_first_message=True)
            prompt = replace(prompt, turn=turn, tail=whole)
        if self.budget <= SMALL_BUDGET:
            passing = [message for sent in sents for message in sent.brought_in]
            prompt = replace(prompt, settled=_messages_before(prompt.settled, passing))
        prompt = replace(prompt, clipped=(*self._clipped_messages(epoch, turn), *clipped))
        return prompt if is_held else replace(prompt, unstated=self._injections.unstated_items(turn, epoch, stated))

    def choose_model(self, turn: Turn) -> None:
        """Renders for the model that the turn asks; where it does not say, for the one that replied last."""
        model = turn.model or self._full_view.newest_model()
        self._renderer.render_for(model, is_off=turn.thinking == OFF, sends_whole=turn.sent_whole)

    def count_all(self, epoch: Epoch, turn: Turn) -> BuiltPrompt:
        """Returns all messages that an epoch sends, counted as they are, for who compares prompts and sends none:
        valid or not, they are neither repaired nor encoded.
        """
        self._show(epoch)
        self._renderer.count_as(epoch)
        self.choose_model(turn)
        pairs = [pair for pair in self.view.messages() if epoch.sends(pair[0])]
        rendered, _ = self.render_messages(self.view, pairs, epoch, self._sent_inputs(pairs, epoch, turn))
        tail = tuple(message for _, message in rendered)
        tokens = self.system_tokens(turn.system, turn.tools) + self._renderer.total_tokens((*tail, *turn.messages))
        return BuiltPrompt(
            body={},
            tokens=tokens,
            epoch=epoch,
            turn=turn,
            tail=tail,
            sent_tail=tail,
            sent_turn=turn,
            sections=self._sections(epoch, tail, turn, total=tokens),
            counted=self._renderer.tokenizer.label,
        )

    def _clipped_messages(self, epoch: Epoch, turn: Turn) -> Iterator[ClippedMessage]:
        """Messages of the epoch, and the input, of which only a part is sent."""
        yield from epoch.clipped
        if turn.whole_input and self.is_clip(turn.whole_input, turn.input_messages):
            sizes = map(self._renderer.total_tokens, (turn.whole_input, turn.input_messages))
            yield ClippedMessage(id=blob_id(turn.full_texts[-1]), tokens=next(sizes), shown=next(sizes))

    def is_clip(self, whole: Sequence[Message], shown: Sequence[Message]) -> bool:
        """Whether what is shown of messages is less than they are; a template only adds to them."""
        return self._renderer.total_tokens(shown) < self._renderer.total_tokens(whole)

    def _show(self, epoch: Epoch) -> None:
        """Holds the messages in memory from where the epoch begins."""
        if self.view.first != max(epoch.first, 1):
            self.view = self._full_view if epoch.first <= 1 else PromptView(self._ledger, epoch.first)

    def _inject(self, turn: Turn, epoch: Epoch, sent: Sequence[Message], stated: set[str], *, grows: bool) -> Turn:
        system, input = self.system_tokens(turn.system, turn.tools), self._renderer.total_tokens(turn.input_messages)
        left = self.budget - system - self._renderer.total_tokens(sent)
        most = self._injections.allowance(turn, system=system, input=input, grows=grows)
        turn = self._injections.add_retrieved(turn, epoch, min(left, most), stated)
        left -= self._renderer.total_tokens(turn.injected) + FRAME_TOKENS
        return self._injections.add_critical(turn, epoch, stated, left)

    def system_tokens(self, system: Sequence[Message], tools: Sequence[Tool]) -> int:
        """Returns the tokens of the caller's system prompt and tools, counted once while they stay the same."""
        cached, tokenizer = self._system, self._renderer.tokenizer
        if cached is None or any(a is not b for a, b in zip(cached, (system, tools, tokenizer), strict=False)):
            offers = (jsonio.dumps([tool.name, tool.description, tool.schema]).decode() for tool in tools)
            tokens = self._renderer.total_tokens(system) + sum(map(tokenizer.count, offers))
            cached = self._system = (system, tools, tokenizer, tokens)
        return cached[3]

    # ── messages ─────────────────────────────────────────────────────────────────────────────────────

    def render_messages(
        self,
        view: PromptView,
        messages: Sequence[tuple[int, Message]],
        epoch: Epoch,
        sents: Sequence[SentInput] = (),
        clipped: list[ClippedMessage] | None = None,
    ) -> tuple[list[tuple[int, Message]], set[str]]:
        """Returns messages as the epoch shows them, with earlier inputs exactly as they were ``sents``, and the ids of
        critical items that its snapshot and those inputs state. Inputs of which only a part was sent are added to
        ``clipped``.
        """
        pairs = self._renderer.render(messages, view, epoch, self._log.state())
        stated = {id for section in epoch.sections if section.name == "critical" for id in section.sources}
        return list(self._as_sent(pairs, sents, stated, clipped if clipped is not None else [])), stated

    def _as_sent(
        self,
        pairs: Sequence[tuple[int, Message]],
        sents: Sequence[SentInput],
        stated: set[str],
        clipped: list[ClippedMessage],
    ) -> Iterator[tuple[int, Message]]:
        """An input that was recorded since stays as it was handed out, until the epoch ends."""
        ahead = deque(sents)
        waiting: list[SentInput] = []
        rest: tuple[Message, ...] = ()
        for place, message in pairs:
            while ahead and ahead[0].after < place:
                waiting.append(ahead.popleft())
            if waiting and not waiting[-1].input:
                _state(waiting[-1], stated)
                yield from ((place, word) for word in waiting[-1].messages)
                waiting = []
            elif match := next((sent for sent in reversed(waiting) if is_same_input(message, sent.input)), None):
                _state(match, stated)
                yield from ((place, word) for word in match.messages)
                if match.clipped and self.is_clip(match.input, match.clipped):
                    sizes = map(self._renderer.total_tokens, (match.input, match.clipped))
                    clipped.append(ClippedMessage(id=message.id, tokens=next(sizes), shown=next(sizes)))
                waiting, rest = [], match.input[1:]
                continue
            elif message.role is Role.ASSISTANT:
                waiting = []
            if not is_same_input(message, rest):
                yield place, message

    def _sent_inputs(self, messages: Sequence[tuple[int, Message]], epoch: Epoch, turn: Turn) -> list[SentInput]:
        """The inputs of the epoch as this turn's prompt has them. In a small budget, those of earlier turns are without
        what they brought in, or it would end epochs every few turns. Thinking that came after it holds only as long as
        it stands there: then it stays.
        """
        after = max(messages[0][0] - 1, epoch.started_at) if messages else 0
        inputs = [sent for _, sent in self._log.sent_since(self.name, after)] if messages else []
        if self.budget > SMALL_BUDGET:
            return inputs
        asked = [index for index, sent in enumerate(inputs) if not any(message.outputs for message in sent.input)]
        is_next = turn.input is not None and not turn.answers_call
        ends = [*(inputs[index].after for index in asked[1:]), *((inf,) if is_next else ())]
        thinking = [place for place, message in messages if any(isinstance(part, Reasoning) for part in message.parts)]
        for turn_index, end in zip(asked, ends, strict=False):  # the newest of a turn that goes on has no end
            if not any(inputs[turn_index].after < place <= end for place in thinking):
                inputs[turn_index] = inputs[turn_index].without_brought_in()
        return inputs

    def _tell(self, steps: Sequence[Message]) -> Message:
        """Steps as text; the same message while they stay the same."""
        message = tell_steps(steps)
        self._told = self._told if self._told == message else message
        return self._told

    def _with_snapshot(self, pairs: Sequence[tuple[int, Message]], epoch: Epoch) -> tuple[Message, ...]:
        """The messages with the snapshot at their head; the same first message while both stay the same."""
        in_first_message = bool(pairs) and pairs[0][0] <= epoch.started_at
        messages = with_snapshot([message for _, message in pairs], epoch.snapshot, in_first_message=in_first_message)
        if self._head and messages and self._head == messages[0]:
            return (self._head, *messages[1:])
        self._head = messages[0] if messages else None
        return messages

    # ── shapes ───────────────────────────────────────────────────────────────────────────────────────

    def _built(self, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> BuiltPrompt:
        return self._as_request(self._encoder, epoch, tail, turn) if self._encoder else self._as_text(epoch, tail, turn)

    def _as_request(self, encoder: RequestEncoder, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> BuiltPrompt:
        body, sent, repairs = encoder.request(
            turn.system, (*tail, *turn.messages), turn.tools, sealed_after=epoch.started_at
        )
        if self.target == "anthropic":
            body = with_breakpoints(body, snapshot=epoch.snapshot)
        tokens = self.system_tokens(turn.system, turn.tools) + self._renderer.total_tokens(sent)
        return BuiltPrompt(
            body=body,
            tokens=tokens,
            epoch=epoch,
            turn=turn,
            tail=tuple(tail),
            sent_tail=tuple(tail),
            sent_turn=turn,
            bare_loop=_bare_loop(sent) if self.target == "anthropic" else 0,
            settled=sent[: len(sent) - len(turn.messages)],
            sections=self._sections(epoch, tail, turn, total=tokens),
            repairs=repairs,
            counted=self._renderer.tokenizer.label,
        )

    def sizes(self, prompt: BuiltPrompt) -> PromptSizes:
        """Returns what a prompt of this stream is made of, in tokens as the prompt counted them."""
        self._renderer.count_as(prompt.epoch)
        plain = without_snapshot(prompt.tail, prompt.epoch.snapshot) if self._encoder else prompt.tail
        messages: dict[str, int] = {}
        for message in plain:
            messages[message.id] = messages.get(message.id, 0) + self._renderer.tokens(message)
        return PromptSizes(
            system=self.system_tokens(prompt.turn.system, prompt.turn.tools),
            snapshot=self._renderer.total_tokens(prompt.tail) - sum(messages.values()),
            messages=messages,
        )

    def _as_text(self, epoch: Epoch, tail: Sequence[Message], turn: Turn) -> BuiltPrompt:
        tail = without_snapshot(tail, epoch.snapshot)
        body = render_text(epoch.snapshot, tail, turn)
        tokens = self._renderer.tokenizer.count(body)
        return BuiltPrompt(
            body=body,
            tokens=tokens,
            epoch=epoch,
            turn=turn,
            tail=tuple(tail),
            sent_tail=tuple(tail),
            sent_turn=turn,
            sections=self._sections(epoch, tail, turn, total=tokens),
            counted=self._renderer.tokenizer.label,
        )

    def _sections(self, epoch: Epoch, tail: Sequence[Message], turn: Turn, *, total: int) -> tuple[SectionReport, ...]:
        """The sections, which add up to the total: ``frame`` is what headings, frames and repairs take beyond them."""
        ids = tuple(message.id for message in tail if message.id)
        snapshot = sum(section.tokens for section in epoch.sections)
        sizes = {
            "system": self.system_tokens(turn.system, turn.tools),
            "messages": self._renderer.total_tokens(tail) - (snapshot if self.target != "text" else 0),
            "retrieved": 0 if turn.sections else self._renderer.total_tokens(turn.injected),
            "input": self._renderer.total_tokens(turn.input_messages),
        }
        beyond = total - snapshot - sum(section.tokens for section in turn.sections) - sum(sizes.values())
        is_of_messages = bool(tail) and (self.target == "text" or beyond < 0)
        sizes["messages" if is_of_messages else "frame"] = beyond + (sizes["messages"] if is_of_messages else 0)
        rest = [
            SectionReport(name=name, layer=_LAYERS[name], tokens=size, sources=ids if name == "messages" else ())
            for name, size in sizes.items()
            if size > 0
        ]
        return (*epoch.sections, *turn.sections, *rest)


def _messages_before(messages: tuple[Message, ...], passing: Sequence[Message]) -> tuple[Message, ...]:
    """The messages before the first of those that go with their turn."""
    end = next((index for index, message in enumerate(messages) if message in passing), len(messages))
    return messages[:end]


def _bare_loop(sent: Sequence[Message]) -> int:
    """The number of the reply that opens the loop under way, if no sealed thinking stands at its head; else 0."""
    start = open_loop(sent)
    return 0 if start is None or starts_with_thinking(sent[start]) else sent[start].number


def _state(sent: SentInput, stated: set[str]) -> None:
    """Adds the critical items and chunks that an input stated, and takes out the items that it withdrew."""
    stated.update(sent.pinned)
    stated.update(sent.knowledge)
    stated.difference_update(sent.withdrawn)


def render_text(snapshot: str, tail: Sequence[Message], turn: Turn) -> str:
    """Renders a prompt as one text: the snapshot, the messages in order, injections, and the input."""
    format = FORMATS["text"]
    texts = [snapshot] if snapshot else []
    if tail:
        messages = (message_text(without_notes(message)) for message in tail)
        texts.append(format(PackSection("recent", 1, "\n\n".join(messages))))
    texts += [message.text for message in turn.injected]
    if turn.input_messages:
        texts.append(format(PackSection("input", 1, "\n\n".join(message.text for message in turn.input_messages))))
    return "\n".join(texts)


def without_snapshot(tail: Sequence[Message], snapshot: str) -> tuple[Message, ...]:
    """Returns the messages without the snapshot at their head."""
    if not snapshot or not tail:
        return tuple(tail)
    first = replace(tail[0], parts=tail[0].parts[1:])
    return (first, *tail[1:]) if first.parts else tuple(tail[1:])
