"""Messages as an epoch shows them: outputs in the form that was chosen, thinking only where it still holds."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clew.config import CurationConfig
from clew.curation import blob_id, curate, defused, marked
from clew.curation.marks import same_as
from clew.domain import Call, Epoch, Message, Output, Part, Reasoning, Text
from clew.engine.tail import Tail
from clew.history.sending import Lead
from clew.ports import Tokenizer
from clew.tokens.counting import count_message

#: Of a text that no reducer can shorten, the beginning is shown, and this share of it from the end.
_END_SHARE = 3
#: Characters to a token, from below: what is cut to fit must not come out too long.
_CHARS_PER_TOKEN = 2.2
_LEAST_CHARS = 4


#: So many messages are kept with their sizes.
_MOST_SIZES = 10_000


class Shaper:
    """Shapes and counts messages for one model; the same message is shaped and counted once."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._sizes: dict[int, tuple[Message, int]] = {}
        self.forget()

    def forget(self) -> None:
        """Shapes are of one epoch; sizes hold for ever, and are let go when there are many."""
        self._shapes: dict[int, tuple[Message, Message]] = {}
        if len(self._sizes) > _MOST_SIZES:
            self._sizes.clear()

    def shaped(
        self, view: Sequence[tuple[int, Message]], tail: Tail, epoch: Epoch, lead: Lead
    ) -> list[tuple[int, Message]]:
        """What the epoch shows of a tail's view, with places; what leads is left out.

        Sealed thinking stays with replies that were made from just what stands before them: since the epoch began,
        since system prompt and tools are what they are, and since the last edit before them.
        """
        edited, without = bool(epoch.snapshot), set(lead.system)
        bound = lead.changed
        out: list[tuple[int, Message]] = []
        seen: dict[int, Message] = {}
        for place, message in view:
            number = int(message.id[1:])
            if number in without:
                continue
            shaped = self._shape(message, seen, tail, epoch)
            seen[number] = message
            edited = edited or (shaped is not message and number <= epoch.at)
            bound = max(bound, number) if number != place else bound
            if (edited and number <= epoch.at) or number < bound or number == lead.changed:
                shaped = self._once(shaped, _without_seals)
            if shaped.parts:
                out.append((place, shaped))
        return out

    def size(self, message: Message) -> int:
        known = self._sizes.get(id(message))
        if known is None or known[0] is not message:
            known = self._sizes[id(message)] = (message, count_message(message, self.tokenizer))
        return known[1]

    def weight(self, message: Message, tail: Tail) -> int:
        """About what a message takes in the form it has; a whole that is shortened anyway is not counted."""
        forms = tail.forms(int(message.id[1:]))
        shown = [form["text"] for form in forms.values() if "text" in form]
        return sum(len(text) for text in shown) // _LEAST_CHARS if shown else self.size(message)

    def sizes(self, messages: Iterable[Message]) -> int:
        return sum(map(self.size, messages))

    def _shape(self, message: Message, seen: Mapping[int, Message], tail: Tail, epoch: Epoch) -> Message:
        number = int(message.id[1:])
        forms = tail.forms(number)
        frozen = epoch.forms if number <= epoch.at else {}
        if not message.outputs or not (forms or frozen):
            return message

        def form_of(blob: str) -> str | None:
            return frozen.get(blob) or _chosen(blob, forms.get(blob, {}), seen, shrunk=epoch.forms)

        return self._once(message, lambda one: with_forms(one, form_of))

    def _once(self, message: Message, shape: Callable[[Message], Message]) -> Message:
        known = self._shapes.get(id(message))
        if known is None or known[0] is not message:
            known = self._shapes[id(message)] = (message, shape(message))
        return known[1]


def with_forms(message: Message, form_of: Callable[[str], str | None]) -> Message:
    """The message with other texts in its outputs; the same object when none has one."""
    parts = tuple(_with_form(part, form_of) if isinstance(part, Output) else part for part in message.parts)
    if all(new is old for new, old in zip(parts, message.parts, strict=True)):
        return message
    return replace(message, parts=parts, wire=None)


def _with_form(output: Output, form_of: Callable[[str], str | None]) -> Output:
    text = output.text
    form = form_of(blob_id(text)) if text else None
    if form is None or form == text:
        return output
    rest: tuple[Part, ...] = tuple(part for part in output.content if not isinstance(part, Text))
    return replace(output, content=(Text(text=form), *rest), wire=None)


def _chosen(blob: str, form: Mapping[str, Any], seen: Mapping[int, Message], *, shrunk: Container[str]) -> str | None:
    """What stands for an output: a reference if another of its kind stands above as it was, else a shorter text."""

    def stands(number: int, whole: str) -> bool:
        return (
            number in seen and whole not in shrunk and any(blob_id(one.text) == whole for one in seen[number].outputs)
        )

    first = next((number for number in form.get("same", ()) if stands(number, blob)), None)
    if first is not None:
        return same_as(f"m{first}", blob)
    number, told, whole = form.get("like") or (0, "", "")
    return str(told) if stands(number, whole) else form.get("text")


def _without_seals(message: Message) -> Message:
    """Sealed thinking is bound to every byte before it; where those changed, it goes."""
    parts = tuple(part for part in message.parts if not (isinstance(part, Reasoning) and part.seal))
    return message if len(parts) == len(message.parts) else replace(message, parts=parts, wire=None)


# ── forms for an epoch ───────────────────────────────────────────────────────────────────────────────


def stale_forms(messages: Sequence[Message], stale: Container[str], config: CurationConfig) -> dict[str, str]:
    """Shorter texts for outputs of these calls, by the text they stand for."""
    calls = calls_by_id(messages)
    found = (output for message in messages for output in message.outputs if output.call_id in stale)
    made = ((output.text, _shrunk(output.text, calls.get(output.call_id), config)) for output in found)
    return {text: form for text, form in made if form is not None} if config.enabled else {}


def squeezed_forms(step: Sequence[Message], config: CurationConfig, *, tokens: int) -> dict[str, str]:
    """Texts for the outputs of a step that is too large, each within its share of the tokens."""
    calls = calls_by_id(step)
    outputs = [output for message in step for output in message.outputs]
    total = sum(len(output.text) for output in outputs) or 1
    forms: dict[str, str] = {}
    for output in outputs:
        limit = max(int(_CHARS_PER_TOKEN * tokens * len(output.text) / total), 80)
        form = _shrunk(output.text, calls.get(output.call_id), config, limit=limit) or _cut(output.text, limit)
        if form is not None:
            forms[output.text] = form
    return forms


def _shrunk(text: str, call: Call | None, config: CurationConfig, *, limit: int | None = None) -> str | None:
    made = curate(text, call, config, when="epoch", limit_chars=limit)
    fits = made is not None and made.blob and (limit is None or len(made.text) <= 2 * limit)
    return made.text if made is not None and fits else None


def _cut(text: str, limit: int) -> str | None:
    """Beginning and end of a text that no reducer makes short enough."""
    end = limit // _END_SHARE
    if len(text) <= limit + end:
        return None
    return marked(defused(f"{text[: limit - end]}\n…\n{text[len(text) - end :]}"), text)


def calls_by_id(messages: Sequence[Message]) -> dict[str, Call]:
    return {call.id: call for message in messages for call in message.calls}
