"""A whole turn with a model behind a real server: its replies, its tools, what it asks to read, and what goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.config import ModelsConfig
from clew.errors import (
    BudgetExceeded,
    ModelBadAnswer,
    ModelCancelled,
    ModelRejected,
    ModelUnavailable,
    SpendLimitReached,
    UsageError,
)
from clew.models import model_for
from clew.ports import Cancel, ChatModel
from tests.provider_replies import Says, reply
from tests.provider_server import provider
from tests.scripted_turns import saying, session_with, texts

MODELS = ["anthropic/claude-sonnet-5", "local/qwen", "gemini/gemini-3-pro"]
KEYS = {"ANTHROPIC_API_KEY": "k" * 20, "GEMINI_API_KEY": "k" * 20}


def chat_model(name: str, url: str) -> ChatModel:
    made = model_for(name, ModelsConfig(base_url=url, max_retries=0), env=KEYS)
    assert isinstance(made, ChatModel)
    return made


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_every_provider_answers_and_all_is_recorded(name: str, streams: bool) -> None:
    with saying(Says("It is 5.")) as served:
        session = session_with(served.url)
        if streams:
            stream = session.ask_stream("what is 2+3?", model=chat_model(name, served.url))
            assert "".join(stream) == "It is 5."
            answer = stream.answer
        else:
            answer = session.ask("what is 2+3?", model=chat_model(name, served.url))
    assert (answer.text, str(answer), answer.end, answer.calls) == ("It is 5.", "It is 5.", "answered", ())
    assert texts(session) == ["what is 2+3?", "It is 5."]
    assert session.messages()[-1].usage is not None


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_tools_are_offered_and_run_until_the_model_has_answered(name: str, streams: bool) -> None:
    with saying(Says(tool="add", arguments={"a": 2, "b": 3}, id="c1"), Says("5")) as served:
        session = session_with(served.url)
        model, tools = chat_model(name, served.url), {"add": add}
        stream = session.ask_stream("2+3?", model=model, tools=tools)
        answer = stream.read() if streams else session.ask("2+3?", model=model, tools=tools)
        first, second = map(str, served.requests)
    assert (answer.text, len(answer.replies)) == ("5", 2)
    assert [(done.call.name, done.status) for done in answer.tools] == [("add", "success")]
    assert "Adds two numbers." in first
    assert [part.text for message in session.messages() for part in message.outputs] == ["5"]
    assert "2+3?" in second


def test_a_tool_that_fails_and_one_that_nobody_gave_are_told_to_the_model() -> None:
    def fail() -> None:
        raise ValueError("the disk is gone")

    with saying(Says(tool="fail", id="c1"), Says(tool="other", id="c2"), Says("sorry")) as served:
        session = session_with(served.url)
        answer = session.ask("go", model="local/qwen", tools={"fail": fail})
        last = str(served.requests[-1])
    assert [done.status for done in answer.tools] == ["failed", "failed"]
    assert "ValueError: the disk is gone" in last
    assert "no tool other; there are fail" in last


def test_calls_are_the_callers_where_no_tools_are_given_and_rounds_come_to_an_end() -> None:
    called = Says(tool="add", arguments={"a": 1, "b": 1}, id="c1")
    with saying(called, called, replace(called, id="c2")) as served:
        left = session_with(served.url).ask("1+1?", model="local/qwen")
        ended = session_with(served.url).ask("1+1?", model="local/qwen", tools={"add": add}, rounds=2)
    assert (left.end, [call.name for call in left.calls], left.tools) == ("calls", ["add"], ())
    assert (ended.end, len(ended.tools)) == ("rounds", 2)


@pytest.mark.parametrize("streams", [False, True])
def test_notes_are_taken_out_and_what_the_model_asks_to_read_comes_with_the_next_request(streams: bool) -> None:
    asks = '<clew-request>\n{"conversation_ids": ["x2"], "format": "full"}\n</clew-request>'
    notes = 'Blue.\n<clew-housekeeping>\n{"model": {"response_header": "The colour is blue"}}\n</clew-housekeeping>'
    with saying(Says(asks), Says(notes)) as served:
        session = session_with(served.url)
        for at in range(20):
            session.record([clew.user(f"what is thing {at}?"), clew.assistant(f"well{at} " * 300 + f"END{at}.")])
        made = session.ask_stream("which colour?", model="local/qwen", budget=6_000)
        answer = made.read() if streams else session.ask("which colour?", model="local/qwen", budget=6_000)
        first, second = served.requests
    assert (answer.text.strip(), len(answer.replies)) == ("Blue.", 2)
    assert answer.replies[-1].housekeeping is not None
    assert "<clew-housekeeping>" in first["messages"][0]["content"]
    assert "END1." not in str(first["messages"])
    assert "END1." in str(second["messages"])
    assert session.reader.digests().trios()[-1].header.line == "which colour? → The colour is blue"


@pytest.mark.parametrize("streams", [False, True])
def test_an_error_of_the_model_loses_nothing(streams: bool) -> None:
    refusal = (400, {"error": {"message": "no such model"}})
    with saying(refusal, Says("here I am")) as served:
        session = session_with(served.url)
        with pytest.raises(ModelRejected, match="no such model"):
            session.ask_stream("are you there?", model="local/qwen").read() if streams else session.ask(
                "are you there?", model="local/qwen"
            )
        assert texts(session) == ["are you there?"]
        assert session.ask("are you there?", model="local/qwen").text == "here I am"
        assert str(served.requests[-1]).count("are you there?") == 1
    assert texts(session) == ["are you there?", "here I am"]


def test_a_stream_that_breaks_off_is_recorded_as_far_as_it_came() -> None:
    def chunk(text: str) -> dict[str, Any]:
        return {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}

    broken: Sequence[dict[str, Any]] = [chunk("half an "), chunk("answer"), {"error": {"message": "gone", "code": 503}}]
    with saying(list(broken)) as served:
        session = session_with(served.url)
        stream = session.ask_stream("go", model="local/qwen")
        with pytest.raises(ModelUnavailable, match="gone"):
            stream.read()
    assert texts(session) == ["go", "half an answer"]
    assert session.messages()[-1].interrupted


def test_closing_a_stream_ends_the_reply_and_keeps_what_came() -> None:
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": word}}]}
        for word in ("one ", "two ", "three")
    ]
    with saying(chunks) as served:
        session = session_with(served.url)
        with session.ask_stream("count", model="local/qwen") as stream:
            assert next(stream) == "one"
        with pytest.raises(clew.ClewError, match="no whole answer"):
            _ = stream.answer
    assert texts(session) == ["count", "one "]
    assert session.messages()[-1].interrupted


def test_a_request_that_is_too_long_is_packed_anew_for_the_window_that_the_server_tells() -> None:
    overflow = (400, {"error": {"message": "maximum context length is 4000 tokens", "code": "context_length_exceeded"}})
    with saying(overflow, Says("short")) as served:
        session = session_with(served.url)
        session.record([clew.user("word " * 3_000), clew.assistant("word " * 3_000)] * 3)
        assert session.ask("and now?", model="local/qwen").text == "short"
        first, second = (len(str(request["messages"])) for request in served.requests)
    assert second < first


def test_an_answer_that_is_no_reply_is_the_models_fault() -> None:
    with saying({"id": "c", "object": "chat.completion", "choices": []}) as served:
        session = session_with(served.url)
        with pytest.raises(ModelBadAnswer, match="answered what is no reply"):
            session.ask("hello", model="local/qwen")
    assert texts(session) == ["hello"]


def test_questions_that_nobody_answered_are_one_for_a_model_that_wants_turns() -> None:
    broken = (400, {"error": {"message": "the model could not be loaded"}})
    strict = (400, {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant/..."}})
    with saying(Says("hi"), broken, strict, Says("because")) as served:
        session = session_with(served.url)
        session.ask("hello", model="local/qwen")
        with pytest.raises(ModelRejected, match="could not be loaded"):
            session.ask("Why?", model="local/qwen")
        assert session.ask("And when?", model="local/qwen").text == "because"
        sent = [(one["role"], one["content"]) for one in served.requests[-1]["messages"] if one["role"] != "system"]
    assert sent == [("user", "hello"), ("assistant", "hi"), ("user", "Why?\n\nAnd when?")]
    assert texts(session) == ["hello", "hi", "Why?", "And when?", "because"]


def test_budget_spending_and_cancelling_have_errors_of_their_own() -> None:
    cancel = Cancel()
    cancel.cancel()
    with saying(Says("never"), Says("never")) as served:
        session = session_with(served.url, tokens_per_session=10)
        with pytest.raises(BudgetExceeded):
            session.ask("word " * 500, model="local/qwen", budget=20)
        with pytest.raises(SpendLimitReached):
            session.ask("hello", model="local/qwen")
        with pytest.raises(ModelCancelled):
            session.ask("hello", model="local/qwen", cancel=cancel)
        assert not served.requests


@pytest.mark.parametrize("streams", [False, True])
def test_what_was_used_is_counted_as_the_provider_says(streams: bool) -> None:
    with saying(*[Says("ok")] * 3) as served:
        session = session_with(served.url, tokens_per_session=20_000)
        for word in ("a", "b", "c"):  # 8,000 set aside for each answer would let only two pass
            made = session.ask_stream(word, model="local/qwen")
            assert (made.read() if streams else session.ask(word, model="local/qwen")).text == "ok"


@pytest.mark.parametrize("streams", [False, True])
def test_an_empty_question_is_refused_before_anything_is_recorded(streams: bool) -> None:
    with saying(Says("Yes?")) as served:
        session = session_with(served.url)
        with pytest.raises(UsageError, match="the question is empty"):
            (session.ask_stream if streams else session.ask)("  ", model=chat_model(MODELS[0], served.url))
        assert session.info.messages == 0


def test_what_a_callers_own_model_raises_is_a_model_error() -> None:
    with saying(Says("Yes?")) as served:
        session, broken = session_with(served.url), chat_model(MODELS[0], served.url)

        class Broken:
            name, format, usage = broken.name, broken.format, staticmethod(broken.usage)
            stream = staticmethod(broken.stream)

            def respond(self, *_: object, **__: object) -> Any:
                raise RuntimeError("the cable is cut")

        with pytest.raises(ModelUnavailable, match="failed: RuntimeError: the cable is cut"):
            session.ask("Is it there?", model=Broken())


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("said", [Says("here I am"), None])
def test_a_question_stays_whatever_others_say_and_ask_while_its_model_works(
    tmp_path: Path, said: Says | None, streams: bool
) -> None:
    def answer(path: str, body: dict[str, Any]) -> Any:
        with clew.open(tmp_path / "store") as others:
            beside = others.session("s")
            beside.record([clew.user("an aside"), clew.assistant("well"), clew.user("another")])
            beside.pack("a question of others", budget=9_000)
        return reply(path, said, stream=streams) if said else (400, {"error": {"message": "no such model"}})

    with provider(answer) as served, clew.open(tmp_path / "store") as engine:
        session, model = engine.session("s"), chat_model("local/qwen", served.url)
        with nullcontext() if said else pytest.raises(ModelRejected):
            stream = session.turn("are you there?", model=model, streams=streams)
            assert stream.read().text == "here I am"
        assert texts(session) == ["an aside", "well", "another", "are you there?", *(["here I am"] if said else [])]
