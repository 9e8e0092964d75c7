"""The gateway inside LiteLLM's proxy: name ``clew.gateway.litellm.hook`` under ``litellm_settings.callbacks``.

Each conversation is kept in a session of the user's own store, and once it was compacted its pack goes on in place of
the messages. What LiteLLM does with a request otherwise stays LiteLLM's own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

from clew.adapters.named_sessions import own_engine
from clew.adapters.requests import ENDPOINTS, Endpoint
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.codecs.sdk_objects import as_dict
from clew.domain import Json
from clew.gateway.failures import LOGGER
from clew.gateway.hidden_turns import Offer
from clew.gateway.prepared_request import PreparedRequest, prepare
from clew.gateway.reply import PassingReply
from clew.gateway.session_names import assistant_of
from clew.gateway.sessions import Caller, Managed, RequestSessions

_log = logging.getLogger(LOGGER)
_MESSAGES, _CHAT, _RESPONSES = ENDPOINTS
#: Kinds of calls that hold conversations, as LiteLLM names them.
_ENDPOINTS = {
    "anthropic_messages": _MESSAGES,
    "completion": _CHAT,
    "acompletion": _CHAT,
    "responses": _RESPONSES,
    "aresponses": _RESPONSES,
}
#: Where LiteLLM keeps objects of its own in the body of a request; in those of Anthropic, metadata are the client's.
_ADDED = {"anthropic": {"litellm_metadata"}, "openai-chat": {"metadata"}, "openai-responses": {"litellm_metadata"}}
#: Calls that are remembered until their reply comes; of one that another hook refuses, none may come.
_MOST_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that goes on, and what its reply is recorded with."""

    managed: Managed
    prepared: PreparedRequest

    def reply(self, *, is_stream: bool) -> PassingReply:
        return PassingReply(self.prepared.call, is_stream=is_stream, encoding="")


class ConversationHook(CustomLogger):
    """Packs the conversations that pass through LiteLLM's proxy, and records them."""

    def __init__(self) -> None:
        super().__init__()
        self._sessions: RequestSessions | None = None
        self._asked: OrderedDict[tuple[str, str], _Asked] = OrderedDict()
        self._lock = Lock()

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Json, call_type: str) -> Json:  # noqa: ARG002
        """Returns the request with the pack of its session in place of the messages, where there is one."""
        endpoint = _ENDPOINTS.get(call_type)
        if endpoint is None or not isinstance(data.get("proxy_server_request"), dict):
            return data
        try:
            return await asyncio.to_thread(self._prepare, user_api_key_dict, data, endpoint)
        except Exception as error:  # a client is served whatever is wrong here
            _log.warning("a request passes as it came: %s", type(error).__name__)
            return data

    async def async_post_call_success_hook(self, data: Json, user_api_key_dict: Any, response: Any) -> Any:
        """Records a reply that came whole."""
        if (asked := self._take(data, user_api_key_dict)) is not None:
            passing = asked.reply(is_stream=False)
            passing.feed(_json_bytes(response))
            await passing.end(asked.managed.lists, asked.managed.name)
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: Json
    ) -> AsyncIterator[Any]:
        """Records a reply as it passes."""
        asked = self._take(request_data, user_api_key_dict)
        passing = asked.reply(is_stream=True) if asked else None
        try:
            async for piece in response:
                if passing is not None:
                    passing.feed(_event_bytes(piece))
                yield piece
        finally:
            if asked is not None and passing is not None:
                await passing.end(asked.managed.lists, asked.managed.name)

    async def async_post_call_failure_hook(
        self, request_data: Json, original_exception: Exception, user_api_key_dict: Any, **_about: Any
    ) -> None:
        """Notes that no answer comes. A conversation that was too long is packed smaller when it is sent again."""
        if (asked := self._take(request_data, user_api_key_dict)) is not None:
            asked.prepared.model_call.fail()
            await asyncio.to_thread(asked.prepared.call.conversation.make_room, original_exception)
            await asyncio.to_thread(self._requests().note_failed, asked.managed, asked.prepared.call)

    def _prepare(self, key: Any, data: Json, endpoint: Endpoint) -> Json:
        request, added = data["proxy_server_request"], _ADDED[endpoint.format]
        body = {name: data[name] for name in request.get("body") or () if name in data and name not in added}
        managed = self._requests().find(_caller(key, request.get("headers") or {}), endpoint, body, b"")
        if managed is None:
            return data
        managed.offer = Offer()  # a hook cannot answer what the model would ask for
        prepared = prepare(managed, ModelCall(), own_engine().config, is_refused=False)
        with self._lock:
            self._asked[_name(data, key)] = _Asked(managed, prepared)
            if len(self._asked) > _MOST_CALLS:
                self._asked.popitem(last=False)
        if prepared.pack is None:
            return data
        return {name: value for name, value in data.items() if name not in body} | prepared.body

    def _requests(self) -> RequestSessions:
        with self._lock:
            self._sessions = self._sessions or RequestSessions(own_engine())
            return self._sessions

    def _take(self, data: Json, key: Any) -> _Asked | None:
        with self._lock:
            return self._asked.pop(_name(data, key), None)


def _name(data: Json, key: Any) -> tuple[str, str]:
    """A call by its id, which clients may choose, and the key that it came with."""
    return str(data.get("litellm_call_id")), str(key.api_key)


def _caller(key: Any, headers: dict[str, str]) -> Caller:
    """Sessions are kept under the user of the key, or the key. They are of one person where the request names the one
    it is for, or an assistant sends it.
    """
    place, person = f"litellm:{key.user_id or key.api_key}", key.end_user_id or ""
    is_person = bool(person or assistant_of(headers))
    return Caller(headers, f"{place}/{person}" if person else place, is_person=is_person)


def _json_bytes(value: Any) -> bytes:
    """What an object of LiteLLM says; nothing for what is none."""
    with suppress(TypeError, ValueError):
        return jsonio.dumps({name: one for name, one in (as_dict(value) or {}).items() if name != "_hidden_params"})
    return b""


def _event_bytes(piece: Any) -> bytes:
    """A piece of a stream as it stands in one: some are bytes already."""
    if isinstance(piece, bytes | str):
        return piece if isinstance(piece, bytes) else piece.encode()
    return b"data: %s\n\n" % _json_bytes(piece)


#: The hook that a configuration names.
hook = ConversationHook()
