"""A17 to A19: names of tools, kinds of blocks and roles in the Anthropic Messages API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.codecs import jsonio
from clew.codecs.providers.conversion import as_object
from clew.domain import Finding, Json, Repair
from clew.rules.anthropic_blocks import is_result, is_server_result, kind_of, messages_of
from clew.rules.base import OUTSIDE, Case, ProviderRule, is_model_role, is_new_kind, words_for
from clew.rules.changed_requests import ROLE_GIVEN, changed_list, mend, with_member
from clew.rules.tool_names import MAX_NAME_CHARACTERS, PLAIN_NAME, Rename, name_rule, rename_at

# ── A17: names ───────────────────────────────────────────────────────────────────────────────────────


def rename_tools(request: Json, rename: Rename) -> Json:
    """Names in calls, definitions and the choice of a tool. Tools that the provider runs have names of its own."""

    def block(index: int, value: Any) -> Any:
        is_call = isinstance(value, dict) and value.get("type") == "tool_use"
        return rename_at(value, ["name"], lambda name: rename(index, name)) if is_call else value

    def message(index: int, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return with_member(value, "content", changed_list(value.get("content"), lambda _, value: block(index, value)))

    def rename_definition(value: Any) -> Any:
        is_own = isinstance(value, dict) and value.get("type") in (None, "custom", "tool")
        return rename_at(value, ["name"], lambda name: rename(OUTSIDE, name)) if is_own else value

    out = with_member(request, "messages", changed_list(request.get("messages"), message))
    out = with_member(out, "tools", changed_list(out.get("tools"), lambda _, tool: rename_definition(tool)))
    return with_member(out, "tool_choice", rename_definition(out.get("tool_choice")))


# ── A18: kinds of blocks ─────────────────────────────────────────────────────────────────────────────

#: What each kind must have, for codecs and the API alike. Results of server tools end in _tool_result.
_NEEDS: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "search_result": (),
    "container_upload": (),
    "compaction": (),
    "thinking": ("thinking",),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
    "server_tool_use": ("id", "name"),
    "mcp_tool_use": ("id", "name"),
    "tool_result": ("tool_use_id",),
    "tool_reference": (),
}
#: Members that are no text, and what they are.
_TYPES: dict[str, type] = {"input": object, "source": dict}


def _is_known(block: Any) -> bool:
    """True for a block that has what its kind needs, and for one of a new kind."""
    if not isinstance(block, dict):
        return False
    needs = _NEEDS.get(kind_of(block), ("tool_use_id",) if is_server_result(block) else None)
    if needs is None:
        return is_new_kind(kind_of(block))
    return all(name in block and isinstance(block[name], _TYPES.get(name, str)) for name in needs)


def _problem(block: Any) -> str:
    """What the API has against a block; nothing for a sound one."""
    if not _is_known(block):
        kind = kind_of(block) if isinstance(block, dict) else type(block).__name__
        if kind in _NEEDS:
            return f"a {kind} block lacks {' or '.join(_NEEDS[kind])}: refused, field required"
        return f"the block type {kind!r} is of another format: refused, input tag does not match any expected tag"
    if kind_of(block) == "tool_use" and not isinstance(block["input"], dict):
        return "the input of a tool_use block is no object: refused, input should be a valid dictionary"
    if is_result(block) and not isinstance(block.get("content"), str | list | None):
        return "the content of a tool_result block is neither text nor blocks: refused"
    return ""


def _blocks(content: Any) -> Iterator[Any]:
    """Blocks as they stand, those inside results included."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and is_result(block):
            yield from _blocks(block.get("content"))
        yield block


#: Kinds of blocks by their one member in Bedrock's own shape, which has no types.
_CONVERSE = frozenset(
    {"text", "image", "document", "video", "audio", "toolUse", "toolResult", "reasoningContent", "cachePoint"}
    | {"guardContent", "citationsContent", "searchResult"}
)


def _is_converse(request: Json) -> bool:
    blocks = [block for message in messages_of(request) for block in _blocks(message.get("content"))]
    return bool(blocks) and all(
        isinstance(block, dict) and "type" not in block and block.keys() & _CONVERSE for block in blocks
    )


def blocks_are_known(case: Case) -> Iterator[Finding]:
    if case.dialect == "bedrock" and _is_converse(case.request):
        return
    if not isinstance(case.request.get("system"), str | list | None):
        yield Finding("A18", OUTSIDE, "the system prompt is neither text nor a list of blocks: refused")
    for block in _blocks(case.request.get("system")):
        if problem := _problem(block):
            yield Finding("A18", OUTSIDE, problem)
    for index, message in enumerate(messages_of(case.request)):
        if not isinstance(message.get("content"), str | list | None):
            yield Finding("A18", index, "the content is neither text nor a list of blocks: refused")
        for block in _blocks(message.get("content")):
            if problem := _problem(block):
                yield Finding("A18", index, problem)


def name_unknown_blocks(case: Case) -> tuple[Json, list[Repair]]:
    """Blocks that the API refuses become a short text that names what was there."""
    repairs = [
        Repair("A18", "system" if finding.at == OUTSIDE else f"messages[{finding.at}]", _repair_text(finding))
        for finding in blocks_are_known(case)
    ]
    if not repairs:
        return case.request, []

    def message(_at: int, value: Any) -> Any:
        return (
            with_member(value, "content", _mended_content(value.get("content"))) if isinstance(value, dict) else value
        )

    out = with_member(case.request, "messages", changed_list(case.request.get("messages"), message))
    return with_member(out, "system", _mended_content(out.get("system"))), repairs


def _repair_text(finding: Finding) -> str:
    return f"put it right or named it in words: {finding.message.partition(':')[0]}"


def _mended_content(content: Any) -> Any:
    """Text and lists stay what they are; a lone block becomes a list, and a bare value a text."""
    if isinstance(content, dict):
        content = [content]
    elif not isinstance(content, str | list | None):
        return jsonio.dumps(content).decode()
    return changed_list(content, lambda _, block: _mend_block(block))


def _mend_block(block: Any) -> Any:
    if not _is_known(block):
        return {"type": "text", "text": words_for(block)}
    if kind_of(block) == "tool_use" and not isinstance(block["input"], dict):
        return block | {"input": as_object(block["input"])}
    if not is_result(block):
        return block
    content = block.get("content")
    whole = content if isinstance(content, str | list | None) else jsonio.dumps(content).decode()
    return with_member(block, "content", changed_list(whole, lambda _, inner: _mend_block(inner)))


# ── A19: roles ───────────────────────────────────────────────────────────────────────────────────────

_ROLES = frozenset({"user", "assistant", "system"})


def roles_are_known(case: Case) -> Iterator[Finding]:
    """A14 tells of the role system, which some models take."""
    for index, message in enumerate(messages_of(case.request)):
        role = message.get("role")
        if not isinstance(role, str) or role not in _ROLES:
            yield Finding("A19", index, f'the role {role!r} is refused: allowed roles are "user" or "assistant"')


def give_known_roles(case: Case) -> tuple[Json, list[Repair]]:
    def message(value: Any) -> Any:
        if not isinstance(value, dict):
            return {"role": "user", "content": words_for(value)}
        role = "system" if value.get("role") == "developer" else "user"
        return value | {"role": "assistant" if is_model_role(value.get("role")) else role}

    return mend(case, roles_are_known, message, text=ROLE_GIVEN)


RULES = (
    name_rule(
        "A17",
        rename_tools,
        messages="messages",
        allowed=PLAIN_NAME,
        demand=f"it must match '^[a-zA-Z0-9_-]{{1,{MAX_NAME_CHARACTERS}}}$'",
    ),
    ProviderRule("A18", "blocks are of known kinds", blocks_are_known, name_unknown_blocks),
    ProviderRule("A19", "roles are user and assistant", roles_are_known, give_known_roles),
)
