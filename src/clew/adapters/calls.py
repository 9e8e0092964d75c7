"""Calls of an official client: the request is packed before it is sent, and the reply recorded when it is there."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

from clew.adapters.branches import Branch, shared_branches
from clew.adapters.client_streams import is_stream, record_stream
from clew.adapters.conversation import Conversation
from clew.adapters.requests import ConversationRequest, endpoint_of
from clew.adapters.session_state import ModelCall, SessionHandle, ensure_budget, state_of


class ClientCalls:
    """The calls of one wrapped client, all of one session and its branches."""

    def __init__(self, session: SessionHandle, budget: int | None) -> None:
        ensure_budget(budget)
        self._session, self._budget = session, budget
        self._branches, self._state = shared_branches(session), state_of(session)

    def begin(self, options: Any, model_call: ModelCall) -> ClientCall | None:
        """Puts the pack into the options of a request; None where the request is no conversation."""
        endpoint = endpoint_of(options.method, options.url)
        if endpoint is None or not isinstance(options.json_data, dict):
            return None
        if options.json_data.get(endpoint.messages) == []:
            return None  # nothing is asked; what the provider says of that is the caller's to hear
        request = ConversationRequest(endpoint, options.json_data)
        with self._state.branching:
            return self._begin(request, options, model_call)

    def _begin(self, request: ConversationRequest, options: Any, model_call: ModelCall) -> ClientCall:
        format, beside = request.endpoint.format, {"system": request.system, "tools": request.tools}
        if request.is_kept_by_provider:
            conversation = self._conversation(self._branches.own, format)
            conversation.record(request.messages, **beside)
            return ClientCall(conversation, model_call)
        branch = self._branches.find(format, request.messages)
        call = ClientCall(self._conversation(branch, format), model_call)
        about = {"model": request.model, "thinking": request.thinking}
        pack = call.conversation.pack(request.messages, call=model_call, **about, **beside)
        options.json_data = request.with_pack(pack)
        branch.add(call)
        return call

    def _conversation(self, branch: Branch, format: str) -> Conversation:
        """The conversation in a branch; in the session itself, by the handle that this client was given."""
        session = self._session if branch is self._branches.own else branch.session
        whole_lists = branch.conversation(format).whole_lists
        return Conversation(session, format=format, budget=self._budget, whole_lists=whole_lists)


class ClientCall:
    """A request that was sent, and the conversation that its reply belongs to."""

    def __init__(self, conversation: Conversation, model_call: ModelCall) -> None:
        self.conversation, self._model_call = conversation, model_call
        self._is_over = False
        self._unread: weakref.ref[Any] | None = None

    @property
    def is_under_way(self) -> bool:
        """True until the answer is there: of a stream, until it was read or closed, or nobody has it any more."""
        result = self._unread() if self._unread else None
        is_over = self._is_over or self._model_call.is_failed
        return not is_over and (self._unread is None or not _is_closed(result))

    def receive(self, result: Any) -> Any:
        """Returns the client's result, having recorded the reply, or ready to record it when it has been read."""
        if hasattr(result, "http_response"):
            return self._raw_response(result)
        if is_stream(result):
            record_stream(result, self.conversation)
            self._unread = weakref.ref(result)
            result._clew_call = self  # under way for as long as somebody has the stream
            return result
        if hasattr(result, "model_dump"):
            self.conversation.reply(result, call=self._model_call)
        else:
            self.conversation.lose(f"the client returned an unknown {type(result).__name__}")
        self._is_over = True
        return result

    def _raw_response(self, raw: Any) -> Any:
        """What was read is recorded; what is still to be read, when the caller parses it."""
        if raw.http_response.is_closed:
            self.conversation.reply(raw.http_response.json(), call=self._model_call)
            self._is_over = True
        else:
            raw.parse = _once(raw.parse, self.receive)
            self._unread = weakref.ref(raw)
        return raw


def _is_closed(result: Any) -> bool:
    response = getattr(result, "http_response", None) or getattr(result, "response", None)
    return response is None or bool(response.is_closed)


def _once(parse: Callable[..., Any], receive: Callable[[Any], Any]) -> Callable[..., Any]:
    """A raw response is parsed as often as its caller likes, and recorded once."""
    seen: list[Any] = []

    def note(result: Any) -> Any:
        if not seen:
            seen.append(result)
            receive(result)
        return result

    def parse_and_note(*args: Any, **kwargs: Any) -> Any:
        found = parse(*args, **kwargs)
        return _await_and_note(found, note) if inspect.isawaitable(found) else note(found)

    return parse_and_note


async def _await_and_note(found: Awaitable[Any], note: Callable[[Any], Any]) -> Any:
    return note(await found)
