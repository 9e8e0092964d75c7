from dataclasses import fields
from io import BytesIO
from typing import Any

import pytest

from clew.codecs import clew_values, jsonio
from clew.codecs.clew_format import (
    Clew,
    read_line,
    write_entry,
    write_header,
    write_reported,
)
from clew.codecs.clew_values import dump_value, part_from_json, part_to_json, read_value
from clew.domain import (
    Call,
    Entry,
    EntryKind,
    Media,
    Message,
    Opaque,
    Origin,
    Output,
    Part,
    Reasoning,
    Record,
    Role,
    SessionFacts,
    SessionInfo,
    SessionKey,
    Status,
    Text,
    Tool,
    Usage,
    Wire,
)
from clew.ports import RawRecord, Request

codec = Clew()
INFO = SessionInfo(
    key=SessionKey("t", "u", "s-1"),
    title="Fix login",
    client="claude-code",
    cwd="/app",
    model="m-1",
    window=200_000,
    created=1.5,
    updated=2.25,
    version=3,
    entries=9,
    messages=4,
    tail="4 assistant",
    usage=Usage(1, 2, 3, 4, 5),
    named=True,
)
PARTS: list[Part] = [
    Text(text="hi"),
    Text(text="", wire=Wire("anthropic", {"type": "text", "text": "", "x": [1, None]})),
    Call(id="c", name="ls", arguments={"a": [1, {"b": None}]}),
    Call(id="c", name="patch", arguments="*** Begin", server=True),
    Output(
        call_id="c",
        content=(Text(text="x"), Media(media_type="image/png", data="AA")),
        status=Status.TIMEOUT,
        reason="slow",
        name="ls",
        server=True,
    ),
    Output(call_id="c"),
    Reasoning(text="hm", seal="sig", wire=Wire("gemini", "a string")),
    Reasoning(),
    Media(media_type="application/pdf", url="https://example.org/a.pdf", name="a.pdf"),
    Opaque(kind="hologram", wire=Wire("openai-responses", None)),
]


def entry(
    body: bytes, format: str = "anthropic", kind: EntryKind = EntryKind.MESSAGE, at: float | None = 1.25
) -> Entry:
    return Entry(seq=7, kind=kind, format=format, body=body, message=3, replaces=2, at=at)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_every_part_comes_back_as_it_was(part: Part) -> None:
    assert part_from_json(jsonio.loads(jsonio.dumps(part_to_json(part)))) == part


def test_a_message_comes_back_as_it_was() -> None:
    message = Message(
        role=Role.ASSISTANT,
        parts=tuple(PARTS),
        origin=Origin.MODEL,
        id="m3",
        at=1.5,
        model="m-1",
        usage=Usage(5, 6),
        thread="sub",
        wire=Wire("anthropic", {"role": "assistant"}),
    )
    assert read_value(Message, jsonio.loads(jsonio.dumps(dump_value(message)))) == message


def test_a_plain_message_is_written_without_what_it_does_not_say() -> None:
    message = Message(role=Role.USER, parts=(Text(text="hi"),))
    assert dump_value(message) == {"role": "user", "parts": [{"type": "text", "text": "hi"}]}


def test_a_tool_comes_back_as_it_was() -> None:
    tool = Tool(name="ls", description="lists", schema={"type": "object"}, wire=Wire("anthropic", {"name": "ls"}))
    assert read_value(Tool, jsonio.loads(jsonio.dumps(dump_value(tool)))) == tool


def test_a_session_comes_back_as_it_was() -> None:
    line = write_header(INFO)
    assert line.startswith(b'{"clew":1,"session":{')
    assert read_line(line) == INFO


@pytest.mark.parametrize(
    "body",
    [
        b'{"role":"user","content":"hi"}',
        b'{ "role" : "user" }',
        b'{"a":1e3,"b":12345678901234567890123}',
        '{"text":"é\\u00e9 \\ud800"}'.encode(),
        b'{"text":"\x00"}',
        b'{"raw":"a"}',
        b'{"base64":"a"}',
        b'{"raw":"a","base64":"b"}',
        b'{"a":1,"a":2}',
        b'"just text"',
        b"[" * 199 + b"]" * 199,
        b"[" * 5000 + b"]" * 5000,
        b'{"torn":"li',
        b"",
        b"\xff\xfe\x00",
        b"line\nend\r\n",
    ],
    ids=range(16),
)
@pytest.mark.parametrize("kind", [EntryKind.MESSAGE, EntryKind.NOTE, EntryKind.EDIT])
def test_an_entry_keeps_every_byte_of_its_record(body: bytes, kind: EntryKind) -> None:
    line = write_entry(entry(body, kind=kind))
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert read_line(line) == entry(body, kind=kind)


def test_a_record_that_json_gives_back_stands_in_the_line_as_json() -> None:
    assert write_entry(entry(b'{"role":"user"}', at=None)) == (
        b'{"seq":7,"kind":"message","format":"anthropic","message":3,"replaces":2,"at":null,"body":{"role":"user"}}\n'
    )


def test_a_file_is_split_into_the_records_that_its_entries_hold() -> None:
    file = write_header(INFO) + write_entry(entry(b'{ "a": 1 }', "codex")) + b'{"seq":8}\n' + b'{"seq":9,"ki'
    header, record, *broken = codec.split(BytesIO(file))
    assert isinstance(header, RawRecord)
    assert codec.read(header.body) == Record(
        key="header", facts=SessionFacts("s-1", "Fix login", "claude-code", "/app", "m-1")
    )
    assert isinstance(record, RawRecord)
    assert (record.body, record.format, record.line) == (b'{ "a": 1 }', "codex", 2)
    for one in broken:
        assert isinstance(one, RawRecord)
        with pytest.raises(ValueError, match=r"entry|JSON|line"):
            codec.read(one.body)


def test_an_entry_is_read_by_the_codec_of_its_own_format() -> None:
    record = codec.read(write_entry(entry(b'{"role":"user","content":"hi"}')))
    assert record.message is not None
    assert (record.message.role, record.message.text) == (Role.USER, "hi")


def test_bookkeeping_is_not_read() -> None:
    assert codec.read(write_entry(entry(b"\xff", kind=EntryKind.NOTE))) == Record(key="", at=1.25)


def test_messages_are_written_and_read_back() -> None:
    messages = [Message(role=Role.USER, parts=(Text(text="hi"),)), Message(role=Role.ASSISTANT, parts=tuple(PARTS))]
    tools = [Tool(name="ls")]
    request = codec.encode(messages, tools=tools)
    assert request == Request({"clew": 1, "messages": [dump_value(one) for one in messages], "tools": [{"name": "ls"}]})
    for file in (jsonio.dumps(request.body), jsonio.dumps(request.body).replace(b"[{", b"[\n{")):
        assert codec.sniff(file)
        read = [codec.read(raw.body) for raw in codec.split(BytesIO(file)) if isinstance(raw, RawRecord)]
        assert [one.message for one in read if one.message] == messages
        assert [one.tools for one in read if one.tools is not None] == [tuple(tools)]


def test_records_that_clew_makes_itself_are_read() -> None:
    message = Message(role=Role.USER, parts=(Text(text="hi"),), at=2.5)
    assert codec.read(jsonio.dumps({"message": dump_value(message)})) == Record(key="", message=message, at=2.5)
    assert codec.read(b'{"rollback":2}') == Record(key="", rollback=2)
    assert codec.read(b'{"role":"system","content":"be brief"}').message == Message(
        role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="be brief"),)
    )


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(ValueError, match="version 2"):
        read_line(b'{"clew":2,"session":{}}')


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"role": "user", "parts": 7},
        {"role": "pope"},
        {"role": ["user"]},
        {"role": "user", "parts": [7]},
        {"role": "user", "parts": [{"type": "text"}]},
        {"role": "user", "parts": [{"type": []}]},
        {"role": "user", "parts": [{"type": "text", "text": 7}]},
        {"role": "user", "parts": [{"type": "output", "call_id": "c", "status": {}}]},
        {"role": "user", "parts": [{"type": "call", "id": "c", "name": "n"}]},
        {"role": "user", "wire": []},
        {"role": "user", "usage": {"input_tokens": True}},
        {"role": "user", "at": "noon"},
        {"message": None},
        {"tools": [{}]},
        {"tools": ["ls"]},
        {"rollback": "two"},
        {"clew": 1},
        {"clew": 1, "session": {"key": []}},
        {"clew": 1, "session": {"title": "no key"}},
        {"seq": 1, "body": {}},
        {"seq": 1, "kind": "message", "format": "anthropic"},
        {"seq": "1", "kind": "message", "format": "anthropic", "body": {}},
        {"seq": 1, "kind": {}, "format": "anthropic", "body": {}},
        {"seq": 1, "kind": "message", "format": 7, "body": {}},
        {"seq": 1, "kind": "message", "format": "anthropic", "body": {}, "at": "noon"},
        {"seq": 1, "kind": "message", "format": "anthropic", "body": {"raw": 7}},
        {"seq": 1, "kind": "message", "format": "anthropic", "body": {"base64": "%"}},
        {"seq": 1, "kind": "message", "format": "nonesuch", "body": {}},
    ],
)
def test_a_wrong_shape_is_a_value_error(data: Any) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        codec.read(jsonio.dumps(data))


def test_names_of_a_later_version_are_passed_over() -> None:
    data = {"role": "user", "mood": "calm", "parts": [{"type": "text", "text": "hi", "font": "serif"}]}
    assert read_value(Message, data) == Message(role=Role.USER, parts=(Text(text="hi"),))


def test_a_reported_message_is_the_models_word_and_its_bytes_are_kept() -> None:
    wire = b'{"role":"user","content":"Always push."}'
    body = write_reported("anthropic", wire)
    message = Clew().read(body).message
    assert message is not None
    assert (message.role, message.origin, message.text) == (Role.USER, Origin.REPORTED, "Always push.")
    assert message.wire == Wire("anthropic", jsonio.loads(wire))
    own = Clew().read(write_reported("anthropic", b'{"role":"assistant","content":"Done."}')).message
    assert own is not None
    assert own.origin is Origin.MODEL


@pytest.mark.parametrize("data", [{"format": "telex", "body": {}}, {"format": 1}, {"format": "anthropic"}])
def test_a_reported_message_that_cannot_be_read_says_so(data: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        Clew().read(jsonio.dumps({"reported": data}))


@pytest.mark.parametrize("kind", [Message, SessionInfo, Tool, Usage, *clew_values._PARTS.values()])
def test_every_field_that_is_written_can_be_read(kind: type) -> None:
    assert [field.name for field in fields(kind) if field.name not in clew_values._READERS] == []
