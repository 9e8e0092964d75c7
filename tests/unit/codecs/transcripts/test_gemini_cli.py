"""Gemini CLI's recordings: the older document, the log that grows, and checkpoints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.codecs import registry
from clew.domain import Call, Json, Opaque, Origin, Reasoning, Status, Text, Usage
from clew.engine.engine import Engine
from tests.codec_examples.file_reader import jsonl, messages, read_all, said
from tests.codec_examples.transcripts import AT, GEMINI_CLI

CODEC = registry.codec("gemini-cli")
ABOUT: Json = {"sessionId": "s1", "projectHash": "p", "startTime": AT, "lastUpdated": AT}


def typed(id: str, content: Any, **more: Any) -> Json:
    return {"id": id, "timestamp": AT, "type": "user", "content": content, **more}


def replies(id: str, content: Any = "", **more: Any) -> Json:
    return {"id": id, "timestamp": AT, "type": "gemini", "content": content, **more}


def tool(id: str, **more: Any) -> Json:
    result = [{"functionResponse": {"id": id, "name": "ls", "response": {"output": "a.py"}}}]
    return {"id": id, "name": "ls", "args": {"path": "."}, "result": result, "status": "success", **more}


def test_a_reply_holds_its_thoughts_its_calls_and_what_came_of_them() -> None:
    reply = next(message for message in messages(CODEC, jsonl(*GEMINI_CLI)) if message.calls)
    assert [type(part).__name__ for part in reply.parts] == ["Reasoning", "Text", "Call", "Output", "Call", "Output"]
    assert reply.parts[0] == Reasoning(text="Shop\nhm")
    assert reply.parts[2] == Call(id="c1", name="read_file", arguments={"path": "a.py"})
    assert [(output.call_id, output.text, output.status) for output in reply.outputs] == [
        ("c1", "x = 1", Status.SUCCESS),
        ("c2", "No.", Status.CANCELED),
    ]
    assert (reply.model, reply.usage) == ("gemini-x", Usage(10, 7, 4))


@pytest.mark.parametrize("indent", [None, 2])
def test_the_older_document_says_the_same(indent: int | None) -> None:
    document = ABOUT | {"messages": [one for one in GEMINI_CLI if "id" in one], "summary": "Shop"}
    data = json.dumps(document, indent=indent).encode()
    assert registry.detect(data).name == "gemini-cli"
    assert messages(CODEC, data) == messages(CODEC, jsonl(*GEMINI_CLI))
    facts = [record.facts for record in read_all(CODEC, data)[0]]
    assert (facts[0].session, facts[-1].title) == ("s1", "Shop")


@pytest.mark.stores("memory")
def test_a_message_that_is_written_anew_is_one_message(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "session-1.jsonl"
    path.write_bytes(
        jsonl(ABOUT, typed("g1", "look"), replies("g2"), replies("g2", toolCalls=[tool("c1")]), replies("g3", "Done."))
    )
    engine.import_file(path)
    prompt, repairs = engine.find("s1").reader.prompt()
    assert [len(message.calls) for message in prompt] == [0, 1, 0, 0]
    assert (prompt[0].text, prompt[-1].text, {one.rule for one in repairs}) == ("look", "Done.", {"outputs-apart"})


@pytest.mark.stores("memory")
def test_going_back_takes_exchanges_out_of_the_prompt(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "session-1.jsonl"
    lines = [
        ABOUT,
        typed("g1", "one"),
        replies("g2", "two"),
        typed("g3", "oops"),
        replies("g4", "no"),
        typed("g5", "?"),
    ]
    path.write_bytes(jsonl(*lines, {"$rewindTo": "g3"}, typed("g6", "three")))
    engine.import_file(path)
    session = engine.find("s1")
    assert [message.text for message in session.reader.prompt()[0]] == ["one", "two", "three"]
    assert len(session.messages()) == 6


def test_what_the_client_shortens_stays_whole_and_what_is_new_is_taken() -> None:
    long, short = replies("g2", "two " * 50), replies("g2", "two…")
    summary = typed("g9", [{"text": "<state_snapshot>\nshop\n</state_snapshot>"}])
    log = jsonl(ABOUT, typed("g1", "one"), long, {"$set": {"messages": [summary, short], "lastUpdated": AT}})
    assert [(origin, text[:9]) for _, origin, text in said(CODEC, log)] == [
        ("person", "one"),
        ("model", "two two t"),
        ("summary", "<state_sn"),
    ]


def test_a_log_that_tells_its_messages_only_all_at_once_is_read() -> None:
    log = jsonl(ABOUT, {"$set": {"messages": [typed("g1", "one")]}})
    log += jsonl({"$set": {"messages": [typed("g1", "one"), replies("g2", "two")]}})
    assert [text for _, _, text in said(CODEC, log)] == ["one", "two"]


def test_files_that_the_client_read_give_no_orders() -> None:
    content = [{"text": "See @a.md"}, {"text": "\n--- Content from referenced files ---"}, {"text": "Always use tabs."}]
    (message,) = messages(CODEC, jsonl(ABOUT, typed("g1", content)))
    assert message.origin is Origin.PERSON
    assert [text.startswith("<system-reminder>") for text in message.text.split("\n") if "tabs" in text] == [False]
    assert message.parts[2].text.startswith("<system-reminder>")  # type: ignore[attr-defined]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_checkpoint_is_read(wrapped: bool) -> None:
    contents = [
        {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context."}]},
        {"role": "model", "parts": [{"text": "Got it."}]},
        {"role": "user", "parts": [{"text": "one"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a.py"}}}]},
    ]
    data = json.dumps({"history": contents, "authType": "x"} if wrapped else contents).encode()
    assert registry.detect(data).name == "gemini-cli"
    assert [origin for _, origin, _ in said(CODEC, data)] == ["client", "model", "person", "model", "tool"]


def test_a_checkpoint_that_says_nothing_of_its_client_is_read_as_the_api_has_it() -> None:
    data = b'[{"role": "user", "parts": [{"text": "one"}]}, {"role": "model", "parts": [{"text": "two"}]}]'
    assert registry.detect(data).name == "gemini"
    assert [text for _, _, text in said(CODEC, data)] == ["one", "two"]


def test_records_of_an_unknown_kind_are_kept_as_opaque_parts() -> None:
    odd = {"id": "g1", "timestamp": AT, "type": "hologram", "content": "x"}
    (message,) = messages(CODEC, jsonl(ABOUT, odd))
    assert [part.kind for part in message.parts if isinstance(part, Opaque)] == ["hologram"]
    (reply,) = messages(CODEC, jsonl(ABOUT, replies("g2", ["x", 7], toolCalls=[7])))
    assert reply.parts[0] == Text(text="x", wire=reply.parts[0].wire)
    assert [part.kind for part in reply.parts if isinstance(part, Opaque)] == ["int", "toolCall"]


def test_a_call_that_stands_in_the_content_too_counts_once() -> None:
    content = [{"functionCall": {"name": "ls", "args": {"path": "."}}}]
    (reply,) = messages(CODEC, jsonl(ABOUT, replies("g2", content, toolCalls=[tool("c1")])))
    assert [call.id for call in reply.calls] == [output.call_id for output in reply.outputs]
