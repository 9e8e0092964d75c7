"""Packs: they fit, they are valid, they are the same every time, and what they leave out can be read."""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import pytest

import clew
from clew import rules
from clew.codecs import jsonio, registry
from clew.engine.engine import Engine
from clew.errors import BudgetExceeded, UsageError
from clew.samples import sample
from tests.builders import call, gives, output, says, user
from tests.effort import first

BUDGETS = [2_000, 8_000, 30_000, 3_000, 5_000, 15_000, 60_000, 200_000]
ASKED = "where do we stand?"


@pytest.fixture(scope="module")
def harbor() -> clew.Session:
    engine = clew.open(":memory:")
    report = engine.import_file(sample())[0]
    return engine.find(report.session)


@pytest.mark.parametrize("budget", first(BUDGETS, 3))
@pytest.mark.parametrize("provider", registry.PROVIDERS)
def test_a_pack_fits_and_is_valid_at_every_budget(harbor: clew.Session, provider: str, budget: int) -> None:
    pack = harbor.pack(ASKED, budget=budget, target=provider)
    assert rules.check(pack.request(provider), provider, final=True) == []
    assert pack.tokens <= budget
    assert ASKED.encode() in jsonio.dumps(pack.request(provider))


@pytest.mark.parametrize("budget", first(BUDGETS[:6], 3))
def test_a_text_pack_fits_and_uses_its_room(harbor: clew.Session, budget: int) -> None:
    pack = harbor.pack(budget=budget, target="text")
    counted = harbor.reader.count(pack.text)
    assert budget * 0.9 < counted <= budget
    assert pack.tokens == counted


def test_the_same_pack_twice_has_the_same_bytes(harbor: clew.Session) -> None:
    for target in (*registry.PROVIDERS, "text"):
        first, second = (harbor.pack(ASKED, budget=6_000, target=target) for _ in range(2))
        assert (first.body, first.tokens, first.left_out) == (second.body, second.tokens, second.left_out)
        assert first.digest == second.digest


@pytest.mark.parametrize("provider", registry.PROVIDERS)
def test_only_a_reader_with_a_shell_is_told_of_commands(harbor: clew.Session, provider: str) -> None:
    asked = jsonio.dumps(harbor.pack(None, budget=9_000, target=provider, record=False).request()).decode()
    text = harbor.pack(None, budget=9_000, target="text", record=False).text
    assert "What came before, shortened" in asked
    assert "clew show" not in asked
    assert f"clew show {harbor.id} ID" in text


def test_packing_for_a_look_stores_nothing(harbor: clew.Session) -> None:
    before = harbor.info
    harbor.pack(ASKED, budget=4_000, record=False, target="anthropic").request()
    assert harbor.info == before
    assert harbor.pack(ASKED, budget=4_000, target="text").text
    assert harbor.info == before


def test_everything_left_out_is_listed_and_can_be_read(harbor: clew.Session) -> None:
    pack = harbor.pack(budget=4_000, target="anthropic")
    pack.request("anthropic")
    left = pack.left_out
    assert left
    for one in left:
        assert harbor.recall(one.id)[0].text
    pins = {item.id for item in harbor.pins()}
    assert all(one.reason and one.shown_as in ({"nothing"} if one.id in pins else {"header", "lines"}) for one in left)


def test_every_source_of_a_section_can_be_read(harbor: clew.Session) -> None:
    for section in harbor.pack(budget=4_000).sections:
        for source in section.sources[:5]:
            assert harbor.recall(source)[0].text


def test_a_budget_that_cannot_hold_the_guaranteed_parts_says_which(harbor: clew.Session) -> None:
    with pytest.raises(BudgetExceeded) as caught:
        _ = harbor.pack(budget=100, target="text").text
    assert caught.value.budget == 100
    assert "timeline" in caught.value.needed


def test_a_short_session_is_sent_as_it_is(engine: Engine) -> None:
    session = engine.session("s")
    given = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    session.record(given, format="anthropic", system="Be brief.")
    request = session.pack("how are you?", budget=4_000, target="anthropic").request()
    assert request == {
        "system": "Be brief.",
        "messages": [
            *given,
            {
                "role": "user",
                "content": [{"type": "text", "text": "how are you?", "cache_control": {"type": "ephemeral"}}],
            },
        ],
    }
    assert session.pack("how are you?", budget=4_000).left_out == ()


def test_the_callers_system_and_tools_are_kept_byte_for_byte(engine: Engine) -> None:
    system = [{"type": "text", "text": "Be brief. </clew-story>", "cache_control": {"type": "ephemeral"}}]
    tool = {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}, "x-extra": 1}
    session = engine.session("s")
    many = [{"role": "user" if at % 2 == 0 else "assistant", "content": f"{at} " + "words " * 60} for at in range(80)]
    session.record(many, format="anthropic", system=system, tools=[tool])
    request = session.pack(budget=2_500, target="anthropic").request()
    assert (request["system"], request["tools"]) == (system, [tool])


def test_no_line_that_an_edit_removed_is_shown(engine: Engine) -> None:
    gone, here = "timeout_seconds = compute_old_value(1)", "timeout_seconds = compute_new_value(2)"
    session = engine.session("s")
    session.record(
        [
            user("fix the timeout"),
            says(call("c1", "Read", file_path="/w/app/net.py")),
            gives(output("c1", f"     1→{gone}\n     2→import socket")),
            says(call("c2", "Edit", file_path="/w/app/net.py", old_string=gone, new_string=here)),
            gives(output("c2", "updated")),
            says("done"),
            user("and now?"),
            says("I looked around. " * 300),
        ]
    )
    text = session.pack(budget=600, target="text").text
    assert here in text
    assert gone not in text


def test_the_words_of_a_person_stand_in_the_pack(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("Please rename the flag --dry to --preview, and keep the old one working."), says("ok")])
    assert (
        "Please rename the flag --dry to --preview, and keep the old one working."
        in session.pack(budget=500, target="text").text
    )


def test_a_pack_for_nobody_is_a_clear_error(harbor: clew.Session) -> None:
    with pytest.raises(UsageError, match="cannot pack for"):
        harbor.pack(budget=4_000, target="nobody").request()
    with pytest.raises(UsageError, match="holds nothing"):
        harbor.pack(budget=0)


@pytest.mark.encoder
def test_one_call_leaves_nothing_at_work() -> None:
    before = {*threading.enumerate()}
    result = clew.compact([{"role": "user", "content": "Never touch the schema. Why does login fail?"}], budget=2_500)
    assert "schema" in str(result.messages)
    assert {*threading.enumerate()} <= before


@pytest.mark.parametrize("format", ["anthropic", "openai-chat"])
def test_one_call_gives_messages_that_fit_and_everything_can_be_read_back(format: str) -> None:
    talk = [{"role": "user" if at % 2 == 0 else "assistant", "content": f"{at} " + "words " * 60} for at in range(81)]
    result = clew.compact(talk, budget=2_500, format=format)
    assert result.report.tokens <= 2_500
    assert rules.check(result.request, format, final=True) == []
    assert len(result.messages) < len(talk)
    assert result.recall("m1")[0].text.endswith("words ")
    assert result.report.left_out


def exchange(at: int, format: str) -> list[dict[str, Any]]:
    """A file is read and its code told, as each provider has it."""
    asked, answered = f"Please read file {at} and tell me its code.", f"The code of file {at} is K{at}77."
    read = "\n".join([f"RESULT{at}", *(f"line {line} of the file says {line * 7}" for line in range(60))])
    path, call = {"path": f"f{at}.txt"}, f"c{at}"
    if format == "anthropic":
        use = {"type": "tool_use", "id": call, "name": "read_file", "input": path}
        result = {"type": "tool_result", "tool_use_id": call, "content": read}
        roles = ("user", asked), ("assistant", [use]), ("user", [result]), ("assistant", answered)
        return [{"role": role, "content": content} for role, content in roles]
    if format == "gemini":
        done = {"functionResponse": {"name": "read_file", "response": {"output": read}}}
        parts = {"text": asked}, {"functionCall": {"name": "read_file", "args": path}}, done, {"text": answered}
        return [{"role": ("user", "model")[at % 2], "parts": [part]} for at, part in enumerate(parts)]
    if format == "openai-responses":
        return [
            {"role": "user", "content": asked},
            {"type": "function_call", "call_id": call, "name": "read_file", "arguments": json.dumps(path)},
            {"type": "function_call_output", "call_id": call, "output": read},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answered}]},
        ]
    function = {"name": "read_file", "arguments": json.dumps(path)}
    return [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call, "content": read},
        {"role": "assistant", "content": answered},
    ]


@pytest.mark.parametrize("format", registry.PROVIDERS)
def test_one_call_keeps_outputs_whatever_the_format_and_uses_its_budget(format: str) -> None:
    talk = [message for at in range(14) for message in exchange(at, format)]
    for budget in (4_250, 6_000, 9_000):
        result = clew.compact(talk, budget=budget, format=format)
        assert 0.75 * budget < result.report.tokens <= budget
        assert len(set(re.findall(r"RESULT\d+", str(result.messages)))) >= budget // 1_500


@pytest.mark.parametrize("format", registry.PROVIDERS)
def test_messages_that_fit_come_back_as_they_are(format: str) -> None:
    talk = exchange(1, format)
    assert clew.compact(talk, budget=8_000, format=format).messages == talk
    asked = clew.compact(iter(talk), budget=8_000, format=format, query="And file 2?", system="Be brief.")
    assert "cache_control" not in str(asked.request)
    assert "And file 2?" in str(asked.messages[-1])
    assert clew.compact(talk, budget=8_000, format=format, query="And file 2?").messages[:-1] == talk
    assert clew.compact([], budget=8_000, format=format).messages == []


@pytest.mark.parametrize("budget", [None, "8k", 1.5, True])
def test_a_budget_of_one_call_is_a_number_of_tokens(budget: Any) -> None:
    with pytest.raises(UsageError, match="the budget of compact"):
        clew.compact(exchange(1, "anthropic"), budget=budget)


def test_where_nothing_was_compacted_undo_says_so_and_how_to_know() -> None:
    session = clew.open(":memory:").session("s")
    session.record([clew.user("hello")])
    assert not session.compact().undo
    with pytest.raises(UsageError, match=r"nothing to undo.*`undo` of its report is empty"):
        session.undo()


def test_a_system_message_stands_once_where_it_is_valid() -> None:
    talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
    request = clew.compact(talk, budget=4_000).request
    assert [message["role"] for message in request["messages"]] == ["user"]
    assert "Be brief." in str(request["system"])
    assert clew.compact(talk, budget=4_000, format="openai-chat").messages == talk


def test_messages_of_another_format_are_told_how_to_name_it() -> None:
    asked = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f"}}]}
    with pytest.raises(UsageError, match='name the format that the messages have, as in format="openai-chat"'):
        clew.compact([{"role": "user", "content": "hi"}, asked, {"role": "tool", "content": "x"}], budget=4_000)
