"""A1 to A5: tool calls and their results in the Anthropic Messages API."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import (
    SERVER_CALLS,
    BlockPlace,
    blocks_of,
    call_ids,
    is_result,
    is_server_result,
    kind_of,
    messages_of,
    result_ids,
    with_blocks,
    with_messages,
)
from clew.rules.base import Case, ProviderRule, digest, portable_id, string

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_SERVER_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")


def calls_are_answered(case: Case) -> Iterator[Finding]:
    messages = messages_of(case.request)
    for index, message in enumerate(messages):
        calls = call_ids(message)
        if not calls:
            continue
        if message.get("role") != "assistant":
            yield from (
                Finding("A1", index, "a tool call outside an assistant message is refused", identity)
                for identity in calls
            )
        elif index + 1 < len(messages) or case.final:
            answered = set(result_ids(messages[index + 1])) if index + 1 < len(messages) else set()
            text = "the call has no result in the very next message: refused, naming the call"
            yield from (Finding("A1", index, text, identity) for identity in calls if identity not in answered)
    yield from _server_calls_are_answered(messages)


def join_results(case: Case) -> tuple[Json, list[Repair]]:
    """Results of one step that came as several messages become one; whatever else stands in them comes after."""
    joined: list[Json] = []
    repairs: list[Repair] = []
    for index, message in enumerate(messages_of(case.request)):
        if joined and result_ids(message) and result_ids(joined[-1]) and joined[-1].get("role") == message.get("role"):
            blocks = [*blocks_of(joined[-1]), *blocks_of(message)]
            joined[-1] = joined[-1] | {"content": sorted(blocks, key=lambda block: not is_result(block))}
            repairs.append(Repair("A5", f"messages[{index}]", "joined results of one step"))
        else:
            joined.append(message)
    return (case.request | {"messages": joined}, repairs) if repairs else (case.request, [])


def gather_results(case: Case) -> tuple[Json, list[Repair]]:
    """All results of a step in one message, before everything else in it."""
    request, joined = join_results(case)
    request, moved = move_results_first(Case(request, case.final, case.previous))
    return request, [*joined, *moved]


def _server_calls_are_answered(messages: list[Json]) -> Iterator[Finding]:
    """A turn that the provider paused may still get its results, so only a new request of the user closes it."""
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.get("role") == "user" and not result_ids(message):
            text = "the server's tool call has no result in its turn: refused, naming the call"
            yield from (Finding("A1", where, text, identity) for identity, where in waiting.items())
            waiting = {}
        for block in blocks_of(message):
            if kind_of(block) in SERVER_CALLS:
                waiting[string(block.get("id"))] = index
            elif is_server_result(block):
                waiting.pop(string(block.get("tool_use_id")), None)


def results_have_calls(case: Case) -> Iterator[Finding]:
    messages = messages_of(case.request)
    server_calls: set[str] = set()
    for index, message in enumerate(messages):
        calls = set(call_ids(messages[index - 1])) if index and message.get("role") == "user" else set()
        for block in blocks_of(message):
            identity = string(block.get("tool_use_id"))
            if kind_of(block) in SERVER_CALLS:
                server_calls.add(string(block.get("id")))
            elif is_result(block) and identity not in calls:
                yield Finding(
                    "A2", index, "the result has no call in the message just before: refused as unexpected", identity
                )
            elif is_server_result(block) and identity not in server_calls:
                yield Finding(
                    "A2", index, "the server tool's result has no call before it: refused as unexpected", identity
                )


def ids_are_unique(case: Case) -> Iterator[Finding]:
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    for index, message in enumerate(messages_of(case.request)):
        for block in blocks_of(message):
            if kind_of(block) == "tool_use" or kind_of(block) in SERVER_CALLS:
                identity = string(block.get("id"))
                calls[identity] += 1
                if calls[identity] > 1:
                    yield Finding(
                        "A3", index, "the id was already given to another call: refused, ids must be unique", identity
                    )
            elif is_result(block) or is_server_result(block):
                identity = string(block.get("tool_use_id"))
                results[identity] += 1
                if results[identity] > calls[identity] > 0:
                    yield Finding("A3", index, "the call has more than one result: refused, one each", identity)


def _bad_id(block: Json) -> str | None:
    """The id that the block bears, when the provider would not take it. A18 tells of one that is not there."""
    kind = kind_of(block)
    if kind in {"tool_use", "mcp_tool_use"}:
        identity, pattern = block.get("id"), _ID
    elif kind in {"tool_result", "mcp_tool_result"}:
        identity, pattern = block.get("tool_use_id"), _ID
    elif kind == "server_tool_use":
        identity, pattern = block.get("id"), _SERVER_ID
    elif is_server_result(block):
        identity, pattern = block.get("tool_use_id"), _SERVER_ID
    else:
        return None
    return None if not isinstance(identity, str) or pattern.fullmatch(identity) else identity


def ids_are_well_formed(case: Case) -> Iterator[Finding]:
    answered: set[str] = set()
    for index, message in enumerate(messages_of(case.request)):
        for block in blocks_of(message):
            identity = _bad_id(block)
            if identity is not None and identity not in answered:
                answered.add(identity)
                yield Finding("A4", index, "the tool id has characters that the API's pattern refuses", identity)


def rename_ids(case: Case) -> tuple[Json, list[Repair]]:
    repairs: dict[str, Repair] = {}

    def change(place: BlockPlace, block: Json) -> Json:
        identity = _bad_id(block)
        if identity is None:
            return block
        server = kind_of(block) == "server_tool_use" or (
            is_server_result(block) and kind_of(block) != "mcp_tool_result"
        )
        new = f"srvtoolu_{digest(identity, digits=24)}" if server else portable_id(identity)
        repairs.setdefault(
            identity, Repair("A4", f"messages[{place.at}]", f"renamed the tool id {identity!r} to {new!r}")
        )
        return block | {"tool_use_id" if kind_of(block).endswith("tool_result") else "id": new}

    return with_blocks(case.request, change), list(repairs.values())


def results_come_first(case: Case) -> Iterator[Finding]:
    for index, message in enumerate(messages_of(case.request)):
        if message.get("role") == "user":
            late = _late_result(blocks_of(message))
            if late is not None:
                text = "a result stands after other content of its message: refused as a call without result"
                yield Finding("A5", index, text, string(late.get("tool_use_id")))


def _late_result(blocks: list[Json]) -> Json | None:
    other = False
    for block in blocks:
        if not is_result(block):
            other = True
        elif other:
            return block
    return None


def move_results_first(case: Case) -> tuple[Json, list[Repair]]:
    repairs: list[Repair] = []

    def change(index: int, message: Json) -> Json:
        blocks = blocks_of(message)
        if message.get("role") != "user" or _late_result(blocks) is None:
            return message
        repairs.append(Repair("A5", f"messages[{index}]", "moved tool results before the other content"))
        return message | {"content": sorted(blocks, key=lambda block: not is_result(block))}

    return with_messages(case.request, change), repairs


RULES = (
    ProviderRule("A1", "every call has its result in the next message", calls_are_answered),
    ProviderRule("A2", "every result has its call in the message before", results_have_calls),
    ProviderRule("A3", "tool ids are unique, one result each", ids_are_unique),
    ProviderRule("A4", "tool ids keep to the API's pattern", ids_are_well_formed, rename_ids),
    ProviderRule("A5", "results stand before other content", results_come_first, gather_results),
)
