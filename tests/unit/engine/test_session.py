"""Recording, reading back, taking back: through the public Python interface, on each store."""

from __future__ import annotations

from dataclasses import replace

import pytest

import clew
from clew.domain import Role
from clew.engine.engine import Engine
from clew.errors import NotFound, UsageError, VersionConflict
from tests.builders import call, gives, output, says, user

CHAT = [
    {"role": "user", "content": "Why does login fail?"},
    {"role": "assistant", "content": "Let me look."},
    {"role": "user", "content": "continue"},
]


def texts(session: clew.Session) -> list[str]:
    return [message.text for message in session.messages()]


def test_messages_get_ids_in_recorded_order_system_included(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT[:2], system="Be brief.")
    assert [(message.id, message.role.value) for message in session.messages()] == [
        ("m1", "system"),
        ("m2", "user"),
        ("m3", "assistant"),
    ]


def test_recording_the_conversation_so_far_adds_only_what_is_new(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT[:2], format="openai-chat")
    done = session.record(CHAT, format="openai-chat")
    assert (done.ids, done.known) == (("m3",), 2)
    assert texts(session) == ["Why does login fail?", "Let me look.", "continue"]


def test_the_same_words_said_again_later_are_recorded_again(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    session.record([{"role": "assistant", "content": "More."}], format="openai-chat")
    session.record([{"role": "user", "content": "continue"}], format="openai-chat")
    assert texts(session)[-3:] == ["continue", "More.", "continue"]


def test_a_retry_of_the_last_message_is_not_recorded_twice(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    assert session.record(CHAT[-1:], format="openai-chat").ids == ()


def test_a_channel_that_tells_everything_doubles_nothing(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    again = [*CHAT, {"role": "assistant", "content": "Done."}, {"role": "user", "content": "continue"}]
    assert session.record(again, format="openai-chat", channel="gateway", whole=True).ids == ("m4", "m5")
    assert session.record(again, format="openai-chat", channel="gateway", whole=True).ids == ()


def test_a_system_prompt_is_kept_once_and_a_new_one_is_a_new_version(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT[:1], system="Be brief.")
    session.record(CHAT[1:2], system="Be brief.")
    session.record([], system="Be thorough.")
    assert [message.text for message in session.reader.prompt()[0]] == [
        "Be thorough.",
        "Why does login fail?",
        "Let me look.",
    ]
    assert session.recall("m1")[0].text.endswith("Be thorough.")
    assert session.recall("m1@1")[0].text.endswith("Be brief.")


def test_tools_are_kept_and_sent_again(engine: Engine) -> None:
    tool = {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}, "x-extra": 1}
    session = engine.session("s")
    session.record(CHAT[:1], format="anthropic", tools=[tool])
    session.record(CHAT[1:2], format="anthropic", tools=[tool])
    assert session.reader.request("anthropic")[0].body["tools"] == [tool]
    assert session.info.entries == 3


def test_message_values_can_be_recorded(engine: Engine) -> None:
    session = engine.session("s")
    given = [user("go"), says("ok", call("c1", path="a.py")), gives(output("c1", "text"))]
    session.record(given)
    assert [message.parts for message in session.messages()] == [message.parts for message in given]


def test_a_dict_that_is_no_message_is_a_clear_error_and_stores_nothing(engine: Engine) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match="message 1"):
        session.record([CHAT[0], {"role": "wizard", "content": "x"}], format="openai-chat")
    with pytest.raises(UsageError, match="message 0 is a text"):
        session.record(["hello"], format="openai-chat")
    assert session.messages() == []


def test_a_rollback_leaves_the_prompt_view_and_stays_readable(engine: Engine) -> None:
    session = engine.session("s")
    session.record([*CHAT, {"role": "assistant", "content": "More."}], format="openai-chat")
    session.rollback(1)
    assert [message.text for message in session.reader.prompt()[0]] == ["Why does login fail?", "Let me look."]
    assert "More." in session.recall("x2")[0].text
    assert [(one.exchange_id, one.rolled_back) for one in session.reader.segments()] == [("x1", False), ("x2", True)]


def test_after_a_rollback_the_conversation_goes_on(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    session.rollback(1)
    session.record([{"role": "user", "content": "try the cache"}], format="openai-chat")
    session.rollback(1)
    assert [message.text for message in session.reader.prompt()[0]] == ["Why does login fail?", "Let me look."]


def test_what_was_rolled_back_is_not_edited_back_into_the_prompt(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("q"), clew.assistant("a"), user("q2")])
    session.edit("m3", "q2 edited")
    session.rollback(1)
    for id in ("m3", "m4"):
        with pytest.raises(UsageError, match="was rolled back"):
            session.edit(id, "q2 once more")
    assert [message.text for message in session.reader.prompt()[0]] == ["q", "a"]
    session.edit("m1", "q edited")


def test_a_version_without_parts_takes_a_message_out_and_leaves_it_readable(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("q"), clew.assistant("a"), user("q2")])
    assert session.channels.edit([("m2", replace(clew.assistant("a"), parts=())), ("m3", clew.user("q2 edited"))]) == [
        4,
        5,
    ]
    assert [message.text for message in session.reader.recent_messages(9)] == ["q", "q2 edited"]
    assert session.recall("m2")[0].text.endswith("a")
    assert session.info.version == 2


def test_an_edit_is_a_new_version_in_the_old_place(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    assert session.edit("m1", "Why does logout fail?") == "m4"
    assert [message.text for message in session.reader.prompt()[0]] == [
        "Why does logout fail?",
        "Let me look.",
        "continue",
    ]
    assert "logout" in session.recall("m1")[0].text
    assert "login" in session.recall("m1@1")[0].text
    assert len(session.messages()) == 4


def test_a_text_takes_the_place_of_an_output_and_calls_stay(engine: Engine) -> None:
    session = engine.session("s", model="claude-sonnet-4-5")
    session.record([user("Read it."), says("Reading.", call("c1")), gives(output("c1", "the key is hunter2"))])
    session.edit("m3", "masked")
    session.edit("m2", "I read it.")
    sent = session.pack("And?", target="anthropic").request()["messages"]
    assert [part["type"] for message in sent[1:3] for part in message["content"]][:3] == [
        "text",
        "tool_use",
        "tool_result",
    ]
    assert "masked" in str(sent[2]["content"][0])
    assert "hunter2" not in str(sent)
    done = session.record([says(call("c2"), call("c3")), gives(output("c2", "a"), output("c3", "b"))])
    with pytest.raises(UsageError, match="holds 2 outputs"):
        session.edit(done.ids[-1], "one of them")


def test_a_session_cannot_resume_itself(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("q"), clew.assistant("a")])
    with pytest.raises(UsageError, match="cannot resume itself"):
        session.resume("s")
    assert session.info.messages == 2


def test_rewriting_moves_the_version_and_appending_does_not(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    before = session.info.version
    session.record([{"role": "assistant", "content": "x"}], format="openai-chat")
    assert session.info.version == before
    session.rollback(1, expect=before)
    with pytest.raises(VersionConflict):
        session.rollback(1, expect=before)


def test_a_fork_goes_its_own_way(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    fork = session.fork("t", at="m2")
    fork.record([{"role": "user", "content": "other"}], format="openai-chat")
    assert texts(session) == ["Why does login fail?", "Let me look.", "continue"]
    assert texts(fork) == ["Why does login fail?", "Let me look.", "other"]
    with pytest.raises(UsageError, match="exists already"):
        session.fork("t")
    origins = [entry.body for entry in fork.reader.entries() if entry.kind == "fork"]
    assert origins == [b'{"fork":{"session":"s","at":"m2"}}']


def test_a_fork_recognises_what_it_was_told_before(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat", channel="gateway", whole=True)
    fork = session.fork("t")
    assert fork.record(CHAT, format="openai-chat", channel="gateway", whole=True).ids == ()


def test_an_unknown_id_says_which_there_are(engine: Engine) -> None:
    session = engine.session("s")
    session.record(CHAT, format="openai-chat")
    with pytest.raises(NotFound, match="m1 to m3"):
        session.recall("m9")
    with pytest.raises(NotFound, match="x1 to x2"):
        session.recall("x9")
    with pytest.raises(NotFound, match="is no id"):
        session.recall("../etc/passwd")


def test_a_long_output_can_be_read_by_its_blob(engine: Engine) -> None:
    from hashlib import sha256

    text = "line\n" * 2000
    session = engine.session("s")
    session.record([user("go"), says(call("c1")), gives(output("c1", text))])
    session.record([says(call("c2")), gives(output("c2", text))])
    id = "b" + sha256(text.encode()).hexdigest()[:12]
    assert session.recall(id)[0].text == text


def test_events_reach_listeners_and_a_faulty_one_harms_nobody(
    engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[str] = []

    def faulty(_event: object) -> None:
        raise RuntimeError("mine")

    engine.on("recorded", faulty)
    off = engine.on("recorded", lambda event: heard.append(event.data["session"]))
    engine.session("s").record(CHAT, format="openai-chat")
    off()
    engine.session("t").record(CHAT, format="openai-chat")
    assert heard == ["s"]
    assert "mine" in capsys.readouterr().err


def test_sessions_are_found_by_prefix_and_latest(engine: Engine, clock: object) -> None:
    for at, name in enumerate(["alpha-1", "alpha-2", "beta"]):
        clock.time += at  # type: ignore[attr-defined]
        engine.session(name).record(CHAT, format="openai-chat")
    assert engine.find("be").id == "beta"
    assert engine.find("latest").id == "beta"
    with pytest.raises(UsageError, match="start of 2 sessions"):
        engine.find("alpha")
    with pytest.raises(NotFound):
        engine.find("gamma")


def test_tools_used_are_counted_with_status_and_size(engine: Engine) -> None:
    from clew.domain import Status

    session = engine.session("s")
    session.record(
        [
            user("go"),
            says(call("c1", "bash"), call("c2", "bash")),
            gives(output("c1"), output("c2", "no", Status.FAILED)),
        ]
    )
    used = session.reader.tools_used()["bash"]
    assert (used["calls"], used["success"], used["failed"]) == (2, 1, 1)


def test_purging_a_session_leaves_nothing_and_touches_no_other(engine: Engine) -> None:
    for name in ("s", "t"):
        engine.session(name).record([user("go"), says(call("c1")), gives(output("c1", "x" * 9000))])
    engine.purge(engine.session("s").info.key)
    assert [listed.id for listed in engine.sessions()] == ["t"]
    assert "x" * 9000 in engine.session("t").recall("m3")[0].text


def test_rebuilding_gives_the_same_segments_and_totals(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("go"), says(call("c1")), gives(output("c1", "x" * 9000)), user("more"), says("ok")])
    before = (session.reader.segments(), session.reader.tools_used(), engine.sessions())
    engine.rebuild(session.info)
    assert (session.reader.segments(), session.reader.tools_used(), engine.sessions()) == before


def test_roles_stay_as_they_came(engine: Engine) -> None:
    session = engine.session("s")
    session.record([{"role": "tool", "tool_call_id": "c1", "content": "x"}], format="openai-chat")
    assert session.messages()[0].role is Role.TOOL


def test_no_more_is_rolled_back_than_there_is_and_nothing_is_no_request(engine: Engine) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match="nothing to send"):
        session.pack(None, budget=8_000).request()
    session.record([{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Yes?"}])
    with pytest.raises(UsageError, match="cannot roll back 99 of 1 exchange"):
        session.rollback(99)
    session.rollback(1)
    with pytest.raises(UsageError, match="cannot roll back 1 of 0 exchanges"):
        session.rollback(1)


def test_where_no_tool_can_be_offered_none_are(engine: Engine) -> None:
    session = engine.session("s")
    session.record(
        [{"role": "user", "content": "Hello."}], tools=[{"type": "web_search_20250305", "name": "web_search"}]
    )
    for target in ("openai-chat", "openai-responses", "gemini"):
        assert "tools" not in session.pack(None, budget=8_000, target=target).request()
    assert session.pack(None, budget=8_000).request()["tools"]
