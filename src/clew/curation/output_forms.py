"""Output forms: shorter texts for tool outputs, chosen when an epoch starts."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from clew.config import CurationConfig
from clew.curation.curator import curate
from clew.curation.markers import blob_id, with_marker
from clew.domain import Call, Message, Output, Part, Text
from clew.text.markers import neutralise_markers

#: A text that no reducer can shorten keeps its beginning, and one part in this many from its end.
_END_SHARE = 3
#: Characters per token, a low estimate: what is cut to fit must not come out too long.
_CHARS_PER_TOKEN = 2.2


def with_forms(message: Message, form_of: Callable[[str], str | None]) -> Message:
    """Returns the message with shorter texts in its outputs; the same object when nothing changes.

    ``form_of`` returns the text that stands for an output, by the blob id of its whole text.
    """
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


def stale_forms(messages: Sequence[Message], stale: Container[str], config: CurationConfig) -> dict[str, str]:
    """Returns shorter texts for the outputs of the calls in ``stale``, by the text they replace."""
    calls = _calls_by_id(messages)
    outputs = (output for message in messages for output in message.outputs if output.call_id in stale)
    made = ((output.text, _shrunk(output.text, calls.get(output.call_id), config)) for output in outputs)
    return {text: form for text, form in made if form is not None} if config.enabled else {}


def squeezed_forms(step: Sequence[Message], config: CurationConfig, *, tokens: int) -> dict[str, str]:
    """Returns shorter texts for the outputs of a step that is too large, by the text they replace.

    Each output gets its share of ``tokens``; one that no reducer can shorten is cut in the middle.
    """
    calls = _calls_by_id(step)
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
    return with_marker(neutralise_markers(f"{text[: limit - end]}\n…\n{text[len(text) - end :]}"), text)


def _calls_by_id(messages: Sequence[Message]) -> dict[str, Call]:
    return {call.id: call for message in messages for call in message.calls}


def with_texts(messages: Sequence[Message], forms: dict[str, str]) -> list[Message]:
    """Returns messages with forms in place of the texts that they stand for."""
    by_id = forms_by_id(forms)
    return [with_forms(message, by_id.get) for message in messages]


def forms_by_id(forms: dict[str, str]) -> dict[str, str]:
    """Returns forms by the id of the text that they stand for."""
    return {blob_id(text): form for text, form in forms.items()}
