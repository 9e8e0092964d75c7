"""Codex rollouts, with and without the envelope."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from clew.codecs.transcripts.codex import Codex
from clew.domain import Call, ContextReport, Opaque, Origin, Reasoning, Role, SessionFacts, Status, Text
from tests.codec_examples.file_reader import jsonl, messages, read_all, said

CODEC = Codex()
AT = "2026-05-01T10:00:00.000Z"
SECONDS = 1777629600.0


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": "response_item", "payload": {"type": kind, **fields}}


def message(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def output(text: Any, kind: str = "function_call_output") -> dict[str, Any]:
    return item(kind, call_id="c1", output=text)


def test_a_session_is_read_in_order() -> None:
    data = jsonl(
        line("session_meta", id="s1", cwd="/srv/shop", base_instructions={"text": "You are Codex."}),
        message("developer", "<permissions instructions>\nask\n</permissions instructions>"),
        message(
            "user", "# AGENTS.md instructions for /srv/shop\n\nuse tabs", "<environment_context>x</environment_context>"
        ),
        line("turn_context", cwd="/srv/shop", model="gpt-x"),
        message("user", "fix it"),
        message("assistant", "done"),
        line("compacted", message="the story so far"),
        message("user", "<turn_aborted>\nstopped\n</turn_aborted>"),
    )
    assert said(CODEC, data) == [
        ("system", "system", "You are Codex."),
        ("system", "client", "<permissions instructions>\nask\n</permissions instructions>"),
        (
            "user",
            "client",
            "# AGENTS.md instructions for /srv/shop\n\nuse tabs\n<environment_context>x</environment_context>",
        ),
        ("user", "person", "fix it"),
        ("assistant", "model", "done"),
        ("user", "summary", "the story so far"),
        ("user", "client", "<turn_aborted>\nstopped\n</turn_aborted>"),
    ]
    assert {found.at for found in messages(CODEC, data)} == {SECONDS}


def test_the_items_of_a_reply_join_into_one_message() -> None:
    records, _ = read_all(
        CODEC,
        jsonl(
            message("user", "go"),
            item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="xyz"),
            message("assistant", "look"),
            item("function_call", call_id="c1", name="exec_command", arguments='{"cmd": "ls"}'),
            item("custom_tool_call", call_id="c2", name="apply_patch", input="*** Begin Patch"),
            output("Exit code: 0\nOutput:\nok"),
        ),
    )
    assert [record.joins for record in records] == [False, True, True, True, True, False]
    parts = [replace(part, wire=None) for record in records if record.message for part in record.message.parts]
    assert parts[:-1] == [
        Text(text="go"),
        Reasoning(text="hm", seal="xyz"),
        Text(text="look"),
        Call(id="c1", name="exec_command", arguments={"cmd": "ls"}),
        Call(id="c2", name="apply_patch", arguments="*** Begin Patch"),
    ]


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nok", Status.SUCCESS, None),
        ("Exit code: 1\nWall time: 1 seconds\nOutput:\nno", Status.FAILED, "exit code 1"),
        ("Chunk ID: ab\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nno", Status.FAILED, "exit code 2"),
        ("Chunk ID: ab\nWall time: 1 seconds\nProcess running with session ID 5\nOutput:\n", Status.SUCCESS, None),
        (json.dumps({"output": "no", "metadata": {"exit_code": 1}}), Status.FAILED, "exit code 1"),
        (json.dumps({"output": "ok", "metadata": {"exit_code": 0}}), Status.SUCCESS, None),
        (
            json.dumps({"output": "command timed out after 9 milliseconds", "metadata": {"exit_code": 124}}),
            Status.TIMEOUT,
            "exit code 124",
        ),
        ("aborted by user after 3.1s", Status.INTERRUPTED, None),
        ("exec command rejected by user", Status.CANCELED, None),
        ("apply_patch verification failed: no such line", Status.FAILED, None),
        ("the manual says:\nExit code: 1\nmeans trouble", Status.SUCCESS, None),
        ('{"exit_code": 1', Status.SUCCESS, None),
        ('{"metadata": {"exit_code": "1"}}', Status.SUCCESS, None),
    ],
)
def test_the_head_of_an_output_says_how_the_call_ended(text: str, status: Status, reason: str | None) -> None:
    (found,) = messages(CODEC, jsonl(output(text)))
    assert (found.role, found.origin) == (Role.TOOL, Origin.TOOL)
    assert [(part.status, part.reason, part.text) for part in found.outputs] == [(status, reason, text)]


def test_facts_come_from_where_they_are_told() -> None:
    records, _ = read_all(
        CODEC,
        jsonl(
            line("session_meta", id="s1", cwd="/srv/shop"),
            line("turn_context", cwd="/srv/shop/web", model="gpt-x"),
            line("event_msg", type="thread_name_updated", thread_name="Shop"),
        ),
    )
    assert [record.facts for record in records] == [
        SessionFacts(session="s1", client="codex", cwd="/srv/shop"),
        SessionFacts(client="codex", cwd="/srv/shop/web", model="gpt-x"),
        SessionFacts(client="codex", title="Shop"),
    ]


def test_a_rollback_takes_back_exchanges() -> None:
    events = [
        line("event_msg", type="thread_rolled_back", num_turns=2),
        line("event_msg", type="thread_rolled_back", num_turns="2"),
        line("event_msg", type="thread_rolled_back", num_turns=-1),
    ]
    assert [record.rollback for record in read_all(CODEC, jsonl(*events))[0]] == [2, 0, 0]


def test_events_snapshots_and_what_is_unknown_are_bookkeeping() -> None:
    records, skipped = read_all(
        CODEC,
        jsonl(
            line("event_msg", type="user_message", message="fix it"),
            line("event_msg", type="token_count", info={"last_token_usage": {"input_tokens": 3}}),
            line("event_msg", type="turn_aborted", reason="interrupted"),
            line("compacted", message="", replacement_history=[]),
            item("ghost_snapshot", ghost_commit={}),
            line("of_tomorrow", x=1),
            {"timestamp": AT, "type": "response_item", "payload": None},
            {"record_type": "state"},
        ),
    )
    assert skipped == []
    assert [record.message for record in records] == [None] * 8


@pytest.mark.parametrize(
    ("data", "report"),
    [
        (
            line(
                "event_msg",
                type="token_count",
                info={"last_token_usage": {"input_tokens": 90, "total_tokens": 100}, "model_context_window": 258_400},
            ),
            ContextReport(used=100, window=258_400),
        ),
        (line("event_msg", type="task_started", model_context_window=121_600), ContextReport(window=121_600)),
        (line("compacted", message="", replacement_history=[]), ContextReport(compacted=True)),
        (line("compacted", message="the story so far"), ContextReport(compacted=True)),
        (line("event_msg", type="token_count", info=None), None),
        (line("event_msg", type="user_message", message="fix it"), None),
        (message("user", "fix it"), None),
    ],
)
def test_events_report_how_large_the_prompt_is(data: dict[str, Any], report: ContextReport | None) -> None:
    (record,) = read_all(CODEC, jsonl(data))[0]
    assert record.report == report


@pytest.mark.parametrize("kind", ["turn_context", "session_meta"])
def test_the_model_is_told_by_the_turn_or_the_session(kind: str) -> None:
    (record,) = read_all(CODEC, jsonl(line(kind, id="s1", model="gpt-5.5")))[0]
    assert record.facts.model == "gpt-5.5"


def test_the_instructions_are_one_message_however_often_they_are_told() -> None:
    meta = line("session_meta", id="s1", base_instructions={"text": "You are Codex."})
    records, _ = read_all(CODEC, jsonl(meta, meta | {"timestamp": "2026-05-02T10:00:00Z"}))
    assert [(record.group, record.revises) for record in records] == [("codex:instructions", True)] * 2


def test_equal_lines_have_equal_keys() -> None:
    keys = [
        record.key
        for record in read_all(CODEC, jsonl(message("user", "a"), message("user", "a"), message("user", "b")))[0]
    ]
    assert keys[0] == keys[1] != keys[2]
    assert all(len(key) == len("sha:") + 32 and key.startswith("sha:") for key in keys)


def test_the_first_rollouts_had_no_envelope() -> None:
    data = jsonl(
        {"id": "s1", "timestamp": AT, "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
        {"record_type": "state"},
        {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output":"no","metadata":{"exit_code":1}}'},
    )
    assert CODEC.sniff(data)
    assert read_all(CODEC, data)[0][0].facts.session == "s1"
    assert [(found.role.value, found.origin.value) for found in messages(CODEC, data)] == [
        ("user", "person"),
        ("assistant", "model"),
        ("tool", "tool"),
    ]


def test_torn_and_broken_lines_are_reported_and_the_rest_kept() -> None:
    data = jsonl(message("user", "one"), b"not json\n", b"[1]\n", message("user", "two"), b'{"timestamp": "20')
    records, skipped = read_all(CODEC, data)
    assert [record.message.text for record in records if record.message] == ["one", "two"]
    assert [skip.line for skip in skipped] == [2, 3, 5]


def test_it_knows_its_own_files_even_when_the_head_is_cut() -> None:
    meta = line("session_meta", id="s1", base_instructions={"text": "x" * 100_000})
    assert CODEC.sniff(jsonl(meta)[:65_536])
    assert not CODEC.sniff(jsonl({"type": "message", "role": "user", "content": "hello"}))
    assert not CODEC.sniff(jsonl({"type": "user", "sessionId": "s", "isSidechain": False, "timestamp": AT}))
    assert not CODEC.sniff(jsonl({"type": "session.start", "data": {}, "id": "1", "timestamp": AT, "parentId": None}))
    assert not CODEC.sniff(b"")


def test_an_item_of_an_unknown_kind_is_an_opaque_part_of_the_reply() -> None:
    (found,) = messages(CODEC, jsonl(item("hologram", x=1)))
    assert (found.role, [part.kind for part in found.parts_of(Opaque)]) == (Role.ASSISTANT, ["hologram"])


def test_newer_rollouts_say_what_the_client_and_its_hooks_gave() -> None:
    def given(text: str, *kinds: str) -> dict[str, Any]:
        about = {"content_item_metadata": [{"provenance": {"type": kind}} for kind in kinds]}
        content = [{"type": "input_text", "text": text}]
        return item("message", role="user", content=content, internal_chat_message_metadata_passthrough=about)

    data = jsonl(given("Answer in verse.", "harness"), given("Go on.", "user"), given("Both.", "harness", "user"))
    assert said(CODEC, data) == [
        ("user", "client", "Answer in verse."),
        ("user", "person", "Go on."),
        ("user", "person", "Both."),
    ]
