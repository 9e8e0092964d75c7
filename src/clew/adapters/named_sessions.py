"""Sessions by name, in the user's own store: one engine for each store and process, which is closed when it ends."""

from __future__ import annotations

import atexit
from threading import Lock

from clew import config as settings
from clew.adapters.session_state import SessionHandle
from clew.app import open as open_engine
from clew.async_engine.handle import AsyncHandle, unwrap_handle
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import UsageError

_engines: dict[str, Engine] = {}
_lock = Lock()


def session_of(session: SessionHandle | str, user: str | None = None) -> SessionHandle:
    """Returns the handle of a session: itself, or of one that is named, in the user's own store and for ``user``.

    Whoever opened an engine closes it; the one that is opened here closes when the process ends.
    Raises UsageError for what is neither, and for a user beside a handle.
    """
    if isinstance(session, str):
        return own_engine().session(session, user=user)
    if user:
        raise UsageError("a session says already whose it is; name the user there, as in engine.session(id, user=…)")
    if isinstance(unwrap_handle(session)[0] if isinstance(session, AsyncHandle) else session, Session):
        return session
    wanted = "give engine.session(…), awaited where the engine is asynchronous, or a session's name"
    raise UsageError(f"{type(session).__name__} is no session; {wanted}")


def own_engine() -> Engine:
    """Returns the engine of the user's own store."""
    url = settings.store_url(settings.load())
    with _lock:
        if url not in _engines:
            _engines[url] = open_engine()
            atexit.register(_engines[url].close)
        return _engines[url]
