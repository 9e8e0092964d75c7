"""A7 to A11: thinking blocks in the Anthropic Messages API.

Results of tools go on with the turn that called them, so the turn that counts as the final one is all that
follows the last words of the user without results. What a mode demands of it is said by the request, or by its model
(`thinking_modes`). A turn that lost its thinking cannot go on with manual thinking; whoever makes requests tells its
steps as text (`packing.told_steps`). What the caller says of thinking is never changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import (
    BlockPlace,
    blocks_of,
    call_ids,
    each_block,
    is_thinking,
    messages_of,
    result_ids,
    with_blocks,
    without_empty_messages,
)
from clew.rules.base import OUTSIDE, Case, ProviderRule, omit, string
from clew.rules.thinking_modes import MANUAL, OFF, thinking_mode


def _thinking(request: Json) -> Json:
    thinking = request.get("thinking")
    return thinking if isinstance(thinking, dict) else {}


def _final_turn(case: Case) -> int:
    """The index at which the final assistant turn starts; past the end when no turn is under way.

    Messages of the user that follow each other are one to the API: words behind results leave the turn open.
    """
    messages = messages_of(case.request)
    index = end = len(messages)
    for is_reply, group in groupby(reversed(messages), key=_is_reply):
        run = list(group)
        is_last = index == end
        if is_reply and is_last and not (case.final or call_ids(run[0])):
            break
        if not is_reply and not any(map(result_ids, run)):
            break
        index -= len(run)
    return index


def _is_reply(message: Json) -> bool:
    return message.get("role") == "assistant"


def _opening(case: Case) -> int | None:
    """The assistant message that opens the final turn."""
    messages, start = messages_of(case.request), _final_turn(case)
    replies = (index for index in range(start, len(messages)) if _is_reply(messages[index]))
    return next(replies, None)


def final_turn_starts_with_thinking(case: Case) -> Iterator[Finding]:
    index = _opening(case) if thinking_mode(case.request) == MANUAL else None
    if index is None:
        return
    blocks = blocks_of(messages_of(case.request)[index])
    if not blocks or not is_thinking(blocks[0]):
        yield Finding("A7", index, "thinking is enabled but the final assistant turn does not start with it: refused")


def no_thinking_when_off(case: Case) -> Iterator[Finding]:
    if thinking_mode(case.request) != OFF:
        return
    messages = messages_of(case.request)
    for index in range(_final_turn(case), len(messages)):
        if any(map(is_thinking, blocks_of(messages[index]))):
            yield Finding("A9", index, "thinking is off but the final assistant turn has a thinking block: refused")


def drop_thinking_when_off(case: Case) -> tuple[Json, list[Repair]]:
    findings = list(no_thinking_when_off(case))
    if not findings:
        return case.request, []

    def change(place: BlockPlace, block: Json) -> Json | None:
        return None if place.at >= findings[0].at and is_thinking(block) else block

    repairs = [Repair("A9", f"messages[{finding.at}]", "dropped thinking, as it is off") for finding in findings]
    return without_empty_messages(with_blocks(case.request, change)), repairs


def thinking_is_untouched(case: Case) -> Iterator[Finding]:
    for place, block in each_block(case.request):
        if is_thinking(block) and "cache_control" in block:
            yield Finding("A8", place.at, "a thinking block bears cache_control: refused")
    latest = _latest_assistant(messages_of(case.request))
    if case.previous is None or latest is None:
        return
    message = messages_of(case.request)[latest]
    before = _same_message(message, messages_of(case.previous))
    thinking = _thinking_of(message)
    if before is not None and thinking and thinking != _thinking_of(before):
        yield Finding("A8", latest, "thinking of the latest assistant message is not as it came: refused as modified")


def _latest_assistant(messages: list[Json]) -> int | None:
    return next((index for index in reversed(range(len(messages))) if messages[index].get("role") == "assistant"), None)


def _thinking_of(message: Json) -> list[Json]:
    return [omit(block, "cache_control") for block in blocks_of(message) if is_thinking(block)]


def _same_message(message: Json, messages: list[Json]) -> Json | None:
    """The newest message that shares a call or a signature with this one, or says and thinks the same."""
    marks = _marks(message)
    return next((other for other in reversed(messages) if marks & _marks(other)), None)


def _marks(message: Json) -> set[tuple[str, ...]]:
    if message.get("role") != "assistant":
        return set()
    blocks = blocks_of(message)
    calls = {("call", identity) for identity in call_ids(message)}
    seals = {("seal", _seal(block)) for block in blocks if is_thinking(block) and _seal(block)}
    words = ("words", *(string(block.get("thinking")) or string(block.get("text")) for block in blocks))
    return {*calls, *seals} if calls else {*seals, words}


def _seal(block: Json) -> str:
    return string(block.get("signature")) or string(block.get("data"))


def without_cache_control_on_thinking(case: Case) -> tuple[Json, list[Repair]]:
    repairs: list[Repair] = []

    def change(place: BlockPlace, block: Json) -> Json:
        if not is_thinking(block) or "cache_control" not in block:
            return block
        repairs.append(Repair("A8", f"messages[{place.at}]", "took cache_control off a thinking block"))
        return omit(block, "cache_control")

    return with_blocks(case.request, change), repairs


def _changed_model(case: Case) -> bool:
    if case.previous is None:
        return False
    now, before = case.request.get("model"), case.previous.get("model")
    return isinstance(now, str) and isinstance(before, str) and now != before


def thinking_stays_with_its_model(case: Case) -> Iterator[Finding]:
    if case.previous is None or not _changed_model(case):
        return
    known = {_seal(block) for _, block in each_block(case.previous) if is_thinking(block)} - {""}
    for place, block in each_block(case.request):
        if is_thinking(block) and _seal(block) in known:
            yield Finding("A10", place.at, "the thinking was signed for another model: refused as invalid, or ignored")


class _Unit(NamedTuple):
    """A piece of the prefix that thinking is bound to; ``cache_control`` is no part of it."""

    at: int
    role: str
    data: Any

    @property
    def seal(self) -> str:
        return _seal(self.data) if self.at != OUTSIDE and is_thinking(self.data) else ""


def _units(request: Json) -> Iterator[_Unit]:
    for name in ("tools", "system"):
        yield _Unit(
            OUTSIDE, name, [omit(block, "cache_control") for block in blocks_of({"content": request.get(name) or None})]
        )
    for index, message in enumerate(messages_of(request)):
        for block in blocks_of(message):
            yield _Unit(index, string(message.get("role")), omit(block, "cache_control"))


def _drops_by_itself(request: Json) -> bool:
    binding = _thinking(request).get("block_binding")
    return isinstance(binding, dict) and binding.get("prefix_mismatch_behavior") == "drop_block"


def thinking_follows_what_it_followed(case: Case) -> Iterator[Finding]:
    if case.previous is None or _changed_model(case) or _drops_by_itself(case.request):
        return
    old, new = list(_units(case.previous)), list(_units(case.request))
    edit = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a[1:] != b[1:]), None)
    if edit is None:
        return
    known = {unit.seal for unit in old} - {"", old[edit].seal}
    moved = new[edit].seal in known
    for unit in new[edit if moved else edit + 1 :]:
        if unit.at != OUTSIDE and is_thinking(unit.data):
            text = (
                "something before the thinking block was edited since it was made: refused where thinking is preserved"
            )
            yield Finding("A11", unit.at, text)


RULES = (
    ProviderRule(
        "A7", "with manual thinking, the final assistant turn starts with it", final_turn_starts_with_thinking
    ),
    ProviderRule(
        "A8",
        "the latest thinking is as it came, without cache_control",
        thinking_is_untouched,
        without_cache_control_on_thinking,
    ),
    ProviderRule(
        "A9", "with thinking off, the final assistant turn has none", no_thinking_when_off, drop_thinking_when_off
    ),
    ProviderRule("A10", "thinking stays with the model that made it", thinking_stays_with_its_model),
    ProviderRule("A11", "nothing before a thinking block was edited", thinking_follows_what_it_followed),
)
