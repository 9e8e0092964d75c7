"""Task histories of Cline and Roo Code."""

from __future__ import annotations

import json
from typing import Any

from clew.codecs import registry
from clew.codecs.transcripts.cline import Cline
from clew.domain import Call, Media, Message, Origin, Output, Reasoning, Record, Role, SessionFacts, Status, Text, Wire
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
    assert [(output.call_id, output.text) for output in given.parts_of(Output)] == [("c1", "x = 1")]


def test_a_string_is_content_too() -> None:
    assert said(CODEC, file({"role": "user", "content": "<task>\nbuild\n</task>"})) == [
        ("user", "person", "<task>\nbuild\n</task>")
    ]


def test_what_is_no_message_is_reported() -> None:
    records, skipped = read_all(CODEC, file(user(), {"role": "robot", "content": "x"}, 7, None, user(text("go"))))
    assert [record.message.text if record.message else None for record in records] == [None, "go"]
    assert len(skipped) == 3


def test_what_clients_add_to_blocks_is_not_sent_to_the_api() -> None:
    said = text("ok") | {"call_id": "x", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}
    call = {"type": "tool_use", "id": "c1", "name": "ls", "input": {}, "call_id": "fc_1", "signature": "s"}
    hosted = {"type": "hosted_tool", "name": "web_search"}
    (message,) = messages(CODEC, file(assistant(said, call, hosted, id="resp_1", metrics={"cost": 1}, ts=1)))
    assert [type(part).__name__ for part in message.parts] == ["Reasoning", "Text", "Call", "Opaque"]
    request = registry.encoder("anthropic").encode([message])
    assert request.body["messages"] == [
        {"role": "assistant", "content": [text("ok"), {"type": "tool_use", "id": "c1", "name": "ls", "input": {}}]}
    ]
    assert len(request.losses) == 2


def test_reasoning_beside_the_content_is_the_models() -> None:
    alone = {
        "type": "reasoning",
        "encrypted_content": "sealed",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "ts": 1,
    }
    beside = assistant(
        text("ok"), reasoning_content="so", reasoning_details=[{"type": "reasoning.encrypted", "data": "d"}]
    )
    first, second = messages(CODEC, file(alone, beside))
    assert (first.role, first.parts) == (Role.ASSISTANT, (Reasoning(text="hm", seal="sealed"),))
    assert second.parts[:2] == (Reasoning(text="so"), Reasoning(text="", seal="d"))


def test_later_histories_of_roo_code_are_read() -> None:
    history = {
        "version": 2,
        "messages": [
            {"role": "user", "content": [text("<user_message>\nbuild\n</user_message>"), DETAILS], "ts": 1777629600000},
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "text": "hm", "providerOptions": {"anthropic": {"signature": "s"}}},
                    text("I look."),
                    {"type": "tool-call", "toolCallId": "c1", "toolName": "read_file", "input": {"path": "a"}},
                ],
                "ts": 1777629600001,
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "read_file",
                        "output": {"type": "text", "value": "[ERROR] no such file"},
                    }
                ],
                "ts": 1777629600002,
            },
            {"type": "reasoning", "encrypted_content": "sealed", "ts": 1777629600003},
            {
                "role": "user",
                "content": [{"type": "image", "image": "data:image/png;base64,AAAA", "mediaType": "image/png"}],
            },
        ],
    }
    data = json.dumps(history).encode()
    assert registry.detect(data).name == "cline"
    asked, reply, given, sealed, shown = messages(CODEC, data)
    assert (asked.origin, asked.at) == (Origin.PERSON, 1777629600.0)
    assert reply.parts == (
        Reasoning(text="hm", seal="s"),
        Text(text="I look.", wire=Wire("anthropic", text("I look."))),
        Call(id="c1", name="read_file", arguments={"path": "a"}),
    )
    assert [(one.call_id, one.text, one.status) for one in given.outputs] == [
        ("c1", "[ERROR] no such file", Status.FAILED)
    ]
    assert (given.role, given.origin, sealed.parts) == (Role.TOOL, Origin.TOOL, (Reasoning(seal="sealed"),))
    assert shown.parts == (Media(media_type="image/png", data="AAAA"),)


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
