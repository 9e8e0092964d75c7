"""A6, A12, A13, A14, A16: texts, cache marks and roles in the Anthropic Messages API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from clew.codecs import jsonio
from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import (
    BlockPlace,
    blocks_of,
    call_ids,
    each_block,
    is_server_result,
    kind_of,
    messages_of,
    with_blocks,
    without_empty_messages,
)
from clew.rules.base import GO_ON, NOT_SHOWN, OUTSIDE, Case, ProviderRule, omit, string

MAX_CACHE_MARKS = 4
#: Enough for the conversation's own marks; the rest may stand in tools and system, which change least.
_MARKS_FOR_MESSAGES = 2


def _is_empty_text(block: Json) -> bool:
    return kind_of(block) == "text" and not string(block.get("text")).strip()


def texts_say_something(case: Case) -> Iterator[Finding]:
    """Texts inside a tool's result may be empty."""
    system = case.request.get("system")
    if system and any(map(_is_empty_text, blocks_of({"content": system}))):
        yield Finding("A6", OUTSIDE, "the system prompt has an empty text: refused")
    messages = messages_of(case.request)
    for index, message in enumerate(messages):
        may_be_empty = message.get("role") == "assistant" and index + 1 == len(messages)
        if message.get("content") in (None, [], ""):
            if not may_be_empty:
                yield Finding("A6", index, "the message has no content: refused")
        elif any(map(_is_empty_text, blocks_of(message))):
            yield Finding("A6", index, "a text is empty or white space only: refused")


def drop_empty_texts(case: Case) -> tuple[Json, list[Repair]]:
    findings = list(texts_say_something(case))
    if not findings:
        return case.request, []

    def change(place: BlockPlace, block: Json) -> Json | None:
        return None if not place.nested and _is_empty_text(block) else block

    repairs = [Repair("A6", _place(finding.at), "dropped what said nothing") for finding in findings]
    return without_empty_messages(with_blocks(case.request, change)), repairs


def _place(index: int) -> str:
    return "system" if index == OUTSIDE else f"messages[{index}]"


def _cache_marks(request: Json) -> list[tuple[int, Json]]:
    """Blocks that bear cache_control, in the provider's order, and the message each stands in."""
    marks = [(place.at, block) for place, block in each_block(request) if block.get("cache_control")]
    return [*marks, (OUTSIDE, request)] if request.get("cache_control") else marks


def _lives_an_hour(block: Json) -> bool:
    mark = block.get("cache_control")
    return isinstance(mark, dict) and mark.get("ttl") == "1h"


def cache_marks_are_few_and_ordered(case: Case) -> Iterator[Finding]:
    marks = _cache_marks(case.request)
    if len(marks) > MAX_CACHE_MARKS:
        text = f"{len(marks)} blocks bear cache_control: refused, the limit is {MAX_CACHE_MARKS}"
        yield Finding("A12", marks[MAX_CACHE_MARKS][0], text)
    short = False
    for index, block in marks:
        if _lives_an_hour(block) and short:
            yield Finding("A12", index, "a cache mark of one hour stands after one of five minutes: refused")
        short = short or not _lives_an_hour(block)


def fewer_cache_marks(case: Case) -> tuple[Json, list[Repair]]:
    """The last marks before the messages and the newest within them stay; one hour late becomes five minutes."""
    if next(cache_marks_are_few_and_ordered(case), None) is None:
        return case.request, []
    marks = _cache_marks(case.request)
    kept = _kept_marks([index for index, block in marks if block is not case.request], len(marks))
    seen, short = -1, False

    def change(_place: BlockPlace, block: Json) -> Json:
        nonlocal seen, short
        if not block.get("cache_control"):
            return block
        seen += 1
        if seen not in kept:
            return omit(block, "cache_control")
        late, short = short and _lives_an_hour(block), short or not _lives_an_hour(block)
        return block | {"cache_control": omit(block["cache_control"], "ttl")} if late else block

    request = with_blocks(case.request, change)
    if request.get("cache_control"):
        request = change(BlockPlace(OUTSIDE), request)
    return request, [Repair("A12", "cache_control", "took cache marks away or shortened them to keep to the limits")]


def _kept_marks(places: list[int], count: int) -> set[int]:
    """Which marks stay, by number. A mark of the whole request counts as one more at the end."""
    head = [number for number, index in enumerate(places) if index == OUTSIDE]
    tail = list(range(len(head), count))
    head = head[-(MAX_CACHE_MARKS - min(len(tail), _MARKS_FOR_MESSAGES)) :]
    room = MAX_CACHE_MARKS - len(head)
    return {*head, *tail[max(0, len(tail) - room) :]}


#: Models that go on from the beginning of a reply: all before 4.6.
_TAKES_PREFILL = re.compile(r"claude-([1-3]|instant|4(?![.-][6-9]))|(opus|sonnet|haiku)-4(?![.-][6-9])")


def takes_prefill(model: str) -> bool:
    """True for a model that takes a conversation which ends with the assistant. One that nobody names does not."""
    plain = model.lower()
    return bool(plain) and ("claude" not in plain or _TAKES_PREFILL.search(plain) is not None)


def ends_with_user(case: Case) -> Iterator[Finding]:
    messages = messages_of(case.request)
    is_last = case.final and messages and messages[-1].get("role") == "assistant"
    if is_last and not takes_prefill(string(case.request.get("model"))):
        yield Finding("A13", len(messages) - 1, "the conversation ends with the assistant: current models refuse that")


def ask_to_go_on(case: Case) -> tuple[Json, list[Repair]]:
    """Pending calls are left alone: what they wait for is results, not words."""
    messages = messages_of(case.request)
    if next(ends_with_user(case), None) is None or call_ids(messages[-1]):
        return case.request, []
    repair = Repair("A13", f"messages[{len(messages)}]", "asked the assistant to go on")
    return case.request | {"messages": [*messages, {"role": "user", "content": GO_ON}]}, [repair]


#: Models that refuse the role inside the list: all before Opus 4.8 and the fifth generation.
_ONLY_BESIDE = re.compile(r"claude-([1-4]|instant|(sonnet|haiku)-4|opus-4(?![.-][89]))")


def _takes_system_messages(request: Json) -> bool:
    return _ONLY_BESIDE.search(string(request.get("model")).lower()) is None


def _is_system(message: Json) -> bool:
    return message.get("role") == "system"


def system_messages_have_their_place(case: Case) -> Iterator[Finding]:
    """Those that follow one another count as one."""
    messages = messages_of(case.request)
    problem = "stands elsewhere than behind a user's message and before an answer or the end: refused"
    for is_system, run in groupby(range(len(messages)), key=lambda index: _is_system(messages[index])):
        places = list(run)
        if not is_system:
            continue
        if not _takes_system_messages(case.request):
            yield from (
                Finding("A14", index, "a message has the role system: refused by this model") for index in places
            )
        elif not _may_follow(messages[: places[0]]) or not _may_precede(messages[places[-1] + 1 :]):
            yield from (Finding("A14", index, f"a system message {problem}") for index in places)


def _may_follow(before: list[Json]) -> bool:
    """A system message follows words of the user, or what a tool of the provider gave the assistant."""
    if not before or before[-1].get("role") == "user":
        return bool(before)
    return any(map(is_server_result, blocks_of(before[-1])[-1:]))


def _may_precede(after: list[Json]) -> bool:
    return not after or after[0].get("role") == "assistant"


def give_system_messages_their_place(case: Case) -> tuple[Json, list[Repair]]:
    """System messages at the head join the system prompt, later ones go behind what the user says next. They become the
    user's for a model that takes no others.

    A conversation that starts with the assistant is refused too, so it gets a message before it.
    """
    messages = messages_of(case.request)
    head = next((index for index, message in enumerate(messages) if not _is_system(message)), len(messages))
    findings = list(system_messages_have_their_place(case))
    repairs = [Repair("A14", f"messages[{finding.at}]", "gave a system message another place") for finding in findings]
    placed = _behind_users if _takes_system_messages(case.request) else _as_users
    rest = placed(messages[head:]) or [{"role": "user", "content": GO_ON}] if findings else messages
    if rest and rest[0].get("role") == "assistant":
        repairs.append(Repair("A14", "messages[0]", "put a message of the user first"))
        rest = [{"role": "user", "content": NOT_SHOWN}, *rest]
    if not repairs:
        return case.request, []
    request = case.request | {"messages": rest}
    if head:
        own = [block for message in messages[:head] for block in blocks_of(message)]
        request |= {"system": [*blocks_of({"content": case.request.get("system") or None}), *own]}
    return request, repairs


def _behind_users(messages: list[Json]) -> list[Json]:
    """Where the user says nothing before the answer, they ask the assistant to go on."""
    out: list[Json] = []
    waiting: list[Json] = []
    for index in range(len(messages) + 1):
        if waiting and _may_precede(messages[index : index + 1]):
            asked = [] if _may_follow(out) else [{"role": "user", "content": GO_ON}]
            out, waiting = [*out, *asked, *waiting], []
        for message in messages[index : index + 1]:
            (waiting if _is_system(message) else out).append(message)
    return out


def _as_users(messages: list[Json]) -> list[Json]:
    """A message between calls and their results goes before the calls."""
    out: list[Json] = []
    for message in messages:
        if not _is_system(message):
            out.append(message)
        else:
            index = len(out) - 1 if out and call_ids(out[-1]) else len(out)
            out.insert(index, {"role": "user", "content": message.get("content")})
    return out


def _is_sound(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() or jsonio.SURROGATE.search(value) is None
    if isinstance(value, dict):
        return all(map(_is_sound, value.keys())) and all(map(_is_sound, value.values()))
    return all(map(_is_sound, value)) if isinstance(value, list) else True


def no_lone_surrogates(case: Case) -> Iterator[Finding]:
    text = "a text has half of a character (a lone surrogate): refused as invalid JSON"
    if not _is_sound(omit(case.request, "messages")):
        yield Finding("A16", OUTSIDE, text)
    for index, message in enumerate(messages_of(case.request)):
        if not _is_sound(message):
            yield Finding("A16", index, text)


def replace_lone_surrogates(case: Case) -> tuple[Json, list[Repair]]:
    findings = list(no_lone_surrogates(case))
    repairs = [Repair("A16", _place(finding.at), "replaced half characters by U+FFFD") for finding in findings]
    return (jsonio.without_surrogates(case.request), repairs) if findings else (case.request, [])


RULES = (
    ProviderRule("A6", "no text is empty", texts_say_something, drop_empty_texts),
    ProviderRule("A12", "at most four cache marks, longest first", cache_marks_are_few_and_ordered, fewer_cache_marks),
    ProviderRule("A13", "the conversation ends with a user message", ends_with_user, ask_to_go_on),
    ProviderRule(
        "A14",
        "a system message stands between the user and the answer",
        system_messages_have_their_place,
        give_system_messages_their_place,
    ),
    ProviderRule("A16", "no lone surrogates", no_lone_surrogates, replace_lone_surrogates),
)
