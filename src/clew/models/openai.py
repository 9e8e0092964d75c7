"""OpenAI's Chat Completions, which most hosts and the servers for local models speak as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.cancellation import Cancel
from clew.codecs.jsonio import value_at
from clew.domain import Json, Usage
from clew.errors import ModelOverflow
from clew.models.endpoint import Endpoint
from clew.models.overflow import is_cut_silently
from clew.models.parameter_support import ParameterSupport
from clew.models.response_json import build_reply, count_at, objects_in, text_at
from clew.ports import ChatRequest, ModelReply, ModelRequest, StopReason

BASE_URL = "https://api.openai.com/v1"

_STOPS: dict[str, StopReason] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "calls",
    "function_call": "calls",
    "content_filter": "refusal",
}


class OpenAIModel:
    """A model behind any server that speaks Chat Completions."""

    format = "openai-chat"

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self._endpoint = endpoint
        self._support = ParameterSupport()

    def __repr__(self) -> str:
        return f"OpenAI({self.name!r})"

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        learn = self._support.learn
        answer = self._endpoint.post(
            "/chat/completions", lambda: self._body(request), seconds=seconds, cancel=cancel, learn=learn
        )
        usage = _usage(answer)
        self._ensure_read_whole(request, usage)
        message = value_at(answer, "choices", 0, "message")
        declined = text_at(message, "refusal")
        stop = "refusal" if declined else _STOPS.get(text_at(answer, "choices", 0, "finish_reason"), "other")
        text = declined or _text(value_at(message, "content"))
        return build_reply(text, stop, calls=_calls(message), usage=usage, by=self.name)

    def respond(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Json:
        learn = self._support.learn
        return self._endpoint.post(
            "/chat/completions", lambda: self._chat(request), seconds=seconds, cancel=cancel, learn=learn
        )

    def stream(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Iterator[Json]:
        learn, streamed = self._support.learn, {"stream": True, "stream_options": {"include_usage": True}}
        return self._endpoint.stream(
            "/chat/completions", lambda: self._chat(request, streamed), seconds=seconds, cancel=cancel, learn=learn
        )

    def usage(self, answer: Json) -> Usage | None:
        return _usage(answer)

    def _chat(self, request: ChatRequest, more: Json | None = None) -> Json:
        body = {"model": self.name, "max_tokens": request.max_tokens, **request.body, **(more or {})}
        return self._support.apply(body)

    def _body(self, request: ModelRequest) -> Json:
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
        if not request.system:
            messages = messages[1:]
        elif self._support.no_system:
            messages = [{"role": "user", "content": f"{request.system}\n\n{request.user}"}]
        limits = {"max_tokens": request.max_tokens, "temperature": 0}
        return self._support.apply({"model": self.name, "messages": messages, **limits, "stream": False})

    def _ensure_read_whole(self, request: ModelRequest, usage: Usage | None) -> None:
        size = len(request.system.encode("utf-8", "replace")) + len(request.user.encode("utf-8", "replace"))
        if usage and is_cut_silently(size, usage.input_tokens):
            read = f"{usage.input_tokens} tokens of {size} bytes"
            said = f"{self._endpoint.host} read only {read}: it cuts what its window does not hold"
            raise ModelOverflow(said, usage.input_tokens)


def _text(content: Any) -> str:
    """A text, or, as some hosts have it, parts with texts."""
    return content if isinstance(content, str) else "".join(text_at(part, "text") for part in objects_in(content))


def _calls(message: Any) -> list[str]:
    calls = [text_at(one, "function", "name") for one in objects_in(value_at(message, "tool_calls"))]
    older = text_at(message, "function_call", "name")
    return [*calls, older] if older else calls


def _usage(answer: Json) -> Usage | None:
    told = answer.get("usage")
    if not isinstance(told, dict):
        return None
    cached = count_at(told, "prompt_tokens_details", "cached_tokens")
    return Usage(count_at(told, "prompt_tokens"), count_at(told, "completion_tokens"), cached)
