"""Everything of the page by path: the JSON API with its document, events, imports, and the files of the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from clew.dashboard import (
    compaction_views,
    gain_views,
    health_views,
    pack_views,
    search_views,
    session_views,
    use_views,
)
from clew.dashboard.endpoint import Endpoint, answering_errors, json_response
from clew.dashboard.events import send_events
from clew.dashboard.imports import receive_file
from clew.dashboard.openapi import openapi_document
from clew.engine.engine import Engine
from clew.errors import NotFound

ENDPOINTS: tuple[Endpoint, ...] = (
    *session_views.ENDPOINTS,
    *pack_views.ENDPOINTS,
    *health_views.ENDPOINTS,
    *compaction_views.ENDPOINTS,
    *search_views.ENDPOINTS,
    *gain_views.ENDPOINTS,
    *use_views.ENDPOINTS,
)
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
#: Nothing but the page's own files runs or is loaded; no page elsewhere may show it.
_SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def page_routes(engine: Engine) -> list[Route]:
    """Returns the routes of the page and of its API, for an engine."""

    def answer(how: Callable[[Engine, Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        return answering_errors(partial(how, engine))

    return [
        Route("/", answering_errors(_page)),
        Route("/page/{name:path}", answering_errors(_page)),
        Route("/api/openapi.json", answering_errors(_document)),
        Route("/api/events", answer(send_events)),
        Route("/api/import", answer(receive_file), methods=["POST"]),
        *(endpoint.route(engine) for endpoint in ENDPOINTS),
    ]


async def _document(_request: Request) -> Response:
    return json_response(openapi_document(ENDPOINTS))


async def _page(request: Request) -> Response:
    """A file of the page, by its name: those of the package, and no other."""
    name = request.path_params.get("name", "index.html")
    found = _FILES.get(name)
    if found is None:
        raise NotFound(f"there is no file {name} of the page")
    data, kind = found
    return Response(data, media_type=kind, headers=_SECURITY)


def _read_files() -> dict[str, tuple[bytes, str]]:
    root = files("clew.dashboard") / "static"
    found = {}
    for folder, prefix in ((root, ""), (root / "vendor", "vendor/")):
        for file in folder.iterdir():
            kind = _TYPES.get(f".{file.name.rpartition('.')[2]}")
            if kind:
                found[prefix + file.name] = (file.read_bytes(), kind)
    return found


_FILES = _read_files()
