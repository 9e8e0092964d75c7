"""Every promise of the Codec and Encoder protocols, held against every codec of the registry."""

from __future__ import annotations

import json
import random
import tracemalloc
from contextlib import suppress
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from clew.codecs import registry
from clew.codecs.sources import HEAD_BYTES
from clew.domain import Message, Record, SkippedRecord, Tool
from clew.ports import Codec, RawRecord, Request
from tests.codec_examples import EXAMPLES, SMALLEST, CodecExample
from tests.codec_examples.file_reader import broken, read_all

NAMES = list(registry.CODECS.built_in)
ENCODERS = [name for name in NAMES if hasattr(registry.codec(name), "encode")]
#: A file of Cline is a list of messages, as requests have them: who is asked first decides.
ALSO_CLAIMED_BY = {"cline": {"anthropic", "openai-chat"}}

#: A file of so many bytes is split with fewer in memory, once the limits on lines and blocks are small beside it.
LARGE_BYTES = 6 << 20
LIMITS = {
    "clew.codecs.jsonio._CHUNK_BYTES": 1 << 18,
    "clew.codecs.documents._MAX_PEEK_BYTES": 1 << 16,
    "clew.codecs.transcripts.markdown_blocks.MAX_BLOCK_CHARS": 1 << 17,
}

HOSTILE = {
    "nothing": b"",
    "blanks": b" \t\r\n" * 100,
    "zeros": bytes(1000),
    "noise": bytes(range(256)) * 8,
    "half a character": b'{"role": "user", "content": "\xc3"}',
    "a lone surrogate": b'{"role": "user", "content": "\\ud83d"}',
    "open brackets": b"[" * 1_500,
    "open braces": b'{"a":' * 1_500,
    "nested deep": b'{"a":' * 1_500 + b"1" + b"}" * 1_500,
    "a long number": b"[" + b"9" * 10_000 + b"]",
    "no number": b'{"role": NaN, "at": 1e999}',
    "an open string": b'{"role": "user',
    "only a mark": b"\xef\xbb\xbf",
    "the other mark": b"\xff\xfe{\x00}\x00",
    "scalars": b'1\n"x"\nnull\ntrue\n',
    "wrong kinds": b'{"role": {}, "content": 7, "type": [], "info": 1, "parts": 2, "requests": 3, "messages": 4}',
    "headings": b"# \n#### \n> \n---\n_****_\n_**User**_\n<tool-use>\n```\n",
}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def codec(name: str) -> Codec:
    return registry.codec(name)


@pytest.fixture
def example(name: str) -> CodecExample:
    return EXAMPLES[name]


def texts(records: list[Record]) -> tuple[str, ...]:
    return tuple(record.message.text for record in records if record.message and record.message.text)


def missing(wanted: tuple[str, ...], records: list[Record]) -> list[str]:
    """Which texts stand in no message."""
    found = "\n".join(texts(records))
    return [text for text in wanted if text not in found]


def bodies(codec: Codec, data: bytes) -> list[tuple[Codec, bytes]]:
    """The wire records of a file, each with the codec that reads it."""
    raws = [raw for raw in codec.split(BytesIO(data)) if isinstance(raw, RawRecord)]
    return [(registry.codec(raw.format) if raw.format else codec, raw.body) for raw in raws]


def read_or_refuse(codec: Codec, body: bytes) -> None:
    """Whatever the bytes, there is a record or a ValueError."""
    with suppress(ValueError):
        assert isinstance(codec.read(body), Record)


def grown(value: Any, words: str) -> Any:
    """The record with long texts in place of short ones."""
    if isinstance(value, str):
        return value + words
    if isinstance(value, list):
        return [grown(item, words) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: grown(item, words) if _is_said(name, item) else item for name, item in value.items()}


def _is_said(name: str, value: Any) -> bool:
    return not isinstance(value, str) or name in {"text", "content", "output"}


def test_every_codec_has_an_example() -> None:
    assert set(EXAMPLES) == set(SMALLEST) == set(NAMES)
    assert {*registry.FORMATS, "vscode-chat"} == set(NAMES)


# ── knowing a file ───────────────────────────────────────────────────────────────────────────────────


def test_a_file_is_claimed_by_its_own_codec_and_no_other(name: str, example: CodecExample) -> None:
    for file in (example.file, SMALLEST[name]):
        claims = {other for other in NAMES if registry.codec(other).sniff(file)}
        assert claims - ALSO_CLAIMED_BY.get(name, set()) == {name}
        assert registry.detect(file).name == registry.codec(name).name == name


def test_a_byte_order_mark_changes_nothing(name: str, codec: Codec, example: CodecExample) -> None:
    assert registry.detect(b"\xef\xbb\xbf" + SMALLEST[name]).name == name
    assert registry.detect(b"\xef\xbb\xbf" + example.file).name == name
    assert texts(read_all(codec, b"\xef\xbb\xbf" + example.file)[0]) == example.texts


def test_the_head_of_a_long_file_is_enough(name: str, example: CodecExample) -> None:
    long = example.holding(*example.records * (2 * HEAD_BYTES // len(example.file) + 1))
    assert registry.detect(long[:HEAD_BYTES]).name == name


def test_a_file_quoted_in_a_message_is_not_taken_for_the_file(name: str, example: CodecExample) -> None:
    for file in (example.file, SMALLEST[name]):
        messages = [{"role": "user", "content": file.decode()}, {"role": "tool", "content": "x"}]
        assert registry.detect(json.dumps({"model": "m", "messages": messages}).encode()).name == "openai-chat"


def test_any_bytes_may_be_asked_about(codec: Codec, example: CodecExample) -> None:
    for head in HOSTILE.values():
        assert codec.sniff(head) in (True, False)
    for end in range(0, len(example.file), 23):
        assert codec.sniff(example.file[:end]) in (True, False)


# ── splitting and reading ────────────────────────────────────────────────────────────────────────────


def test_a_file_is_read_whole_and_in_order(codec: Codec, example: CodecExample) -> None:
    records, skipped = read_all(codec, example.file)
    assert (texts(records), skipped) == (example.texts, [])


def test_a_torn_end_is_reported_and_the_rest_kept(codec: Codec, example: CodecExample) -> None:
    torn = example.file[: len(example.file) - len(example.end) - len(example.records[-1]) // 3]
    records, skipped = read_all(codec, torn)
    before = texts(read_all(codec, example.holding(*example.records[:-1]))[0])
    if example.is_json:
        assert (texts(records), len(skipped)) == (before, 1)
    else:
        assert missing(before, records) == []


def test_a_broken_record_is_reported_and_the_rest_kept(codec: Codec, example: CodecExample) -> None:
    wrong = b'{"a": tru}' if example.is_json else b"\xff\xfe\x00\n"
    records, skipped = read_all(codec, example.holding(*example.records[:-1], wrong, example.records[-1]))
    if example.is_json:
        assert (texts(records), len(skipped)) == (example.texts, 1)
        assert all(skip.reason for skip in skipped)
    else:
        assert missing(example.texts, records) == []


def test_bytes_that_are_no_utf8_are_kept_and_reported_with_their_line(codec: Codec, example: CodecExample) -> None:
    at = example.file.rindex(json.dumps(example.texts[-1])[1:-1].encode())
    raws = list(codec.split(BytesIO(example.file[:at] + b"caf\xe9 " + example.file[at:])))
    skipped = [raw for raw in raws if isinstance(raw, SkippedRecord)]
    assert [(skip.line, "no UTF-8" in skip.reason) for skip in skipped] == [
        (example.file.count(b"\n", 0, at) + 1, True)
    ]
    kept = [raw for raw in raws if isinstance(raw, RawRecord) and (b"caf\xe9" in raw.body or b"caf\\udce9" in raw.body)]
    read = [registry.codec(raw.format or codec.name).read(raw.body).message for raw in kept]
    assert any(message and "caf\ufffd" in message.text for message in read)
    assert not any("\udce9" in repr(message) for message in read)


def test_reading_knows_nothing_but_the_record(codec: Codec, example: CodecExample) -> None:
    found = bodies(codec, example.file)
    first = [codec.read(body) for codec, body in found]
    assert [type(codec)().read(body) for codec, body in reversed(found)] == first[::-1]
    assert [codec.read(body) for codec, body in found] == first


def test_splitting_twice_gives_the_same_records(codec: Codec, example: CodecExample) -> None:
    assert list(codec.split(BytesIO(example.file))) == list(type(codec)().split(BytesIO(example.file)))


def test_a_file_is_split_in_constant_memory(
    codec: Codec, example: CodecExample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit, size in LIMITS.items():
        monkeypatch.setattr(limit, size)
    last, words = example.records[-1], "word " * 2_000
    long = json.dumps(grown(json.loads(last), words)).encode() if example.is_json else last + words.encode() + b"\n\n"
    path = tmp_path / "large"
    path.write_bytes(example.holding(*example.records, *[long] * (LARGE_BYTES // len(long)), last))
    with path.open("rb") as file:
        tracemalloc.start()
        try:
            size = sum(len(raw.body) for raw in codec.split(file) if isinstance(raw, RawRecord))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert size > LARGE_BYTES * 9 // 10
    assert peak < LARGE_BYTES


def test_a_wrong_shape_is_a_value_error_and_nothing_else(codec: Codec, example: CodecExample) -> None:
    for reader, body in bodies(codec, example.file):
        value = json.loads(body)
        for shape in broken(value):
            read_or_refuse(reader, json.dumps(shape).encode())
    for record in example.records if example.is_json else ():
        for shape in broken(json.loads(record)):
            read_or_refuse(codec, json.dumps(shape).encode())


def test_instructions_of_a_wrong_shape_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="no instructions"):
        registry.codec("openai-responses").read(b'{"instructions": 7}')


def test_files_of_wrong_shapes_are_read_as_far_as_they_go(codec: Codec, example: CodecExample) -> None:
    if not example.is_json:
        return
    for record in example.records:
        shapes = [json.dumps(shape).encode() for shape in broken(json.loads(record))]
        records, skipped = read_all(codec, example.holding(*shapes))
        assert records or skipped
        assert example.between != b"\n" or len(records) + len(skipped) == len(shapes)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_bytes_never_crash(codec: Codec, example: CodecExample, hostile: str) -> None:
    read_or_refuse(codec, HOSTILE[hostile])
    read_all(codec, HOSTILE[hostile])
    read_all(codec, example.start + HOSTILE[hostile])
    read_all(codec, example.holding(*example.records[:1], HOSTILE[hostile], *example.records[1:]))


def test_a_file_with_changed_bytes_never_crashes(codec: Codec, example: CodecExample) -> None:
    chance = random.Random(7)
    for _ in range(60):
        data = bytearray(example.file)
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] = chance.choice(b'"\\{}[],:\n\x00\xff0a#')
        codec.sniff(bytes(data))
        for raw in codec.split(BytesIO(bytes(data))):
            assert isinstance(raw, RawRecord | SkippedRecord)
        read_all(codec, bytes(data))


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def with_unknown_fields(value: Any) -> Any:
    """The value with a field that no version knows in each object that names its type or its role."""
    if isinstance(value, list):
        return [with_unknown_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    inner = {name: with_unknown_fields(item) for name, item in value.items()}
    return inner | ({"x_unknown": {"deep": [1, None]}} if {"type", "role"} & value.keys() else {})


def told(records: list[tuple[Codec, bytes]]) -> tuple[list[Message], tuple[Tool, ...], list[Any]]:
    """Messages and tools of the records, and the records that bear a message."""
    messages: list[Message] = []
    tools: tuple[Tool, ...] = ()
    bearing: list[Any] = []
    for codec, body in records:
        record = codec.read(body)
        tools = tools if record.tools is None else record.tools
        if record.message is not None:
            messages.append(record.message)
            bearing.append(json.loads(body))
    return messages, tools, bearing


def encoded(name: str, messages: list[Message], tools: tuple[Tool, ...]) -> Request:
    return registry.encoder(name).encode(messages, tools=tools)


@pytest.mark.parametrize("name", ENCODERS)
def test_what_came_in_a_format_goes_out_in_it_with_fields_that_nobody_knows(name: str) -> None:
    example, codec = EXAMPLES[name], registry.codec(name)
    records = [json.dumps(with_unknown_fields(json.loads(record))).encode() for record in example.records]
    messages, _, bearing = told(bodies(codec, example.holding(*records)))
    request = encoded(name, messages, ())
    assert request.losses == ()
    if name in registry.MESSAGE_LISTS:
        sent = request.body[registry.MESSAGE_LISTS[name]]
        assert [one for one in bearing if one not in sent] == bearing[: len(bearing) - len(sent)]
        assert str(sent).count("x_unknown") == str([json.loads(record) for record in records]).count("x_unknown")
    assert told(bodies(codec, json.dumps(request.body).encode()))[0] == messages


@pytest.mark.parametrize("name", ENCODERS)
def test_a_file_comes_back_as_it_was_read(name: str) -> None:
    messages, tools, _ = told(bodies(registry.codec(name), EXAMPLES[name].file))
    request = encoded(name, messages, tools)
    assert told(bodies(registry.codec(name), json.dumps(request.body).encode()))[:2] == (messages, tools)
    assert request.losses == ()


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("other", ENCODERS)
def test_writing_is_deterministic_and_changes_nothing_it_is_given(name: str, other: str) -> None:
    messages, tools, _ = told(bodies(registry.codec(name), EXAMPLES[name].file))
    before = deepcopy((messages, tools))
    first = encoded(other, messages, tools)
    assert encoded(other, *deepcopy((messages, tools))) == first
    assert json.dumps(encoded(other, messages, tools).body) == json.dumps(first.body)
    assert (messages, tools) == before


@pytest.mark.parametrize("name", ENCODERS)
def test_nothing_is_a_request_too(name: str) -> None:
    request = encoded(name, [], ())
    assert (read_all(registry.codec(name), json.dumps(request.body).encode())[1], request.losses) == ([], ())
