"""Task histories of Cline and Roo Code."""

from __future__ import annotations

import json
from typing import Any

from clew.codecs.transcripts.cline import Cline
from clew.domain import Call, Message, Origin, Output, Record, Role, SessionFacts, Text, Wire
from tests.codec_examples.file_reader import broken, messages, read_all, said

CODEC = Cline()
DETAILS = {"type": "text", "text": "<environment_details>\n# Time\nnoon\n</environment_details>"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def user(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks), **more}


def assistant(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks), **more}


def file(*elements: Any) -> bytes:
    return json.dumps(list(elements)).encode()


def test_an_element_is_known_by_its_place() -> None:
    asked = user(text("<task>\nbuild a shop\n</task>"), DETAILS, ts=1777629600000)
    records, skipped = read_all(CODEC, file(asked, assistant(text("ok"))))
    content = (
        Text(text="<task>\nbuild a shop\n</task>", wire=Wire("anthropic", text("<task>\nbuild a shop\n</task>"))),
        Text(text=DETAILS["text"], wire=Wire("anthropic", DETAILS)),
    )
    assert skipped == []
    assert records[0] == Record(
        key=records[0].key,
        group="cline:0",
        revises=True,
        message=Message(
            role=Role.USER,
            parts=content,
            origin=Origin.PERSON,
            at=1777629600.0,
            wire=Wire("anthropic", {"role": "user", "content": asked["content"]}),
        ),
        at=1777629600.0,
        facts=SessionFacts(client="cline"),
    )
    assert [record.group for record in records] == ["cline:0", "cline:1"]


def test_an_element_that_changed_is_a_new_version_in_its_place() -> None:
    before = read_all(CODEC, file(user(text("a")), user(text("b"))))[0]
    after = read_all(CODEC, file(user(text("a")), user(text("c"))))[0]
    assert [record.group for record in before] == [record.group for record in after]
    assert before[0].key == after[0].key
    assert before[1].key != after[1].key


def test_equal_elements_in_two_places_are_two() -> None:
    keys = [record.key for record in read_all(CODEC, file(user(text("go on")), user(text("go on"))))[0]]
    assert len(set(keys)) == 2


def test_whose_words_they_are() -> None:
    data = file(
        user(text("<task>\nbuild\n</task>"), DETAILS),
        assistant(text("<read_file><path>a</path></read_file>")),
        user(text("[read_file for 'a'] Result:"), text("<answer>\nobey me\n</answer>"), DETAILS),
        user(text("[ask_followup_question for 'which?'] Result:\n<answer>\nthe second\n</answer>"), DETAILS),
        user(text("[ERROR] You did not use a tool in your previous response! Please retry."), DETAILS),
        user({"type": "tool_result", "tool_use_id": "c1", "content": "ok"}, DETAILS),
        user(text("<feedback>\nuse tabs\n</feedback>"), DETAILS),
        assistant(text("the story so far"), isSummary=True),
        user(text("the story so far"), isSummary=True, condenseId="x"),
        user(text("[Sliding window truncation: 8 messages hidden]"), isTruncationMarker=True, truncationId="t"),
    )
    assert [(role, origin) for role, origin, _ in said(CODEC, data)] == [
        ("user", "person"),
        ("assistant", "model"),
        ("user", "tool"),
        ("user", "person"),
        ("user", "client"),
        ("user", "tool"),
        ("user", "person"),
        ("assistant", "summary"),
        ("user", "summary"),
        ("user", "client"),
    ]


def test_native_tool_calls_are_calls() -> None:
    call = {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "x = 1"}
    asked, given = messages(CODEC, file(assistant(call, modelInfo={"modelId": "claude-x"}), user(result)))
    assert asked.parts == (Call(id="c1", name="read_file", arguments={"path": "a"}, wire=Wire("anthropic", call)),)
    assert asked.model == "claude-x"
    assert [(output.call_id, output.text) for output in given.of(Output)] == [("c1", "x = 1")]


def test_a_string_is_content_too() -> None:
    assert said(CODEC, file({"role": "user", "content": "<task>\nbuild\n</task>"})) == [
        ("user", "person", "<task>\nbuild\n</task>")
    ]


def test_what_bears_no_message_is_bookkeeping() -> None:
    records, skipped = read_all(CODEC, file({"type": "reasoning", "summary": []}, user(), {"role": "tool"}, 7, None))
    assert skipped == []
    assert [record.message for record in records] == [None] * 5


def test_a_torn_file_gives_what_stands_whole_in_it() -> None:
    data = file(user(text("one"), ts=1), assistant(text("two"), ts=2))
    records, skipped = read_all(CODEC, data[:-30])
    assert [record.message.text for record in records if record.message] == ["one"]
    assert [skip.reason for skip in skipped] == ["after element 1: the document ends early"]


def test_wrong_shapes_are_read_or_refused_but_never_break() -> None:
    sample = user(text("a"), {"type": "tool_result", "tool_use_id": "c", "content": [text("x")]}, ts=1, modelInfo={})
    shapes = broken([sample])
    for shape in shapes:
        read_all(CODEC, file(*shape))
        CODEC.sniff(file(*shape))
    assert shapes


def test_it_claims_its_own_files_only() -> None:
    assert CODEC.sniff(file(user(text("<task>\nbuild\n</task>"))))
    assert CODEC.sniff(file(user(text("build")), assistant(text("ok"), ts=1)))
    assert CODEC.sniff(file(user(text("<task>\n" + "x" * 99_000), DETAILS))[:65_536])
    assert CODEC.sniff(b"\xef\xbb\xbf \n" + json.dumps([user(text("a"), ts=1)], indent=2).encode())
    assert not CODEC.sniff(file(user(text("hello")), assistant(text("hi"))))
    assert not CODEC.sniff(file({"role": "user", "content": "hello"}))
    assert not CODEC.sniff(b'{"messages": [{"role": "user", "content": "<task>"}]}')
    assert not CODEC.sniff(b"[")
    assert not CODEC.sniff(b"")
