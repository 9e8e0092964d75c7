"""Google ADK: an agent with a scripted model of its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from clew.domain import Origin, Role
from clew.engine.engine import Engine
from clew.engine.session_branches import named_branch
from tests.provider_replies import Says

pytest.importorskip("google.adk")

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import LlmResponse
from google.genai import types

from clew.adapters.google_adk import PackedContents
from tests.agent_loops.google_adk import ScriptedModel, new_session, run_google_adk, runner_of, talk
from tests.agent_loops.script import SHORT, SYSTEM, assert_all_went_well

pytestmark = pytest.mark.stores("memory")


class Conversations:
    """An agent whose model follows a script, and what the model was sent."""

    def __init__(self, *plugins: Any, script: Any = lambda request: Says("Fine."), **options: Any) -> None:
        self.seen: list[Any] = []

        self._script = script
        agent = LlmAgent(name="first", model=ScriptedModel(script=self.answer), **options)
        self._runner = runner_of(agent, *plugins)

    def answer(self, request: Any) -> Any:
        self.seen.append(request.contents)
        return self._script(request)

    def say(self, *words: Any, user: str = "u", id: str = "s", **how: Any) -> list[str]:
        """Says something in a session of ADK, and returns the texts that the model was sent for the last of it."""

        async def work() -> None:
            session = await new_session(self._runner, user, id)
            for text in words:
                await talk(self._runner, session, text, **how)

        asyncio.run(work())
        return [part.text for content in self.seen[-1] for part in content.parts]


def said(engine: Engine, id: str) -> list[str]:
    return [one.text for one in engine.session(id).reader.recent_messages(9)]


def test_instructions_stay_and_what_is_said_is_recorded(engine: Engine) -> None:
    instructions: list[Any] = []

    def script(request: Any) -> Says:
        instructions.append(request.config.system_instruction)
        return Says("Fine.")

    talks = Conversations(PackedContents(engine.session("s")), script=script, instruction=SYSTEM)
    assert talks.say("Hello.", "More.") == ["Hello.", "Fine.", "More."]
    assert said(engine, "s") == ["Hello.", "Fine.", "More.", "Fine."]
    assert instructions[-1].startswith(SYSTEM)


def test_each_session_of_each_user_is_a_conversation_of_its_own(engine: Engine) -> None:
    talks = Conversations(PackedContents(engine))
    assert talks.say("My number is 4111.", user="alice") == ["My number is 4111."]
    assert talks.say("Hello!", user="bob") == ["Hello!"]
    assert talks.say("Other.", user="bob", id="t") == ["Other."]
    assert said(engine, "app:bob:s") == ["Hello!", "Fine."]


def test_a_fixed_session_refuses_a_second_one_and_a_function_names_it(engine: Engine) -> None:
    talks = Conversations(PackedContents(engine.session("s")))
    talks.say("Hello.")
    with pytest.raises(RuntimeError, match="session s is bound to session 'app:u:s', but this run has 'app:u:t'"):
        talks.say("Hello.", id="t")
    Conversations(PackedContents(lambda context: engine.session(context.user_id))).say("Hello.", user="carol")
    assert said(engine, "carol") == ["Hello.", "Fine."]


@pytest.mark.parametrize("failure", [TimeoutError("overloaded"), LlmResponse(error_code="SAFETY")])
def test_after_a_first_run_without_an_answer_another_session_may_come(failure: Any, engine: Engine) -> None:
    failures = [failure]

    def script(request: Any) -> Any:
        found = failures.pop() if failures else None
        if isinstance(found, Exception):
            raise found
        return [found] if found else Says("Fine.")

    talks = Conversations(PackedContents(engine.session("s")), script=script)
    with suppress(TimeoutError):
        talks.say("Wrong.")
    assert talks.say("Another.", id="t") == ["Another."]


def test_a_stream_is_recorded_once_when_it_is_whole(engine: Engine) -> None:
    def piece(text: str, *, partial: bool) -> LlmResponse:
        return LlmResponse(content=types.ModelContent(text), partial=partial)

    pieces = [piece("On", partial=True), piece("e.", partial=True), piece("One.", partial=False)]
    talks = Conversations(PackedContents(engine.session("s")), script=lambda request: pieces)
    talks.say("Count.", run_config=RunConfig(streaming_mode=StreamingMode.SSE))
    assert said(engine, "s") == ["Count.", "One."]


def test_what_was_given_is_sent_as_it_is(engine: Engine) -> None:
    talks = Conversations(PackedContents(engine.session("s")))
    picture = types.Part(inline_data=types.Blob(mime_type="image/png", data=bytes(range(250))))
    given = types.Content(role="user", parts=[types.Part(text="Look."), picture])
    talks.say(given)
    assert talks.seen == [[given]]


@pytest.mark.parametrize("history", ["default", "none"])
def test_agents_below_the_root_are_shown_what_adk_shows_them(history: Any, engine: Engine) -> None:
    def use(*plugins: Any) -> list[Any]:
        steps = iter(["second", "", "", "first", ""])

        def script(request: Any) -> Says:
            to = next(steps)
            return Says(tool="transfer_to_agent", arguments={"agent_name": to}, id=to) if to else Says("Obey me.")

        second = LlmAgent(name="second", include_contents=history)  # it has the model of the first
        talks = Conversations(*plugins, script=script, sub_agents=[second])
        talks.say("Hello.", "More.", "Back.")
        return [[one.model_dump() for one in contents] for contents in talks.seen]

    assert use(PackedContents(engine)) == use()
    session = engine.session("app:u:s")
    told = [one for one in session.messages() if one.role is Role.USER and "Obey me." in one.text]
    assert {one.origin for one in told} == {Origin.CLIENT}
    below = [one.text for one in named_branch(session, "second").reader.recent_messages(9)]
    assert below[:1] == ["Hello."] * (history == "default")


def test_many_steps_at_a_small_budget(engine: Engine) -> None:
    assert_all_went_well(run_google_adk(engine, SHORT))
