"""Trajectories of SWE-agent: a JSON document with the history of a run, its steps, and what came of it.

The history is the conversation. A step retells it with what it cost, and stands in for it in files without one.
Runs without function calling state the command beside the text, and give its output in the user's name: such an
action is a call, and what follows it is its output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.documents import document_records
from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.jsonio import parse_truncated
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic_blocks, openai_chat
from clew.codecs.transcripts.jsonl import content_key
from clew.domain import Call, Json, Message, Origin, Output, Part, Record, Role, SessionFacts, SkippedRecord, Text
from clew.ports import RawRecord

NAME = "swe-agent"
_LISTS = ("history", "trajectory")
_OF_STEP = {"action", "observation", "response", "thought"}
_OF_ITEM = {"message_type", "agent", "is_demo"}
#: What each step repeats of the history; it is not kept a second time.
_RETOLD = {"query", "messages"}
_TOOL = "bash"


class SweAgent:
    """Codec of SWE-agent's .traj files."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        members = parse_truncated(start) if start.startswith(b"{") else None
        if not isinstance(members, dict):
            return False
        step, item = _first(members, "trajectory"), _first(members, "history")
        return len(_OF_STEP & step.keys()) > 1 or ("role" in item and bool(_OF_ITEM & item.keys()))

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        """In two passes: only the whole file tells whether it has a history."""
        stream = stream if stream.seekable() else BytesIO(stream.read(jsonio.MAX_RECORD_BYTES))
        start = stream.tell()
        has_history, about = _look(stream)
        stream.seek(start)
        yield RawRecord(jsonio.dumps_exact({"about": about}))
        items = _History() if has_history else _Steps()
        yield from document_records(
            stream, _LISTS, lambda name, body: items.records(name, body) if name in _LISTS else ()
        )

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        if "item" not in data:
            return Record(key=content_key(body), facts=_facts(object_of(data, "about")))
        message = _message(data)
        group = f"{NAME}:{data.get('i')}"
        return Record(key=content_key(body), group=group, revises=True, message=message, facts=_facts({}))


def _first(members: Json, name: str) -> Json:
    listed = list_of(members, name)
    return listed[0] if listed and isinstance(listed[0], dict) else {}


def _look(stream: BinaryIO) -> tuple[bool, Json]:
    """Whether there is a history, and what stands beside it and the steps."""
    has_history, about = False, {}
    try:
        for name, body, _ in jsonio.items(stream, _LISTS):
            has_history = has_history or name == "history"
            if name not in _LISTS:
                about[name] = jsonio.loads_exact(body)
    except ValueError:
        pass  # the second pass tells
    return has_history, about


class _History:
    """Wire records of the history: each item with its place, and what only those before it tell."""

    def __init__(self) -> None:
        self.count, self.acted, self.has_task = 0, -1, False

    def records(self, name: str, body: bytes) -> Iterator[RawRecord]:
        try:
            value = jsonio.loads_exact(body)
        except ValueError:
            yield RawRecord(body)  # whoever reads it will say why it cannot be read, and keep it
            return
        if name == "history":
            yield self.item(value)
        elif isinstance(value, dict):
            rest = {key: member for key, member in value.items() if key not in _RETOLD}
            yield RawRecord(jsonio.dumps_exact({"step": rest}))
        else:
            yield RawRecord(body)

    def item(self, value: Any) -> RawRecord:
        about: Json = {"i": self.count}
        item = value if isinstance(value, dict) else {}
        if item.get("role") == "user" and not item.get("is_demo"):
            if self.acted >= 0:
                about["answers"] = self.acted
            elif not self.has_task:
                about["task"] = self.has_task = True
        self.acted = self.count if _acts(item) else -1
        self.count += 1
        return RawRecord(jsonio.dumps_exact(about | {"item": value}))


class _Steps(_History):
    """Wire records of a file that has steps alone: what the first was asked, then what each did and saw."""

    def records(self, _name: str, body: bytes) -> Iterator[RawRecord]:
        try:
            step = jsonio.loads_exact(body)
        except ValueError:
            step = None
        if not isinstance(step, dict):
            yield RawRecord(body)
            return
        if not self.count:
            asked = next((list_of(step, name) for name in ("query", "messages") if list_of(step, name)), [])
            yield from map(self.item, asked)
        yield self.item({"role": "assistant", **{name: step[name] for name in step if name not in _RETOLD}})
        if text_of(step, "observation"):
            yield self.item({"role": "user", "content": step["observation"], "message_type": "observation"})


def _acts(item: Json) -> bool:
    """True where the text, and no call, asks for a command to be run."""
    return item.get("role") == "assistant" and bool(text_of(item, "action")) and not item.get("tool_calls")


def _facts(about: Json) -> SessionFacts:
    try:
        config = jsonio.loads_object(text_of(about, "replay_config").encode())
    except ValueError:
        config = object_of(about, "replay_config")
    model = text_of(object_of(object_of(config, "agent"), "model"), "name")
    return SessionFacts(client=NAME, model=model)


def _message(data: Json) -> Message:
    item = data["item"]
    if not isinstance(item, dict):
        raise ValueError(f"expected a JSON object in the history, found {type(item).__name__}")
    if isinstance(data.get("answers"), int):
        output = Output(call_id=_call_id(data["answers"]), content=openai_chat.read_content(item.get("content")))
        return Message(role=Role.TOOL, origin=Origin.TOOL, parts=(output,))
    message = openai_chat.read_message(_as_chat(item))
    parts = (*_thoughts(item), *message.parts)
    if _acts(item):
        parts = (*_thoughts(item), *_spoken_parts(item, message), _command(data, item))
    return replace(message, parts=parts, origin=_origin(data, item, message), wire=None)


def _as_chat(item: Json) -> Json:
    """The item as the Chat API has it. Steps name the model's text a response, and answers list the call's id."""
    data: Json = {"role": item.get("role"), "content": item.get("content", item.get("response"))}
    if item.get("tool_calls") is not None:
        data["tool_calls"] = item["tool_calls"]
    ids = [id for id in list_of(item, "tool_call_ids") if isinstance(id, str)]
    return data | ({"tool_call_id": ids[0]} if ids else {})


def _thoughts(item: Json) -> Iterator[Part]:
    return map(anthropic_blocks.read_part, list_of(item, "thinking_blocks"))


def _spoken_parts(item: Json, message: Message) -> tuple[Part, ...]:
    """What was said beside the command; where that is not told apart, all of it."""
    thought = text_of(item, "thought").strip()
    return (Text(text=thought),) if thought else message.parts


def _command(data: Json, item: Json) -> Call:
    return Call(id=_call_id(data.get("i")), name=_TOOL, arguments={"command": item["action"].strip()})


def _call_id(number: Any) -> str:
    return f"action-{number}"


def _origin(data: Json, item: Json, message: Message) -> Origin:
    if message.role is not Role.USER:
        return origin_of(message.role, message.parts)
    return Origin.PERSON if data.get("task") is True and not item.get("is_demo") else Origin.CLIENT
