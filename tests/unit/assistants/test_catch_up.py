"""The store catches up with a transcript that grows, shrinks, is replaced or damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.assistants.catch_up import CatchUp
from clew.assistants.clients import transcript_at
from clew.assistants.transcript import Transcript
from clew.engine.engine import Engine
from tests.assistant_files import claude_file, claude_line, codex_file, gemini_file, written

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


def texts(engine: Engine, id: str = "s1") -> list[str]:
    return [message.text for message in engine.find(id).messages()]


def session(path: Path) -> Transcript:
    return transcript_at(path, client="claude-code")


def add(path: Path, *texts: str) -> None:
    with path.open("ab") as file:
        for text in texts:
            file.write(json.dumps(claude_line(text)).encode() + b"\n")


def test_what_is_new_is_stored_and_the_rest_is_not_read_again(engine: Engine) -> None:
    path, reader = claude_file("s1", "first"), CatchUp(engine)
    assert reader.catch_up(session(path)).new_messages == 1
    add(path, "second")
    assert CatchUp(engine).catch_up(session(path)).new_messages == 1
    done = reader.catch_up(session(path))
    assert (done.session, done.new_messages, done.problems) == ("s1", 0, ())
    assert texts(engine) == ["first", "second"]


def test_the_session_has_the_id_of_the_file_whatever_its_lines_say(engine: Engine) -> None:
    path = claude_file("s1", "first")
    path = path.rename(path.with_name("s2.jsonl"))
    assert CatchUp(engine).catch_up(session(path)).session == "s2"
    assert engine.find("s2").info.cwd == "/srv/shop"


def test_a_session_in_which_nobody_has_spoken_waits(engine: Engine) -> None:
    path, reader = claude_file("s1"), CatchUp(engine)
    path.write_bytes(b'{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n')
    assert reader.catch_up(session(path)).session == ""
    assert engine.infos() == []
    add(path, "first")
    assert reader.catch_up(session(path)).new_messages == 1


def test_a_file_that_shrinks_or_is_replaced_keeps_what_is_stored(engine: Engine) -> None:
    path, reader = claude_file("s1", "first", "second", "third"), CatchUp(engine)
    reader.catch_up(session(path))
    claude_file("s1", "first")
    assert reader.catch_up(session(path)).new_messages == 0
    add(path, "another")
    assert reader.catch_up(session(path)).new_messages == 1
    other = claude_file("s2", "fourth")
    other.rename(path)
    assert reader.catch_up(session(path)).new_messages == 1
    assert texts(engine) == ["first", "second", "third", "another", "fourth"]


def test_a_file_that_turns_into_something_else_is_a_problem_and_no_error(engine: Engine) -> None:
    path, reader = claude_file("s1", "first"), CatchUp(engine)
    reader.catch_up(session(path))
    path.write_bytes(b"\x7fELF" * 100)
    done = reader.catch_up(session(path))
    assert done.session == "s1"
    assert "is binary" in done.problems[0]
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert reader.catch_up(Transcript(client="claude-code", session="s1", path=path, cwd="", updated=0)).problems == ()
    assert texts(engine) == ["first"]


def test_subagents_are_threads_of_the_session(engine: Engine) -> None:
    path, reader = claude_file("s1", "first"), CatchUp(engine)
    look = claude_line("look", isSidechain=True, agentId="a7")
    written(path.with_suffix("") / "subagents" / "agent-a7.jsonl", [look])
    assert reader.catch_up(session(path)).new_messages == 2
    assert [(one.text, one.thread) for one in engine.find("s1").messages()] == [("first", ""), ("look", "a7")]
    assert engine.find("s1").info.source == str(path)


def test_the_other_assistants_are_read_by_the_same_way(engine: Engine) -> None:
    for client, path in (("codex", codex_file("x1", "hello")), ("gemini-cli", gemini_file("g1", "hello"))):
        done = CatchUp(engine).catch_up(transcript_at(path, client=client))
        assert texts(engine, done.session) == ["hello"]


def test_what_is_derived_may_be_left_to_its_first_reader(engine: Engine) -> None:
    CatchUp(engine).catch_up(session(claude_file("s1", "first")), project=False)
    ledger = engine.find("s1")._ledger
    assert ledger._projector.state(ledger.key, "messages") is None
    assert engine.find("s1").reader.tokens() > 0
    assert ledger._projector.state(ledger.key, "messages") is not None


def test_what_people_say_of_themselves_to_their_assistant_joins_their_profile(engine: Engine) -> None:
    path, reader = claude_file("s1", "I live in Lisbon. Fix the login."), CatchUp(engine)
    reader.catch_up(session(path))
    assert [(item.text, item.source) for item in engine.profile().show()] == [("I live in Lisbon.", "s1 m1")]
    engine.profile().forget("p1")
    add(path, "Go on.")
    reader.catch_up(session(path))
    assert engine.profile().show() == []
