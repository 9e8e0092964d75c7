"""Google's Gemini API."""

from __future__ import annotations

from urllib.parse import quote

from clew.domain import Json, Usage
from clew.models.http import Endpoint
from clew.models.reading import count_at, dicts, dig, said, text_at
from clew.ports import Asked, Cancel, Said, Stop

BASE_URL = "https://generativelanguage.googleapis.com"

_STOPS: dict[str, Stop] = {
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


class Gemini:
    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name = name
        self._endpoint = endpoint
        self._path = f"/v1beta/models/{quote(name, safe='')}:generateContent"

    def __repr__(self) -> str:
        return f"Gemini({self.name!r})"

    def ask(self, asked: Asked, *, seconds: float, cancel: Cancel | None = None) -> Said:
        answer = self._endpoint.post(self._path, lambda: _body(asked), seconds=seconds, cancel=cancel)
        candidate = dig(answer, "candidates", 0)
        parts = dicts(dig(candidate, "content", "parts"))
        text = "".join(text_at(part, "text") for part in parts if part.get("thought") is not True)
        calls = [text_at(part, "functionCall", "name") for part in parts if "functionCall" in part]
        return said(text, _stop(answer), calls=calls, usage=_usage(answer), by=self.name)


def _body(asked: Asked) -> Json:
    system = {"systemInstruction": {"parts": [{"text": asked.system}]}} if asked.system else {}
    contents = [{"role": "user", "parts": [{"text": asked.user}]}]
    return {**system, "contents": contents, "generationConfig": {"temperature": 0, "maxOutputTokens": asked.max_tokens}}


def _stop(answer: Json) -> Stop:
    if text_at(answer, "promptFeedback", "blockReason"):
        return "refusal"
    return _STOPS.get(text_at(answer, "candidates", 0, "finishReason"), "other")


def _usage(answer: Json) -> Usage | None:
    told = answer.get("usageMetadata")
    if not isinstance(told, dict):
        return None
    written = count_at(told, "candidatesTokenCount") + count_at(told, "thoughtsTokenCount")
    return Usage(count_at(told, "promptTokenCount"), written, count_at(told, "cachedContentTokenCount"))
