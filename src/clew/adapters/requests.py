"""Requests of the official clients: where each keeps messages, system prompt and tools, and how a pack takes their
place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any

from clew.domain import Json
from clew.engine.prompt.pack import Pack
from clew.packing.cache_breakpoints import with_breakpoints
from clew.rules import repair
from clew.rules.thinking_modes import thinking_mode
from clew.tokens.models import model_info

_SYSTEM_ROLES = {"system", "developer"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address that takes conversations: its format, and the members of its body for messages and system prompt."""

    path: str
    format: str
    messages: str
    system: str


ENDPOINTS = (
    Endpoint("/v1/messages", "anthropic", "messages", "system"),
    Endpoint("/chat/completions", "openai-chat", "messages", ""),
    Endpoint("/responses", "openai-responses", "input", "instructions"),
)


def endpoint_of(method: str, url: str) -> Endpoint | None:
    """Returns the endpoint that a request goes to; None where it is no conversation."""
    path = url.partition("?")[0]
    return next((one for one in ENDPOINTS if method.lower() == "post" and path == one.path), None)


@dataclass(frozen=True, slots=True)
class ConversationRequest:
    """A request's body, taken apart. System messages at the head of the list stay as they are, outside the pack."""

    endpoint: Endpoint
    body: Json

    @property
    def messages(self) -> list[Any]:
        """The messages after the system prompt; a bare text is the user's."""
        return list(dropwhile(_is_system, self._message_list))

    @property
    def system(self) -> Any:
        """The system prompt, to be counted and kept with the session; None where there is none."""
        beside = self.body.get(self.endpoint.system) if self.endpoint.system else None
        contents = [message.get("content") for message in self._head]
        if not contents:
            return beside
        given = [beside, *contents] if beside else contents
        return given[0] if len(given) == 1 else "\n\n".join(map(_text, given))

    @property
    def tools(self) -> Sequence[Any] | None:
        """The tools of the request; None where it has none."""
        return self.body.get("tools")

    @property
    def model(self) -> str:
        """The model that is asked."""
        return str(self.body.get("model") or "")

    @property
    def thinking(self) -> str:
        """The mode of thinking in which the model answers; empty where nobody says."""
        return thinking_mode(self.body) if self.endpoint.format == "anthropic" else ""

    @property
    def previous_response(self) -> str:
        """The id of the response that the request goes on from; empty where it brings its list itself."""
        return str(self.body.get("previous_response_id") or "")

    @property
    def wants_several(self) -> bool:
        """True where several replies to choose from are asked for."""
        count = self.body.get("n")
        return self.endpoint.format == "openai-chat" and isinstance(count, int) and count > 1

    @property
    def is_kept_by_provider(self) -> bool:
        """True where the provider has the conversation, and only what is new is sent."""
        return bool(self.previous_response or self.body.get("conversation"))

    def with_pack(self, pack: Pack | None) -> Json:
        """Returns the body with the pack, where there is one, in place of the messages, and the session's own system
        prompt, where it has one, before that of the call. All else is as the caller gave it.
        """
        if pack is None or pack.is_empty:
            return self.body
        name, packed = self.endpoint.messages, pack.shared_request(self.endpoint.format)
        own = list(takewhile(_is_system, packed[name])) if pack.content.turn.composed else []
        messages = [*own, *self._head, *dropwhile(_is_system, packed[name])]
        body = self.body | ({name: messages} if messages or name in self.body else {})
        body.pop("previous_response_id", None)  # the pack has what stands before
        if pack.content.turn.composed and self.endpoint.system:
            body[self.endpoint.system] = _join_system_prompts(
                packed[self.endpoint.system], body.get(self.endpoint.system)
            )
        if self.endpoint.format == "anthropic":  # marks of the caller count too, and each pack has its own
            body = with_breakpoints(body, snapshot=pack.content.snapshot)
        if (
            self.endpoint.format == "openai-chat" and model_info(self.model).family == "deepseek"
        ):  # replies of other models come without reasoning of its kind
            body = repair(body, self.endpoint.format, dialect="deepseek")[0]
        return body

    @property
    def _message_list(self) -> list[Any]:
        given = self.body.get(self.endpoint.messages) or []
        return [{"role": "user", "content": given}] if isinstance(given, str) else list(given)

    @property
    def _head(self) -> list[Any]:
        return list(takewhile(_is_system, self._message_list))


def _is_system(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") in _SYSTEM_ROLES


def _join_system_prompts(own: Any, given: Any) -> Any:
    """Two system prompts as one: texts as a text, blocks as blocks."""
    if not given:
        return own
    if isinstance(own, str) and isinstance(given, str):
        return f"{own}\n\n{given}"
    return [*_blocks(own), *_blocks(given)]


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(piece.get("text", "")) if isinstance(piece, dict) else str(piece) for piece in content)
    return str(content)
