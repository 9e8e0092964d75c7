"""O1 to O3: the rules of OpenAI Chat Completions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import messages_of, with_messages
from clew.rules.base import Case, ProviderRule, objects, portable_id, string

MAX_ID_CHARACTERS = 40


def call_ids(message: Json) -> list[str]:
    if message.get("role") != "assistant":
        return []
    return [string(call.get("id")) for call in objects(message.get("tool_calls"))]


def ids_in(message: Json) -> list[str]:
    """Ids of calls, or of the call that a tool message answers."""
    return [string(message.get("tool_call_id"))] if message.get("role") == "tool" else call_ids(message)


def calls_are_answered(case: Case) -> Iterator[Finding]:
    text = "the call has no tool message right after it: refused, naming the call"
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages_of(case.request)):
        if message.get("role") == "tool":
            waiting.pop(string(message.get("tool_call_id")), None)
            continue
        yield from (Finding("O1", where, text, identity) for identity, where in waiting.items())
        waiting = dict.fromkeys(call_ids(message), index)
    if case.final:
        yield from (Finding("O1", where, text, identity) for identity, where in waiting.items())


def tool_messages_answer_calls(case: Case) -> Iterator[Finding]:
    waiting: set[str] = set()
    for index, message in enumerate(messages_of(case.request)):
        if message.get("role") != "tool":
            waiting = set(call_ids(message))
            continue
        identity = string(message.get("tool_call_id"))
        if identity not in waiting:
            yield Finding(
                "O2", index, "the tool message answers no call of the assistant message before it: refused", identity
            )
        waiting.discard(identity)


def ids_are_short(case: Case) -> Iterator[Finding]:
    text = f"the tool id is longer than {MAX_ID_CHARACTERS} characters: refused"
    return bad_ids(case, "O3", is_good=_is_short, text=text)


def _is_short(identity: str) -> bool:
    return len(identity) <= MAX_ID_CHARACTERS


def bad_ids(case: Case, rule: str, *, is_good: Callable[[str], bool], text: str) -> Iterator[Finding]:
    """Each id that is not good, once, where it is first used."""
    answered: set[str] = set()
    for index, message in enumerate(messages_of(case.request)):
        for identity in ids_in(message):
            if identity not in answered and not is_good(identity):
                answered.add(identity)
                yield Finding(rule, index, text, identity)


def shorten_ids(case: Case) -> tuple[Json, list[Repair]]:
    return rename_ids(case, "O3", _shorten_id)


def _shorten_id(identity: str) -> str:
    return identity if _is_short(identity) else portable_id(identity, longest=MAX_ID_CHARACTERS)


def rename_ids(case: Case, rule: str, rename: Callable[[str], str]) -> tuple[Json, list[Repair]]:
    """Calls and their answers get the same new ids."""
    repairs: dict[str, Repair] = {}

    def new(index: int, identity: str) -> str:
        fresh = rename(identity)
        if fresh != identity:
            repairs.setdefault(
                identity, Repair(rule, f"messages[{index}]", f"renamed the tool id {identity!r} to {fresh!r}")
            )
        return fresh

    def change(index: int, message: Json) -> Json:
        ids = ids_in(message)
        fresh = [new(index, identity) for identity in ids]
        return message if fresh == ids else _with_ids(message, fresh)

    return with_messages(case.request, change), list(repairs.values())


def _with_ids(message: Json, ids: list[str]) -> Json:
    if message.get("role") == "tool":
        return message | {"tool_call_id": ids[0]}
    calls = objects(message.get("tool_calls"))
    return message | {"tool_calls": [call | {"id": identity} for call, identity in zip(calls, ids, strict=True)]}


RULES = (
    ProviderRule("O1", "every call is followed by its tool message", calls_are_answered),
    ProviderRule("O2", "every tool message answers a call before it", tool_messages_answer_calls),
    ProviderRule("O3", "tool ids have at most forty characters", ids_are_short, shorten_ids),
)
