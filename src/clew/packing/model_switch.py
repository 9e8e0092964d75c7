"""Reasoning belongs to the model that made it: another refuses what it cannot verify (A10, R7, G5).

Whether two names are one model is told only of names that are known: an alias may be any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import is_

from clew.domain import Message, Part, Reasoning, Wire
from clew.tokens.models import model_info

#: Words of a name that say no more than where it is served, and which snapshot of the model it is.
_BESIDE = re.compile(
    r"\[1m\]|[@:].*$|^.*/|\b(?:us|eu|apac|global|anthropic|models|latest|preview|v\d|0)\b"
    r"|\d{4}-?\d{2}-?\d{2}|\b\d{2}-\d{4}\b|\b\d{3}\b"
)
_SIGNATURES = ("thoughtSignature", "thought_signature")
#: Formats whose reasoning is looked up or verified by the provider, sealed or not.
_VERIFIED = frozenset({"openai-responses", "gemini"})


@lru_cache(maxsize=512)
def is_other_model(one: str, other: str) -> bool:
    """Returns True for two names of different models, False where a name is not known. Hosts turn names around."""
    if not (model_info(one).is_known and model_info(other).is_known):
        return False
    return _words(one) != _words(other)


def _words(name: str) -> list[str]:
    return sorted(re.findall(r"[a-z]+|\d+", _BESIDE.sub("", name.lower())))


def newest_model(messages: Iterable[Message]) -> str:
    """Returns the model of the first message that names one, the newest first; empty where none does."""
    return next((message.model for message in messages if message.model), "")


def as_another_models(message: Message, model: str) -> Message:
    """Returns a reply of another model as ``model`` takes it: without its reasoning and signatures, the reply of the
    model itself as it is. Reasoning in plain text stays within its maker's models.
    """
    if not message.model or not is_other_model(message.model, model):
        return message
    is_kin = model_info(message.model).family == model_info(model).family
    parts = tuple(_without_reasoning(message.parts, keeps_text=is_kin))
    is_same = len(parts) == len(message.parts) and all(map(is_, parts, message.parts))
    return message if is_same else replace(message, parts=parts, wire=None)


def _without_reasoning(parts: Sequence[Part], *, keeps_text: bool) -> Iterator[Part]:
    """What followed an item of reasoning loses its id, by which the provider would miss the item."""
    lacks = False
    for part in parts:
        if isinstance(part, Reasoning) and not (keeps_text and _is_text(part)):
            lacks = part.wire is not None and part.wire.format == "openai-responses"
            continue
        yield _without_members(part, (*_SIGNATURES, *(("id",) if lacks else ())))
        lacks = False


def _is_text(part: Reasoning) -> bool:
    return not part.seal and (part.wire is None or part.wire.format not in _VERIFIED)


def _without_members(part: Part, names: Sequence[str]) -> Part:
    wire = part.wire
    if wire is None or wire.format not in _VERIFIED or not isinstance(wire.data, dict):
        return part
    kept = {name: value for name, value in wire.data.items() if name not in names}
    return part if len(kept) == len(wire.data) else replace(part, wire=Wire(wire.format, kept))
