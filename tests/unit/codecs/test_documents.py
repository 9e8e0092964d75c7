"""Files of API conversations: whatever shape they have, they are read whole."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pytest

from clew.codecs import registry
from clew.codecs.sources import HEAD_BYTES
from clew.domain import Json, Role, SkippedRecord
from clew.ports import RawRecord
from tests.codec_examples.file_reader import jsonl, messages, read_all
from tests.codec_examples.providers import ANTHROPIC, CHAT, EXAMPLES, FORMATS, LISTS, decoded, file_shapes


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", list(file_shapes("anthropic")))
def test_every_shape_is_read_whole(format: str, shape: str) -> None:
    records, skipped = read_all(registry.codec(format), file_shapes(format)[shape])
    assert skipped == []
    count = len(EXAMPLES[format][LISTS[format]])
    twice = "runs" in shape or "requests" in shape or shape == "array of arrays"
    around = sum("role" not in json.loads(raw.body) for raw in _around(format, shape))
    assert len(records) == count * (2 if twice else 1) + around


def _around(format: str, shape: str) -> list[RawRecord]:
    raws = registry.codec(format).split(BytesIO(file_shapes(format)[shape]))
    beside = ({"tools"}, {"system"}, {"instructions"}, {"systemInstruction"})
    return [raw for raw in raws if isinstance(raw, RawRecord) and json.loads(raw.body).keys() in beside]


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
    assert (len(records), skipped) == (1, [SkippedRecord(0, "the document ends early")])
    records, skipped = read_all(
        registry.codec("openai-chat"), b'[{"role": "user", "content": "a"}, {"a": tru}, {"role": "user"}]'
    )
    assert (len(records), len(skipped)) == (2, 1)


@pytest.mark.parametrize("value", [1, "x", None, [], [1], {"messages": 1}, {"messages": [1, "x", None]}, {"a": 1}])
def test_files_of_anything_else_do_no_harm(value: Any) -> None:
    for format in FORMATS:
        read_all(registry.codec(format), json.dumps(value).encode())
        read_all(registry.codec(format), jsonl(value, value))
