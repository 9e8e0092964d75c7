"""What a provider's refusal means: which error it is, whether to try again, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from clew.codecs import jsonio
from clew.codecs.jsonio import value_at
from clew.errors import (
    ModelBadAnswer,
    ModelCancelled,
    ModelError,
    ModelOverflow,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    ModelUnauthorized,
    ModelUnavailable,
)
from clew.models.http_post import HttpReply, NoReply
from clew.models.overflow import is_overflow, reported_window
from clew.models.response_json import objects_in, text_at
from clew.text.secrets import mask

#: Trying again may help: a question that did not arrive, too many of them, and faults of the provider's own. No other
#: refusal changes by itself.
_AGAIN = frozenset({408, 429, 500, 502, 503, 529})
#: Refusals that may be about how a question was put, rather than about the question.
_PUT_WRONGLY = frozenset({400, 422, 500})
#: A 429 that says this means an empty account, not a busy minute.
_NO_MONEY = "insufficient_quota"
_BAD_KEY = ("api_key_invalid", "api key not valid", "api key expired", "invalid api key", "invalid x-api-key")
_TOLD_CHARS = 300
_LOOKED_AT_BYTES = 64_000


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """An attempt that gave nothing.

    ``retry_after`` is what the provider asks for, in seconds. ``refusal`` is its text where it may be about how the
    request was put rather than about its content, and empty otherwise.
    """

    error: ModelError
    is_retryable: bool = False
    retry_after: float | None = None
    refusal: str = ""


def failure_without_reply(missing: NoReply, host: str, seconds: float) -> RequestFailure:
    """For a request that got no reply."""
    if missing.why == "timeout":
        return RequestFailure(
            ModelTimeout(f"{host} gave no answer within {seconds:g} seconds; allow more, or ask for less")
        )
    if missing.why == "cancelled":
        return RequestFailure(ModelCancelled(f"the question to {host} was cancelled"))
    if missing.why == "network":
        error = ModelUnavailable(f"the connection to {host} failed ({missing.text}); is it running and reachable?")
        return RequestFailure(error, is_retryable=True)
    return RequestFailure(ModelBadAnswer(f"{host}: {missing.text}"))


def failure_from_reply(reply: HttpReply, host: str, now: float) -> RequestFailure:
    """For any reply that is no success."""
    told = reply.body[:_LOOKED_AT_BYTES].decode("utf-8", "replace")
    parsed = _parse_body(reply.body)
    after = retry_after(reply.headers, parsed, now)
    error = _error(reply, told, _words(parsed, told), host, after)
    again = reply.status in _AGAIN and _NO_MONEY not in told and not isinstance(error, ModelOverflow)
    is_put_wrongly = reply.status in _PUT_WRONGLY and isinstance(error, ModelRejected | ModelUnavailable)
    return RequestFailure(error, again, after, told if is_put_wrongly else "")


def hidden_error_status(answer: Mapping[str, Any]) -> int | None:
    """The status of an error that came as a success, as routers send it; None if it is none."""
    error = answer.get("error")
    if not isinstance(error, dict | str) or not error:
        return None
    code = value_at(error, "code")
    return code if isinstance(code, int) and 400 <= code < 600 else 400


def retry_after(headers: Mapping[str, str], parsed: Any, now: float) -> float | None:
    """Seconds to wait as the provider says: in milliseconds, in seconds, as a date, or within Google's error."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if (seconds := _seconds(headers.get(name, ""))) is not None:
            return seconds * scale
    if (date := _date(headers.get("retry-after", ""))) is not None:
        return max(0.0, date - now)
    details = objects_in(value_at(parsed, "error", "details"))
    delays = [_seconds(text_at(detail, "retryDelay").removesuffix("s")) for detail in details]
    return next((seconds for seconds in delays if seconds is not None), None)


def _error(reply: HttpReply, told: str, words: str, host: str, after: float | None) -> ModelError:
    status, said = reply.status, f"{host} answered {reply.status}{f': {words}' if words else ''}"
    if is_overflow(status, told):
        return ModelOverflow(said, reported_window(told))
    if status in (401, 403) or any(text in told.lower() for text in _BAD_KEY):
        return ModelUnauthorized(f"{said}; check the key in the environment")
    if status == 429:
        when = f"; it asks to wait {after:g} seconds" if after is not None else ""
        return ModelRateLimited(said + when, after)
    if status >= 500:
        return ModelUnavailable(said)
    if 300 <= status < 400:
        where = _host(reply.headers.get("location", "")) or "elsewhere"
        return ModelRejected(f"{host} sends on to {where}, which is not followed; set models.base_url if it is right")
    return ModelRejected(said)


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2][:_TOLD_CHARS]
    except ValueError:  # what a server sends need not be an address
        return ""


def _parse_body(body: bytes) -> Any:
    try:
        value = jsonio.loads(body)
    except ValueError:
        return None
    return value[0] if isinstance(value, list) and value else value


def _words(parsed: Any, told: str) -> str:
    """The message in the error, or what there is, as one short line without secrets."""
    error = parsed.get("error") if isinstance(parsed, dict) else None
    found = text_at(error, "message") or (error if isinstance(error, str) else "") or text_at(parsed, "message")
    return mask(" ".join((found or told)[: 4 * _TOLD_CHARS].split()))[:_TOLD_CHARS]


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if isfinite(seconds) and seconds >= 0 else None


def _date(text: str) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
