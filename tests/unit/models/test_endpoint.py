"""Deadlines, retries and the waits between them, as every adapter has them."""

from __future__ import annotations

from typing import Any

import pytest

from clew.errors import ModelBadAnswer, ModelOverflow, ModelRateLimited, ModelTimeout, ModelUnavailable, UsageError
from clew.models.endpoint import Endpoint, RequestClock, check_url
from tests.model_server import FaultyServer, HandRequestClock, answers

BODY = {"say": "hello"}
HTTP_DATE = "Fri, 15 Jan 2027 08:00:07 GMT"


def endpoint(server: FaultyServer, hand: HandRequestClock, **changes: Any) -> Endpoint:
    return Endpoint(server.url, clock=RequestClock(now=hand.now, monotonic=hand.now, wait=hand.wait), **changes)


def post(at: Endpoint, seconds: float = 30) -> object:
    return at.post("/say", lambda: BODY, seconds=seconds)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry_after": "3"}, 3.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after_ms": "250", "retry_after": "3"}, 0.25),
        ({"retry_after": HTTP_DATE}, 7.0),
        ({"retry_after": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-1"}, 0.5),
        ({"retry_after": "nan"}, 0.5),
        ({"retry_after": "inf"}, 0.5),
        ({}, 0.5),
    ],
)
def test_the_provider_says_when_to_come_back(
    server: FaultyServer, hand: HandRequestClock, headers: dict[str, str], wait: float
) -> None:
    server.then(answers(429, {}, **headers), answers(200, {"said": 1}))
    assert post(endpoint(server, hand)) == {"said": 1}
    assert hand.waits == [pytest.approx(wait)]


def test_a_wait_that_outlasts_the_deadline_is_not_begun(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(answers(429, {"error": {"message": "slow down"}}, retry_after="31"))
    with pytest.raises(ModelRateLimited, match="slow down; it asks to wait 31 seconds") as raised:
        post(endpoint(server, hand))
    assert (raised.value.retry_after, hand.waits) == (31.0, [])


def test_retries_stay_within_the_deadline(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(*[answers(503, {})] * 10)
    began = hand.time
    with pytest.raises(ModelUnavailable):
        post(endpoint(server, hand, max_retries=9), seconds=10)
    assert hand.waits == [0.5, 1.0, 2.0, 4.0]
    assert hand.time - began < 10


def test_waits_grow_to_a_limit(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(*[answers(503, {})] * 8)
    with pytest.raises(ModelUnavailable):
        post(endpoint(server, hand, max_retries=7), seconds=600)
    assert hand.waits == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_no_time_at_all_is_a_time_out(server: FaultyServer, hand: HandRequestClock) -> None:
    with pytest.raises(ModelTimeout):
        post(endpoint(server, hand), seconds=0)
    assert server.requests == []


def test_an_account_without_money_is_not_a_busy_minute(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(answers(429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}))
    with pytest.raises(ModelRateLimited):
        post(endpoint(server, hand))
    assert hand.waits == []


def test_nobody_at_the_address_is_unavailable(hand: HandRequestClock) -> None:
    at = Endpoint("http://127.0.0.1:1", clock=RequestClock(now=hand.now, monotonic=hand.now, wait=hand.wait))
    with pytest.raises(ModelUnavailable, match=r"the connection to 127\.0\.0\.1:1 failed"):
        post(at)
    assert hand.waits == [0.5, 1.0]


def test_an_answer_of_the_largest_size_is_read_and_no_larger(server: FaultyServer, hand: HandRequestClock) -> None:
    whole = b'{"said":"' + b"x" * 89 + b'"}'
    server.then(answers(200, whole), answers(200, whole))
    assert post(endpoint(server, hand, max_bytes=100)) == {"said": "x" * 89}
    with pytest.raises(ModelBadAnswer, match="larger than 99 bytes"):
        post(endpoint(server, hand, max_bytes=99))


def test_a_packed_answer_is_not_unpacked(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(answers(200, b"\x1f\x8b", content_encoding="gzip"))
    with pytest.raises(ModelBadAnswer, match="compressed"):
        post(endpoint(server, hand))


def test_an_error_that_comes_as_a_success_is_an_error(server: FaultyServer, hand: HandRequestClock) -> None:
    error = {"error": {"code": 400, "message": "This endpoint's maximum context length is 8192 tokens"}}
    server.then(answers(200, error))
    with pytest.raises(ModelOverflow):
        post(endpoint(server, hand))


def test_a_long_error_is_told_in_one_short_line(server: FaultyServer, hand: HandRequestClock) -> None:
    server.then(*[answers(503, ("<p>busy</p>\n" * 10_000).encode())] * 3)
    with pytest.raises(ModelUnavailable) as raised:
        post(endpoint(server, hand))
    told = str(raised.value)
    assert "answered 503: <p>busy</p> <p>busy</p>" in told
    assert "\n" not in told
    assert len(told) < 400


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "no address"),
        ("localhost:8080", "no address"),
        ("ftp://host/v1", "no address"),
        ("http://", "no address"),
        ("http://host:99999/v1", "no address"),
        ("http://[::1/v1", "no address"),
        ("https://user:pass@host/v1", "keys come from the environment only"),
        ("https://host/v1?key=abc", "keys come from the environment only"),
        ("https://host/v1#abc", "keys come from the environment only"),
        ("http://example.com/v1", "unencrypted"),
        ("http://192.168.1.5:8000/v1", "unencrypted"),
    ],
)
def test_an_address_where_no_key_may_go_is_refused(url: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as raised:
        check_url(url, with_key=True)
    assert "pass@" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://example.com/v1", "http://localhost:8080", "http://[::1]:8080/v1"])
def test_keys_go_over_tls_or_stay_on_this_machine(url: str) -> None:
    assert check_url(url + "/", with_key=True) == url


def test_a_server_in_the_house_may_be_asked_without_a_key() -> None:
    assert check_url("http://192.168.1.5:8000/v1", with_key=False) == "http://192.168.1.5:8000/v1"


def test_a_missing_package_is_said_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "httpx2", None)
    with pytest.raises(UsageError, match=r"pip install 'clew\[models\]'"):
        Endpoint("https://example.com")


def test_a_proxy_for_the_outer_world_does_not_see_what_stays_on_this_machine(
    server: FaultyServer, elsewhere: FaultyServer, hand: HandRequestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, elsewhere.url)
    server.then(answers(200, {"said": 1}))
    assert post(endpoint(server, hand)) == {"said": 1}
    assert elsewhere.requests == []
