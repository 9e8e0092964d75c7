"""What providers demand that speak another's format: Mistral and DeepSeek Chat Completions, Bedrock Messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import blocks_of, kind_of, messages_of
from clew.rules.base import Case, ProviderRule, digest, string
from clew.rules.changed_requests import mend
from clew.rules.openai_chat import bad_ids, call_ids, rename_ids

_NINE = re.compile(r"[a-zA-Z0-9]{9}")
#: DeepSeek takes a space for reasoning that is not known; an empty text it does not.
_NO_REASONING = " "
_BRIDGE = "Noted."


def _has_nine_characters(identity: str) -> bool:
    return _NINE.fullmatch(identity) is not None


def ids_have_nine_characters(case: Case) -> Iterator[Finding]:
    text = "the tool id is not nine letters and digits: refused by Mistral"
    return bad_ids(case, "M1", is_good=_has_nine_characters, text=text)


def give_nine_characters(case: Case) -> tuple[Json, list[Repair]]:
    return rename_ids(case, "M1", lambda old: old if _has_nine_characters(old) else digest(old, digits=9))


def no_user_after_tool(case: Case) -> Iterator[Finding]:
    before = None
    for index, message in enumerate(messages_of(case.request)):
        if message.get("role") == "user" and before == "tool":
            yield Finding("M2", index, "a user message comes right after a tool message: refused by Mistral")
        before = message.get("role")


def put_assistant_between(case: Case) -> tuple[Json, list[Repair]]:
    indexes = {finding.at for finding in no_user_after_tool(case)}
    if not indexes:
        return case.request, []
    out: list[Json] = []
    for index, message in enumerate(case.request["messages"]):
        out += [{"role": "assistant", "content": _BRIDGE}, message] if index in indexes else [message]
    text = "put a short assistant message before it"
    return case.request | {"messages": out}, [Repair("M2", f"messages[{index}]", text) for index in sorted(indexes)]


def _thinks(request: Json) -> bool:
    thinking = request.get("thinking")
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    return kind != "disabled" and (kind is not None or request.get("model") != "deepseek-chat")


def _without_reasoning(request: Json) -> Iterator[int]:
    """Assistant messages without reasoning in exchanges that used tools: only there it has to go back."""
    messages = messages_of(request) if _thinks(request) else []
    bare: list[int] = []
    has_calls = False
    for index, message in enumerate([*messages, {"role": "user"}]):
        if message.get("role") == "user":
            yield from bare if has_calls else ()
            bare, has_calls = [], False
        elif message.get("role") == "assistant":
            has_calls = has_calls or bool(call_ids(message))
            bare += [] if string(message.get("reasoning_content")) else [index]


def reasoning_goes_back(case: Case) -> Iterator[Finding]:
    for index in _without_reasoning(case.request):
        yield Finding("D1", index, "an assistant message of an exchange with tools lacks reasoning_content: refused")


def give_blank_reasoning(case: Case) -> tuple[Json, list[Repair]]:
    def change(message: Json) -> Json:
        return message | {"reasoning_content": _NO_REASONING}

    return mend(case, reasoning_goes_back, change, text="gave it blank reasoning, as its own is not known")


def _tool_blocks(request: Json) -> Iterator[tuple[int, Json]]:
    """Tool blocks of the Messages shape and of the Converse shape."""
    for index, message in enumerate(messages_of(request)):
        for block in blocks_of(message):
            if kind_of(block) in {"tool_use", "tool_result"} or {"toolUse", "toolResult"} & block.keys():
                yield index, block


def tools_are_defined(case: Case) -> Iterator[Finding]:
    if case.request.get("tools") or case.request.get("toolConfig"):
        return
    first = next(_tool_blocks(case.request), None)
    if first is not None:
        yield Finding("B1", first[0], "there are tool blocks but no tool definitions: refused by Bedrock")


def define_tools(case: Case) -> tuple[Json, list[Repair]]:
    """Every tool that was called gets a definition without a schema of its own."""
    if next(tools_are_defined(case), None) is None:
        return case.request, []
    blocks = [block for _, block in _tool_blocks(case.request)]
    calls = [block["toolUse"] if isinstance(block.get("toolUse"), dict) else block for block in blocks]
    names = list(dict.fromkeys(string(call.get("name")) for call in calls)) if calls else []
    names = [name for name in names if name] or ["unknown"]
    repairs = [Repair("B1", "tools", f"defined the tools that were called: {', '.join(names)}")]
    if any({"toolUse", "toolResult"} & block.keys() for block in blocks):
        return case.request | {"toolConfig": {"tools": [_spec(name) for name in names]}}, repairs
    return case.request | {"tools": [{"name": name, "input_schema": {"type": "object"}} for name in names]}, repairs


def _spec(name: str) -> Json:
    return {"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}}


RULES = (
    ProviderRule("M1", "nine-character tool ids", ids_have_nine_characters, give_nine_characters),
    ProviderRule("M2", "no user message after a tool message", no_user_after_tool, put_assistant_between),
    ProviderRule("D1", "reasoning goes back", reasoning_goes_back, give_blank_reasoning),
    ProviderRule("B1", "tools are defined where tool blocks are", tools_are_defined, define_tools),
)
