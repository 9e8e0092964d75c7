"""R8 to R11: names of tools, roles, kinds and contents in OpenAI Responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.codecs import jsonio
from clew.codecs.providers.conversion import write_arguments
from clew.codecs.providers.responses_items import CALLS, is_output
from clew.domain import Finding, Json, Repair
from clew.rules.base import OUTSIDE, Case, ProviderRule, is_model_role, is_new_kind, objects, string, words_for
from clew.rules.changed_requests import MENDED, ROLE_GIVEN, changed_list, mend, with_member
from clew.rules.openai_chat_schema import NAME_DEMAND
from clew.rules.tool_names import PLAIN_NAME, Rename, name_rule, rename_at
from clew.text.vocabulary import words

# ── R8: names ────────────────────────────────────────────────────────────────────────────────────────

_NAMED_ITEMS = frozenset(
    {"function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output"},
)


def rename_tools(request: Json, rename: Rename) -> Json:
    """Names in calls and outputs, in definitions and in the choice of a tool."""

    def item(index: int, value: Any) -> Any:
        is_named = isinstance(value, dict) and string(value.get("type")) in _NAMED_ITEMS
        return rename_at(value, ["name"], lambda name: rename(index, name)) if is_named else value

    def rename_definition(value: Any) -> Any:
        is_own = isinstance(value, dict) and value.get("type") in ("function", "custom")
        return rename_at(value, ["name"], lambda name: rename(OUTSIDE, name)) if is_own else value

    out = with_member(request, "input", changed_list(request.get("input"), item))
    out = with_member(out, "tools", changed_list(out.get("tools"), lambda _, tool: rename_definition(tool)))
    return with_member(out, "tool_choice", rename_definition(out.get("tool_choice")))


# ── R9: roles ────────────────────────────────────────────────────────────────────────────────────────

_ROLES = ("assistant", "system", "developer", "user")


def _items(request: Json) -> list[Json]:
    return objects(request.get("input"))


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and (item.get("type") == "message" or ("type" not in item and "role" in item))


def roles_are_known(case: Case) -> Iterator[Finding]:
    for index, item in enumerate(_items(case.request)):
        if _is_message(item) and item.get("role") not in _ROLES:
            text = f"the role {item.get('role')!r} is refused: supported values are {', '.join(_ROLES)}"
            yield Finding("R9", index, text)


def give_known_roles(case: Case) -> tuple[Json, list[Repair]]:
    def item(value: Json) -> Json:
        return value | {"role": "assistant" if is_model_role(value.get("role")) else "user"}

    return mend(case, roles_are_known, item, text=ROLE_GIVEN, of="input")


# ── R10: kinds of items and pieces ───────────────────────────────────────────────────────────────────

#: Items whose members nobody here looks at.
_OTHER_ITEMS = words(
    "message reasoning item_reference compaction compaction_trigger context_compaction web_search_call"
    " file_search_call image_generation_call code_interpreter_call tool_search_call tool_search_output"
    " additional_tools program program_output mcp_call mcp_list_tools mcp_approval_request mcp_approval_response"
)
_PIECES = words(
    "input_text input_image input_audio input_file output_text refusal computer_screenshot summary_text"
    " encrypted_content"
)
_OF_ASSISTANT = frozenset({"output_text", "refusal"})
#: The member that a piece of text must have.
_TEXTS = {"input_text": "text", "output_text": "text", "summary_text": "text", "refusal": "refusal"}


def _is_item(item: Any) -> bool:
    """True for an item of a known kind, or of a new one; calls and outputs have what codecs need to pair them."""
    if not isinstance(item, dict):
        return False
    if "type" not in item:
        return "role" in item or item.keys() == {"id"}
    kind = string(item["type"])
    if kind in _OTHER_ITEMS:
        return True
    if kind not in CALLS and not is_output(kind):
        return is_new_kind(kind)
    identity = item.get("id") if item.get("call_id") is None else item.get("call_id")
    return isinstance(identity, str) and (is_output(kind) or _is_call(item, kind))


def _is_call(item: Json, kind: str) -> bool:
    field, name = CALLS[kind]
    has_field = field in item or (field == "action" and "actions" in item)
    return has_field and (name is not None or isinstance(item.get("name"), str))


def _lacks_call_id(item: Json) -> bool:
    """Older local shells knew only the id of the item, by which codecs pair them."""
    kind = string(item.get("type"))
    return (kind in CALLS or is_output(kind)) and item.get("call_id") is None


def _is_piece(piece: Any, role: Any) -> bool:
    if not isinstance(piece, dict):
        return False
    kind = string(piece.get("type"))
    if kind not in (_OF_ASSISTANT if role == "assistant" else _PIECES):
        return is_new_kind(kind) and kind not in _PIECES
    return kind not in _TEXTS or isinstance(piece.get(_TEXTS[kind]), str)


def _pieces(item: Json) -> list[Any]:
    pieces = item.get("content") if _is_message(item) else item.get("output") if _has_pieces(item) else None
    return pieces if isinstance(pieces, list) else []


def _has_pieces(item: Json) -> bool:
    return item.get("type") in ("function_call_output", "custom_tool_call_output")


def _problems(item: Any) -> Iterator[str]:
    if not _is_item(item):
        kind = item.get("type", "") if isinstance(item, dict) else type(item).__name__
        yield f"the item {kind!r} is of another format, or lacks call_id, name or arguments: refused, invalid value"
        return
    for piece in _pieces(item):
        if not _is_piece(piece, item.get("role")):
            kind = piece.get("type") if isinstance(piece, dict) else type(piece).__name__
            allowed = _OF_ASSISTANT if item.get("role") == "assistant" else _PIECES
            yield f"the content piece {kind!r} is refused: supported values are {', '.join(sorted(allowed))}"
    if _lacks_call_id(item):
        yield "the call or output has no call_id: refused, missing required parameter"
    if item.get("type") == "function_call" and not isinstance(item["arguments"], str):
        yield "the arguments of a call are no string: refused, invalid type"
    if _has_pieces(item) and not isinstance(item.get("output"), str | list):
        yield "the output is neither a string nor an array: refused, invalid type"


def kinds_are_known(case: Case) -> Iterator[Finding]:
    items = case.request.get("input")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        identity = string(item.get("call_id")) if isinstance(item, dict) else ""
        yield from (Finding("R10", index, problem, identity) for problem in _problems(item))


def name_unknown_kinds(case: Case) -> tuple[Json, list[Repair]]:
    """What the API refuses becomes a short text that names what was there."""
    return mend(case, kinds_are_known, _mend_item, text=MENDED, of="input")


def _mend_item(item: Any) -> Any:
    if not _is_item(item):
        is_from_model = isinstance(item, dict) and not string(item.get("type")).endswith(("_output", "_response"))
        role = "assistant" if is_from_model else "user"
        return {"type": "message", "role": role, "content": [_text(words_for(item), role)]}
    if _lacks_call_id(item):
        return _mend_item(item | {"call_id": item["id"]})
    if item.get("type") == "function_call":
        arguments = item["arguments"]
        return item if isinstance(arguments, str) else item | {"arguments": write_arguments(arguments or {})}
    field = "content" if _is_message(item) else "output"
    value = item.get(field)
    if _has_pieces(item) and not isinstance(value, str | list):
        return item | {"output": "" if value is None else jsonio.dumps(value).decode()}
    return with_member(item, field, changed_list(value, lambda _, piece: _known_piece(piece, item.get("role"))))


def _known_piece(piece: Any, role: Any) -> Any:
    return piece if _is_piece(piece, role) else _text(words_for(piece), role)


def _text(words: str, role: Any) -> Json:
    return {"type": "output_text" if role == "assistant" else "input_text", "text": words}


# ── R11: contents ────────────────────────────────────────────────────────────────────────────────────


def contents_are_there(case: Case) -> Iterator[Finding]:
    text = "the message has no content: refused, expected one of an array of objects or string, but got null"
    for index, item in enumerate(_items(case.request)):
        if _is_message(item) and not isinstance(item.get("content"), str | list):
            yield Finding("R11", index, text)


def give_content(case: Case) -> tuple[Json, list[Repair]]:
    def item(value: Json) -> Json:
        return value | {"content": _content(value.get("content"))}

    return mend(case, contents_are_there, item, text="gave it a content", of="input")


def _content(content: Any) -> Any:
    if content is None:
        return ""
    return [content] if isinstance(content, dict) else jsonio.dumps(content).decode()


RULES = (
    name_rule("R8", rename_tools, messages="input", allowed=PLAIN_NAME, demand=NAME_DEMAND),
    ProviderRule("R9", "roles are known", roles_are_known, give_known_roles),
    ProviderRule("R10", "items and pieces are of known kinds", kinds_are_known, name_unknown_kinds),
    ProviderRule("R11", "messages have content", contents_are_there, give_content),
)
