"""A caller's list, kept in a session: what is sent is what the caller has now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

import clew
from clew.adapters.conversation import Conversation
from clew.engine.engine import Engine

pytestmark = pytest.mark.stores("memory")


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def conversation(engine: Engine, messages: list[dict[str, Any]]) -> Conversation:
    """A session that has these messages."""
    session = engine.session("s")
    session.record(messages, format="openai-chat")
    return Conversation(session, format="openai-chat", budget=20_000)


def sent(found: Conversation, messages: list[dict[str, Any]]) -> list[str]:
    return [one["content"] for one in found.pack(messages).request()["messages"]]


TALK = [
    said("user", "My password is hunter2."),
    said("assistant", "Noted."),
    said("user", "What time is it?"),
    said("assistant", "Noon."),
]
NEXT = said("user", "And now?")


def test_a_message_edited_in_the_middle_is_sent_as_the_caller_has_it(engine: Engine) -> None:
    found = conversation(engine, TALK)
    redacted = [said("user", "My password is [removed]."), *TALK[1:], NEXT]
    assert sent(found, redacted) == [one["content"] for one in redacted]
    assert "hunter2" in found.session.recall("m1@1")[0].text
    assert "[removed]" in found.session.recall("m1")[0].text
    assert len(found.session.messages()) == 6


def test_what_was_redacted_is_in_no_snapshot(engine: Engine) -> None:
    filler = [
        said(role, f"{role} says {at} " + "words and more " * 150) for at in range(12) for role in ("user", "assistant")
    ]
    found = conversation(engine, [*TALK, *filler])
    found.budget = 6_000
    before = str(found.pack([*TALK, *filler, NEXT]).request())
    redacted = [said("user", "My password is [removed]."), *TALK[1:], *filler, NEXT]
    after = found.pack(redacted).request()
    assert "hunter2" in before
    assert "hunter2" not in str(after)


def test_a_message_cut_out_of_the_middle_is_not_sent_and_can_be_read(engine: Engine) -> None:
    found = conversation(engine, TALK)
    cut = [TALK[0], TALK[3], NEXT]
    assert sent(found, cut) == [one["content"] for one in cut]
    assert "Noted." in found.session.recall("m2")[0].text


def test_a_summary_in_place_of_the_beginning_is_sent_alone(engine: Engine) -> None:
    found = conversation(engine, TALK)
    summed = [said("user", "We talked of secrets."), *TALK[2:], NEXT]
    assert sent(found, summed) == [one["content"] for one in summed]


def test_something_put_in_is_sent_where_it_stands(engine: Engine) -> None:
    found = conversation(engine, TALK)
    longer = [*TALK[:2], said("user", "Hello?"), said("assistant", "Yes."), *TALK[2:], NEXT]
    assert sent(found, longer) == [one["content"] for one in longer]


@pytest.mark.parametrize(
    "given", [[NEXT], [*TALK[1:], NEXT], [*TALK[2:], NEXT], [said("user", "Sum."), *TALK[2:], NEXT]]
)
def test_where_lists_are_whole_nothing_else_is_sent(engine: Engine, given: list[dict[str, Any]]) -> None:
    found = conversation(engine, TALK)
    found.whole_lists = True
    for _ in range(2):
        assert sent(found, given) == [one["content"] for one in given]
    assert "hunter2" in "".join(one.text for one in found.session.recall(["m1", "m1@1"]))
    assert found.state.begun == set()


FRENCH, GERMAN = said("developer", "Now in French."), said("developer", "Now in German.")


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses"])
def test_a_system_message_in_the_middle_is_sent_as_the_caller_has_it(engine: Engine, format: str) -> None:
    found = Conversation(engine.session("s"), format=format)
    lists = [[*TALK[:2], one, *TALK[2:]] for one in (GERMAN, FRENCH)]
    for given in (*lists, TALK, [*TALK[:2], GERMAN, *TALK[2:], NEXT]):
        packed = found.pack(given).request()["messages" if format == "openai-chat" else "input"]
        assert [(one["role"], one["content"]) for one in packed] == [(one["role"], one["content"]) for one in given]
    assert "German" in found.session.recall("m3@1")[0].text


def test_a_system_message_among_those_for_anthropic_stays_one(engine: Engine) -> None:
    found = Conversation(engine.session("s"), format="anthropic")
    for text in ("Be brief.", "Be kind."):
        given = [*TALK[:2], said("system", text), TALK[2]]
        assert found.pack(given).request()["messages"] == [*TALK[:3], said("system", text)]
    found.session.record([TALK[3], NEXT], format="anthropic")
    packed = found.session.pack(None, budget=20_000, target="anthropic").request()
    assert packed["messages"] == [*TALK[:3], said("system", "Be kind."), TALK[3], NEXT]


def test_a_cut_list_that_is_sent_again_goes_back_and_is_recorded_once(engine: Engine) -> None:
    found = conversation(engine, TALK)
    for _ in range(3):
        assert sent(found, TALK[1:3]) == [one["content"] for one in TALK[:3]]
    assert len(found.session.reader.recent_messages(9)) == 3


def test_a_system_message_at_the_end_of_a_list_that_is_sent_again_is_sent_once(engine: Engine) -> None:
    found = conversation(engine, [])
    for _ in range(3):
        assert sent(found, [said("user", "go"), said("system", "Be brief.")]) == ["go", "Be brief."]


def test_the_same_words_twice_are_two_messages(engine: Engine) -> None:
    found = conversation(engine, [])
    assert sent(found, [said("user", "go")]) == ["go"]
    found.reply({"choices": [{"index": 0, "message": said("assistant", "done"), "finish_reason": "stop"}], "id": "x"})
    again = [said("user", "go"), said("assistant", "done"), said("user", "go")]
    assert sent(found, again) == ["go", "done", "go"]
    found.reply({"choices": [{"index": 0, "message": said("assistant", "done"), "finish_reason": "stop"}], "id": "x"})
    assert [one.text for one in found.session.reader.recent_messages(9)] == ["go", "done", "go", "done"]


@pytest.mark.parametrize("times", [1, 9])
def test_what_another_process_records_meanwhile_is_not_sent(tmp_path: Path, times: int) -> None:
    with clew.open(tmp_path / "s.db") as engine, clew.open(tmp_path / "s.db") as other:
        mine, theirs = conversation(engine, TALK), conversation(other, [])
        their_list, heard = [*TALK, said("user", "Theirs?")], list[object]()
        engine.on("recorded", lambda _: heard.append(_) or (len(heard) <= times and sent(theirs, their_list)))
        assert sent(mine, [*TALK, NEXT]) == [one["content"] for one in [*TALK, NEXT]]
        assert sent(theirs, their_list) == [one["content"] for one in their_list]


def test_handles_of_one_session_share_what_is_known_of_it(engine: Engine) -> None:
    first, second = (Conversation(engine.session("s"), format="openai-chat") for _ in range(2))
    assert first.state is second.state
    assert first.state is not Conversation(engine.session("other"), format="openai-chat").state


def test_each_handle_asks_for_its_own_system_prompt(engine: Engine) -> None:
    handles = engine.session("s"), engine.session("s")
    found = [Conversation(one, format="openai-chat") for one in handles]
    handles[1].system(lambda: "Made by a function.")
    assert "Made by a function." in sent(found[1], [NEXT])


def test_a_reply_that_cannot_be_recorded_is_told_and_costs_nothing(engine: Engine) -> None:
    found, heard = conversation(engine, []), []
    engine.on("reply.lost", heard.append)
    found.reply({"nothing": "known"})
    assert [event.data["session"] for event in heard] == ["s"]


def test_a_response_that_is_under_way_is_no_loss(engine: Engine) -> None:
    session, heard = engine.session("s"), []
    engine.on("reply.lost", heard.append)
    Conversation(session, format="openai-responses").reply({"object": "response", "status": "queued", "output": []})
    assert (heard, session.messages()) == ([], [])


def test_a_session_with_a_system_prompt_of_its_own_leaves_room_for_that_of_the_call(engine: Engine) -> None:
    found = conversation(engine, [])
    found.session.system("Mine.")
    pack = found.pack([said("user", "go")], system="Yours. " * 100)
    assert pack.budget < 20_000 - 100
    assert isinstance(pack, clew.Pack)


@pytest.mark.stores("sqlite")
def test_a_call_makes_as_many_statements_however_long_the_conversation_is(engine: Engine) -> None:
    """Statements of one call that goes on; most are rows that are written, so that what was recorded is on the disk."""

    def statements(messages: int) -> int:
        talk = [said("user" if at % 2 == 0 else "assistant", f"Word {at}.") for at in range(messages)]
        session = engine.session(f"s{messages}")
        session.record(talk, format="openai-chat")
        found, seen = Conversation(session, format="openai-chat", budget=20_000), list[str]()
        for at in range(3):
            seen.clear()
            session._ledger._store._database.db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda one: seen.append(one["sql"]))
            found.pack([*talk, said("user", f"Next {at}.")])
            found.reply(said("assistant", f"Done {at}."))
            talk += [said("user", f"Next {at}."), said("assistant", f"Done {at}.")]
        return len([one for one in seen if not one.startswith("PRAGMA")])

    assert statements(100) <= statements(20) + 5 <= 125


def test_a_new_output_is_sent_whole_and_stays_so_until_it_is_compacted(engine: Engine) -> None:
    """Who asked for an output may have no way to read what is left out of it; the budget is the limit."""
    found = Conversation(engine.session("s", model="gpt-5"), format="openai-chat", budget=24_000)
    messages, shortened, begun, epoch = [said("user", "Look at every log.")], [], [], None
    for step in range(24):
        pack = found.pack(messages)
        assert pack.tokens <= 24_000
        begun += [step] if epoch not in (None, pack.epoch) else []
        epoch, outputs = pack.epoch, [one for one in pack.request()["messages"] if one["role"] == "tool"]
        shortened += [step] if step and outputs[-1]["content"] != messages[-1]["content"] else []
        function = {"name": "Bash", "arguments": f'{{"command": "cat worker{step}.log"}}'}
        call = {"id": f"c{step}", "type": "function", "function": function}
        log = "\n".join(f"2031-05-0{line % 9 + 1} INFO worker {step} did {line * 7919 % 997}" for line in range(150))
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": log})
    assert len(begun) >= 2
    assert set(shortened) <= set(begun)
