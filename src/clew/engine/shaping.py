"""Messages as an epoch shows them: outputs in the form that was chosen, thinking only where it still holds."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clew.config import CurationConfig
from clew.curation import blob_id, curate, defused, marked
from clew.domain import Call, Message, Output, Part, Reasoning, Text

#: Of a text that no reducer can shorten, the beginning is shown, and this share of it from the end.
_END_SHARE = 3


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


def chosen_form(form: Mapping[str, Any] | None, *, cut: int, shrunk: Container[str]) -> str | None:
    """What stands for an output: a reference while the first of its kind can be seen as it was, else a shorter text."""
    if not form:
        return None
    number, told, blob = form.get("like") or (0, "", "")
    if number >= cut and blob not in shrunk:
        return str(told)
    return form.get("text")


def without_seals(message: Message) -> Message:
    """Sealed thinking is bound to every byte before it; where those changed, it goes."""
    parts = tuple(part for part in message.parts if not (isinstance(part, Reasoning) and part.seal))
    return message if len(parts) == len(message.parts) else replace(message, parts=parts, wire=None)


def shrunk(text: str, call: Call | None, config: CurationConfig, *, limit_chars: int | None = None) -> str | None:
    """The form an output takes when an epoch begins; with a limit, one that is not much longer than that."""
    made = curate(text, call, config, when="epoch", limit_chars=limit_chars)
    if made is not None and made.blob and (limit_chars is None or len(made.text) <= 2 * limit_chars):
        return made.text
    if limit_chars is None or len(text) <= limit_chars:
        return None
    end = limit_chars // _END_SHARE
    return marked(defused(f"{text[: limit_chars - end]}\n…\n{text[len(text) - end :]}"), text)


def calls_by_id(messages: Sequence[Message]) -> dict[str, Call]:
    return {call.id: call for message in messages for call in message.calls}
