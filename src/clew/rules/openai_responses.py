"""R1 to R7 and R12: the rules of OpenAI Responses.

Items that the provider keeps itself (an earlier response, a conversation, item references) may hold the
other half of a pair, so pairs are judged only where the request holds everything.
"""

from __future__ import annotations

from collections.abc import Iterator

from clew.domain import Finding, Json, Repair
from clew.rules.base import Case, ProviderRule, digest, objects, omit, string

#: Outputs that the client sends, and the calls that each may answer.
_ANSWERS = {
    "function_call_output": {"function_call", "local_shell_call"},
    "custom_tool_call_output": {"custom_tool_call"},
    "local_shell_call_output": {"local_shell_call"},
    "shell_call_output": {"shell_call"},
    "apply_patch_call_output": {"apply_patch_call"},
    "computer_call_output": {"computer_call"},
}
_CALLS = frozenset().union(*_ANSWERS.values())
_PREFIXES = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctc",
}


def _items(request: Json) -> list[Json]:
    return objects(request.get("input"))


def _kind(item: Json) -> str:
    return string(item.get("type")) or ("message" if "role" in item else "")


def _call_id(item: Json) -> str:
    return string(item.get("call_id"))


def _is_reference(item: Json) -> bool:
    return _kind(item) == "item_reference" or (item.keys() == {"id"})


def _is_stored(request: Json) -> bool:
    return request.get("store") is not False


def _is_elsewhere(request: Json) -> bool:
    if request.get("previous_response_id") or request.get("conversation"):
        return True
    return _is_stored(request) and any(map(_is_reference, _items(request)))


def _is_from_model(item: Json) -> bool:
    if _kind(item) == "message":
        return item.get("role") == "assistant"
    return bool(item) and not _kind(item).endswith(("_output", "_response"))


def outputs_have_calls(case: Case) -> Iterator[Finding]:
    if _is_elsewhere(case.request):
        return
    calls: set[tuple[str, str]] = set()
    for index, item in enumerate(_items(case.request)):
        kind, identity = _kind(item), _call_id(item)
        if kind in _CALLS:
            calls.add((kind, identity))
        elif kind in _ANSWERS and not any((call, identity) in calls for call in _ANSWERS[kind]):
            yield Finding("R1", index, "the output answers no call before it: refused, naming the call", identity)


def calls_have_outputs(case: Case) -> Iterator[Finding]:
    if _is_elsewhere(case.request):
        return
    items = _items(case.request)
    pending = len(items) if case.final else _last_step(items)
    answered: set[tuple[str, str]] = set()
    findings: list[Finding] = []
    for index in reversed(range(len(items))):
        kind, identity = _kind(items[index]), _call_id(items[index])
        answered |= {(call, identity) for call in _ANSWERS.get(kind, ())}
        if kind in _CALLS and (kind, identity) not in answered and index < pending:
            findings.append(Finding("R2", index, "the call has no output after it: refused, naming the call", identity))
    yield from reversed(findings)


def _last_step(items: list[Json]) -> int:
    """Where the model's last run of items starts: its calls may still be at work."""
    index = len(items)
    while index and _kind(items[index - 1]) in _ANSWERS:
        index -= 1
    while index and _is_from_model(items[index - 1]):
        index -= 1
    return index


def reasoning_is_followed(case: Case) -> Iterator[Finding]:
    items = _items(case.request)
    followed = not case.final
    findings: list[Finding] = []
    for index in reversed(range(len(items))):
        if _kind(items[index]) != "reasoning":
            followed = _is_from_model(items[index])
        elif not followed:
            text = "the reasoning is not followed by what the model said or did next: refused"
            findings.append(Finding("R3", index, text, string(items[index].get("id"))))
    yield from reversed(findings)


def drop_dangling_reasoning(case: Case) -> tuple[Json, list[Repair]]:
    drop = {finding.at for finding in reasoning_is_followed(case)}
    return _without_items(case.request, drop, rule="R3", text="dropped reasoning that nothing followed")


def _without_items(request: Json, drop: set[int], *, rule: str, text: str) -> tuple[Json, list[Repair]]:
    if not drop:
        return request, []
    kept = [item for index, item in enumerate(request["input"]) if index not in drop]
    return request | {"input": kept}, [Repair(rule, f"input[{index}]", text) for index in sorted(drop)]


def _reasoning_before(items: list[Json]) -> dict[str, str]:
    """For each item of the model, by id, the reasoning right before it."""
    before: dict[str, str] = {}
    reasoning = ""
    for item in items:
        identity = string(item.get("id"))
        if _kind(item) == "reasoning":
            reasoning = identity
        else:
            if identity and reasoning and _is_from_model(item):
                before[identity] = reasoning
            reasoning = ""
    return before


def reasoning_is_there(case: Case) -> Iterator[Finding]:
    """What belongs together can be told only from an earlier request; without its id an item stands alone."""
    if case.previous is None:
        return
    needed = _reasoning_before(_items(case.previous))
    present = _reasoning_before(_items(case.request))
    for index, item in enumerate(_items(case.request)):
        identity = string(item.get("id"))
        if identity in needed and present.get(identity) != needed[identity] and _kind(item) != "item_reference":
            yield Finding(
                "R4", index, f"the item came without its reasoning {needed[identity]}: refused, naming both", identity
            )


def _needs_the_store(item: Json) -> bool:
    """Reasoning that has an id and no encrypted content is looked up, like a reference."""
    if _kind(item) == "reasoning":
        return bool(item.get("id")) and not item.get("encrypted_content")
    return _is_reference(item)


def references_need_the_store(case: Case) -> Iterator[Finding]:
    if _is_stored(case.request):
        return
    for index, item in enumerate(_items(case.request)):
        if _needs_the_store(item):
            text = "the item is only referred to, and nothing is stored: refused as not found"
            yield Finding("R5", index, text, string(item.get("id")))


def drop_references(case: Case) -> tuple[Json, list[Repair]]:
    """What followed dropped reasoning loses its id, by which the provider would miss the reasoning."""
    drop = {finding.at for finding in references_need_the_store(case)}
    if not drop:
        return case.request, []
    items = list(case.request["input"])
    for index in drop:
        after = items[index + 1] if index + 1 < len(items) else None
        if isinstance(after, dict) and _kind(items[index]) == "reasoning" and _is_plain_model_item(after):
            items[index + 1] = omit(after, "id")
    text = "dropped an item that only referred to the store"
    return _without_items(case.request | {"input": items}, drop, rule="R5", text=text)


def _is_plain_model_item(item: Json) -> bool:
    return _kind(item) in {"message", "function_call", "custom_tool_call"} and _is_from_model(item)


def _has_foreign_id(item: Json) -> bool:
    identity, prefix = item.get("id"), _PREFIXES.get(_kind(item))
    return prefix is not None and isinstance(identity, str) and not identity.startswith(prefix)


def ids_keep_their_prefix(case: Case) -> Iterator[Finding]:
    for index, item in enumerate(_items(case.request)):
        if _has_foreign_id(item):
            text = f"the id of a {_kind(item)} must begin with {_PREFIXES[_kind(item)]!r}: refused"
            yield Finding("R6", index, text, string(item.get("id")))


def drop_foreign_ids(case: Case) -> tuple[Json, list[Repair]]:
    """Ids are optional but for reasoning, which gets one that depends on the old id alone."""
    findings = list(ids_keep_their_prefix(case))
    if not findings:
        return case.request, []
    items = list(case.request["input"])
    for finding in findings:
        item = items[finding.at]
        is_reasoning = _kind(item) == "reasoning"
        items[finding.at] = item | {"id": f"rs_{digest(item['id'], digits=32)}"} if is_reasoning else omit(item, "id")
    repairs = [Repair("R6", f"input[{finding.at}]", f"took the foreign id {finding.id!r} away") for finding in findings]
    return case.request | {"input": items}, repairs


def _encrypted_content(items: list[Json]) -> dict[str, str]:
    pairs = ((string(item.get("id")), string(item.get("encrypted_content"))) for item in items)
    return {identity: content for identity, content in pairs if identity and content}


def encrypted_content_is_untouched(case: Case) -> Iterator[Finding]:
    if case.previous is None:
        return
    before = _encrypted_content(_items(case.previous))
    for index, item in enumerate(_items(case.request)):
        identity, content = string(item.get("id")), string(item.get("encrypted_content"))
        if content and before.get(identity, content) != content:
            yield Finding(
                "R7", index, "encrypted content is not as it came: refused, as it cannot be verified", identity
            )


def ids_are_used_once(case: Case) -> Iterator[Finding]:
    """A reference has the id of its item, which is then there twice."""
    seen: set[str] = set()
    for index, item in enumerate(_items(case.request)):
        identity = string(item.get("id"))
        if identity and identity in seen:
            yield Finding("R12", index, "an item with this id came before: refused as a duplicate", identity)
        seen.add(identity)


def drop_ids_used_twice(case: Case) -> tuple[Json, list[Repair]]:
    """Items stay, without their ids; reasoning and references, which are nothing without, go."""
    findings = list(ids_are_used_once(case))
    if not findings:
        return case.request, []
    items = list(case.request["input"])
    drop = {
        finding.at
        for finding in findings
        if _kind(items[finding.at]) == "reasoning" or _is_reference(items[finding.at])
    }
    followed = {index + 1 for index in drop if index + 1 < len(items) and _kind(items[index]) == "reasoning"}
    for at in ({finding.at for finding in findings} | followed) - drop:
        items[at] = omit(items[at], "id") if isinstance(items[at], dict) else items[at]
    repairs = [
        Repair("R12", f"input[{finding.at}]", f"took the id {finding.id!r} away, which came before")
        for finding in findings
    ]
    return case.request | {"input": [item for index, item in enumerate(items) if index not in drop]}, repairs


RULES = (
    ProviderRule("R1", "every output has its call", outputs_have_calls),
    ProviderRule("R2", "every call has its output", calls_have_outputs),
    ProviderRule("R3", "reasoning has what followed it", reasoning_is_followed, drop_dangling_reasoning),
    ProviderRule("R4", "what followed reasoning has it", reasoning_is_there),
    ProviderRule("R5", "no references without a store", references_need_the_store, drop_references),
    ProviderRule("R6", "item ids keep their prefix", ids_keep_their_prefix, drop_foreign_ids),
    ProviderRule("R7", "encrypted content is untouched", encrypted_content_is_untouched),
    ProviderRule("R12", "item ids are used once", ids_are_used_once, drop_ids_used_twice),
)
