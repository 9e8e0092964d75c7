"""OpenAI's Chat Completions, which most hosts and the servers for local models speak as well."""

from __future__ import annotations

from typing import Any

from clew.domain import Json, Usage
from clew.errors import ModelOverflow
from clew.models.http import Endpoint
from clew.models.overflow import is_cut_silently
from clew.models.quirks import Quirks
from clew.models.reading import count_at, dicts, dig, said, text_at
from clew.ports import Asked, Cancel, Said, Stop

BASE_URL = "https://api.openai.com/v1"

_STOPS: dict[str, Stop] = {
    "stop": "end",
    "length": "length",
    "tool_calls": "calls",
    "function_call": "calls",
    "content_filter": "refusal",
}


class OpenAI:
    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self._endpoint = endpoint
        self._quirks = Quirks()

    def __repr__(self) -> str:
        return f"OpenAI({self.name!r})"

    def ask(self, asked: Asked, *, seconds: float, cancel: Cancel | None = None) -> Said:
        learn = self._quirks.learn
        answer = self._endpoint.post(
            "/chat/completions", lambda: self._body(asked), seconds=seconds, cancel=cancel, learn=learn
        )
        usage = _usage(answer)
        self._ensure_read_whole(asked, usage)
        message = dig(answer, "choices", 0, "message")
        declined = text_at(message, "refusal")
        stop = "refusal" if declined else _STOPS.get(text_at(answer, "choices", 0, "finish_reason"), "other")
        text = declined or _text(dig(message, "content"))
        return said(text, stop, calls=_calls(message), usage=usage, by=self.name)

    def _body(self, asked: Asked) -> Json:
        messages = [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.user}]
        if not asked.system:
            messages = messages[1:]
        elif self._quirks.no_system:
            messages = [{"role": "user", "content": f"{asked.system}\n\n{asked.user}"}]
        limits = {"max_tokens": asked.max_tokens, "temperature": 0}
        return self._quirks.put({"model": self.name, "messages": messages, **limits, "stream": False})

    def _ensure_read_whole(self, asked: Asked, usage: Usage | None) -> None:
        size = len(asked.system.encode("utf-8", "replace")) + len(asked.user.encode("utf-8", "replace"))
        if usage and is_cut_silently(size, usage.input_tokens):
            read = f"{usage.input_tokens} tokens of {size} bytes"
            said = f"{self._endpoint.host} read only {read}: it cuts what its window does not hold"
            raise ModelOverflow(said, usage.input_tokens)


def _text(content: Any) -> str:
    """A text, or, as some hosts have it, parts with texts."""
    return content if isinstance(content, str) else "".join(text_at(part, "text") for part in dicts(content))


def _calls(message: Any) -> list[str]:
    calls = [text_at(one, "function", "name") for one in dicts(dig(message, "tool_calls"))]
    older = text_at(message, "function_call", "name")
    return [*calls, older] if older else calls


def _usage(answer: Json) -> Usage | None:
    told = answer.get("usage")
    if not isinstance(told, dict):
        return None
    cached = count_at(told, "prompt_tokens_details", "cached_tokens")
    return Usage(count_at(told, "prompt_tokens"), count_at(told, "completion_tokens"), cached)
