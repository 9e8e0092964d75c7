"""The guard before everything the server does: the right host, no foreign page, and a token from elsewhere."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.gateway.failures import failure_response
from clew.gateway.headers import own_token
from clew.gateway.upstreams import api_of_caller
from clew.request_user import name_request_user
from clew.server.access_tokens import AccessToken

#: Paths that say nothing of anybody: for whoever watches over the server, and the files of the page.
_OPEN_PATHS = {"/healthz", "/readyz", "/"}
_PAGE = "/page/"
#: Paths on which clients bring the keys of their providers where other paths take tokens.
GATEWAY_PATHS = "/v1/"
#: A name or address with a port, and nothing else.
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?")
_LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardRules:
    """Where the server answers: its address and port, and further names that it is reached by."""

    host: str
    port: int
    names: tuple[str, ...] = ()

    @property
    def is_local(self) -> bool:
        """True where only this machine can reach the server."""
        return is_loopback(self.host)

    def is_own_name(self, name: str) -> bool:
        """Returns True for a name or address by which the server may be called."""
        if name in _LOCAL_NAMES or name in self.names or name == self.host:
            return True
        return self.host in {"0.0.0.0", "::"} and _is_address(name)


class _Refusal(NamedTuple):
    status: int
    reason: str


class Guard:
    """Lets a request through that is meant for this server, and names its user to what answers it."""

    def __init__(self, app: ASGIApp, *, rules: GuardRules, find: Callable[[str], AccessToken | None]) -> None:
        self._app, self._rules, self._find = app, rules, find

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers what must not pass with one line that says what to do; everything else goes on."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif refusal is not None:
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        """What a request is refused with, in words that its client understands; None for one that may pass."""
        found, headers = self._check(scope), Headers(scope=scope)
        if found is None:
            return None
        more = {"WWW-Authenticate": "Bearer"} if found.status == 401 else None
        if scope["path"].startswith(GATEWAY_PATHS):
            return failure_response(api_of_caller(headers, scope["path"]), found.reason, found.status, more)
        return JSONResponse({"error": found.reason}, status_code=found.status, headers=more)

    def _check(self, scope: Scope) -> _Refusal | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not _HOST.fullmatch(host) or not self._rules.is_own_name(_address(f"//{host}")[0]):
            return _Refusal(421, "this server does not answer to that Host; call it by the address it prints")
        if origin is not None and not self._is_own_page(origin, host):
            return _Refusal(403, "pages of other origins may not call this server")
        if scope["path"].startswith(GATEWAY_PATHS):
            token = own_token(scope["headers"])
            return self._authorise(scope, f"Bearer {token}" if token else "")
        return self._authorise(scope, headers.get("authorization", ""))

    def _is_own_page(self, origin: str, host: str) -> bool:
        """True for a page that came from where it calls, or from this server by another of its names."""
        name, port = _address(origin)
        return urlsplit(origin).netloc == host or (self._rules.is_own_name(name) and port == self._rules.port)

    def _authorise(self, scope: Scope, given: str) -> _Refusal | None:
        """Finds the user by the token; without one, only callers of this machine are let through."""
        kind, _, secret = given.partition(" ")
        if given:
            token = self._find(secret.strip()) if kind.lower() == "bearer" else None
            if token is None:
                return _Refusal(401, "the token is not known or was revoked; clew token make NAME gives a new one")
            name_request_user(scope, token.user)
        elif not self._rules.is_local and not _is_open(scope["path"]):
            return _Refusal(401, "a token is needed: send Authorization: Bearer and what clew token make NAME gave")
        return None


def _is_open(path: str) -> bool:
    return path in _OPEN_PATHS or path.startswith(_PAGE)


def _address(url: str) -> tuple[str, int | None]:
    """The name and port in an address; an empty name where it is none."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


def is_loopback(host: str) -> bool:
    """Returns True for an address that only this machine can reach."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
