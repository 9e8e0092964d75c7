"""A transcript that is dropped on the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from clew.dashboard.endpoint import BadRequest, json_response
from clew.engine.engine import Engine
from clew.errors import ClewError
from clew.request_user import request_user

#: Most bytes of a file that is dropped on the page; the command line reads larger ones.
_MOST_BYTES = 512 << 20
_ODD = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Imported:
    """A session that a file held, and how much of it was new."""

    session: str
    format: str
    messages: int
    new_messages: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Imports:
    """What a file held."""

    imported: tuple[Imported, ...]


async def receive_file(engine: Engine, request: Request) -> Response:
    """Imports the file in a request's body; its name, in the query, helps to tell its format."""
    if request.headers.get("content-type") != "application/octet-stream":
        raise BadRequest("send the file as application/octet-stream")
    name = _ODD.sub("_", PurePath(request.query_params.get("name", "")).name)[-100:] or "session.jsonl"
    user = request_user(request.scope)
    with TemporaryDirectory(prefix="clew-import-") as folder:
        path = Path(folder) / name
        size = 0
        async with await anyio.open_file(path, "wb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > _MOST_BYTES:
                    raise BadRequest(f"a file has at most {_MOST_BYTES >> 20} MB here; `clew import` takes larger ones")
                await file.write(piece)
        try:
            found = await anyio.to_thread.run_sync(_import, engine.for_user(user) if user else engine, path)
        except ClewError as error:  # whoever sent the file knows its name, and not where it was put meanwhile
            raise BadRequest(str(error).replace(f"{folder}/", "")) from None
    return json_response(found)


def _import(engine: Engine, path: Path) -> Imports:
    reports = engine.import_file(path)
    found = [Imported(one.session, one.format, one.messages, one.new_messages, len(one.skipped)) for one in reports]
    return Imports(tuple(found))
