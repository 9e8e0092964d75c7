"""Every step of a turn, by what the model is sent and what is there afterwards: profile, knowledge, the four outputs,
tools, story; and that streaming changes nothing of it.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

import clew
from clew.engine.conversation.answer import Answer
from clew.engine.session import Session
from clew.errors import ModelCancelled, ModelOverflow
from clew.ports import Cancel
from tests.model_server import PATIENCE_SECONDS, serving
from tests.provider_replies import Says
from tests.scripted_turns import engine_with, outputs, saying, session_with, texts

MODEL = "local/qwen"
STREAMS = pytest.mark.parametrize("streams", [False, True])


def ask(session: Session, query: str, *, streams: bool, **options: Any) -> Answer:
    if streams:
        return session.ask_stream(query, model=MODEL, **options).read()
    return session.ask(query, model=MODEL, **options)


def test_the_profile_of_the_user_comes_along_and_nobody_elses() -> None:
    with saying(Says("ok"), Says("ok")) as served:
        engine = engine_with(served.url)
        engine.profile(user="ana").set("Answer in French.", kind="instruction")
        engine.profile(user="ben").set("Answer in Welsh.", kind="instruction")
        for user in ("ana", "ben"):
            engine.session("s", user=user).ask("hello there", model=MODEL)
        ana, ben = map(str, served.requests)
    assert ("French" in ana, "Welsh" in ana) == (True, False)
    assert ("French" in ben, "Welsh" in ben) == (False, True)


def test_knowledge_is_chosen_by_the_question() -> None:
    modules = [
        clew.Module(id="keys", name="Keys", content="Rotate the signing keys every ninety days with `keyctl rotate`."),
        clew.Module(id="ferries", name="Ferries", content="The ferry to Skagen leaves at noon from pier four."),
        clew.Module(id="house", name="House rules", content="Be kind to the interns.", usage_scope="system"),
    ]
    with saying(Says("ok"), Says("ok")) as served:
        engine = engine_with(served.url)
        engine.knowledge.add(*modules)
        engine.session("one").ask("how often are the signing keys rotated?", model=MODEL)
        engine.session("two").ask("when does the ferry to Skagen leave?", model=MODEL)
        keys, ferries = served.requests
    assert ("keyctl rotate" in str(keys), "pier four" in str(keys)) == (True, False)
    assert ("keyctl rotate" in str(ferries), "pier four" in str(ferries)) == (False, True)
    assert "Be kind to the interns." in str([one for one in keys["messages"] if one["role"] == "system"])


@STREAMS
def test_what_was_said_is_in_story_and_profile_afterwards(streams: bool) -> None:
    with saying(Says("Noted."), Says("hi")) as served:
        engine = engine_with(served.url)
        session = engine.session("s", user="ana")
        ask(session, "I live in Porto. Please fix the leak in tank.py.", streams=streams)
        assert "tank.py" in str(session.story())
        assert [item.text for item in engine.profile(user="ana").show()] == ["I live in Porto."]
        ask(engine.session("later", user="ana"), "hello", streams=streams)
        assert "I live in Porto." in str(served.requests[-1])


NOTES = """Fixed.
<clew-housekeeping>
{"model": {"response_header": "Tank sealed", "context_summary": "The seal of the tank is renewed.",
           "key_decisions": ["Use two gaskets"]}, "user": {"understood_intent": "The tank must hold"}}
</clew-housekeeping>"""


@STREAMS
def test_notes_of_the_model_make_header_and_summary(streams: bool) -> None:
    with saying(Says(NOTES)) as served:
        session = session_with(served.url)
        answer = ask(session, "fix the tank", streams=streams)
    assert answer.text.strip() == "Fixed."
    [trio] = session.reader.digests().trios()
    assert "Tank sealed" in trio.header.line
    assert "The seal of the tank is renewed." in trio.summary.text


@STREAMS
@pytest.mark.parametrize(
    "block",
    [
        "<clew-housekeeping>\n{not json}\n</clew-housekeeping>",
        '<clew-request>\n{"conversation_ids": ["nothing like an id"], "format": "loud"}\n</clew-request>',
        '<clew-housekeeping>\n{"model": {"response_header": 7}}\n</clew-housekeeping>',
    ],
)
def test_blocks_that_are_garbage_are_taken_out_and_told(block: str, streams: bool) -> None:
    with saying(Says(f"Here it is.\n{block}")) as served:
        session = session_with(served.url)
        answer = ask(session, "go", streams=streams)
    assert (answer.text.strip(), len(answer.replies)) == ("Here it is.", 1)
    assert [finding.message != "" for finding in answer.replies[0].findings] == [True]


def test_a_request_for_earlier_parts_is_answered_within_the_quota() -> None:
    wanted = '<clew-request>\n{"conversation_ids": ["x1", "x2", "x3", "x4"], "format": "full"}\n</clew-request>'
    with saying(Says(wanted), Says("ok")) as served:
        session = session_with(served.url)
        for at in range(1, 21):
            session.record([clew.user(f"what is thing {at}?"), clew.assistant(f"well{at} " * 400 + f"END{at}.")])
        session.ask("which one?", model=MODEL, budget=8_000)
        first, second = (str(request["messages"]) for request in served.requests)
    quota = session.config.packing.retrieval_quota
    assert session.reader.count(second) - session.reader.count(first) <= quota * 1.1
    assert "well1 well1" in second


def test_requests_that_never_end_come_to_an_end() -> None:
    wanted = Says('<clew-request>\n{"conversation_ids": ["x1"], "format": "full"}\n</clew-request>')
    with saying(*[wanted] * 3) as served:
        session = session_with(served.url)
        answer = session.ask("go", model=MODEL, rounds=3)
    assert (answer.end, answer.text, len(answer.replies)) == ("rounds", "", 3)


@STREAMS
def test_several_calls_of_one_reply_are_all_run_also_when_one_fails(streams: bool) -> None:
    def double(n: int) -> int:
        """Doubles a number."""
        if n == 2:
            raise ZeroDivisionError("two is forbidden")
        return 2 * n

    calls = tuple(Says(tool="double", arguments={"n": n}, id=f"c{n}") for n in (1, 2, 3))
    with saying(calls, Says("2 and 6")) as served:
        session = session_with(served.url)
        answer = ask(session, "double them", streams=streams, tools=[double])
        sent = served.requests[-1]["messages"]
    assert [(done.call.id, done.status) for done in answer.tools] == [
        ("c1", "success"), ("c2", "failed"), ("c3", "success"),
    ]  # fmt: skip
    assert outputs(session) == ["2", "ZeroDivisionError: two is forbidden", "6"]
    assert [one["tool_call_id"] for one in sent if one["role"] == "tool"] == ["c1", "c2", "c3"]
    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (20, 10)


def test_streaming_changes_nothing_of_the_answer_and_of_what_is_recorded() -> None:
    def look(path: str) -> str:
        return f"{path} is empty"

    said: list[Says | tuple[Says, ...]] = [Says(tool="look", arguments={"path": "a.py"}, id="c1"), Says(NOTES)]
    done = []
    for streams in (False, True):
        with saying(*said) as served:
            session = session_with(served.url)
            answer = ask(session, "look", streams=streams, tools=[look])
            done.append((answer, texts(session), str(session.story()), served.requests[-1]["messages"]))
    assert done[0] == done[1]


@STREAMS
def test_a_turn_is_cancelled_in_the_middle_and_the_question_stays(streams: bool) -> None:
    def call_off() -> None:
        server.arrived.wait(PATIENCE_SECONDS)
        cancel.cancel()

    with serving() as server:
        server.then(server.hangs)
        session, cancel = session_with(server.url), Cancel()
        threading.Thread(target=call_off).start()
        with pytest.raises(ModelCancelled):
            ask(session, "are you there?", streams=streams, cancel=cancel)
        assert server.left.wait(PATIENCE_SECONDS)
    assert texts(session) == ["are you there?"]


TOO_LONG = (400, {"error": {"message": "the request exceeds the available context size, try increasing it"}})


@STREAMS
def test_a_request_that_is_too_long_for_an_unknown_window_is_compacted_and_sent_once_more(streams: bool) -> None:
    with saying(TOO_LONG, Says("short"), TOO_LONG, TOO_LONG) as served:
        session = session_with(served.url)
        for at in range(12):
            session.record([clew.user(f"tell me of {at}"), clew.assistant(f"word{at} " * 800)])
        assert ask(session, "and now?", streams=streams).text == "short"
        first, second = (session.reader.count(str(request["messages"])) for request in served.requests)
        assert second < first / 2
        with pytest.raises(ModelOverflow):
            ask(session, "and again?", streams=streams)
    assert texts(session)[-3:] == ["and now?", "short", "and again?"]
