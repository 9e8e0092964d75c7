"""Asking a provider over HTTP: one deadline for everything, a bounded number of retries, waits that are foreseeable.

Waits double from one retry to the next, and give way to what the provider asks for. When the wait would outlast
the deadline, the error comes at once. Redirects are not followed: a key goes where it was meant to, or nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from urllib.parse import urlsplit

from clew.cancellation import Cancel
from clew.codecs import jsonio
from clew.domain import Json
from clew.errors import ClewError, ModelBadAnswer, UsageError
from clew.models.failures import RequestFailure, failure_from_reply, failure_without_reply, hidden_error_status
from clew.models.http_post import EVENT_STREAM, HttpPost, HttpReply, Keys, NoReply, is_this_machine, send, stream

#: Larger than any answer a model writes: a megabyte is about 250,000 tokens.
MAX_BYTES = 8_000_000
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 8.0
#: How a line with an event begins, and the event that says that no more come.
_DATA, _DONE = b"data:", b"[DONE]"


@dataclass(frozen=True, slots=True)
class RequestClock:
    """Time as a request needs it: the date, time that only grows, and waiting. Tests hand in their own."""

    now: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    wait: Callable[[Cancel, float], object] = Cancel.wait


def no_keys() -> Mapping[str, str]:
    """For servers that ask for no key."""
    return {}


def _never(_told: str) -> bool:
    return False


@dataclass(frozen=True)
class Endpoint:
    """A provider's address, and how to reach it. Holds no key: ``keys`` fetches them for each request."""

    base_url: str
    keys: Keys = field(default=no_keys, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_retries: int = 2
    max_bytes: int = MAX_BYTES
    clock: RequestClock = field(default_factory=RequestClock, repr=False)

    def __post_init__(self) -> None:
        if find_spec("httpx2") is None:
            raise UsageError("asking a model needs the package httpx2: pip install 'clew[models]'")

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc

    def post(
        self,
        path: str,
        body: Callable[[], Json],
        *,
        seconds: float,
        cancel: Cancel | None = None,
        learn: Callable[[str], bool] = _never,
    ) -> Json:
        """The JSON object that answers; a ModelError otherwise.

        ``body`` is asked for at each attempt. ``learn`` is told how a request was refused, and says whether it will
        be put differently from now on; it must say no at some time.
        """
        cancel = cancel or Cancel()
        until, retries = self.clock.monotonic() + seconds, 0
        while True:
            failed = self._once(path, body, left=until - self.clock.monotonic(), seconds=seconds, cancel=cancel)
            if not isinstance(failed, RequestFailure):
                return failed
            if failed.refusal and learn(failed.refusal):
                continue
            wait = _wait(failed, retries)
            if not failed.is_retryable or retries >= self.max_retries or wait >= until - self.clock.monotonic():
                raise failed.error
            retries += 1
            self.clock.wait(cancel, wait)

    def stream(
        self,
        path: str,
        body: Callable[[], Json],
        *,
        seconds: float,
        cancel: Cancel | None = None,
        learn: Callable[[str], bool] = _never,
    ) -> Iterator[Json]:
        """The events of an answer that is streamed, as they come; a ModelError where they break off.

        ``seconds`` is the longest wait for the next. What fails before the first event is tried again as ``post`` does.
        """
        cancel = cancel or Cancel()
        retries = 0
        while True:
            failed: RequestFailure | None = None
            has_begun = False
            for event in self._events(path, body(), seconds=seconds, cancel=cancel):
                if isinstance(event, RequestFailure):
                    failed = event
                    break
                has_begun = True
                yield event
            if failed is None:
                return
            if not has_begun and failed.refusal and learn(failed.refusal):
                continue
            wait = _wait(failed, retries)
            if has_begun or not failed.is_retryable or retries >= self.max_retries or wait >= seconds:
                raise failed.error
            retries += 1
            self.clock.wait(cancel, wait)

    def _events(self, path: str, body: Json, *, seconds: float, cancel: Cancel) -> Iterator[Json | RequestFailure]:
        """Events of one attempt; a failure ends them."""
        if cancel.is_set:
            yield failure_without_reply(NoReply("cancelled"), self.host, seconds)
            return
        headers = {**self.headers, "accept": EVENT_STREAM}
        post = HttpPost(self.base_url + path, jsonio.dumps(body), self.keys, headers, self.max_bytes)
        for item in stream(post, seconds=seconds, cancel=cancel):
            if isinstance(item, ClewError):
                raise item
            if isinstance(item, NoReply):
                yield failure_without_reply(item, self.host, seconds)
            elif isinstance(item, HttpReply):
                yield from self._end(item)
            elif (data := item.strip()).startswith(_DATA) and (text := data[len(_DATA) :].strip()) != _DONE:
                found = self._read(HttpReply(200, {}, text))
                yield found
                if isinstance(found, RequestFailure):
                    return

    def _end(self, reply: HttpReply) -> Iterator[RequestFailure]:
        """What is wrong with the end of a stream, if anything: a refusal, or an answer that is no stream."""
        if not 200 <= reply.status < 300:
            yield failure_from_reply(reply, self.host, self.clock.now())
        elif not reply.headers.get("content-type", "").startswith(EVENT_STREAM):
            found = self._read(reply)
            answer = ModelBadAnswer(f"{self.host} does not stream; ask it without streaming")
            yield found if isinstance(found, RequestFailure) else RequestFailure(answer)

    def _once(
        self, path: str, body: Callable[[], Json], *, left: float, seconds: float, cancel: Cancel
    ) -> Json | RequestFailure:
        if cancel.is_set or left <= 0:
            return failure_without_reply(NoReply("cancelled" if cancel.is_set else "timeout"), self.host, seconds)
        post = HttpPost(self.base_url + path, jsonio.dumps(body()), self.keys, self.headers, self.max_bytes)
        outcome = send(post, seconds=left, cancel=cancel)
        if isinstance(outcome, ClewError):
            raise outcome
        if isinstance(outcome, NoReply):
            return failure_without_reply(outcome, self.host, seconds)
        return self._read(outcome)

    def _read(self, reply: HttpReply) -> Json | RequestFailure:
        if not 200 <= reply.status < 300:
            return failure_from_reply(reply, self.host, self.clock.now())
        try:
            answer = jsonio.loads_object(reply.body)
        except ValueError as error:
            what = "with nothing" if not reply.body.strip() else f"with what is no JSON object ({str(error)[:100]})"
            return RequestFailure(ModelBadAnswer(f"{self.host} answered {what}"))
        if (status := hidden_error_status(answer)) is not None:
            return failure_from_reply(HttpReply(status, reply.headers, reply.body), self.host, self.clock.now())
        return answer


def _wait(failed: RequestFailure, retries: int) -> float:
    doubled = min(_FIRST_WAIT_SECONDS * 2.0**retries, _LONGEST_WAIT_SECONDS)
    return failed.retry_after if failed.retry_after is not None else doubled


def check_url(url: str, *, with_key: bool) -> str:
    """The address without a slash at its end, if a request may go there; else a UsageError that says why not."""
    try:
        parts = urlsplit(url)
        port_is_sound = parts.port is None or parts.port > 0
    except ValueError:
        raise UsageError("models.base_url is no address; write it like http://127.0.0.1:8080/v1") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError("models.base_url may hold no name, password or query: keys come from the environment only")
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_sound:
        raise UsageError(f"models.base_url is no address: {url!r}; write it like http://127.0.0.1:8080/v1")
    if with_key and parts.scheme == "http" and not is_this_machine(url):
        raise UsageError(f"models.base_url {url!r} would send the key unencrypted; use https")
    return url.rstrip("/")
