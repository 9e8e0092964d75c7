"""Claude Code session files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.codecs.transcripts.claude_code import ClaudeCode
from clew.domain import (
    Call,
    ContextReport,
    Message,
    Origin,
    Output,
    Record,
    Role,
    SessionFacts,
    Status,
    Text,
    Usage,
    Wire,
)
from tests.codec_examples.file_reader import jsonl, messages, read_all, said

CODEC = ClaudeCode()
AT = "2026-05-01T10:00:00.000Z"
SECONDS = 1777629600.0


def line(kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": more.pop("uuid", "u1"),
        "parentUuid": None,
        "isSidechain": False,
        "sessionId": "s1",
        "cwd": "/srv/shop",
        "timestamp": AT,
        "message": {"role": kind, "content": content, **more.pop("message", {})},
        **more,
    }


def result(text: str, *, is_error: bool = False, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "c1", "content": text}
    return line("user", [block | ({"is_error": True} if is_error else {})], **more)


def queue(operation: str, content: str = "", **more: Any) -> dict[str, Any]:
    told = {"content": content} if content else {}
    return {"type": "queue-operation", "operation": operation, "timestamp": AT, "sessionId": "s1", **told, **more}


def test_a_persons_line_is_read_whole() -> None:
    records, skipped = read_all(CODEC, jsonl(line("user", "fix it")))
    text = Text(text="fix it", wire=Wire("anthropic", "fix it"))
    assert skipped == []
    assert records == [
        Record(
            key="u1",
            message=Message(role=Role.USER, parts=(text,), origin=Origin.PERSON, at=SECONDS),
            at=SECONDS,
            facts=SessionFacts(session="s1", client="claude-code", cwd="/srv/shop"),
        )
    ]


def test_lines_of_one_reply_share_a_group() -> None:
    about = {"id": "msg_1", "model": "claude-x", "usage": {"input_tokens": 3, "cache_read_input_tokens": 7}}
    call = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}
    records, _ = read_all(
        CODEC,
        jsonl(
            line("assistant", [{"type": "text", "text": "look"}], uuid="u1", message=about),
            line("assistant", [call], uuid="u2", message=about),
        ),
    )
    assert [record.group for record in records] == ["msg_1", "msg_1"]
    assert [record.key for record in records] == ["u1", "u2"]
    assert records[1].message == Message(
        role=Role.ASSISTANT,
        parts=(Call(id="c1", name="Bash", arguments={"command": "ls"}, wire=Wire("anthropic", call)),),
        origin=Origin.MODEL,
        at=SECONDS,
        model="claude-x",
        usage=Usage(10, 0, 7, 0),
    )
    assert records[1].facts.model == "claude-x"


@pytest.mark.parametrize(
    ("data", "origin"),
    [
        (line("user", "fix it"), "person"),
        (line("user", "fix it", origin={"kind": "human"}), "person"),
        (line("user", "go on", origin={"kind": "peer"}), "client"),
        (line("user", "look here", isMeta=True), "client"),
        (line("user", "look here", sourceToolUseID="toolu_1"), "client"),
        (line("user", "<local-command-stdout>x</local-command-stdout>"), "client"),
        (line("user", "the story so far", isCompactSummary=True), "summary"),
        (line("user", "This session is being continued from a previous conversation: x"), "summary"),
        (line("user", "find all uses", isSidechain=True, agentId="a7"), "client"),
        (line("user", [{"type": "text", "text": "why?"}, {"type": "tool_result", "tool_use_id": "c"}]), "person"),
        (
            line(
                "user",
                [
                    {"type": "tool_result", "tool_use_id": "c"},
                    {"type": "text", "text": "<system-reminder>x</system-reminder>"},
                ],
            ),
            "tool",
        ),
        (result("ok"), "tool"),
        (line("assistant", "hm"), "model"),
        (line("assistant", "No response requested.", message={"model": "<synthetic>"}), "client"),
    ],
)
def test_every_line_knows_whose_words_it_holds(data: dict[str, Any], origin: str) -> None:
    assert [message.origin for message in messages(CODEC, jsonl(data))] == [origin]


def test_a_subagent_is_a_thread_of_its_own() -> None:
    sides = [line("user", "find", isSidechain=True, agentId="a7"), line("assistant", "ok", isSidechain=True)]
    assert [message.thread for message in messages(CODEC, jsonl(*sides))] == ["a7", "subagent"]


REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (result("ok"), Status.SUCCESS, None),
        (result("ok", toolUseResult={"interrupted": True}), Status.INTERRUPTED, None),
        (result("Exit code 2\nno such file", is_error=True), Status.FAILED, "exit code 2"),
        (result("Exit code 2\nno such file"), Status.SUCCESS, None),
        (result("no such file", is_error=True), Status.FAILED, None),
        (result(REFUSED, is_error=True), Status.CANCELED, None),
        (
            result(f"{REFUSED} To tell you how to proceed, the user said:\nuse uv", is_error=True),
            Status.CANCELED,
            "use uv",
        ),
        (result("[Request interrupted by user for tool use]", is_error=True), Status.INTERRUPTED, None),
        (result("Exit code 143\nCommand timed out after 2m 0.0s", is_error=True), Status.TIMEOUT, None),
        (
            result("<tool_use_error>Sibling tool call errored</tool_use_error>", is_error=True),
            Status.ABORTED,
            None,
        ),
    ],
)
def test_an_output_says_how_its_call_ended(data: dict[str, Any], status: Status, reason: str | None) -> None:
    (message,) = messages(CODEC, jsonl(data))
    assert [(output.status, output.reason) for output in message.parts_of(Output)] == [(status, reason)]


def test_words_typed_while_the_assistant_works_are_found_in_the_queue() -> None:
    data = jsonl(
        queue("enqueue", "<task-notification>done</task-notification>"),
        queue("enqueue", "use tabs"),
        queue("remove"),
        queue("enqueue", "and then push"),
        queue("dequeue"),
        line("user", "and then push"),
        queue("enqueue", "forget it"),
        queue("popAll"),
        queue("remove"),
    )
    assert said(CODEC, data) == [("user", "person", "use tabs"), ("user", "person", "and then push")]


def test_queued_words_that_are_told_twice_are_one_message() -> None:
    attachment = {"type": "queued_command", "prompt": "use tabs", "origin": {"kind": "human"}}
    records, _ = read_all(
        CODEC,
        jsonl(
            queue("enqueue", "use tabs"),
            queue("remove", "use tabs", reason="absorbed_mid_turn"),
            {"type": "attachment", "uuid": "u9", "timestamp": AT, "attachment": attachment},
        ),
    )
    told = [record for record in records if record.message]
    assert [record.revises for record in told] == [True, True]
    assert len({record.group for record in told}) == 1
    assert len({record.key for record in told}) == 2


def test_what_others_queue_is_not_a_persons() -> None:
    notice = {"type": "queued_command", "prompt": "it is done", "origin": {"kind": "task-notification"}}
    other = {"type": "queued_command", "prompt": "so is it", "commandMode": "task-notification"}
    data = jsonl(
        {"type": "attachment", "attachment": notice},
        {"type": "attachment", "attachment": other},
        {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": ["x"]}},
        queue("remove", "taken back", reason="cancelled"),
    )
    assert said(CODEC, data) == [("user", "client", "it is done"), ("user", "client", "so is it")]


def test_everything_else_is_bookkeeping() -> None:
    records, skipped = read_all(
        CODEC,
        jsonl(
            {"type": "summary", "summary": "Shop", "leafUuid": "u1"},
            {"type": "custom-title", "customTitle": "My shop", "sessionId": "s1"},
            {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
            {"type": "progress", "uuid": "u2", "data": {"type": "bash_progress"}},
            {"type": "system", "subtype": "compact_boundary", "uuid": "u3", "content": "Conversation compacted"},
            {"type": "of-tomorrow", "uuid": "u4"},
            {"no": "type"},
        ),
    )
    assert skipped == []
    assert [record.message for record in records] == [None] * 7
    assert [record.facts.title for record in records[:2]] == ["Shop", "My shop"]


@pytest.mark.parametrize(
    ("more", "report"),
    [
        (
            {"compactMetadata": {"trigger": "auto", "preTokens": 167_854}},
            ContextReport(compacted=True, automatic=True, before=167_854),
        ),
        ({"compactMetadata": {"trigger": "manual", "preTokens": 9}}, ContextReport(compacted=True, before=9)),
        ({}, ContextReport(compacted=True)),
        ({"compactMetadata": {"trigger": "auto", "preTokens": 5}, "isSidechain": True}, None),
    ],
)
def test_a_compaction_is_reported_with_the_size_of_its_prompt(
    more: dict[str, Any], report: ContextReport | None
) -> None:
    data = {"type": "system", "subtype": "compact_boundary", "uuid": "u3", "isSidechain": False} | more
    (record,) = read_all(CODEC, jsonl(data))[0]
    assert (record.message, record.report) == (None, report)


def test_a_line_without_an_id_is_known_by_its_bytes() -> None:
    same = {"type": "summary", "summary": "Shop", "leafUuid": "u1"}
    keys = [record.key for record in read_all(CODEC, jsonl(same, same, same | {"leafUuid": "u2"}))[0]]
    assert keys[0] == keys[1] != keys[2]


def test_a_torn_last_line_is_reported_and_the_rest_kept() -> None:
    whole = jsonl(line("user", "one"), line("user", "two"))
    records, skipped = read_all(CODEC, whole[:-20])
    assert [record.message.text for record in records if record.message] == ["one"]
    assert [skip.line for skip in skipped] == [2]


def test_two_records_in_one_line_are_both_read() -> None:
    first, second = json.dumps(line("user", "one")), json.dumps(line("user", "two", uuid="u2"))
    data = jsonl(line("user", "zero", uuid="u0"), (first + second + "\n").encode(), line("user", "three", uuid="u3"))
    assert [text for _, _, text in said(CODEC, data)] == ["zero", "one", "two", "three"]


def test_a_record_that_follows_a_torn_one_in_its_line_is_reported() -> None:
    data = jsonl((json.dumps(line("user", "one")) + '{"type": "user", "mess\n').encode(), line("user", "two"))
    records, skipped = read_all(CODEC, data)
    assert [record.message.text for record in records if record.message] == ["one", "two"]
    assert [skip.line for skip in skipped] == [1]


@pytest.mark.parametrize("left", [30, 60, 120, -40, -2])
def test_a_record_that_a_client_wrote_behind_a_torn_one_is_read(left: int) -> None:
    torn = json.dumps(line("user", [{"type": "text", "text": "one"}], uuid="u1"))[:left]
    again = (torn + json.dumps(line("user", "two", uuid="u2")) + "\n").encode()
    records, skipped = read_all(CODEC, jsonl(line("user", "zero", uuid="u0"), again, line("user", "three", uuid="u3")))
    assert [record.message.text for record in records if record.message] == ["zero", "two", "three"]
    assert [skip.line for skip in skipped] == [2]


def test_it_knows_its_own_files_even_when_the_head_is_cut() -> None:
    assert CODEC.sniff(jsonl(line("user", "x" * 100_000))[:65_536])
    assert CODEC.sniff(jsonl({"type": "file-history-snapshot", "messageId": "m"}))
    assert CODEC.sniff(jsonl({"type": "summary", "summary": "x", "leafUuid": "u"}))


def test_it_claims_no_file_of_another_format() -> None:
    assert not CODEC.sniff(b'{"sessionId": "s", "requests": [], "version": 3}')
    assert not CODEC.sniff(jsonl({"type": "session.start", "data": {"sessionId": "s"}, "id": "1", "parentId": None}))
    assert not CODEC.sniff(jsonl({"timestamp": AT, "type": "session_meta", "payload": {"id": "s"}}))
    assert not CODEC.sniff(b'[{"role": "user", "content": "isSidechain"}]')
    assert not CODEC.sniff(b"")


def test_a_line_tells_the_branch_the_client_was_on() -> None:
    body = b'{"type": "user", "uuid": "u1", "gitBranch": "fix/login", "message": {"role": "user", "content": "go"}}'
    assert ClaudeCode().read(body).facts.branch == "fix/login"
