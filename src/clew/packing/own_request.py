"""Requests that came in a provider's own format: made valid, with their settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clew import rules
from clew.codecs import jsonio, registry
from clew.codecs.documents import SYSTEM_MEMBERS
from clew.domain import Json, Message, Record, Repair, Tool
from clew.domain.ids import message_id
from clew.history.fold import with_record
from clew.packing.valid_request import encode_valid
from clew.rules.thinking_modes import MANUAL, thinking_mode


def repair_own_request(
    request: Json, provider: str, *, final: bool = False, dialect: str | None = None
) -> tuple[Json, tuple[Repair, ...]]:
    """Returns a request of the provider's own format made valid, settings included, and the repairs.

    What its own content shows is put right first, so that nothing is unreadable; then calls are paired with outputs.
    A valid request comes back as it is.
    """
    if not rules.check(request, provider, final=final, dialect=dialect):
        return request, ()
    request, first = rules.repair(request, provider, final=final, dialect=dialect)
    messages, tools, unreadable = _decode_request(request, provider)
    tells_loop = provider == "anthropic" and thinking_mode(request) == MANUAL
    encoded, _, repairs = encode_valid(messages, provider, tools=tools, tells_loop=tells_loop)
    settings = {
        name: value
        for name, value in request.items()
        if name not in (*SYSTEM_MEMBERS, "tools", registry.MESSAGE_LISTS[provider])
    }
    body, last = rules.repair(settings | encoded.body, provider, final=final, dialect=dialect)
    return body, (*first, *unreadable, *repairs, *last)


def _decode_request(request: Json, provider: str) -> tuple[list[Message], tuple[Tool, ...], list[Repair]]:
    messages: list[Message] = []
    tools: tuple[Tool, ...] = ()
    unreadable: list[Repair] = []
    for where, body in _records(request, provider):
        try:
            record = registry.codec(provider).read(jsonio.dumps_exact(body))
        except ValueError as error:
            unreadable.append(Repair("unreadable", where, f"left out, as it cannot be read: {error}"))
            continue
        tools = record.tools or tools
        _add(messages, record)
    return messages, tools, unreadable


def _records(request: Json, provider: str) -> Iterator[tuple[str, Any]]:
    """What a file of the request would be read as, piece by piece, and where each stands."""
    for name in (*SYSTEM_MEMBERS, "tools"):
        if request.get(name):
            yield name, {name: request[name]}
    member = registry.MESSAGE_LISTS[provider]
    found = request.get(member)
    yield from ((f"{member}[{index}]", one) for index, one in enumerate(found if isinstance(found, list) else [found]))


def _add(messages: list[Message], record: Record) -> None:
    if record.message is None:
        return
    if record.joins and messages and messages[-1].role is record.message.role:
        messages[-1] = with_record(messages[-1], record.message)
    else:
        messages.append(replace(record.message, id=message_id(len(messages) + 1)))
