"""O4 to O8: empty arrays, names of tools, contents, roles and kinds in OpenAI Chat Completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.codecs import jsonio
from clew.codecs.providers.conversion import write_arguments
from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import messages_of
from clew.rules.base import OUTSIDE, Case, ProviderRule, is_model_role, is_new_kind, omit, string, words_for
from clew.rules.changed_requests import MENDED, ROLE_GIVEN, changed_list, mend, with_member
from clew.rules.tool_names import MAX_NAME_CHARACTERS, PLAIN_NAME, Rename, name_rule, rename_at

# ── O4: empty arrays ─────────────────────────────────────────────────────────────────────────────────


def _is_empty_calls(message: Any) -> bool:
    """True for calls that are no array, or one without elements."""
    return isinstance(message, dict) and "tool_calls" in message and not _list_or_empty(message["tool_calls"])


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def arrays_are_not_empty(case: Case) -> Iterator[Finding]:
    text = "{} is no array with an element: refused, expected an array with minimum length 1"
    if case.request.get("tools") == []:
        yield Finding("O4", OUTSIDE, text.format("tools"))
    for index, message in enumerate(messages_of(case.request)):
        if _is_empty_calls(message):
            yield Finding("O4", index, text.format("tool_calls"))


def drop_empty_arrays(case: Case) -> tuple[Json, list[Repair]]:
    indexes = [finding.at for finding in arrays_are_not_empty(case)]
    if not indexes:
        return case.request, []
    repairs = [
        Repair("O4", "tools" if index == OUTSIDE else f"messages[{index}]", "dropped the empty array")
        for index in indexes
    ]
    request = omit(case.request, "tools") if OUTSIDE in indexes else case.request

    def message(_at: int, value: Any) -> Any:
        return omit(value, "tool_calls") if _is_empty_calls(value) else value

    return with_member(request, "messages", changed_list(request.get("messages"), message)), repairs


# ── O5: names ────────────────────────────────────────────────────────────────────────────────────────

NAME_DEMAND = f"it must match '^[a-zA-Z0-9_-]+$' and have at most {MAX_NAME_CHARACTERS} characters"


def rename_tools(request: Json, rename: Rename) -> Json:
    """Names in calls, in messages of tools, in definitions and in the choice of a tool."""

    def tool(index: int, value: Any) -> Any:
        for kind in ("function", "custom"):
            value = rename_at(value, [kind, "name"], lambda name: rename(index, name))
        return value

    def message(index: int, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        value = with_member(
            value, "tool_calls", changed_list(value.get("tool_calls"), lambda _, call: tool(index, call))
        )
        value = rename_at(value, ["function_call", "name"], lambda name: rename(index, name))
        is_tool = value.get("role") in ("tool", "function")
        return rename_at(value, ["name"], lambda name: rename(index, name)) if is_tool else value

    out = with_member(request, "messages", changed_list(request.get("messages"), message))
    out = with_member(out, "tools", changed_list(out.get("tools"), lambda _, value: tool(OUTSIDE, value)))
    return with_member(out, "tool_choice", tool(OUTSIDE, out.get("tool_choice")))


# ── O6: contents ─────────────────────────────────────────────────────────────────────────────────────

#: What an assistant may have in place of content.
_BESIDE = ("tool_calls", "function_call", "refusal", "audio")


def _lacks_content(message: Json) -> bool:
    content = message.get("content")
    if isinstance(content, str) or (isinstance(content, list) and content):
        return False
    is_absent = content is None or content == []
    return not (is_absent and message.get("role") == "assistant" and any(message.get(name) for name in _BESIDE))


def contents_are_there(case: Case) -> Iterator[Finding]:
    """An empty string is a content that the API takes."""
    for index, message in enumerate(messages_of(case.request)):
        if message and _lacks_content(message):
            yield Finding("O6", index, "the message has no content: refused, expected a string, got null")


def give_or_drop_content(case: Case) -> tuple[Json, list[Repair]]:
    """A tool's answer is kept, as its call needs it; other messages without content go."""
    indexes = {finding.at for finding in contents_are_there(case)}
    if not indexes:
        return case.request, []
    kept: list[Any] = []
    for index, message in enumerate(case.request["messages"]):
        if index not in indexes:
            kept.append(message)
        elif (content := _content(message)) is not None:
            kept.append(message | {"content": content})
    repairs = [
        Repair("O6", f"messages[{index}]", "gave it a content, or dropped what said nothing") for index in indexes
    ]
    return case.request | {"messages": kept or [{"role": "user", "content": "."}]}, repairs


def _content(message: Json) -> Any:
    content = message.get("content")
    if content not in (None, []):
        return [content] if isinstance(content, dict) else jsonio.dumps(content).decode()
    return "" if message.get("role") in ("tool", "function") else None


# ── O7: roles ────────────────────────────────────────────────────────────────────────────────────────

_ROLES = ("system", "assistant", "user", "function", "tool", "developer")


def roles_are_known(case: Case) -> Iterator[Finding]:
    for index, message in enumerate(messages_of(case.request)):
        if message.get("role") not in _ROLES:
            text = f"the role {message.get('role')!r} is refused: supported values are {', '.join(_ROLES)}"
            yield Finding("O7", index, text)


def give_known_roles(case: Case) -> tuple[Json, list[Repair]]:
    def message(value: Any) -> Any:
        if not isinstance(value, dict):
            return {"role": "user", "content": words_for(value)}
        from_model = is_model_role(value.get("role")) or value.get("tool_calls")
        return value | {"role": "assistant" if from_model else "user"}

    return mend(case, roles_are_known, message, text=ROLE_GIVEN)


# ── O8: kinds of parts and calls ─────────────────────────────────────────────────────────────────────

#: Kinds of content parts, and the member that each must have. Two of them are texts; models of Mistral think in parts.
_PARTS = {name: name for name in ("text", "image_url", "input_audio", "refusal", "audio", "file", "thinking")}


def _is_part(part: Any) -> bool:
    """True for a part that has what its kind needs, and for one of a new kind."""
    if not isinstance(part, dict):
        return False
    kind = string(part.get("type"))
    needed = _PARTS.get(kind)
    if needed is None or needed not in part:
        return needed is None and is_new_kind(kind)
    return isinstance(part[needed], str) or needed not in ("text", "refusal")


def _is_call(call: Any) -> bool:
    """True for a call with an id and a name, as codecs read it."""
    if not isinstance(call, dict) or not isinstance(call.get("id"), str):
        return False
    kind = "custom" if call.get("type") == "custom" else "function"
    inner = call.get(kind) if call.get("type", "function") in (kind, None) else None
    if not isinstance(inner, dict) or not isinstance(inner.get("name"), str):
        return False
    return kind == "function" or "input" in inner


def _is_whole_call(call: Json) -> bool:
    kind = call.get("type")
    field = "input" if kind == "custom" else "arguments"
    return kind in ("function", "custom") and isinstance(call[kind].get(field), str)


def kinds_are_known(case: Case) -> Iterator[Finding]:
    for index, message in enumerate(messages_of(case.request)):
        for part in _list_or_empty(message.get("content")):
            if not _is_part(part):
                kind = part.get("type") if isinstance(part, dict) else type(part).__name__
                text = f"the content part {kind!r} is refused: supported values are {', '.join(_PARTS)}"
                yield Finding("O8", index, text)
        for call in _list_or_empty(message.get("tool_calls")):
            if not _is_call(call):
                yield Finding(
                    "O8", index, "a tool call lacks its id, type or name: refused, missing required parameter"
                )
            elif not _is_whole_call(call):
                yield Finding(
                    "O8",
                    index,
                    "a tool call lacks its type, or arguments as a string: refused, invalid type",
                    call["id"],
                )


def name_unknown_kinds(case: Case) -> tuple[Json, list[Repair]]:
    """What the API refuses becomes a short text that names what was there."""
    return mend(case, kinds_are_known, _with_known_kinds, text=MENDED)


def _with_known_kinds(message: Json) -> Json:
    calls = _list_or_empty(message.get("tool_calls"))
    unreadable = [_text(words_for(call)) for call in calls if not _is_call(call)]
    content = changed_list(message.get("content"), lambda _, part: part if _is_part(part) else _text(words_for(part)))
    if unreadable:
        before = [_text(content)] if isinstance(content, str) and content else _list_or_empty(content)
        content = [*before, *unreadable]
    message = with_member(message, "content", content)
    kept = [_whole_call(call) for call in calls if _is_call(call)]
    return message | {"tool_calls": kept} if kept else omit(message, "tool_calls")


def _text(words: str) -> Json:
    return {"type": "text", "text": words}


def _whole_call(call: Json) -> Json:
    if _is_whole_call(call):
        return call
    kind = "custom" if call.get("type") == "custom" else "function"
    field = "input" if kind == "custom" else "arguments"
    value = call[kind].get(field)
    text = value if isinstance(value, str) else write_arguments({} if value is None else value)
    return call | {"type": kind, kind: call[kind] | {field: text}}


RULES = (
    ProviderRule("O4", "no array is empty", arrays_are_not_empty, drop_empty_arrays),
    name_rule("O5", rename_tools, messages="messages", allowed=PLAIN_NAME, demand=NAME_DEMAND),
    ProviderRule("O6", "messages have content", contents_are_there, give_or_drop_content),
    ProviderRule("O7", "roles are known", roles_are_known, give_known_roles),
    ProviderRule("O8", "parts and calls are of known kinds", kinds_are_known, name_unknown_kinds),
)
