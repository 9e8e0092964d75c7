"""What happens, as it happens: sessions that grow, in this process or another one, as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from threading import Lock
from time import monotonic
from weakref import WeakKeyDictionary

import anyio
import anyio.to_thread
import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from clew.dashboard.session_views import session_names
from clew.engine.engine import Engine
from clew.ports import Store
from clew.request_user import request_user

#: How often the store is looked at, and after how many looks without news a comment keeps the connection open.
_SECONDS, _QUIET_LOOKS = 1.0, 15


async def send_events(engine: Engine, request: Request) -> Response:
    """Streams an event for each session that was begun, written to or deleted since the look before."""
    user = request_user(request.scope)
    changes = _changes(engine.for_user(user) if user else engine, request)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(changes, media_type="text/event-stream", headers=headers)


async def _changes(engine: Engine, request: Request) -> AsyncIterator[bytes]:
    known = await anyio.to_thread.run_sync(_LOOKS.entries, engine)
    yield b": connected\n\n"
    quiet = 0
    while not await request.is_disconnected():
        await anyio.sleep(_SECONDS)
        found = await anyio.to_thread.run_sync(_LOOKS.entries, engine)
        changed = [id for id in found if found[id] != known.get(id)]
        gone = [id for id in known if id not in found]
        quiet = 0 if changed or gone else quiet + 1
        if changed or gone:
            yield b"event: changed\ndata: " + orjson.dumps({"sessions": changed, "gone": gone}) + b"\n\n"
        elif quiet % _QUIET_LOOKS == 0:
            yield b": still here\n\n"
        known = found


class _Looks:
    """Looks at stores that all who listen share: however many they are, a store is read once a second for each user."""

    def __init__(self) -> None:
        self._found: WeakKeyDictionary[Store, dict[str, tuple[float, dict[str, int]]]] = WeakKeyDictionary()
        self._lock = Lock()

    def entries(self, engine: Engine) -> dict[str, int]:
        """Returns how many entries each session has, by its name, as of less than a second ago."""
        with self._lock:
            looks = self._found.setdefault(engine.store, {})
            at, found = looks.get(engine.seen_user, (-_SECONDS, {}))
            if monotonic() - at >= _SECONDS:
                infos = engine.infos()
                names = session_names(infos)
                found = {names[info.key]: info.entries for info in infos}
                looks[engine.seen_user] = (monotonic(), found)
            return found


_LOOKS = _Looks()
