"""Anthropic's Messages API."""

from __future__ import annotations

from clew.domain import Json, Usage
from clew.models.http import Endpoint
from clew.models.quirks import Quirks
from clew.models.reading import count_at, dicts, dig, said, text_at
from clew.ports import Asked, Cancel, Said, Stop

BASE_URL = "https://api.anthropic.com"
HEADERS = {"anthropic-version": "2023-06-01"}

_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "calls",
    "refusal": "refusal",
}
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")


class Anthropic:
    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self._endpoint = endpoint
        self._quirks = Quirks()

    def __repr__(self) -> str:
        return f"Anthropic({self.name!r})"

    def ask(self, asked: Asked, *, seconds: float, cancel: Cancel | None = None) -> Said:
        learn = self._quirks.learn
        answer = self._endpoint.post(
            "/v1/messages", lambda: self._body(asked), seconds=seconds, cancel=cancel, learn=learn
        )
        blocks = dicts(answer.get("content"))
        text = "".join(text_at(one, "text") for one in blocks if one.get("type") == "text")
        calls = [text_at(one, "name") for one in blocks if one.get("type") in _CALLS]
        stop = _STOPS.get(text_at(answer, "stop_reason"), "other")
        return said(text, stop, calls=calls, usage=_usage(answer), by=self.name)

    def _body(self, asked: Asked) -> Json:
        system = {"system": asked.system} if asked.system else {}
        messages = [{"role": "user", "content": asked.user}]
        limits = {"max_tokens": asked.max_tokens, "temperature": 0}
        return self._quirks.put({"model": self.name, **limits, **system, "messages": messages})


def _usage(answer: Json) -> Usage | None:
    told = dig(answer, "usage")
    if not isinstance(told, dict):
        return None
    read, written = count_at(told, "cache_read_input_tokens"), count_at(told, "cache_creation_input_tokens")
    return Usage(count_at(told, "input_tokens") + read + written, count_at(told, "output_tokens"), read, written)
