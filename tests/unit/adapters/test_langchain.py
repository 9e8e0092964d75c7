"""LangChain: an agent with a scripted chat model of its own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import clew
from clew.config import Config, StorageConfig
from clew.engine.engine import Engine
from clew.errors import BudgetExceeded, UsageError
from tests.cancellation import cancelling
from tests.effort import first
from tests.provider_replies import Says

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from clew.adapters.langchain import PackedMessages
from tests.agent_loops.langchain import ScriptedModel, run_langchain
from tests.agent_loops.script import SHORT, SYSTEM, assert_all_went_well

pytestmark = pytest.mark.stores("memory")


def test_the_system_prompt_stays_and_the_state_is_whole(engine: Engine) -> None:
    seen: list[list[BaseMessage]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append(messages)
        return Says(f"Answer {len(seen)}.")

    session = engine.session("s")
    model = ScriptedModel(script=script)
    agent = create_agent(model, [], system_prompt=SYSTEM, middleware=[PackedMessages(session)])
    state = agent.invoke({"messages": [{"role": "user", "content": "Hello."}]})
    more = {"messages": [*state["messages"], {"role": "user", "content": "More."}]}
    state = asyncio.run(agent.ainvoke(more))
    assert [message.text for message in seen[-1]] == [SYSTEM, "Hello.", "Answer 1.", "More."]
    assert isinstance(seen[-1][0], SystemMessage)
    assert len(state["messages"]) == 4
    assert [one.text for one in session.reader.recent_messages(9)] == ["Hello.", "Answer 1.", "More.", "Answer 2."]


def test_a_question_whose_run_was_cancelled_while_it_was_packed_is_not_sent_with_another(engine: Engine) -> None:
    seen: list[list[str]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append([message.text for message in messages])
        return Says("Fine.")

    async def talk() -> None:
        memory = PackedMessages(engine.session("s"))
        agent = create_agent(ScriptedModel(script=script), [], middleware=[memory])
        lost = asyncio.ensure_future(agent.ainvoke({"messages": [HumanMessage("Lost.")]}))
        stop = engine.on("recorded", cancelling(lost))
        with pytest.raises(asyncio.CancelledError):
            await lost
        stop()
        await agent.ainvoke({"messages": [HumanMessage("Other.")]})

    asyncio.run(talk())
    assert seen == [["Other."]]


def asked(session: Any, messages: list[Any], **options: Any) -> list[BaseMessage]:
    """What the model of an agent gets for these messages."""
    seen: list[BaseMessage] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.extend(messages)
        return Says("Fine.")

    budget = options.pop("budget", None)
    middleware = [PackedMessages(session, budget=budget)]
    create_agent(ScriptedModel(script=script), middleware=middleware, **options).invoke({"messages": messages})
    return seen


def test_system_messages_in_the_list_stay_as_they_are(engine: Engine) -> None:
    given = [SystemMessage("In French."), HumanMessage("Why?"), AIMessage("So."), SystemMessage("In German.")]
    given.append(HumanMessage("And?"))
    assert asked(engine.session("s"), given) == given


def test_a_system_message_holds_when_what_it_stood_among_is_no_longer_sent(engine: Engine) -> None:
    given = [SystemMessage("In French."), *TALK[:2], SystemMessage("In German."), *TALK[2:], HumanMessage("And?")]
    sent = asked(engine.session("s"), given, budget=2_000)
    assert len(sent) < len(given)
    assert [message.text for message in sent if message.type == "system"] == ["In French.", "In German."]


TALK = [message for at in range(30) for message in (HumanMessage(f"Say {at}. " * 40), AIMessage(f"{at}. " * 40))]


@pytest.mark.parametrize(("place", "budget"), first([(40, 2_000), (2, None), (2, 2_000), (40, None)], 2))
def test_a_system_message_further_down_is_sent_in_the_words_it_has_now(
    place: int, budget: int | None, engine: Engine
) -> None:
    session = engine.session("s")
    for words in (["In German."], ["In French."], [], ["In Danish."]):
        given = [*TALK[:place], *map(SystemMessage, words), *TALK[place:], HumanMessage("And?")]
        sent = asked(session, given, budget=budget)
        assert [message.text for message in sent if message.type == "system"] == words
        assert (sent == given) is (budget is None)


def test_a_system_message_that_comes_to_the_head_of_a_cut_list_is_sent_once(engine: Engine) -> None:
    given = [HumanMessage("Why?"), AIMessage("So."), SystemMessage("In German."), HumanMessage("And?")]
    asked(engine.session("s"), given)
    sent = asked(engine.session("s"), [*given[2:], AIMessage("Fine."), HumanMessage("More?")])
    assert [message.text for message in sent] == ["In German.", "Why?", "So.", "And?", "Fine.", "More?"]


def test_a_system_message_further_down_is_sent_once_where_secrets_are_masked() -> None:
    secret = "ghp_" + "x7Kd92LmQpZ4vTnB8sRwY1cHfJ6gUeAo3iDk"
    given = [HumanMessage("Why?"), AIMessage("So."), SystemMessage(f"Use {secret}."), HumanMessage("And?")]
    with clew.open(":memory:", config=Config(storage=StorageConfig(mask_secrets=True))) as engine:
        sent = asked(engine.session("s"), given)
    assert [message.type for message in sent] == [message.type for message in given]
    assert secret not in str(sent)


def test_a_message_that_was_changed_in_place_is_sent_as_it_is_now(engine: Engine) -> None:
    seen: list[list[str]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append([message.text for message in messages])
        return Says("Fine.")

    agent = create_agent(ScriptedModel(script=script), middleware=[PackedMessages(engine.session("s"))])
    given = agent.invoke({"messages": [HumanMessage("My password is hunter2.")]})["messages"]
    given[0].content = "My password is [removed]."
    agent.invoke({"messages": [*given, HumanMessage("More.")]})
    assert seen[-1] == ["My password is [removed].", "Fine.", "More."]


@pytest.mark.parametrize("tool", [{"google_search": {}}, {"type": "web_search"}, {"name": "f", "input_schema": {}}])
def test_tools_of_any_shape_pass_through(tool: dict[str, Any], engine: Engine) -> None:
    assert [message.text for message in asked(engine.session("s"), [HumanMessage("Why?")], tools=[tool])] == ["Why?"]


def test_tools_count_in_the_budget(engine: Engine) -> None:
    tool = {"name": "f", "description": "long words " * 3_000, "input_schema": {"type": "object"}}
    with pytest.raises(BudgetExceeded):
        asked(engine.session("s"), [HumanMessage("Why?")], tools=[tool], budget=3_000)


def test_each_thread_is_a_conversation_of_its_own(engine: Engine) -> None:
    seen: list[list[str]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append([message.text for message in messages])
        return Says("Fine.")

    model = ScriptedModel(script=script)
    for options in ({"checkpointer": InMemorySaver()}, {}):
        agent = create_agent(model, middleware=[PackedMessages(engine)], **options)
        for who, text in (("alice", "My number is 4111."), ("bob", "Hello!")):
            name = f"{who}-{len(options)}"
            agent.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": name}})
            assert engine.session(name).reader.recent_messages(9)[0].text == text
    assert seen == [["My number is 4111."], ["Hello!"]] * 2


def test_a_fixed_session_refuses_a_second_thread_and_a_function_names_it(engine: Engine) -> None:
    model = ScriptedModel(script=lambda messages: Says("Fine."))
    agent = create_agent(model, middleware=[PackedMessages(engine.session("s"))])
    named = create_agent(
        model, context_schema=dict, middleware=[PackedMessages(lambda run: engine.session(run.context))]
    )
    said = {"messages": [HumanMessage("Hello.")]}
    asyncio.run(agent.ainvoke(said, {"configurable": {"thread_id": "alice"}}))
    with pytest.raises(UsageError, match="session s is bound to thread_id 'alice', but this run has 'bob'"):
        asyncio.run(agent.ainvoke(said, {"configurable": {"thread_id": "bob"}}))
    named.invoke(said, {"configurable": {"thread_id": "bob"}}, context="carol")
    assert len(engine.session("carol").reader.recent_messages(9)) == 2


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


@pytest.mark.parametrize("saver", [InMemorySaver, lambda: None])
@pytest.mark.parametrize("is_shared", [True, False])
def test_a_subagent_in_a_tool_gets_its_own_list(engine: Engine, saver: Any, is_shared: bool) -> None:
    outer, inner = list[list[str]](), list[list[str]]()
    memory = PackedMessages(engine)

    def script(messages: list[BaseMessage]) -> Says:
        outer.append([message.text for message in messages])
        return Says(tool="ask", arguments={"text": f"Part {len(outer)}."}, id=f"c{len(outer)}", text="")

    def inner_script(messages: list[BaseMessage]) -> Says:
        inner.append([message.text for message in messages])
        return Says("Fine.")

    middleware = [memory if is_shared else PackedMessages(engine)]
    subagent = create_agent(ScriptedModel(script=inner_script), middleware=middleware)

    @tool
    def ask(text: str) -> str:
        """Asks another agent."""
        return str(subagent.invoke({"messages": [HumanMessage(text)]})["messages"][-1].text)

    model = ScriptedModel(script=lambda messages: script(messages) if len(outer) < 2 else Says("End."))
    agent = create_agent(model, [ask], middleware=[memory], checkpointer=saver())
    agent.invoke({"messages": [HumanMessage("Outer.")]}, thread("t"))
    assert (outer, inner) == ([["Outer."], ["Outer.", "", "Fine."]], [["Part 1."], ["Part 2."]])
    assert {one.id for one in engine.sessions()} == {"t", "t.side"}


def talking(memory: PackedMessages, saver: Any) -> tuple[Any, list[list[str]]]:
    """An agent that has talked in a thread, and what its model gets."""
    seen: list[list[str]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append([message.text for message in messages])
        return Says(f"Answer {len(seen)}.")

    agent = create_agent(ScriptedModel(script=script), middleware=[memory], checkpointer=saver)
    for text in ("One.", "Two."):
        agent.invoke({"messages": [HumanMessage(text, id=text)]}, thread("t"))
    return agent, seen


@pytest.mark.parametrize("how", ["state", "thread"])
@pytest.mark.parametrize("is_fixed", [True, False])
def test_after_a_clear_the_conversation_begins_anew(engine: Engine, how: str, is_fixed: bool) -> None:
    saver = InMemorySaver()
    agent, seen = talking(PackedMessages(engine.session("t") if is_fixed else engine), saver)
    if how == "state":
        agent.update_state(thread("t"), {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]})
    else:
        saver.delete_thread("t")
    for text in ("New.", "More."):
        agent.invoke({"messages": [HumanMessage(text)]}, thread("t"))
    assert seen[2:] == [["New."], ["New.", "Answer 3.", "More."]]
    assert "One." in engine.session("t").recall("m1")[0].text


def test_a_message_that_was_deleted_at_the_beginning_is_not_sent(engine: Engine) -> None:
    agent, seen = talking(PackedMessages(engine), InMemorySaver())
    agent.update_state(thread("t"), {"messages": [RemoveMessage("One.")]})
    agent.invoke({"messages": [HumanMessage("Three.")]}, thread("t"))
    assert seen[2:] == [["Answer 1.", "Two.", "Answer 2.", "Three."]]


def test_a_clear_while_a_call_waits_begins_anew_in_the_same_session(engine: Engine) -> None:
    says = [Says(tool="look", id="c1"), Says("Fine.")]
    model = ScriptedModel(script=lambda messages: says.pop(0))

    @tool
    def look() -> str:
        """Breaks."""
        raise TimeoutError

    agent = create_agent(model, [look], middleware=[PackedMessages(engine)], checkpointer=InMemorySaver())
    with pytest.raises(TimeoutError):
        agent.invoke({"messages": [HumanMessage("Old.")]}, thread("t"))
    agent.update_state(thread("t"), {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES)]}, as_node="model")
    agent.invoke({"messages": [HumanMessage("New.")]}, thread("t"))
    assert [one.text for one in engine.session("t").reader.recent_messages(9)] == ["New.", "Fine."]


def test_without_a_checkpointer_the_session_keeps_what_came_before(engine: Engine) -> None:
    _, seen = talking(PackedMessages(engine), None)
    assert seen == [["One."], ["One.", "Answer 1.", "Two."]]


@pytest.mark.parametrize("is_async", [False, True])
def test_after_a_first_run_that_failed_another_question_is_asked(is_async: bool, engine: Engine) -> None:
    seen: list[list[str]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append([message.text for message in messages])
        if len(seen) == 1:
            raise TimeoutError("overloaded")
        return Says("Fine.")

    agent = create_agent(ScriptedModel(script=script), middleware=[PackedMessages(engine.session("s"))])

    def invoke(text: str) -> Any:
        given = {"messages": [HumanMessage(text)]}
        return asyncio.run(agent.ainvoke(given)) if is_async else agent.invoke(given)

    with pytest.raises(TimeoutError):
        invoke("Wrong.")
    invoke("Another.")
    assert seen == [["Wrong."], ["Another."]]


@pytest.mark.thorough
def test_many_steps_at_a_small_budget(engine: Engine) -> None:
    assert_all_went_well(run_langchain(engine, SHORT))
