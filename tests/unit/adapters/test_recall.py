"""The tool `recall`: what a pack leaves out is read back in the words of each client and framework."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

import clew
from clew.adapters import recall_tool
from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.agent_loops.clients import client, create, output, said_back, user
from tests.provider_replies import Says, reply
from tests.provider_server import Answer, provider

CLIENTS = ["anthropic", "openai-chat", "openai-responses"]
FACT = "The code word of the release is tangerine-42."
ASKS = Says(tool="recall", arguments={"query": "code word of the release"}, id="call_1")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with clew.open(":memory:") as opened:
        opened.session("s").record([clew.user(FACT), clew.assistant("I keep it in mind.")])
        opened.session("other").record([clew.user("The code word of the harbour is plum-7."), clew.assistant("Yes.")])
        yield opened


@pytest.mark.parametrize("format", CLIENTS)
def test_a_model_reads_back_through_its_client(engine: Engine, format: str) -> None:
    session = engine.session("s")
    tool = recall_tool(session, for_=format)
    seen: list[dict[str, Any]] = []

    def script(path: str, body: dict[str, Any]) -> Answer:
        seen.append(body)
        return reply(path, ASKS if len(seen) == 1 else Says("Done."), stream=False, number=len(seen))

    with provider(script) as served:
        wrapped = clew.wrap(client(format, served), session=session)
        messages: list[Any] = [user("Which word?")]
        response = create(wrapped, format, messages, tools=[tool.definition])
        messages += said_back(format, response)
        call = {
            "anthropic": lambda: response.content[-1],
            "openai-chat": lambda: response.choices[0].message.tool_calls[0],
        }
        answer = tool.output(call.get(format, lambda: response.output[-1])())
        messages += [user([answer])] if format == "anthropic" else [answer]  # type: ignore[arg-type]
        create(wrapped, format, messages, tools=[tool.definition])

    assert answer == {**plain_output(format), text_key(format): answer[text_key(format)]}
    assert FACT in answer[text_key(format)]
    assert "m1 user" in answer[text_key(format)]
    assert '"query"' not in answer[text_key(format)], "the call that asks is no answer"
    assert "tangerine-42" in json.dumps(seen[1])


def plain_output(format: str) -> dict[str, Any]:
    made = output(format, "call_1", "")
    return made["content"][0] if format == "anthropic" else made


def text_key(format: str) -> str:
    return "output" if format == "openai-responses" else "content"


def test_answers_of_the_tool_are_not_found_again(engine: Engine) -> None:
    session = engine.session("s")
    tool = recall_tool(session, for_="openai-chat")
    call = {"id": "c1", "type": "function", "function": {"name": "recall", "arguments": '{"query": "code word"}'}}
    session.record([{"role": "assistant", "tool_calls": [call]}, tool.output(call)], format="openai-chat")

    assert tool(query="code word").count("tangerine-42") == 1


def test_all_of_a_long_output_can_be_read(engine: Engine) -> None:
    session = engine.session("long")
    whole = "\n".join(f"row {n} holds {n * n}" for n in range(3_000))
    session.record([clew.user(whole), clew.assistant("Read.")])
    tool = recall_tool(session, for_="anthropic")

    first = tool(ids=["m1"])
    pages = [tool(ids=["m1"], page=n) for n in range(1, int(first.rsplit("[page 1 of ")[1].split(";")[0]) + 1)]

    assert "".join(page.rpartition("\n[page")[0] for page in pages).endswith(whole)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "give ids of what to read, or a query"),
        ({"ids": 7}, "ids is a list of strings"),
        ({"query": 7}, "give ids of what to read, or a query"),
        ({"ids": ["m99"]}, "m99"),
        ({"ids": ["; drop"]}, "drop"),
        ({"query": "zebra"}, "nothing matches"),
        ({"query": "code word", "page": 99, "unknown": 1}, FACT),
    ],
)
def test_a_model_that_asks_wrongly_is_told(engine: Engine, arguments: dict[str, Any], told: str) -> None:
    assert told in recall_tool(engine.session("s"), for_="anthropic")(**arguments)


def test_arguments_that_are_no_json_are_answered(engine: Engine) -> None:
    call = {"call_id": "c1", "name": "recall", "arguments": "{"}
    said = recall_tool(engine.session("s"), for_="openai-responses").output(call)
    assert said["output"].startswith("recall: give ids")


def test_what_has_no_tool_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="did you mean anthropic"):
        recall_tool(engine.session("s"), for_="antropic")
    with pytest.raises(UsageError, match="give a session, or its name"):
        recall_tool(engine, for_="anthropic")
    with pytest.raises(UsageError, match="give a session, its name"):
        recall_tool(7, for_="langchain")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="not of recall"):
        recall_tool(engine.session("s"), for_="anthropic").output({"id": "a", "name": "look", "input": {}})


def test_an_agent_of_langchain_reads_back_in_its_own_thread(engine: Engine) -> None:
    pytest.importorskip("langchain")
    from langchain.agents import create_agent

    from tests.agent_loops.langchain import ScriptedModel

    def script(messages: list[Any]) -> Says:
        return Says(messages[-1].text) if messages[-1].type == "tool" else ASKS

    agent = create_agent(ScriptedModel(script=script), [recall_tool(engine, for_="langchain")])
    for thread, word in (("s", "tangerine-42"), ("other", "plum-7")):
        done = agent.invoke({"messages": [user("Which?")]}, {"configurable": {"thread_id": thread}})
        assert word in done["messages"][-1].text


def test_an_agent_of_pydantic_ai_reads_back_in_its_own_conversation(engine: Engine) -> None:
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse(parts=[TextPart(content=str(last.content))])
        return ModelResponse(parts=[ToolCallPart(ASKS.tool, ASKS.arguments, tool_call_id="call_1")])

    agent = Agent(FunctionModel(model), tools=[recall_tool(engine, for_="pydantic-ai")])
    for name, word in (("s", "tangerine-42"), ("other", "plum-7")):
        assert word in agent.run_sync("Which?", conversation_id=name).output


def test_an_agent_of_the_openai_agents_sdk_reads_back(engine: Engine) -> None:
    pytest.importorskip("agents")
    from agents import Agent, Runner

    from tests.agent_loops.openai_agents import ScriptedModel

    def script(_instructions: Any, items: Any) -> Says:
        said = items[-1].get("output") if isinstance(items, list) else None
        return Says(str(said)) if said else ASKS

    tool = recall_tool(lambda run: engine.session(run.context), for_="openai-agents")
    agent = Agent("worker", model=ScriptedModel(script), tools=[tool])
    for name, word in (("s", "tangerine-42"), ("other", "plum-7")):
        assert word in str(Runner.run_sync(agent, "Which?", context=name).final_output)


def test_an_agent_of_google_adk_reads_back(engine: Engine) -> None:
    pytest.importorskip("google.adk")
    from google.adk.agents import LlmAgent

    from clew.codecs.sdk_objects import plain
    from tests.agent_loops.google_adk import ScriptedModel, new_session, runner_of, talk

    seen: list[str] = []

    def script(request: Any) -> Says:
        seen.append(str([plain(one) for one in request.contents]))
        return ASKS if len(seen) == 1 else Says("Done.")

    tool = recall_tool(engine.session("s"), for_="google-adk")
    runner = runner_of(LlmAgent(name="worker", model=ScriptedModel(script=script), tools=[tool]))

    async def work() -> None:
        await talk(runner, await new_session(runner), "Which?")

    asyncio.run(work())
    assert "tangerine-42" in seen[1]


def test_an_asynchronous_session_is_read_in_its_own_thread() -> None:
    async def work() -> str:
        async with clew.open_async(":memory:") as engine:
            session = await engine.session("s")
            await session.record([clew.user(FACT)])
            return await asyncio.to_thread(recall_tool(session, for_="anthropic"), query="code word")

    assert FACT in asyncio.run(work())


def test_the_tool_reads_in_the_session_of_the_runs_user(engine: Engine) -> None:
    pytest.importorskip("langchain")
    from langchain.agents import create_agent

    from tests.agent_loops.langchain import ScriptedModel

    def script(messages: list[Any]) -> Says:
        return Says(messages[-1].text) if messages[-1].type == "tool" else ASKS

    engine.session("s", user="ana").record(
        [user("The code word is quince-9."), {"role": "assistant", "content": "Yes."}]
    )
    agent = create_agent(ScriptedModel(script=script), [recall_tool(engine, for_="langchain", user="ana")])
    done = agent.invoke({"messages": [user("Which?")]}, {"configurable": {"thread_id": "s"}})
    assert "quince-9" in done["messages"][-1].text
    assert "tangerine-42" not in done["messages"][-1].text
