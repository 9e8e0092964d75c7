"""Sessions of requests: which of them the gateway manages, and the session that each belongs to."""

from __future__ import annotations

import logging
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request

from clew.adapters.calls import ClientCalls
from clew.adapters.requests import ConversationRequest, Endpoint
from clew.codecs import jsonio
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import ClewError
from clew.gateway.list_names import KnownLists, ListName, list_name
from clew.gateway.passed_response import LOGGER
from clew.gateway.session_names import assistant_of, session_name
from clew.gateway.side_work import is_side_work, is_summary_request
from clew.mcp_server.request import USER_STATE

_log = logging.getLogger(LOGGER)
_BYPASS, _USER = "x-clew-bypass", "x-clew-user"
#: Lists of which no answer is known yet, the newest: a client that tries again goes on in the same session.
_MOST_UNANSWERED = 1_000


@dataclass(slots=True)
class Managed:
    """A request of a conversation: what it asks, the session it belongs to, the name of its list where it gives no
    other, its bytes, whether it begins its session, and what the client is told of it.
    """

    request: ConversationRequest
    session: Session
    lists: KnownLists
    name: ListName | None
    bytes: bytes
    calls: ClientCalls
    is_new: bool
    told: list[tuple[str, str]] = field(default_factory=list)


class RequestSessions:
    """Finds the sessions of requests."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._config = engine, engine.config.gateway
        self._unanswered: OrderedDict[bytes, str] = OrderedDict()
        self._naming = Lock()

    async def find(self, request: Request, endpoint: Endpoint, body: Any, sent: bytes) -> Managed | None:
        """Returns a request with its session; None where it passes as it is."""
        asked_of = body.get(endpoint.messages) if isinstance(body, dict) else None
        is_asked = bool(asked_of) and isinstance(asked_of, list | str)
        if not self._config.manage or request.headers.get(_BYPASS) == "1" or not is_asked:
            return None
        asked = ConversationRequest(endpoint, body)
        if is_side_work(asked, has_tools=bool(assistant_of(request.headers))):
            return None
        try:
            return await anyio.to_thread.run_sync(self._find, request, asked, sent)
        except ClewError as error:  # a client is served whatever is wrong here
            _log.warning("a request passes as it came: %s", type(error).__name__)
            return None

    def note_failed(self, managed: Managed) -> None:
        """Notes a list that got no answer: who sends it again goes on in the same session."""
        with self._naming:
            if managed.name is not None:
                self._unanswered[managed.name.whole] = managed.session.id
            while len(self._unanswered) > _MOST_UNANSWERED:
                self._unanswered.popitem(last=False)

    async def summary(self, request: Request, endpoint: Endpoint, body: Any) -> str:
        """Returns the text that answers an assistant's own request for a summary, where settings ask for that; empty
        for any other request, and for a session that is not known.
        """
        is_asked = self._config.instant_summaries and assistant_of(request.headers) and isinstance(body, dict)
        asked = ConversationRequest(endpoint, body) if is_asked else None
        if asked is None or request.headers.get(_BYPASS) == "1" or not is_summary_request(asked):
            return ""
        try:
            return await anyio.to_thread.run_sync(self._summary, request, asked)
        except ClewError as error:
            _log.warning("a summary is left to the model: %s", type(error).__name__)
            return ""

    def _find(self, request: Request, asked: ConversationRequest, sent: bytes) -> Managed | None:
        """The session of a request: the one it names, or whose list it goes on from, or a new one. None for one that
        goes on from what the provider alone has.
        """
        client, owner = assistant_of(request.headers), self._owner(request)
        lists = KnownLists(self._engine.store, self._engine.config.tenant, owner)
        name = _list_name(request, asked)
        id = "" if asked.is_kept_by_provider else session_name(request.headers, asked.body)
        if asked.is_kept_by_provider:
            id = lists.find_response(asked.previous_response) if asked.previous_response else ""
            if not id:  # what the provider has of it is not known here: it passes, and is valid
                return None
        elif name is not None and not id:
            id = lists.find(name) or self._failed_before(name) or f"gateway-{secrets.token_hex(8)}"
        about = {"model": asked.model or None, "client": client or None}
        session = self._engine.session(id, user=owner or None, alone=not owner, **about)
        calls = ClientCalls(session, self._config.max_tokens or None, sent_whole=True)
        return Managed(asked, session, lists, name, sent, calls, is_new=not session.info.messages)

    def _failed_before(self, name: ListName) -> str:
        """The session of a list that was sent before and got no answer; empty where there is none."""
        with self._naming:
            return self._unanswered.pop(name.whole, "")

    def _summary(self, request: Request, asked: ConversationRequest) -> str:
        user, name = self._owner(request), session_name(request.headers, asked.body)
        if not name or self._engine.store.session(self._engine.key(name, user=user or None)) is None:
            return ""
        session = self._engine.session(name, user=user or None)
        return session.pack(None, budget=self._config.summary_tokens, target="text", record=False).text

    def _owner(self, request: Request) -> str:
        """Whose session a request belongs to: who works with an assistant here is the person at this machine; whoever
        else calls names the user, or nobody.
        """
        user = str(request.scope.get("state", {}).get(USER_STATE) or request.headers.get(_USER, "")).strip()
        return user or (self._engine.user if assistant_of(request.headers) else "")


def _list_name(request: Request, asked: ConversationRequest) -> ListName | None:
    """The name of a request's list, where it gives no other; of one whose conversation the provider has, none."""
    by_response = asked.endpoint.format == "openai-responses" and asked.body.get("store") is not False
    if session_name(request.headers, asked.body) and not by_response:
        return None
    who = next((value for name, value in request.headers.items() if name in {"authorization", "x-api-key"}), "")
    about = jsonio.dumps([asked.system, blake2b(who.encode(), digest_size=16).hexdigest()])
    return list_name(asked.messages, asked.endpoint.format, about=about)
