"""Tool names that a provider refuses are made safe wherever they stand, the same way every time."""

from __future__ import annotations

import json

import pytest

from clew.rules import check, repair
from clew.rules.tool_names import portable_name
from tests.unit.rules.rule_examples import (
    assistant,
    calls,
    contents,
    items,
    message,
    messages,
    model,
    output,
    person,
    result,
    said,
    says,
    tool,
    use,
    user,
)

BAD = "web.search/2"
_CALL = {"type": "function_call", "call_id": "c1", "name": BAD, "arguments": "{}"}
_CALLED = calls("c1") | {"tool_calls": [{"id": "c1", "type": "function", "function": {"name": BAD, "arguments": "{}"}}]}
#: Every place that bears a name: a call, an output where it has one, a definition and the choice of a tool.
EVERYWHERE = {
    "anthropic": messages(
        user("go"),
        assistant(use("t1", name=BAD)),
        user(result("t1")),
        tools=[{"name": BAD, "input_schema": {"type": "object"}}],
        tool_choice={"type": "tool", "name": BAD},
    ),
    "openai-chat": messages(
        says("user"),
        _CALLED,
        tool("c1") | {"name": BAD},
        tools=[{"type": "function", "function": {"name": BAD}}],
        tool_choice={"type": "function", "function": {"name": BAD}},
    ),
    "openai-responses": items(
        message("user"),
        _CALL,
        output("c1"),
        tools=[{"type": "function", "name": BAD}],
        tool_choice={"type": "function", "name": BAD},
    ),
    "gemini": contents(
        person(said()),
        model({"functionCall": {"name": BAD, "args": {}}, "thoughtSignature": "s"}),
        person({"functionResponse": {"name": BAD, "response": {}}}),
        tools=[{"functionDeclarations": [{"name": BAD}]}],
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [BAD]}},
    ),
}
PLACES = {"anthropic": 3, "openai-chat": 4, "openai-responses": 3, "gemini": 4}


@pytest.mark.parametrize("provider", EVERYWHERE)
def test_one_bad_name_is_told_once_and_renamed_in_every_place(provider: str) -> None:
    request = EVERYWHERE[provider]
    (finding,) = check(request, provider)
    assert repr(BAD) in finding.message
    after, repairs = repair(request, provider)
    text = json.dumps(after)
    assert BAD not in text
    assert text.count(portable_name(BAD)) == PLACES[provider]
    assert len(repairs) == 1
    assert check(after, provider) == []


def test_safe_names_depend_on_the_old_name_alone_and_stay_apart() -> None:
    odd = ["web.search", "web search", "2fa", "", "-x", "ü" * 200, "n" * 300]
    names = [portable_name(name) for name in odd]
    assert names == [portable_name(name) for name in odd]
    assert len(set(names)) == len(odd)
    assert all(len(name) <= 64 and (name[0].isalpha() or name[0] == "_") and name.isascii() for name in names)
    assert names[0].startswith("web_search_")


@pytest.mark.parametrize(
    ("provider", "name", "is_fine"),
    [
        ("anthropic", "n" * 128, True),
        ("anthropic", "n" * 129, False),
        ("anthropic", "", False),
        ("openai-chat", "read-file_2", True),
        ("openai-chat", "n" * 129, False),
        ("openai-responses", "read file", False),
        ("gemini", "files.read:all", True),
        ("gemini", "2fa", False),
        ("gemini", "n" * 129, False),
    ],
)
def test_each_provider_has_limits_of_its_own(provider: str, name: str, is_fine: bool) -> None:
    definitions = {
        "anthropic": {"name": name, "input_schema": {}},
        "openai-chat": {"type": "function", "function": {"name": name}},
        "openai-responses": {"type": "function", "name": name},
        "gemini": {"functionDeclarations": [{"name": name}]},
    }
    request = {**_ASKED[provider], "tools": [definitions[provider]]}
    assert (check(request, provider) == []) is is_fine


_ASKED = {
    "anthropic": messages(user("go")),
    "openai-chat": messages(says("user")),
    "openai-responses": items(message("user")),
    "gemini": contents(person(said())),
}


def test_tools_that_the_provider_runs_keep_their_names() -> None:
    request = messages(user("go"), tools=[{"type": "web_search_20250305", "name": "web.search"}])
    assert check(request, "anthropic") == []
