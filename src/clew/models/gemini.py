"""Google's Gemini API."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from clew.cancellation import Cancel
from clew.codecs.jsonio import value_at
from clew.domain import Json, Usage
from clew.models.endpoint import Endpoint
from clew.models.response_json import build_reply, count_at, objects_in, text_at
from clew.ports import ChatRequest, ModelReply, ModelRequest, StopReason

BASE_URL = "https://generativelanguage.googleapis.com"

_STOPS: dict[str, StopReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "MALFORMED_FUNCTION_CALL": "calls",
    "UNEXPECTED_TOOL_CALL": "calls",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
}


class GeminiModel:
    """A model behind the Gemini API."""

    format = "gemini"

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self._endpoint = endpoint
        self._model_path = f"/v1beta/models/{quote(name, safe='')}"
        self._path = f"{self._model_path}:generateContent"

    def __repr__(self) -> str:
        return f"Gemini({self.name!r})"

    def ask(self, request: ModelRequest, *, seconds: float, cancel: Cancel | None = None) -> ModelReply:
        answer = self._endpoint.post(self._path, lambda: _body(request), seconds=seconds, cancel=cancel)
        candidate = value_at(answer, "candidates", 0)
        parts = objects_in(value_at(candidate, "content", "parts"))
        text = "".join(text_at(part, "text") for part in parts if part.get("thought") is not True)
        calls = [text_at(part, "functionCall", "name") for part in parts if "functionCall" in part]
        return build_reply(text, _stop(answer), calls=calls, usage=_usage(answer), by=self.name)

    def respond(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Json:
        return self._endpoint.post(self._path, lambda: _chat(request), seconds=seconds, cancel=cancel)

    def stream(self, request: ChatRequest, *, seconds: float, cancel: Cancel | None = None) -> Iterator[Json]:
        path = f"{self._model_path}:streamGenerateContent?alt=sse"
        return self._endpoint.stream(path, lambda: _chat(request), seconds=seconds, cancel=cancel)

    def usage(self, answer: Json) -> Usage | None:
        return _usage(answer)


def _chat(request: ChatRequest) -> Json:
    return {"generationConfig": {"maxOutputTokens": request.max_tokens}, **request.body}


def _body(request: ModelRequest) -> Json:
    system = {"systemInstruction": {"parts": [{"text": request.system}]}} if request.system else {}
    contents = [{"role": "user", "parts": [{"text": request.user}]}]
    return {
        **system,
        "contents": contents,
        "generationConfig": {"temperature": 0, "maxOutputTokens": request.max_tokens},
    }


def _stop(answer: Json) -> StopReason:
    if text_at(answer, "promptFeedback", "blockReason"):
        return "refusal"
    return _STOPS.get(text_at(answer, "candidates", 0, "finishReason"), "other")


def _usage(answer: Json) -> Usage | None:
    told = answer.get("usageMetadata")
    if not isinstance(told, dict):
        return None
    written = count_at(told, "candidatesTokenCount") + count_at(told, "thoughtsTokenCount")
    return Usage(count_at(told, "promptTokenCount"), written, count_at(told, "cachedContentTokenCount"))
