"""Which session a run of a framework belongs to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.adapters.run_sessions import RunSessions
from clew.domain import Call
from clew.engine.engine import Engine
from clew.errors import UsageError

pytestmark = pytest.mark.stores("memory")


def sessions(choice: Any, user: Any = None) -> RunSessions:
    return RunSessions(choice, user=user, budget=None, id_name="thread_id", read=lambda one: [((b"",), one)])


def test_each_thread_has_a_session_of_its_own_in_an_engine(engine: Engine) -> None:
    found = sessions(engine)
    assert [found.conversation_of(None, name, []).session.id for name in ("alice", "bob", "alice")] == [
        "alice",
        "bob",
        "alice",
    ]
    assert found.conversation_of(None, "alice", []) is found.conversation_of(None, "alice", [])


def test_a_run_without_a_thread_is_refused_where_it_would_name_the_session(engine: Engine) -> None:
    with pytest.raises(UsageError, match="has no thread_id, so its session is not known; give session="):
        sessions(engine).conversation_of(None, None, [])


def test_a_fixed_session_is_never_shared_by_two_threads(engine: Engine) -> None:
    found = sessions(engine.session("s"))
    assert (
        found.conversation_of(None, None, []).session.id == found.conversation_of(None, "alice", []).session.id == "s"
    )
    with pytest.raises(UsageError, match="session s is bound to thread_id 'alice', but this run has 'bob'"):
        found.conversation_of(None, "bob", [])


def test_without_threads_a_list_that_shares_nothing_with_the_runs_before_is_refused(engine: Engine) -> None:
    hello, reply, more = clew.user("Hello."), clew.assistant("Hi."), clew.user("More.")
    engine.session("s").record([clew.user("Long ago.")])
    found = sessions(engine.session("s"))
    found.conversation_of(None, None, [hello]).pack([hello])
    found.conversation_of(None, None, [hello, reply, more]).pack([hello, reply, more])
    with pytest.raises(UsageError, match="the messages do not go on from session s, which an earlier run has filled"):
        found.conversation_of(None, None, [clew.user("I am Bob.")])


@pytest.mark.parametrize("thread", [None, "alice"])
def test_a_list_that_a_tool_begins_goes_beside_a_fixed_session(engine: Engine, thread: str | None) -> None:
    found, asking = sessions(engine.session("s")), [clew.user("Outer.")]
    outer = found.conversation_of(None, thread, asking).for_list(asking)
    outer.pack(asking)
    outer.reply(clew.assistant(Call(id="c1", name="ask", arguments={})))
    lists = [[clew.user("x")], [clew.user("y")]]
    inner = [found.conversation_of(None, thread, one).for_list(one) for one in lists]
    assert [one.session.id for one in inner] == ["s.side", "s.side.2"]
    packs = [one.pack(given) for one, given in zip(inner, lists, strict=True)]
    assert [[message.text for message in pack.content.as_messages()] for pack in packs] == [["x"], ["y"]]
    inner[0].reply(clew.assistant("X."))
    assert found.conversation_of(None, thread, [clew.user("z")]).for_list([clew.user("z")]) is inner[0]
    with pytest.raises(UsageError, match="bound to thread_id"):
        [found.conversation_of(None, name, [clew.user("z")]) for name in ("bob", "carol")]


@pytest.mark.parametrize("threads", [(None, None), ("alice", "bob"), ("alice", None)])
def test_a_first_run_without_answer_binds_nothing_and_its_question_leaves_the_prompt(
    threads: tuple[str | None, str | None], engine: Engine
) -> None:
    found = sessions(engine.session("s"))
    wrong, other, third = clew.user("Wrong."), clew.user("Another."), clew.user("I am Carol.")
    first = found.conversation_of(None, threads[0], [wrong])
    with suppress(TimeoutError), first.model_call() as call:
        first.pack([wrong], call=call)
        raise TimeoutError
    second = found.conversation_of(None, threads[1], [other])
    assert [one.text for one in second.pack([other]).content.as_messages()] == ["Another."]
    second.reply(clew.assistant("Fine."))
    with pytest.raises(UsageError):
        found.conversation_of(None, threads[1] and "carol", [third])


def test_a_run_that_waits_for_its_first_answer_has_the_session_for_itself(engine: Engine) -> None:
    found = sessions(engine.session("s"))
    found.conversation_of(None, "alice", [clew.user("Mine.")])
    with pytest.raises(UsageError, match="bound to thread_id 'alice'"):
        found.conversation_of(None, "bob", [clew.user("Yours.")])


def test_a_function_of_the_run_gives_a_session(engine: Engine) -> None:
    found = sessions(lambda run: engine.session(f"user-{run}"))
    assert [found.conversation_of(7, "a", []).session.id, found.conversation_of(8, "a", []).session.id] == [
        "user-7",
        "user-8",
    ]


def test_names_are_those_of_the_users_own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLEW_STORE", str(tmp_path / "own.db"))
    for choice in (None, lambda run: "alice", "alice"):
        sessions(choice).conversation_of(None, "alice", []).session.record([clew.user("Hello.")])
    with clew.open(tmp_path / "own.db") as own:
        assert [one.text for one in own.session("alice").reader.recent_messages(9)] == ["Hello."]


def test_an_asynchronous_engine_does_its_work_in_its_own_thread() -> None:
    async def use() -> list[str]:
        async with clew.open_async(":memory:") as engine:
            conversation = await asyncio.to_thread(sessions(engine).conversation_of, None, "alice", [])
            pack = await asyncio.to_thread(conversation.pack, [clew.user("Hello.")])
            return [message.text for message in pack.content.as_messages()]

    assert asyncio.run(use()) == ["Hello."]


def test_anything_else_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="session is a int; give a session, its name, an engine or a function"):
        sessions(3)


def test_a_thread_is_that_of_the_user_of_its_run(engine: Engine) -> None:
    found = sessions(engine, user=lambda run: run)
    keys = [found.conversation_of(who, "talk", []).session.key.user for who in ("ana", "ben", None, "ana")]
    assert keys == ["ana", "ben", "default", "ana"]
    assert found.conversation_of("ana", "talk", []) is not found.conversation_of("ben", "talk", [])
    assert sessions(engine, user="ana").conversation_of(None, "talk", []).session.key.user == "ana"


def test_whose_a_session_is_is_said_in_one_place(engine: Engine) -> None:
    with pytest.raises(UsageError, match="a session says already whose it is"):
        sessions(engine.session("s"), user="ana")
    with pytest.raises(UsageError, match="one session is of one user"):
        sessions("s", user=lambda run: run)
    with pytest.raises(UsageError, match="a session says already whose it is"):
        sessions(lambda run: engine.session("s"), user="ana").conversation_of(None, "talk", [])
