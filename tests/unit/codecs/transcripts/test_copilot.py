"""Session files of the Copilot command line."""

from __future__ import annotations

from typing import Any

import pytest

from clew.codecs.transcripts.copilot import Copilot
from clew.domain import (
    Call,
    Media,
    Message,
    Opaque,
    Origin,
    Output,
    Reasoning,
    Record,
    Role,
    SessionFacts,
    Status,
    Text,
)
from tests.codec_examples.file_reader import jsonl, messages, read_all, said

CODEC = Copilot()
AT = "2026-05-01T10:00:00.000Z"
SECONDS = 1777629600.0


def event(kind: str, id: str = "e1", **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": id, "timestamp": AT, "parentId": None}


def complete(**data: Any) -> dict[str, Any]:
    return event("tool.execution_complete", toolCallId="c1", **data)


def test_a_persons_message_is_kept_as_typed() -> None:
    typed = event("user.message", content="fix it", transformedContent="<current_datetime>x</current_datetime>\nfix it")
    assert read_all(CODEC, jsonl(typed)) == (
        [
            Record(
                key="e1",
                message=Message(role=Role.USER, parts=(Text(text="fix it"),), origin=Origin.PERSON, at=SECONDS),
                at=SECONDS,
                facts=SessionFacts(client="copilot"),
            )
        ],
        [],
    )


def test_a_reply_holds_reasoning_text_and_calls() -> None:
    reply = event(
        "assistant.message",
        messageId="m1",
        model="gpt-x",
        content="look",
        reasoningText="hm",
        reasoningOpaque="sealed",
        toolRequests=[
            {"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}},
            {"toolCallId": "c2", "name": "edit", "arguments": '{"path": "a"}'},
            {"toolCallId": "c3", "name": "patch", "arguments": "*** Begin", "type": "custom"},
        ],
    )
    assert messages(CODEC, jsonl(reply)) == [
        Message(
            role=Role.ASSISTANT,
            parts=(
                Reasoning(text="hm", seal="sealed"),
                Text(text="look"),
                Call(id="c1", name="bash", arguments={"command": "ls"}),
                Call(id="c2", name="edit", arguments={"path": "a"}),
                Call(id="c3", name="patch", arguments="*** Begin"),
            ),
            origin=Origin.MODEL,
            at=SECONDS,
            model="gpt-x",
        )
    ]


@pytest.mark.parametrize(
    ("data", "want"),
    [
        ({"success": True, "result": {"content": "ok"}}, Output(call_id="c1", content=(Text(text="ok"),))),
        (
            {"success": True, "result": {"content": "no\n<shellId: 3 completed with exit code 2>"}},
            Output(
                call_id="c1",
                content=(Text(text="no\n<shellId: 3 completed with exit code 2>"),),
                status=Status.FAILED,
                reason="exit code 2",
            ),
        ),
        (
            {"success": False, "error": {"message": "no such path", "code": "failure"}},
            Output(call_id="c1", content=(Text(text="no such path"),), status=Status.FAILED, reason="no such path"),
        ),
        (
            {"success": False, "error": {"message": "the user said no", "code": "denied"}},
            Output(
                call_id="c1",
                content=(Text(text="the user said no"),),
                status=Status.CANCELED,
                reason="the user said no",
            ),
        ),
        ({"success": True}, Output(call_id="c1")),
        (
            {
                "success": True,
                "result": {"content": "User responded: use tabs"},
                "toolTelemetry": {"properties": {"outcome": "answered"}},
            },
            Output(call_id="c1", content=(Text(text="User responded: use tabs"),), reason="use tabs"),
        ),
        (
            {
                "success": True,
                "result": {"content": "User selected: Tabs"},
                "toolTelemetry": {"properties": {"outcome": "answered"}},
            },
            Output(call_id="c1", content=(Text(text="User selected: Tabs"),), reason="Tabs"),
        ),
    ],
)
def test_an_output_says_how_its_call_ended(data: dict[str, Any], want: Output) -> None:
    assert messages(CODEC, jsonl(complete(**data))) == [
        Message(role=Role.TOOL, parts=(want,), origin=Origin.TOOL, at=SECONDS)
    ]


def test_whose_words_they_are() -> None:
    data = jsonl(
        event("system.message", role="system", content="You are Copilot."),
        event("user.message", content="fix it"),
        event("user.message", content="read the skill", source="skill-pdf"),
        event("user.message", content="go on", isAutopilotContinuation=True),
        event("user.message", content="find all uses", parentToolCallId="c9"),
        event("system.notification", content="<system_notification>done</system_notification>"),
        event("session.compaction_complete", success=True, summaryContent="the story so far"),
    )
    assert said(CODEC, data) == [
        ("system", "system", "You are Copilot."),
        ("user", "person", "fix it"),
        ("user", "client", "read the skill"),
        ("user", "client", "go on"),
        ("user", "client", "find all uses"),
        ("user", "client", "<system_notification>done</system_notification>"),
        ("user", "summary", "the story so far"),
    ]
    assert [message.thread for message in messages(CODEC, data)] == ["", "", "", "", "c9", "", ""]


def test_a_picture_in_the_message_is_kept() -> None:
    picture = {"type": "blob", "data": "AAAA", "mimeType": "image/png", "displayName": "a.png"}
    (message,) = messages(CODEC, jsonl(event("user.message", content="look", attachments=[picture, {"type": "file"}])))
    assert message.parts == (Text(text="look"), Media(media_type="image/png", data="AAAA", name="a.png"))


def test_the_system_prompt_is_one_message_that_may_change() -> None:
    told = [event("system.message", id, role="system", content="You are Copilot.") for id in ("e1", "e2")]
    records, _ = read_all(CODEC, jsonl(*told))
    assert [(record.key, record.group, record.revises) for record in records] == [
        ("e1", "copilot:system", True),
        ("e2", "copilot:system", True),
    ]


def test_facts_come_from_where_they_are_told() -> None:
    records, _ = read_all(
        CODEC,
        jsonl(
            event("session.start", sessionId="s1", selectedModel="gpt-x", context={"cwd": "/srv/shop"}),
            event("session.model_change", newModel="gpt-y"),
            event("session.title_changed", title="Shop"),
            event("session.context_changed", cwd="/srv/web"),
        ),
    )
    assert [record.message for record in records] == [None] * 4
    assert [record.facts for record in records] == [
        SessionFacts(session="s1", client="copilot", cwd="/srv/shop", model="gpt-x"),
        SessionFacts(client="copilot", model="gpt-y"),
        SessionFacts(client="copilot", title="Shop"),
        SessionFacts(client="copilot", cwd="/srv/web"),
    ]


def test_everything_else_is_bookkeeping() -> None:
    data = jsonl(
        event("hook.start", hookType="preToolUse"),
        event("assistant.turn_start", turnId="0"),
        event("assistant.message", content="", toolRequests=[]),
        event("tool.execution_start", toolCallId="c1", toolName="bash"),
        event("abort", reason="user_initiated"),
        event("of.tomorrow"),
        {"type": "user.message"},
        {},
    )
    records, skipped = read_all(CODEC, data)
    assert skipped == []
    assert [record.message for record in records] == [None] * 8


def test_torn_and_broken_lines_are_reported_and_the_rest_kept() -> None:
    data = jsonl(event("user.message", content="one"), b"{]\n", event("user.message", content="two"), b'{"type": "us')
    assert [text for _, _, text in said(CODEC, data)] == ["one", "two"]
    assert [skip.line for skip in read_all(CODEC, data)[1]] == [2, 4]


def test_it_claims_its_own_files_only() -> None:
    assert CODEC.sniff(jsonl(event("session.start", sessionId="s1")))
    assert CODEC.sniff((jsonl(event("session.start")) + jsonl(event("system.message", content="x" * 99_000)))[:65_536])
    assert not CODEC.sniff(jsonl({"type": "user", "sessionId": "s", "isSidechain": False, "timestamp": AT}))
    assert not CODEC.sniff(jsonl({"timestamp": AT, "type": "session_meta", "payload": {}}))
    assert not CODEC.sniff(b'{"version": 3, "requests": []}')
    assert not CODEC.sniff(b"")


def test_content_and_calls_of_an_odd_shape_are_opaque_parts() -> None:
    odd = [event("user.message", content=[{"x": 1}]), event("assistant.message", id="e2", content="", toolRequests=[7])]
    assert [part.kind for message in messages(CODEC, jsonl(*odd)) for part in message.parts_of(Opaque)] == [
        "content",
        "toolRequest",
    ]
