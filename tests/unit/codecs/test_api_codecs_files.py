"""Files of API conversations: whatever shape they have, they are known and read."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from clew.codecs import registry
from clew.codecs.documents import HEAD_BYTES
from clew.codecs.sniffing import closed
from clew.domain import Json, Role, Skipped
from clew.ports import RawRecord
from tests.unit.codecs.api_examples import ANTHROPIC, CHAT, EXAMPLES, LISTS, decoded
from tests.unit.codecs.reading import jsonl, messages, read_all

FORMATS = list(EXAMPLES)


def claims(data: bytes) -> list[str]:
    return [format for format in FORMATS if registry.codec(format).sniff(data)]


def shapes(format: str) -> dict[str, bytes]:
    """One conversation in every shape that files have."""
    body = EXAMPLES[format]
    items = body[LISTS[format]]
    run = {"task_id": 1, "reward": 0.5, "traj": items}
    return {
        "request": json.dumps(body).encode(),
        "indented": json.dumps(body, indent=2).encode(),
        "array": json.dumps(items).encode(),
        "indented array": json.dumps(items, indent=4).encode(),
        "lines": jsonl(*items),
        "runs": json.dumps([run, run]).encode(),
        "lines of runs": jsonl(run, run),
        "lines of requests": jsonl(body, body),
        "array of arrays": json.dumps([items, items]).encode(),
        "byte order mark": b"\xef\xbb\xbf" + jsonl(*items),
    }


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", list(shapes("anthropic")))
def test_a_format_is_known_in_every_shape(format: str, shape: str) -> None:
    assert claims(shapes(format)[shape]) == [format]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", list(shapes("anthropic")))
def test_every_shape_is_read_whole(format: str, shape: str) -> None:
    records, skipped = read_all(registry.codec(format), shapes(format)[shape])
    assert skipped == []
    count = len(EXAMPLES[format][LISTS[format]])
    twice = "runs" in shape or "requests" in shape or shape == "array of arrays"
    around = sum("role" not in json.loads(raw.body) for raw in _around(format, shape))
    assert len(records) == count * (2 if twice else 1) + around


def _around(format: str, shape: str) -> list[RawRecord]:
    raws = registry.codec(format).split(BytesIO(shapes(format)[shape]))
    beside = ({"tools"}, {"system"}, {"instructions"}, {"systemInstruction"})
    return [raw for raw in raws if isinstance(raw, RawRecord) and json.loads(raw.body).keys() in beside]


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_is_known_when_the_head_ends_within_a_long_text(format: str) -> None:
    body = EXAMPLES[format]
    items = [*body[LISTS[format]], {"role": "user", "content": "é\\" * HEAD_BYTES}]
    for data in (items, {LISTS[format]: items}):
        assert claims(json.dumps(data).encode()[:HEAD_BYTES]) == [format]


def test_a_long_first_message_is_enough_to_know_a_request() -> None:
    long = "x" * (2 * HEAD_BYTES)
    assert claims(json.dumps({"messages": [{"content": long, "role": "system"}]}).encode()) == ["openai-chat"]
    assert claims(json.dumps({"system": "s", "messages": [{"role": "user", "content": long}]}).encode()) == [
        "anthropic"
    ]
    assert claims(json.dumps({"contents": [{"parts": [{"text": long}]}]}).encode()) == ["gemini"]
    assert claims(json.dumps({"model": "m", "input": long}).encode()) == ["openai-responses"]


def test_plain_texts_are_taken_for_chat_unless_a_system_prompt_stands_beside_them() -> None:
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert claims(json.dumps(talk).encode()) == ["openai-chat"]
    assert claims(json.dumps({"messages": talk}).encode()) == ["openai-chat"]
    assert claims(json.dumps({"system": "s", "messages": talk}).encode()) == ["anthropic"]
    assert claims(json.dumps({"messages": [{"role": "system", "content": "s"}, *talk]}).encode()) == ["openai-chat"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# a heading",
        b"[]",
        b"{}",
        b"[1, 2]",
        b'{"input": "a", "output": "b"}\n{"input": "c", "output": "d"}',
        jsonl({"type": "user", "message": {"role": "user", "content": "hi"}, "sessionId": "s", "uuid": "u"}),
        jsonl({"timestamp": "t", "type": "session_meta", "payload": {"id": "i"}}),
        jsonl({"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user"}}),
        jsonl({"type": "user.message", "data": {"content": "hi"}, "id": "i", "parentId": None}),
        json.dumps(
            {"info": {"id": "s"}, "messages": [{"info": {"role": "user"}, "parts": [{"type": "text"}]}]}
        ).encode(),
        json.dumps({"sessionId": "s", "messages": [{"id": "1", "type": "user", "content": "hi"}]}).encode(),
        json.dumps({"version": 3, "requests": [{"message": {"text": "hi"}}]}).encode(),
        json.dumps([{"role": ["user"], "content": "hi"}, {"role": {"a": 1}}]).encode(),
    ],
)
def test_other_files_are_not_claimed(data: bytes) -> None:
    assert claims(data) == []


@pytest.mark.parametrize("format", FORMATS)
def test_json_that_is_cut_anywhere_reads_as_far_as_it_goes(format: str) -> None:
    text = json.dumps({"n": -1.5e3, "é\u2028": 'a\\"é\ud83d\ude00', **EXAMPLES[format]})
    whole = text.encode("utf-8")
    assert closed(whole) == json.loads(whole)
    names = list(json.loads(whole))
    for end in range(1, len(whole), 3):
        found = closed(whole[:end])
        assert isinstance(found, dict)
        assert list(found)[:-1] == names[: max(len(found) - 1, 0)]


# ── reading files ────────────────────────────────────────────────────────────────────────────────────


def sessions(data: bytes, format: str = "openai-chat") -> dict[str, int]:
    found: dict[str, int] = {}
    for raw in registry.codec(format).split(BytesIO(data)):
        assert isinstance(raw, RawRecord)
        found[raw.session] = found.get(raw.session, 0) + 1
    return found


def test_runs_are_conversations_with_names_of_their_own() -> None:
    talk = [{"role": "user", "content": "hi"}]
    runs: list[Json] = [
        {"task_id": 0, "trial": 0, "traj": talk},
        {"task_id": 0, "trial": 1, "traj": talk * 2},
        {"task_id": 0, "trial": 1, "traj": talk},
        {"messages": talk},
    ]
    expected = {"0-0": 1, "0-1": 2, "0-1-3": 1, "4": 1}
    assert sessions(json.dumps(runs).encode()) == sessions(jsonl(*runs)) == expected


def test_the_system_prompt_comes_first_wherever_it_is_written() -> None:
    late = {"messages": ANTHROPIC["messages"], "tools": ANTHROPIC["tools"], "system": ANTHROPIC["system"]}
    assert decoded(registry.codec("anthropic"), late) == decoded(registry.codec("anthropic"), ANTHROPIC)


def test_a_stream_that_cannot_go_back_is_read_in_its_own_order() -> None:
    class Pipe(BytesIO):
        def seekable(self) -> bool:
            return False

    codec = registry.codec("anthropic")
    raws = [raw for raw in codec.split(Pipe(json.dumps(ANTHROPIC).encode())) if isinstance(raw, RawRecord)]
    kinds = ["system", *["role"] * len(ANTHROPIC["messages"]), "tools"]
    assert [next(iter(json.loads(raw.body))) for raw in raws] == kinds


def test_a_system_prompt_beside_chat_messages_is_kept() -> None:
    body = {"system": "Be brief.", "messages": CHAT["messages"]}
    first, *_ = messages(registry.codec("openai-chat"), json.dumps(body).encode())
    assert (first.role, first.text) == (Role.SYSTEM, "Be brief.")


def test_lines_longer_than_the_head_are_still_lines() -> None:
    long = {"messages": [{"role": "user", "content": "x" * (3 * HEAD_BYTES)}]}
    assert sessions(jsonl(long, long, long)) == {"1": 1, "2": 1, "3": 1}


def test_one_message_alone_is_a_file_of_one_line() -> None:
    assert [one.text for one in messages(registry.codec("openai-chat"), b'{"role": "user", "content": "hi"}')] == ["hi"]


def test_what_is_broken_is_reported_and_the_rest_is_read() -> None:
    good = {"role": "user", "content": "hi"}
    records, skipped = read_all(registry.codec("openai-chat"), jsonl(good, b'{"role": "us\n', good, {"role": "x"}))
    assert (len(records), [one.line for one in skipped]) == (2, [2, 4])
    records, skipped = read_all(registry.codec("openai-chat"), json.dumps([good, good]).encode()[:-5])
    assert (len(records), skipped) == (1, [Skipped(0, "the document ends early")])
    records, skipped = read_all(
        registry.codec("openai-chat"), b'[{"role": "user", "content": "a"}, {"a": tru}, {"role": "user"}]'
    )
    assert (len(records), len(skipped)) == (2, 1)


@pytest.mark.parametrize("value", [1, "x", None, [], [1], {"messages": 1}, {"messages": [1, "x", None]}, {"a": 1}])
def test_files_of_anything_else_do_no_harm(value: Any) -> None:
    for format in FORMATS:
        read_all(registry.codec(format), json.dumps(value).encode())
        read_all(registry.codec(format), jsonl(value, value))
