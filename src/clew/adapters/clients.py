"""Clients of Anthropic and OpenAI that pack and record: a copy of the caller's client with its ``request`` replaced.

Every call of a client goes through ``request``. Those that hold a conversation send the pack instead of the caller's
list, and their reply is recorded. Retries, timeouts, raw responses and streams stay the client's own. A request that
the provider refuses as too long is packed smaller and sent once more.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Any, TypeVar, cast

from clew.adapters.calls import ClientCalls
from clew.adapters.named_sessions import session_of
from clew.adapters.requests import ConversationRequest, endpoint_of
from clew.adapters.session_state import ModelCall, SessionHandle
from clew.errors import UsageError

C = TypeVar("C")
#: Resources of clients that hold conversations.
_RESOURCES = ("messages", "chat", "responses")


def wrap(client: C, *, session: SessionHandle | str, user: str | None = None, budget: int | None = None) -> C:
    """Returns a client with the same interface that sends packs and records what is said in the session.

    The client is any of the anthropic or openai package, those for Vertex, Bedrock, Foundry and Azure included, and is
    left as it is.
    ``session`` is a handle, or a name in the user's own store; then ``user`` is whose session it is, and without one it
    shares with no other. Callers go on sending their whole list of messages.
    ``budget`` is the most tokens to send; by default the model's window less the reserve for the answer.
    """
    if isinstance(client, type):
        raise UsageError(f"cannot wrap the class {client.__name__}; give a client: {client.__name__}(…)")
    if not all(callable(getattr(client, name, None)) for name in ("request", "post", "copy", "with_options")):
        raise UsageError(f"cannot wrap a {type(client).__name__}; give a client of the anthropic or openai package")
    return _wrap_client(client, ClientCalls(session_of(session, user), budget))


def _wrap_client(client: C, calls: ClientCalls) -> C:
    made: Any = copy.copy(client)
    _rebind(made, client)
    made.request = _recording_request(made, calls)
    made.copy = made.with_options = _copier(made.copy, calls)
    return cast("C", made)


def _rebind(made: Any, client: Any) -> None:
    """Gives the copy resources of its own: those of the caller's client send by that one.
    Raises UsageError for a client without a resource that holds conversations.
    """
    bound = [(name, value) for name, value in vars(made).items() if getattr(value, "_client", None) is client]
    for name, value in bound:
        if isinstance(getattr(type(made), name, None), cached_property):
            delattr(made, name)
        else:
            setattr(made, name, type(value)(made))
    resources = [getattr(made, name, None) for name in _RESOURCES]
    if not any(resources) or any(
        resource is not None and getattr(resource, "_client", made) is not made for resource in resources
    ):
        raise UsageError(f"cannot wrap a {type(client).__name__}: it has no messages, chat or responses of its own")


def _copier(copy_client: Callable[..., C], calls: ClientCalls) -> Callable[..., C]:
    """With other options the client still packs and records."""

    def copy_wrapped(*args: Any, **kwargs: Any) -> C:
        return _wrap_client(copy_client(*args, **kwargs), calls)

    return copy_wrapped


def _recording_request(client: Any, calls: ClientCalls) -> Callable[..., Any]:
    """The client's ``request``, for one that is awaited and for one that is not."""
    send, is_async = client.request, inspect.iscoroutinefunction(client.request)
    prepare = getattr(client, "_copy_and_prepare", lambda options: options)  # of anthropic; it gives a copy

    async def in_engine(work: Callable[..., Any], *values: Any) -> Any:
        """The engine takes its time: the event loop goes on meanwhile."""
        return await asyncio.to_thread(work, *values) if is_async else work(*values)

    async def request(cast_to: Any, options: Any, **how: Any) -> Any:
        options = await _value_of(prepare(options))
        asked = _conversation_request(options)
        if asked is None:
            return await _value_of(send(cast_to, options, **how))
        call: Any = None
        for is_last in (False, True):
            model_call, call = ModelCall(), None
            try:
                call = await in_engine(calls.begin, asked, model_call)
                options.json_data = await in_engine(asked.with_pack, call.pack)
                result = await _value_of(send(cast_to, options, **how))
                break
            except BaseException as error:
                model_call.fail()
                if is_last or call is None or not await in_engine(call.conversation.make_room, error):
                    raise
        return await in_engine(call.receive, result)

    return request if is_async else lambda *args, **how: _run_at_once(request(*args, **how))


def _conversation_request(options: Any) -> ConversationRequest | None:
    """The request that a client is about to send, where it is one of a conversation. Of one that asks nothing, what
    the provider says is the caller's to hear.
    """
    endpoint, body = endpoint_of(options.method, options.url), options.json_data
    is_asked = endpoint is not None and isinstance(body, dict) and body.get(endpoint.messages) != []
    return ConversationRequest(endpoint, body) if endpoint and is_asked else None


async def _value_of(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def _run_at_once(steps: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine in which nothing waits."""
    try:
        steps.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a client that is not awaited waits for something")
