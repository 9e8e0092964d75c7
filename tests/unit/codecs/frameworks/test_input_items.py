"""What people's clients give them goes in as it is: objects of SDKs and frameworks, their dumps, and mixtures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, asdict, fields, is_dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

import clew
from clew import rules
from clew.codecs import jsonio, registry
from clew.codecs.frameworks.input_items import WireMessage, items_of
from clew.domain import Call, Message, Output, Part, Role, Text, Usage
from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.unit.codecs.frameworks.sdk_objects import ANSWER, CONVERSATIONS, FOUND, LOOK, QUESTION, WHOLE, langchain

pytestmark = pytest.mark.stores("memory")

Conversation = Callable[[], list[Any]]


@pytest.fixture(params=CONVERSATIONS)
def given(request: pytest.FixtureRequest) -> list[Any]:
    return CONVERSATIONS[request.param]()


def recorded(engine: Engine, id: str, messages: Any) -> list[Message]:
    session = engine.session(id)
    session.record(messages)
    return session.messages()


def said(messages: list[Message]) -> list[tuple[bool, tuple[Part, ...]]]:
    """Who spoke, and what, apart from how it was written, and from ids that only pair a call with its output."""
    return [(one.role is Role.ASSISTANT, tuple(map(_bare, one.parts))) for one in messages]


def _bare(part: Part) -> Part:
    match part:
        case Call():
            return replace(part, wire=None, id="c")
        case Output():
            return replace(part, wire=None, call_id="c", name=None, content=tuple(map(_bare, part.content)))
    return replace(part, wire=None)


SAID = [
    (False, (Text(text=QUESTION),)),
    (True, (Text(text=LOOK), Call(id="c", name="look", arguments={"place": "hold", "deep": None}))),
    (False, (Output(call_id="c", content=(Text(text=FOUND),)),)),
    (True, (Text(text=ANSWER),)),
]


def test_objects_say_what_they_say(engine: Engine, given: list[Any]) -> None:
    assert said(recorded(engine, "s", given)) == SAID


def dumped(value: Any) -> Any:
    """As each package writes its objects out."""
    if hasattr(value, "raw_item"):
        return dumped(value.raw_item)
    if hasattr(value, "model_dump"):
        return value.model_dump()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def test_dumps_are_recorded_as_the_objects_are(engine: Engine, given: list[Any]) -> None:
    objects = recorded(engine, "s", given)
    dumps = recorded(engine, "t", [dumped(one) for one in given])
    assert said(dumps) == said(objects)
    if not any("Gemini" in str(type(one)) or "google" in type(one).__module__ for one in given):
        assert dumps == objects  # that SDK has fields in another spelling than its API


@pytest.mark.parametrize("provider", registry.PROVIDERS)
def test_what_was_recorded_goes_to_every_provider(engine: Engine, given: list[Any], provider: str) -> None:
    session = engine.session("s")
    session.record([*given, clew.user("And below?")])
    body = session.reader.request(provider)[0].body
    assert rules.check(body, provider) == []
    assert all(words in str(body) for words in (QUESTION, LOOK, FOUND, ANSWER, "And below?"))
    assert "None" not in str(body).replace("'deep': None", "")


def test_each_may_be_handed_in_by_itself(engine: Engine, given: list[Any]) -> None:
    session = engine.session("s")
    for one in given:
        session.record(one)
    assert said(session.messages()) == SAID


@pytest.mark.parametrize("name", WHOLE)
def test_a_reply_is_recorded_with_usage_model_and_stop_reason(engine: Engine, name: str) -> None:
    *before, last = CONVERSATIONS[name]()
    session = engine.session("s")
    session.record(before)
    assert session.reply(last).content == ANSWER
    message = session.messages()[-1]
    assert (message.model, message.usage, message.stop_reason) == ("model-1", Usage(7, 3), WHOLE[name])


def test_all_kinds_may_stand_in_one_list(engine: Engine) -> None:
    conversations = [CONVERSATIONS[name]() for name in WHOLE]
    mixed = [message for given in conversations for message in (*given, clew.user("Go on."), clew.assistant("Yes."))]
    session = engine.session("s")
    session.record(mixed)
    assert [one for one in said(session.messages()) if one in SAID] == SAID * len(conversations)
    for provider in registry.PROVIDERS:
        assert rules.check(session.reader.request(provider)[0].body, provider) == []


@pytest.mark.parametrize("provider", registry.PROVIDERS)
@pytest.mark.parametrize("system", [True, False])
def test_roles_and_contents_alone_go_to_every_provider(engine: Engine, provider: str, system: bool) -> None:
    plain = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]
    session = engine.session("s")
    session.record([{"role": "system", "content": "Be brief."}] * system + plain)
    pack = session.pack("And below?", target=provider)
    assert rules.check(pack.request(), provider) == []
    assert ("Be brief." in str(pack.request())) is system


def test_blocks_of_an_sdk_may_stand_in_a_dict(engine: Engine) -> None:
    asked, first, *_ = CONVERSATIONS["anthropic"]()
    assert said(recorded(engine, "s", [asked, {"role": "assistant", "content": first.content}])) == SAID[:2]
    session = engine.session("t")
    assert session.reply(first.content).content == LOOK


def test_a_choice_is_a_reply(engine: Engine) -> None:
    asked, first, *_ = CONVERSATIONS["openai_chat"]()
    session = engine.session("s")
    session.record(asked)
    assert session.reply(first.choices[0]).content == LOOK
    assert session.messages()[-1].stop_reason == "tool_calls"


def test_an_iterator_of_messages_is_read_once(engine: Engine) -> None:
    assert len(recorded(engine, "s", (clew.user(text) for text in ("one", "two")))) == 2


def test_frameworks_are_known_though_a_format_is_named(engine: Engine) -> None:
    session = engine.session("s")
    session.record([{"role": "user", "content": QUESTION}, *langchain()[1:]], format="anthropic")
    assert said(session.messages()) == SAID


def test_the_result_of_an_agent_of_openai_is_all_of_its_run(engine: Engine) -> None:
    agents = pytest.importorskip("agents.result")
    names = [field.name for field in fields(agents.RunResult) if field.default is MISSING is field.default_factory]
    _, *items = CONVERSATIONS["openai_agents"]()
    known = {"input": QUESTION, "new_items": items, "raw_responses": [], "_last_agent": items[0].agent}
    assert said(recorded(engine, "s", agents.RunResult(**dict.fromkeys(names) | known))) == SAID


def test_the_result_of_an_agent_of_pydantic_is_all_of_its_run(engine: Engine) -> None:
    agents = pytest.importorskip("pydantic_ai")
    model = pytest.importorskip("pydantic_ai.models.test").TestModel(custom_output_text=ANSWER)
    session = engine.session("s")
    for instructions in ("Be brief.", "Be brief.", "Be kind."):
        session.record(agents.Agent(model, instructions=instructions).run_sync(QUESTION))
    pack = session.pack(budget=4_000, target="anthropic").request()
    assert "Be kind." in str(pack["system"])
    assert "Be brief." not in str(pack)
    assert [message.text for message in session.reader.recent_messages(9)] == [QUESTION, ANSWER]


@pytest.mark.parametrize("form", ["object", "dump", "stream"])
def test_calls_that_the_sdk_of_gemini_makes_by_itself_are_recorded_with_the_answer(engine: Engine, form: str) -> None:
    types = pytest.importorskip("google.genai.types")
    session = engine.session("s")
    session.record(clew.user("Ahoy."))
    session.reply("Ahoy!")
    session.record(clew.user(QUESTION))
    _, first, found, last = CONVERSATIONS["gemini"]()
    made = [first.candidates[0].content, found]
    asked = types.Content(role="user", parts=[types.Part(text="A pack of what was said."), types.Part(text=QUESTION)])
    answer = last.model_copy(update={"automatic_function_calling_history": [asked, *made]})
    for _ in range(2):
        if form == "stream":
            list(session.stream(iter([first, answer])))
        else:
            told = session.reply(answer if form == "object" else answer.model_dump())
            assert (told.content.endswith(ANSWER), told.calls) == (True, ())
        assert said(session.messages()[2:]) == SAID


def test_what_an_sdk_has_parsed_beside_the_message_is_not_sent_back(engine: Engine) -> None:
    chat = pytest.importorskip("openai.types.chat")
    message = {"role": "assistant", "content": '{"n":12}', "parsed": {"n": 12}}
    asked, given = clew.user("How many?"), chat.ParsedChatCompletionMessage.model_validate(message)
    session = engine.session("s")
    session.record([asked, given, clew.user("And?")])
    sent = session.reader.request("openai-chat")[0].body["messages"]
    assert sent[1] == {"role": "assistant", "content": '{"n":12}'}


@pytest.mark.parametrize(
    ("strange", "words"),
    [
        ("hello", "message 1 is a text"),
        (7, "message 1 is of type int: 7"),
        (None, "message 1 is of type NoneType: None"),
        (Text(text="q"), "message 1 is a part"),
        (["q"], "message 1 is of type list: "),
        (SimpleNamespace(role="user"), "of type types.SimpleNamespace, without fields"),
        ({}, "of type dict, without fields"),
        (Usage(1, 2), "of type clew.domain.messages.Usage with input_tokens, output_tokens"),
        ({"speaker": "me", "words": "q"}, "of type dict with speaker, words; no message known here is like it; give"),
        ({"role": "captain", "content": "q"}, "of type dict with role 'captain', content"),
        ({"role": "user", "content": object()}, "message 1 is no JSON"),
        ({("a",): 1}, "message 1 is of type dict"),
    ],
)
def test_what_is_not_understood_is_named_and_nothing_is_recorded(engine: Engine, strange: Any, words: str) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match=words):
        session.record([clew.user("q"), strange])
    assert session.messages() == []


def test_what_contains_itself_is_refused(engine: Engine) -> None:
    loop: dict[str, Any] = {"role": "user"}
    loop["content"] = [loop]
    with pytest.raises(UsageError, match="nested deeper"):
        engine.session("s").record(loop)


@pytest.mark.parametrize("wrong", [{"system": 7}, {"tools": 7}, {"tools": "look"}])
def test_what_is_no_system_prompt_and_no_tools_is_named(engine: Engine, wrong: dict[str, Any]) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match=rf"{next(iter(wrong))} (of record\(\) )?is of type (int|str|list)"):
        session.record(clew.user("q"), **wrong)
    assert session.messages() == []


@pytest.mark.parametrize("role", ["user", "assistant", "system", "developer"])
def test_a_role_and_a_text_are_taken_for_what_looking_closely_says(role: str) -> None:
    message = {"role": role, "content": 'Say {"type": "tool_use"}.'}
    (item,) = items_of([message], None)
    seen = registry.detect(jsonio.dumps({"messages": [message]})).name
    assert isinstance(item, WireMessage)
    assert item.format == seen
