"""Chunks of the Gemini API: each is a response of its own, with the parts that are new."""

from __future__ import annotations

from typing import Any

from clew.codecs.fields import list_of, object_of
from clew.codecs.providers.gemini_parts import CALLS_MADE, field
from clew.codecs.streams.partial_arguments import PartialCall, is_partial
from clew.codecs.streams.pieces import add_piece, as_interrupted, join_pieces
from clew.domain import Json

#: What every chunk says of the whole; the last word counts.
_WHOLE = ("usageMetadata", "modelVersion", "responseId", "createTime", "promptFeedback", CALLS_MADE)
#: A text with more than this says something of its own (a signature), and is joined to no other.
_PLAIN = {"text", "thought"}


class GeminiStream:
    """Puts a response together from chunks: texts are joined, other parts stand as they came."""

    format = "gemini"

    def __init__(self) -> None:
        self._head: Json = {}
        self._candidate: Json = {}
        self._parts: list[Any] = []
        self._call: PartialCall | None = None

    @staticmethod
    def tells(event: Json) -> bool:
        """True for a chunk of this API."""
        return isinstance(event.get("candidates"), list) or isinstance(field(event, "usageMetadata"), dict)

    @property
    def is_complete(self) -> bool:
        """True once the candidate says why it ended."""
        return field(self._candidate, "finishReason") is not None

    def feed(self, event: Json) -> None:
        """Takes in one chunk. One that tells of more calls made begins the answer to them: they are told there."""
        if len(list_of(event, CALLS_MADE)) > len(list_of(self._head, CALLS_MADE)):
            self._candidate, self._parts = {}, []
        for name in _WHOLE:
            if (value := field(event, name)) is not None:
                self._head[name] = value
        candidate = next((one for one in list_of(event, "candidates") if isinstance(one, dict)), {})
        self._candidate |= {name: value for name, value in candidate.items() if name != "content" and value is not None}
        for part in list_of(object_of(candidate, "content"), "parts"):
            self._add(part)

    def _add(self, part: Any) -> None:
        if is_partial(part, self._call):
            self._call = self._call or PartialCall()
            if (whole := self._call.add(part)) is not None:
                self._call = None
                self._parts.append(whole)
        elif _continues(self._parts[-1:], part):
            add_piece(self._parts[-1], "text", part["text"])
        elif not _is_blank(part):
            self._parts.append(dict(part) if isinstance(part, dict) else part)

    def response(self) -> Json | None:
        """The response as a call without streaming returns it; None while there is nothing to record."""
        parts: list[Any] = join_pieces(self._parts)
        content = {"role": "model", "parts": parts}
        whole = self._head | {"candidates": [self._candidate | {"content": content}]}
        if self.is_complete:
            return whole
        unfinished = [self._call.partial_part] if self._call else []
        return as_interrupted(whole, unfinished, is_empty=not parts)


def _continues(last: list[Any], part: Any) -> bool:
    """True for a plain text after a plain text of the same kind: words, or thoughts."""
    before = last[0] if last else None
    if not isinstance(before, dict) or not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return False
    is_plain = _member_names(part) <= _PLAIN and "text" in before and _member_names(before) <= _PLAIN
    return is_plain and bool(before.get("thought")) == bool(part.get("thought"))


def _is_blank(part: Any) -> bool:
    """True for an empty text that bears nothing else: the API ends its streams with one."""
    return isinstance(part, dict) and part.get("text") == "" and _member_names(part) <= _PLAIN


def _member_names(part: Json) -> set[str]:
    return {name for name, value in part.items() if value is not None}
