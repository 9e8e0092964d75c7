"""A real language model behind the port: llama.cpp serves it, and Clew asks over HTTP as it asks any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Thread
from typing import Any

import openai
import orjson
import pytest

import clew
from clew import rules
from clew.cancellation import Cancel
from clew.config import CompactionConfig, Config
from clew.errors import ModelCancelled, ModelOverflow, ModelTimeout, SpendLimitReached
from clew.models import model_for
from clew.ports import Model, ModelRequest
from clew.tokens import window_for
from tests.builders import says, user
from tests.gateway_server import gateway
from tests.journeys.local_model import LocalModel, is_installed, running

pytestmark = pytest.mark.skipif(not is_installed(), reason="needs a model: make local-llm")

NEWS = (
    "The night watch at the lighthouse saw a fishing boat run onto the rocks near the harbour. Two sailors were "
    "brought ashore by the rescue crew before dawn. The boat sank in the morning, and the harbour master has closed "
    "the northern entrance until the wreck is lifted next week."
)
SUMMARY = ModelRequest("You write summaries.", f"Summarise this text in one sentence:\n\n{NEWS}", 60)
LONG_TOKENS = 1_500
LONG = ModelRequest("", "Tell me a very long story, and then another one.", LONG_TOKENS)
SHORT = ModelRequest("", "Say hello.", 8)
PATIENCE_SECONDS = 300.0
#: For an answer that the session can do without.
_PATIENCE_SECONDS = 60.0


@pytest.fixture(scope="module")
def local() -> Iterator[LocalModel]:
    with running() as model:
        yield model


@pytest.fixture
def model(local: LocalModel) -> Model:
    return model_for("local/smollm2", local.settings())


def test_it_writes_a_summary(model: Model) -> None:
    said = model.ask(SUMMARY, seconds=PATIENCE_SECONDS)
    assert {"lighthouse", "harbour", "sailors", "boat", "wreck", "rocks"} & set(said.text.lower().split())
    assert len(said.text) < len(NEWS)
    assert (said.stop in ("end", "length"), said.calls) == (True, ())
    assert said.usage is not None
    assert said.usage.input_tokens > 50
    assert 0 < said.usage.output_tokens <= SUMMARY.max_tokens


def test_an_answer_that_reaches_its_limit_says_so(model: Model) -> None:
    said = model.ask(ModelRequest("", LONG.user, 5), seconds=PATIENCE_SECONDS)
    assert said.usage is not None
    assert (said.stop, said.usage.output_tokens) == ("length", 5)


def test_an_answer_is_cancelled_half_way_and_the_server_stops_working_on_it(local: LocalModel, model: Model) -> None:
    cancel, before = Cancel(), local.tokens_written()

    def cancel_half_way() -> None:
        while not local.is_writing():
            pass
        cancel.cancel()

    Thread(target=cancel_half_way, daemon=True).start()
    with pytest.raises(ModelCancelled):
        model.ask(LONG, seconds=PATIENCE_SECONDS, cancel=cancel)
    assert model.ask(SHORT, seconds=PATIENCE_SECONDS).text
    assert 0 < local.tokens_written() - before < LONG_TOKENS


def test_a_deadline_ends_an_answer_half_way(local: LocalModel, model: Model) -> None:
    before = local.tokens_written()
    with pytest.raises(ModelTimeout, match=r"gave no answer within 0\.5 seconds"):
        model.ask(LONG, seconds=0.5)
    assert model.ask(SHORT, seconds=PATIENCE_SECONDS).text
    assert local.tokens_written() - before < LONG_TOKENS


def test_a_question_larger_than_its_window_is_an_overflow_that_tells_the_window(
    local: LocalModel, model: Model
) -> None:
    with pytest.raises(ModelOverflow, match="exceeds the available context size") as raised:
        model.ask(ModelRequest("", f"{NEWS}\n" * 50, 60), seconds=PATIENCE_SECONDS)
    assert raised.value.window == local.window == window_for(model.name, local.settings())


def test_an_engine_asks_it_and_counts_what_it_cost(local: LocalModel) -> None:
    with clew.open(":memory:", config=Config(models=local.settings(calls_per_session=1))) as engine:
        watched = engine.services.models.for_session(engine.key("s"))
        assert watched is not None
        said = watched.ask(SHORT, seconds=PATIENCE_SECONDS)
        assert said.usage is not None
        spent = engine.store.values("default", "default", "spending")["session s"]
        assert orjson.loads(spent) == [1, said.usage.input_tokens + said.usage.output_tokens]
        with pytest.raises(SpendLimitReached):
            watched.ask(SHORT, seconds=PATIENCE_SECONDS)


def test_a_session_is_compacted_with_its_help_and_goes_on_whatever_it_says() -> None:
    """The model is weak: its answer may be refused by the checks, and then the session is told without it."""
    told: list[str] = []
    with running(window=4_096) as larger, clew.open(":memory:", config=_config(larger)) as engine:
        engine.on("*", lambda event: told.append(event.name))
        session = engine.session("s", model="gpt-5")
        session.record([user("Please tell me the news of every day, one after the other.")])
        for day in range(8):
            session.record([says(f"Day {day}: {NEWS}"), user(f"And day {day + 1}?")])
        before = session.messages()
        done = session.compact("summarize", budget=450, keep_recent=1)
        assert session.messages() == before
        assert done.saved_tokens > 0
        assert done.rung in ("full", "simple") or "compaction.degraded" in told
        assert larger.tokens_written() > 0 or "compaction.degraded" in told
        assert told[-1] == "compaction.complete"
        pack = session.pack("Where is the wreck?", record=False, target="openai-chat")
        assert rules.check(pack.request("openai-chat"), "openai-chat") == []


def _config(local: LocalModel) -> Config:
    settings = local.settings(timeout_seconds=_PATIENCE_SECONDS, calls_per_session=1)
    return replace(Config(), compaction=replace(CompactionConfig(), auto=False), models=settings)


def test_a_conversation_through_the_gateway_outgrows_its_budget_and_goes_on(local: LocalModel) -> None:
    talk: list[dict[str, Any]] = []
    epochs: list[int] = []
    with clew.open(":memory:", settings={"gateway.max_tokens": 700}) as engine, gateway(engine, local.url) as url:
        client = openai.OpenAI(api_key="none", base_url=f"{url}/v1", timeout=PATIENCE_SECONDS, max_retries=0)
        for turn in range(8):
            talk.append({"role": "user", "content": f"Part {turn}. {NEWS} Say one word about it."})
            about: Any = {"model": "smollm2", "max_tokens": 8, "messages": talk}
            headers = {"x-clew-session": "s"}
            if turn % 2:
                raw = client.chat.completions.with_raw_response.create(stream=True, extra_headers=headers, **about)
                said = "".join(one.choices[0].delta.content or "" for one in raw.parse() if one.choices)
            else:
                raw = client.chat.completions.with_raw_response.create(extra_headers=headers, **about)
                said = raw.parse().choices[0].message.content or ""
            epochs.append(int(raw.headers["x-clew-epoch"]))
            talk.append({"role": "assistant", "content": said})
        kept = [one.text for one in engine.find("s").messages()]
    assert kept == [one["content"] for one in talk]
    assert all(kept)
    assert epochs == sorted(epochs)
    assert len(set(epochs)) >= 2
