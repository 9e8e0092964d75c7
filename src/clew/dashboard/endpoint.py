"""Endpoints of the JSON API: plain functions of an engine, whose parameters are read from requests by their types."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property, partial
from typing import Any, get_type_hints

import anyio
import anyio.to_thread
import orjson
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from clew.engine.engine import Engine
from clew.errors import ClewError, NotFound
from clew.foreground import in_foreground
from clew.request_user import request_user
from clew.text.secrets import mask_strings

#: Most bytes of a request's JSON.
_MOST_BODY_BYTES = 1 << 20
#: Between a user and the id of a session, where several users have sessions of that id; no id has it in it.
OWNER_MARK = "~"

#: The status of an answer that nobody reads.
_NOBODY_WAITS = 499

#: Nothing keeps an answer, and no page elsewhere may take it in.
_PRIVATE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class BadRequest(ClewError):
    """A request that cannot be read."""


@dataclass(frozen=True)
class Endpoint:
    """A method and a path, and the function that answers: it takes an engine, and by keyword what stands in the path,
    the query or the body. A replay takes long, and is asked for again before it is done: of one session, one is made
    at a time, and none that nobody waits for any more.
    """

    method: str
    path: str
    answer: Callable[..., Any]
    is_replay: bool = False

    @property
    def changes(self) -> bool:
        """True where a call changes something."""
        return self.method != "GET"

    @property
    def about(self) -> str:
        """What the function says of itself."""
        return " ".join((inspect.getdoc(self.answer) or "").split())

    @cached_property
    def parameters(self) -> dict[str, tuple[TypeAdapter[Any], Any]]:
        """What it takes, by name: the type, and the default or ``inspect.Parameter.empty``."""
        hints = get_type_hints(self.answer)
        named = list(inspect.signature(self.answer).parameters.values())[1:]
        return {one.name: (TypeAdapter(hints[one.name]), one.default) for one in named}

    @cached_property
    def result(self) -> TypeAdapter[Any]:
        """The type that is given back."""
        return TypeAdapter(get_type_hints(self.answer)["return"])

    def read(self, given: dict[str, Any]) -> dict[str, Any]:
        """Returns the parameters by name. Raises BadRequest for one that is missing, unknown or of another type."""
        if unknown := sorted(set(given) - set(self.parameters)):
            raise BadRequest(f"{self.path} takes no {unknown[0]}; it takes {', '.join(self.parameters) or 'nothing'}")
        taken = {}
        for name, (kind, default) in self.parameters.items():
            if name not in given and default is inspect.Parameter.empty:
                raise BadRequest(f"{name} is missing")
            try:
                taken[name] = kind.validate_python(given[name]) if name in given else default
            except ValidationError as error:
                raise BadRequest(f"{name}: {error.errors()[0]['msg']}") from None
        return taken

    def route(self, engine: Engine) -> Route:
        """Returns the route that answers for an engine, each request for the user that the guard has named."""

        turns = defaultdict[str, anyio.Lock](anyio.Lock)

        async def endpoint(request: Request) -> Response:
            given = dict(request.query_params) | dict(request.path_params)
            if self.changes:
                given |= await _body(request)
            user = request_user(request.scope)
            named = "id" if "id" in given else "session"
            owner, _, id = str(given.get(named, "")).rpartition(OWNER_MARK)
            if owner and user in ("", owner):
                user, given[named] = owner, id
            respond = partial(self._respond, engine.for_user(user) if user else engine, given)
            if not self.is_replay:
                return await anyio.to_thread.run_sync(respond)
            async with turns[f"{user}{OWNER_MARK}{given[named]}"]:
                gone = await request.is_disconnected()
                return Response(status_code=_NOBODY_WAITS) if gone else await anyio.to_thread.run_sync(respond)

        return Route(self.path, answering_errors(endpoint), methods=[self.method])

    @in_foreground
    def _respond(self, engine: Engine, given: dict[str, Any]) -> Response:
        return json_response(self.answer(engine, **self.read(given)))


def json_response(value: Any) -> Response:
    """Returns a value as JSON, with secrets masked."""
    found = mask_strings(asdict(value) if is_dataclass(value) and not isinstance(value, type) else value)
    data = orjson.dumps(found, option=orjson.OPT_NON_STR_KEYS)
    return Response(data, media_type="application/json", headers=_PRIVATE)


def answering_errors(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Returns the endpoint with errors of Clew's own told as JSON."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NotFound as error:
            return JSONResponse({"error": str(error)}, status_code=404)
        except ClewError as error:
            return JSONResponse({"error": str(error)}, status_code=400)

    return answer


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request. A page elsewhere cannot send this type without being asked for leave first."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BadRequest("send application/json")
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > _MOST_BODY_BYTES:
            raise BadRequest(f"a request has at most {_MOST_BODY_BYTES} bytes")
    try:
        found = orjson.loads(data or b"{}")
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadRequest("the body is no JSON object")
    return found
