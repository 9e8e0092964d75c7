"""OpenAI Agents SDK: an agent with a scripted model of its own."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engine.engine import Engine
from clew.errors import BudgetExceeded, UsageError
from clew.rules import check
from tests.provider_replies import Says, reply
from tests.provider_server import provider

pytest.importorskip("agents")

import openai
from agents import (
    Agent,
    HandoffInputData,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    SessionSettings,
    SQLiteSession,
    function_tool,
    handoff,
)
from agents.extensions.handoff_filters import remove_all_tools
from agents.run_config import CallModelData, ModelInputData

from clew.adapters.openai_agents import PackedSession
from tests.agent_loops.openai_agents import ScriptedModel, run_openai_agents
from tests.agent_loops.script import SHORT, SYSTEM, assert_all_went_well
from tests.effort import examples

pytestmark = pytest.mark.stores("memory")


def test_a_conversation_is_kept_and_its_instructions_stay(engine: Engine) -> None:
    seen: list[Any] = []

    def script(instructions: Any, input: Any) -> Says:
        seen.append((instructions, input))
        return Says(f"Answer {len(seen)}.")

    session = engine.session("s")
    memory = PackedSession(session)
    agent = Agent("keeper", instructions=SYSTEM, model=ScriptedModel(script))
    for text in ("Hello.", "More."):
        Runner.run_sync(agent, text, session=memory, run_config=memory.run_config)
    assert [one.text for one in session.reader.recent_messages(9)] == ["Hello.", "Answer 1.", "More.", "Answer 2."]
    assert seen[-1][0] == SYSTEM
    assert [item["role"] for item in seen[-1][1]] == ["user", "assistant", "user"]


def test_a_model_of_the_chat_api_goes_on_from_what_it_said_and_another_api_takes_over(engine: Engine) -> None:
    memory = PackedSession(engine.session("s"))
    with provider(lambda path, body: reply(path, Says("Fine."), stream=False)) as server:
        client = openai.AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)
        for kind in (OpenAIChatCompletionsModel, OpenAIChatCompletionsModel, OpenAIResponsesModel):
            agent = Agent("helper", model=kind("gpt-5", client))
            Runner.run_sync(agent, f"Ask {len(server.requests)}.", session=memory, run_config=memory.run_config)
    asked = [{"role": "user", "content": "Ask 0."}, {"role": "assistant", "content": "Fine."}]
    assert server.requests[1]["messages"] == [*asked, {"role": "user", "content": "Ask 1."}]
    said = [item for item in server.requests[2]["input"] if item["role"] == "assistant"]
    assert ["id" in item for item in said] == [False, False]


def test_runs_at_once_each_send_their_own_items(engine: Engine) -> None:
    seen: list[Any] = []

    def script(instructions: Any, input: Any) -> Says:
        seen.append([item["content"] for item in input if item["role"] == "user"])
        return Says("Fine.")

    async def run(text: str) -> None:
        memory = PackedSession(engine.session("s"))
        agent = Agent("keeper", model=ScriptedModel(script))
        await Runner.run(agent, text, session=memory, run_config=memory.run_config)

    async def talk() -> None:
        await run("first")
        await asyncio.gather(*(run(f"then {at}") for at in range(4)))

    asyncio.run(talk())
    assert sorted(seen) == [["first"], *(["first", f"then {at}"] for at in range(4))]


def test_items_are_read_added_and_taken_out(engine: Engine) -> None:
    session = engine.session("s")
    memory = PackedSession(session)
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "fine"}
    items = [{"role": "user", "content": "Hello."}, call, output]

    async def use() -> None:
        await memory.add_items(items)
        assert await memory.get_items() == items
        assert await memory.get_items(limit=1) == [output]
        assert await memory.pop_item() == output
        assert await memory.get_items() == items[:2]
        await memory.clear_session()
        assert await memory.get_items() == []
        assert await memory.pop_item() is None

    asyncio.run(use())
    assert session.recall("m1")[0].text.endswith("Hello.")


def _reply(number: int, text: str = "Done.") -> dict[str, Any]:
    text_piece = {"type": "output_text", "text": text, "annotations": []}
    return {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [text_piece],
    }


def _call(number: int) -> list[dict[str, Any]]:
    call = {"type": "function_call", "id": f"fc_{number}", "call_id": f"c{number}", "name": "look", "arguments": "{}"}
    thought = {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "sealed"}
    return [thought, call, {"type": "function_call_output", "call_id": f"c{number}", "output": "fine"}]


_ITEMS = st.one_of(
    st.sampled_from(["Yes.", "Go on."]).map(lambda text: [{"role": "user", "content": text}]),
    st.just([{"role": "assistant", "content": "Welcome!"}]),
    st.just([{"role": "developer", "content": "Be brief."}]),
    st.integers(0, 99).map(lambda number: [_reply(number)]),
    st.integers(0, 99).map(_call),
)
_OPERATIONS = st.one_of(
    st.tuples(st.just("add"), st.lists(_ITEMS, max_size=3).map(lambda some: [item for one in some for item in one])),
    st.tuples(st.just("pop"), st.integers(1, 4)),
    st.tuples(st.just("get"), st.integers(-1, 9)),
    st.tuples(st.just("clear"), st.none()),
)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(_OPERATIONS, max_size=7))
def test_the_session_does_what_that_of_the_sdk_does(operations: list[tuple[str, Any]]) -> None:
    async def use(memory: Any) -> list[Any]:
        seen = []
        for name, value in operations:
            if name == "add":
                await memory.add_items(value)
            elif name == "pop":
                seen.extend([await memory.pop_item() for _ in range(value)])
            elif name == "get":
                seen.append(await memory.get_items(value))
            else:
                await memory.clear_session()
            seen.append(await memory.get_items())
        return seen

    own = SQLiteSession("s")
    with clew.open(":memory:") as engine:
        assert asyncio.run(use(PackedSession(engine.session("s")))) == asyncio.run(use(own))
    own.close()


def test_a_limit_in_the_settings_of_the_session_holds(engine: Engine) -> None:
    memory = PackedSession(engine.session("s"))
    memory.session_settings = SessionSettings(limit=2)
    asyncio.run(memory.add_items([{"role": "user", "content": text} for text in "abc"]))
    assert [item["content"] for item in asyncio.run(memory.get_items())] == ["b", "c"]


def test_a_filter_of_the_callers_own_sees_the_pack(engine: Engine) -> None:
    seen: list[Any] = []

    def script(instructions: Any, input: Any) -> Says:
        seen.append((instructions, input))
        return Says("Fine.")

    def own(data: CallModelData[Any]) -> ModelInputData:
        return ModelInputData(input=data.model_data.input, instructions=f"{data.model_data.instructions} Always.")

    memory = PackedSession(engine.session("s"))
    config = memory.configure(RunConfig(call_model_input_filter=own))
    agent = Agent("keeper", instructions=SYSTEM, model=ScriptedModel(script))
    Runner.run_sync(agent, "Hello.", session=memory, run_config=config)
    Runner.run_sync(agent, "More.", session=memory, run_config=config)
    assert seen[-1][0] == f"{SYSTEM} Always."
    assert len(seen[-1][1]) == 3


def test_what_a_run_adds_is_recorded_once_with_and_without_its_filter(engine: Engine) -> None:
    memory = PackedSession(engine.session("s"))
    agent = Agent("keeper", model=ScriptedModel(lambda *_: Says("Fine.")))
    for config in (memory.run_config, None, memory.run_config):
        Runner.run_sync(agent, "Hello.", session=memory, run_config=config)
    roles = [item["role"] for item in asyncio.run(memory.get_items())]
    assert roles == ["user", "assistant"] * 3


def test_tools_and_handoffs_count_in_the_budget(engine: Engine) -> None:
    @function_tool(description_override="long words " * 3_000)
    def look(path: str) -> str:
        return path

    memory = PackedSession(engine.session("s"), budget=3_000)
    agent = Agent("keeper", model=ScriptedModel(lambda *_: Says("Fine.")), tools=[look], handoffs=[Agent("other")])
    with pytest.raises(BudgetExceeded):
        Runner.run_sync(agent, "Hello.", session=memory, run_config=memory.run_config)
    names = [tool.name for tool in engine.session("s").reader.history().tools]
    assert names == ["look", "transfer_to_other"]


def test_a_conversation_that_the_provider_keeps_is_refused(engine: Engine) -> None:
    memory = PackedSession(engine.session("s"))
    agent = Agent("keeper", model=ScriptedModel(lambda *_: Says("Fine.")))
    Runner.run_sync(agent, "Hello.", session=memory, run_config=memory.run_config)
    with pytest.raises(UsageError, match=r"does not go on from session s.*previous_response_id"):
        Runner.run_sync(agent, "More.", run_config=memory.run_config, previous_response_id="resp_1")
    assert len(asyncio.run(memory.get_items())) == 2


@function_tool
def look(path: str) -> str:
    return f"Nothing in {path}. " * 20


def two_agents(steps: list[Says], seen: list[Any], **options: Any) -> Agent[Any]:
    """An agent that may hand over to another. Both follow the same steps, and note what they are shown."""

    def script(name: str) -> Any:
        def answer(instructions: Any, input: Any) -> Says:
            seen.append((name, [{key: item[key] for key in item.keys() - {"id", "status"}} for item in input]))
            return steps.pop(0)

        return ScriptedModel(answer)

    second = Agent("second", model=script("second"), tools=[look])
    return Agent("first", model=script("first"), tools=[look], handoffs=[handoff(second, **options)])


def looks(number: int) -> Says:
    return Says(tool="look", arguments={"path": f"{number}.py"}, id=f"call_{number}")


def hands_over(number: int) -> Says:
    return Says(tool="transfer_to_second", arguments={}, id=f"call_{number}")


def last_item_only(data: HandoffInputData) -> HandoffInputData:
    given = data.input_history
    words = given[-1:] if isinstance(given, tuple) else given
    return data.clone(input_history=words, pre_handoff_items=(), new_items=())


@pytest.mark.parametrize("is_new_process", [False, True])
@pytest.mark.parametrize(
    ("options", "is_nested"),
    [({}, False), ({}, True), ({"input_filter": remove_all_tools}, False), ({"input_filter": last_item_only}, False)],
)
def test_what_a_handoff_hides_from_an_agent_stays_in_the_session(
    options: dict[str, Any], is_nested: bool, is_new_process: bool, engine: Engine
) -> None:
    def use(memories: list[Any], configure: Any) -> list[Any]:
        seen: list[Any] = []
        steps = [[looks(1), hands_over(2), looks(3), Says("Booked.")], [hands_over(4), looks(5), Says("Booked.")]]
        for memory, words in zip(memories, [*steps, [Says("Five.")]], strict=True):
            config = configure(memory, RunConfig(nest_handoff_history=is_nested))
            Runner.run_sync(two_agents(words, seen, **options), "Book me.", session=memory, run_config=config)
        return [*seen, asyncio.run(memories[-1].get_items())]

    own = SQLiteSession("s")
    packed = [PackedSession(engine.session("s")) for _ in range(3)]
    found = use(packed if is_new_process else packed[:1] * 3, PackedSession.configure)
    assert found == use([own] * 3, lambda memory, config: config)
    own.close()


def test_an_agent_that_is_shown_less_gets_packs_too(engine: Engine) -> None:
    started: list[Any] = []
    engine.on("compaction.complete", started.append)
    seen: list[Any] = []
    memory = PackedSession(engine.session("s"), budget=3_000)
    agent = two_agents(
        [looks(0), hands_over(99), *map(looks, range(1, 30)), Says("Done.")], seen, input_filter=last_item_only
    )
    Runner.run_sync(agent, "Look at all.", session=memory, run_config=memory.run_config, max_turns=50)
    inputs = [input for name, input in seen if name == "second"]
    assert not [found for input in inputs if (found := check({"input": input}, "openai-responses", final=True))]
    moved = [after for before, after in pairwise(inputs) if after[: len(before)] != before]
    assert len(moved) == len(started) > 0
    assert {one.data["session"] for one in started} == {"s.handoff"}
    assert len(asyncio.run(memory.get_items())) == 62


@pytest.mark.thorough
def test_many_steps_at_a_small_budget(engine: Engine) -> None:
    assert_all_went_well(run_openai_agents(engine, SHORT))
