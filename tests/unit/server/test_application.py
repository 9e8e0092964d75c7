"""The application behind its guard, by requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import clew
from clew.engine.engine import Engine
from clew.gateway.upstreams import upstreams_of
from clew.server.access_tokens import AccessTokens
from clew.server.application import make_application
from clew.server.guard import GuardRules
from tests.builders import user

pytestmark = pytest.mark.stores("memory")
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture
def local(engine: Engine) -> Iterator[TestClient]:
    app = make_application(engine, GuardRules(host="127.0.0.1", port=7717), upstreams_of(engine.config.gateway))
    with TestClient(app, base_url="http://127.0.0.1:7717") as client:
        yield client


@pytest.fixture
def remote(engine: Engine) -> Iterator[TestClient]:
    app = make_application(engine, GuardRules(host="0.0.0.0", port=7717), upstreams_of(engine.config.gateway))
    with TestClient(app, base_url="http://127.0.0.1:7717") as client:
        yield client


def call(client: TestClient, tool: str, arguments: Any, **headers: str) -> str:
    """The text of what a call is answered with."""
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return client.post("/mcp", json=body, headers=HEADERS | headers).text


def test_whoever_watches_gets_an_answer(local: TestClient, remote: TestClient) -> None:
    for client in (local, remote):
        assert client.get("/healthz").json() == {"status": "ok", "version": clew.__version__}
        assert client.get("/readyz").json() == {"status": "ready"}
    assert local.get("/anything").status_code == 404
    assert remote.get("/anything").status_code == 401


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v1/embeddings"), ("GET", "/v1/messages"), ("DELETE", "/v1/responses/r1"), ("GET", "/v1/")],
)
def test_a_path_that_is_not_answered_says_so_in_the_words_of_the_api(
    local: TestClient, remote: TestClient, method: str, path: str
) -> None:
    for client, status, kind in ((local, 404, "not_found_error"), (remote, 401, "authentication_error")):
        got = client.request(method, path, headers={"anthropic-version": "2023-06-01"})
        assert (got.status_code, got.json()["type"], got.json()["error"]["type"]) == (status, "error", kind)
        got = client.request(method, path.replace("messages", "files"))
        assert (got.status_code, got.json()["error"]["type"]) == (status, "invalid_request_error")
        assert set(got.json()["error"]) == {"message", "type", "code", "param"}


@pytest.mark.parametrize("path", ["/mcp", "/healthz", "/anything"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.org"}, 421),
        ({"host": "evil.org:7717"}, 421),
        ({"host": "127.0.0.1.evil.org"}, 421),
        ({"host": "127.0.0.1:x"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.org"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"authorization": "Bearer clew_wrong"}, 401),
        ({"authorization": "Basic YTpi"}, 401),
    ],
)
def test_what_is_not_meant_for_it_is_refused(
    local: TestClient, path: str, headers: dict[str, str], status: int
) -> None:
    answer = local.post(path, headers=headers)
    assert answer.status_code == status
    assert answer.json()["error"]


def test_a_page_of_its_own_may_call_also_through_a_tunnel(local: TestClient) -> None:
    for headers in (
        {"origin": "http://localhost:7717"},
        {"host": "localhost:9000", "origin": "http://localhost:9000"},
        {"host": "localhost:9000"},
    ):
        assert local.get("/healthz", headers=headers).status_code == 200


def test_from_elsewhere_a_token_is_demanded_and_says_whose_sessions_are_meant(
    engine: Engine, remote: TestClient
) -> None:
    tokens = AccessTokens(engine.store, engine.services.clock)
    ana, ben = (f"Bearer {tokens.make('t', user=name)[1]}" for name in ("ana", "ben"))
    engine.session("mine", user="ana").record([user("The secret of Ana.")])
    refused = remote.post("/mcp", headers=HEADERS)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    asked = {"query": "secret", "session": "mine"}
    assert '\\"id\\":\\"x1\\"' in call(remote, "search_context", asked, authorization=ana)
    for other in ("mine", "ana", "latest", "default", "../ana/mine"):
        text = call(remote, "search_context", asked | {"session": other}, authorization=ben)
        assert "no session" in text
        assert "Ana" not in text
    assert "no session yet" in call(remote, "get_story", {}, authorization=ben)


def test_a_body_that_is_too_large_is_refused(local: TestClient) -> None:
    text = call(local, "mark_critical", {"content": "x" * 10_000_000, "session": "s"})
    assert "no session 's'" in text
    assert local.post("/mcp", content=b"x" * (17 << 20), headers=HEADERS).status_code == 413
