"""G7 to G9: names of functions, and contents and kinds of parts in the Gemini API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clew.codecs.providers.conversion import as_object
from clew.codecs.providers.gemini_parts import field, snake
from clew.domain import Finding, Json, Repair
from clew.rules.base import OUTSIDE, Case, ProviderRule, is_model_role, omit, words_for
from clew.rules.changed_requests import MENDED, changed_list, mend, with_member
from clew.rules.tool_names import MAX_NAME_CHARACTERS, Rename, name_rule, rename_at

# ── G7: names ────────────────────────────────────────────────────────────────────────────────────────

_NAME = re.compile(rf"[a-zA-Z_][a-zA-Z0-9_.:-]{{0,{MAX_NAME_CHARACTERS - 1}}}")
_DEMAND = (
    "it must start with a letter or an underscore, and be of a-z, A-Z, 0-9, underscores, dots, colons or dashes,"
    f" with a maximum length of {MAX_NAME_CHARACTERS}"
)


def _spellings(*names: str) -> tuple[str, ...]:
    """The API takes every name in both spellings."""
    return tuple(spelling for name in names for spelling in dict.fromkeys((name, snake(name))))


def rename_functions(request: Json, rename: Rename) -> Json:
    """Names in calls, responses and declarations, and among those that may be called."""

    def part(index: int, value: Any) -> Any:
        for name in _spellings("functionCall", "functionResponse"):
            value = rename_at(value, [name, "name"], lambda old: rename(index, old))
        return value

    def content(index: int, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return with_member(value, "parts", changed_list(value.get("parts"), lambda _, value: part(index, value)))

    out = with_member(request, "contents", changed_list(request.get("contents"), content))
    out = with_member(out, "tools", changed_list(out.get("tools"), lambda _, tool: _renamed_tool(tool, rename)))
    for name in _spellings("toolConfig"):
        out = with_member(out, name, _renamed_choice(out.get(name), rename))
    return out


def _renamed_tool(tool: Any, rename: Rename) -> Any:
    for name in _spellings("functionDeclarations"):
        if isinstance(tool, dict):
            declarations = changed_list(
                tool.get(name), lambda _, value: rename_at(value, ["name"], lambda old: rename(OUTSIDE, old))
            )
            tool = with_member(tool, name, declarations)
    return tool


def _renamed_choice(config: Any, rename: Rename) -> Any:
    for outer in _spellings("functionCallingConfig"):
        inner = config.get(outer) if isinstance(config, dict) else None
        for name in _spellings("allowedFunctionNames"):
            if isinstance(inner, dict):
                allowed = changed_list(
                    inner.get(name), lambda _, old: rename(OUTSIDE, old) if isinstance(old, str) else old
                )
                inner = with_member(inner, name, allowed)
        config = with_member(config, outer, inner) if isinstance(config, dict) else config
    return config


# ── G8: every content and part has something in it ───────────────────────────────────────────────────

_SIGNATURES = _spellings("thoughtSignature")


def _contents(request: Json) -> list[Any]:
    contents = request.get("contents")
    return contents if isinstance(contents, list) else []


def _is_empty_part(part: Any) -> bool:
    """An empty text may be there to bear a signature."""
    return isinstance(part, dict) and not any(part.get(name) for name in _SIGNATURES) and _says_nothing(part)


def _says_nothing(part: Json) -> bool:
    return not part or (part.get("text") == "" and part.keys() <= {"text", "thought"})


def parts_are_there(case: Case) -> Iterator[Finding]:
    for index, content in enumerate(_contents(case.request)):
        parts = content.get("parts") if isinstance(content, dict) else None
        if not isinstance(parts, list) or not parts:
            yield Finding("G8", index, "the content has no list of parts: refused, contents.parts must not be empty")
        elif any(map(_is_empty_part, parts)):
            yield Finding("G8", index, "a part is empty: refused as an empty text parameter, or no data initialized")


def drop_empty_parts(case: Case) -> tuple[Json, list[Repair]]:
    """Parts that say nothing go, and contents without parts; words that stand in another place are kept."""
    indexes = [finding.at for finding in parts_are_there(case)]
    if not indexes:
        return case.request, []
    kept = [
        _fill_content(content) if index in indexes else content
        for index, content in enumerate(case.request["contents"])
    ]
    contents = [content for content in kept if content is not None] or [{"role": "user", "parts": [{"text": "."}]}]
    repairs = [
        Repair("G8", f"contents[{index}]", "dropped what said nothing, or made parts of it") for index in indexes
    ]
    return case.request | {"contents": contents}, repairs


def _fill_content(content: Any) -> Json | None:
    if not isinstance(content, dict):
        return {"role": "user", "parts": [{"text": words_for(content)}]}
    indexes = content.get("parts") if content.get("parts") else content.get("content")
    listed = indexes if isinstance(indexes, list) else [indexes]
    parts = [{"text": part} if isinstance(part, str) else part for part in listed]
    parts = [part for part in parts if part is not None and not _is_empty_part(part)]
    role = content.get("role")
    out = omit(content, "content") | {"parts": parts}
    return (out | {"role": "model"} if is_model_role(role) else out) if parts else None


# ── G9: kinds of parts ───────────────────────────────────────────────────────────────────────────────

_DATA = _spellings(
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)


def _is_part(part: Any) -> bool:
    """True for a part that holds data of a new kind or of a known one, as codecs read it, and bears no mark of another
    format.
    """
    if not isinstance(part, dict) or "type" in part:
        return False
    if not any(name in part for name in _DATA):
        return _bears_only_a_signature(part) or _is_of_new_kind(part)
    named = [field(part, name) for name in ("functionCall", "functionResponse") if field(part, name) is not None]
    if named:
        return isinstance(named[0], dict) and isinstance(named[0].get("name"), str)
    return isinstance(part.get("text", ""), str)


def _bears_only_a_signature(part: Json) -> bool:
    return bool(part) and part.keys() <= {"thought", *_SIGNATURES}


def _is_of_new_kind(part: Json) -> bool:
    """Parts have no type: data of a kind that the API may have since is an object."""
    return any(isinstance(member, dict) for member in part.values())


def _is_whole(part: Json) -> bool:
    """True where arguments and responses are objects."""
    call, response = field(part, "functionCall"), field(part, "functionResponse")
    if call is not None:
        return isinstance(call.get("args"), dict | None)
    return response is None or isinstance(response.get("response"), dict | None)


def parts_are_known(case: Case) -> Iterator[Finding]:
    for index, content in enumerate(_contents(case.request)):
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if _is_empty_part(part):
                continue
            if not _is_part(part):
                kind = next(iter(part), "") if isinstance(part, dict) else type(part).__name__
                text = f"a part with {kind!r} is of no known kind, or lacks its name: refused, cannot find field"
                yield Finding("G9", index, text)
            elif not _is_whole(part):
                yield Finding(
                    "G9", index, "args or response of a function is no object: refused as invalid JSON payload"
                )


def name_unknown_parts(case: Case) -> tuple[Json, list[Repair]]:
    """What the API refuses becomes a short text that names what was there."""

    def content(value: Json) -> Json:
        return with_member(value, "parts", changed_list(value["parts"], _mend_part))

    return mend(case, parts_are_known, content, text=MENDED, of="contents")


def _mend_part(_at: int, part: Any) -> Any:
    if _is_empty_part(part):
        return part
    if not _is_part(part):
        return {"text": words_for(part)}
    if _is_whole(part):
        return part
    name = next(name for name in _spellings("functionCall", "functionResponse") if isinstance(part.get(name), dict))
    inner = part[name]
    is_call = name in _spellings("functionCall")
    whole = {"args": as_object(inner["args"])} if is_call else {"response": {"output": inner["response"]}}
    return part | {name: inner | whole}


RULES = (
    name_rule("G7", rename_functions, messages="contents", allowed=_NAME, demand=_DEMAND),
    ProviderRule("G8", "contents have parts, and no part is empty", parts_are_there, drop_empty_parts),
    ProviderRule("G9", "parts are of known kinds", parts_are_known, name_unknown_parts),
)
