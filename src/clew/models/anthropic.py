"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterator

from clew.cancellation import Cancel
from clew.codecs.jsonio import value_at
from clew.domain import Json, Usage
from clew.models.endpoint import Endpoint
from clew.models.parameter_support import ParameterSupport
from clew.models.response_json import build_reply, count_at, objects_in, text_at
from clew.ports import ChatRequest, ModelReply, ModelRequest, StopReason

BASE_URL = "https://api.anthropic.com"
HEADERS = {"anthropic-version": "2023-06-01"}

_STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "calls",
    "refusal": "refusal",
}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


class AnthropicModel:
    """A model behind the Messages API."""

    format = "anthropic"

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self._endpoint = endpoint
        self._support = ParameterSupport()

    def __repr__(self) -> str:
        return f"Anthropic({self.name!r})"

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        learn = self._support.learn
        answer = self._endpoint.post(
            "/v1/messages", lambda: self._body(request), seconds=seconds, cancel=cancel, learn=learn
        )
        blocks = objects_in(answer.get("content"))
        text = "".join(text_at(block, "text") for block in blocks if block.get("type") == "text")
        calls = [text_at(block, "name") for block in blocks if block.get("type") in _CALLS]
        stop = _STOPS.get(text_at(answer, "stop_reason"), "other")
        return build_reply(text, stop, calls=calls, usage=_usage(answer), by=self.name)

    def respond(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Json:
        learn = self._support.learn
        return self._endpoint.post(
            "/v1/messages", lambda: self._chat(request), seconds=seconds, cancel=cancel, learn=learn
        )

    def stream(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Iterator[Json]:
        learn = self._support.learn
        return self._endpoint.stream(
            "/v1/messages", lambda: {**self._chat(request), "stream": True}, seconds=seconds, cancel=cancel, learn=learn
        )

    def usage(self, answer: Json) -> Usage | None:
        return _usage(value_at(answer, "message") or answer)

    def _chat(self, request: ChatRequest) -> Json:
        return self._support.apply({"model": self.name, "max_tokens": request.max_tokens, **request.body})

    def _body(self, request: ModelRequest) -> Json:
        system = {"system": request.system} if request.system else {}
        messages = [{"role": "user", "content": request.user}]
        limits = {"max_tokens": request.max_tokens, "temperature": 0}
        return self._support.apply({"model": self.name, **limits, **system, "messages": messages})


def _usage(answer: Json) -> Usage | None:
    told = value_at(answer, "usage")
    if not isinstance(told, dict):
        return None
    read, written = count_at(told, "cache_read_input_tokens"), count_at(told, "cache_creation_input_tokens")
    return Usage(count_at(told, "input_tokens") + read + written, count_at(told, "output_tokens"), read, written)
