"""For every rule a request that breaks it alone, and the smallest change that makes it sound."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """``at`` and ``id`` are those of the one finding; ``terms`` are the keywords that check is called with."""

    provider: str
    broken: Json
    sound: Json
    at: int
    id: str = ""
    terms: Json = field(default_factory=dict)


# ── Anthropic ────────────────────────────────────────────────────────────────────────────────────────


def text(words: str, **more: Any) -> Json:
    return {"type": "text", "text": words, **more}


def use(id: str, **more: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": "read", "input": {}, **more}


def result(id: str, content: Any = "done", **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def thinking(words: str = "hm", signature: str = "s1", **more: Any) -> Json:
    return {"type": "thinking", "thinking": words, "signature": signature, **more}


def user(*blocks: Any) -> Json:
    return {"role": "user", "content": list(blocks) if blocks and not isinstance(blocks[0], str) else blocks[0]}


def assistant(*blocks: Any) -> Json:
    return {"role": "assistant", "content": list(blocks) if blocks and not isinstance(blocks[0], str) else blocks[0]}


def messages(*items: Json, **more: Any) -> Json:
    return {"messages": list(items), **more}


def png(width: int, height: int) -> Json:
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5s", 13, b"IHDR", width, height, b"\x08\x02\x00\x00\x00")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": _base64(data)}}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
ON = {"type": "enabled", "budget_tokens": 1024}
_STEP = (assistant(thinking(), use("t1")), user(result("t1")))

ANTHROPIC = {
    "A1": Example(
        "anthropic",
        messages(user("go"), assistant(use("t1")), user("and?")),
        messages(user("go"), assistant(use("t1")), user(result("t1"), text("and?"))),
        at=1,
        id="t1",
    ),
    "A2": Example(
        "anthropic",
        messages(user("go"), assistant("well"), user(result("t1"))),
        messages(user("go"), assistant(text("well"), use("t1")), user(result("t1"))),
        at=2,
        id="t1",
    ),
    "A3": Example(
        "anthropic",
        messages(user("go"), assistant(use("t1")), user(result("t1"), result("t1"))),
        messages(user("go"), assistant(use("t1")), user(result("t1"))),
        at=2,
        id="t1",
    ),
    "A4": Example(
        "anthropic",
        messages(user("go"), assistant(use("t:1")), user(result("t:1"))),
        messages(user("go"), assistant(use("t-1")), user(result("t-1"))),
        at=1,
        id="t:1",
    ),
    "A5": Example(
        "anthropic",
        messages(user("go"), assistant(use("t1")), user(text("so"), result("t1"))),
        messages(user("go"), assistant(use("t1")), user(result("t1"), text("so"))),
        at=2,
        id="t1",
    ),
    "A6": Example("anthropic", messages(user(text("go"), text(" \n"))), messages(user(text("go"), text("on"))), at=0),
    "A7": Example(
        "anthropic",
        messages(user("go"), assistant(use("t1")), user(result("t1")), thinking=ON),
        messages(user("go"), *_STEP, thinking=ON),
        at=1,
    ),
    "A8": Example(
        "anthropic",
        messages(user("go"), assistant(thinking("hmm"), use("t1")), user(result("t1"))),
        messages(user("go"), *_STEP),
        at=1,
        terms={"previous": messages(user("go"), *_STEP)},
    ),
    "A9": Example(
        "anthropic",
        messages(user("go"), *_STEP, thinking={"type": "disabled"}),
        messages(user("go"), *_STEP, assistant("done"), user("stop"), thinking={"type": "disabled"}),
        at=1,
    ),
    "A10": Example(
        "anthropic",
        messages(user("go"), assistant(thinking(), text("so")), user("on"), model="small"),
        messages(user("go"), assistant(thinking(), text("so")), user("on"), model="large"),
        at=1,
        terms={"previous": messages(user("go"), assistant(thinking(), text("so")), model="large")},
    ),
    "A11": Example(
        "anthropic",
        messages(user("went"), assistant(thinking(), text("so")), user("on")),
        messages(user("went"), assistant(text("so")), user("on")),
        at=1,
        terms={"previous": messages(user("go"), assistant(thinking(), text("so")))},
    ),
    "A12": Example(
        "anthropic",
        messages(user(*[text("x", **MARK)] * 4), system=[text("be kind", **MARK)]),
        messages(user(*[text("x", **MARK)] * 3), system=[text("be kind", **MARK)]),
        at=0,
    ),
    "A13": Example(
        "anthropic",
        messages(user("go"), assistant("gone")),
        messages(user("go"), assistant("gone"), user("on")),
        at=1,
        terms={"final": True},
    ),
    "A14": Example(
        "anthropic",
        messages(user("go"), assistant("gone"), {"role": "system", "content": "be kind"}, user("on")),
        messages(user("go"), assistant("gone"), user("on"), {"role": "system", "content": "be kind"}),
        at=2,
    ),
    "A15": Example("anthropic", messages(user(png(8001, 10))), messages(user(png(8000, 10))), at=0),
    "A16": Example("anthropic", messages(user("go \ud83d")), messages(user("go \U0001f600")), at=0),
    "A17": Example(
        "anthropic",
        messages(user("go"), assistant(use("t1", name="web.search")), user(result("t1"))),
        messages(user("go"), assistant(use("t1", name="web_search")), user(result("t1"))),
        at=1,
    ),
    "A18": Example(
        "anthropic",
        messages(user(text("go"), {"type": "image_url", "image_url": {"url": "https://x/y.png"}})),
        messages(user(text("go"), {"type": "document", "source": {"type": "file", "file_id": "f"}})),
        at=0,
    ),
    "A19": Example(
        "anthropic",
        messages(user("go"), {"role": "tool", "content": "done"}),
        messages(user("go"), {"role": "user", "content": "done"}),
        at=1,
    ),
}


# ── OpenAI Chat ──────────────────────────────────────────────────────────────────────────────────────


def says(role: str, content: str | None = "well", **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def calls(*ids: str, **more: Any) -> Json:
    made = [{"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": made, **more}


def tool(id: str) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": "done"}


_LONG = "c" * 41
_NINE = "abcdefgh9"

OPENAI_CHAT = {
    "O1": Example(
        "openai-chat",
        messages(says("user"), calls("c1", "c2"), tool("c1"), says("user")),
        messages(says("user"), calls("c1", "c2"), tool("c2"), tool("c1"), says("user")),
        at=1,
        id="c2",
    ),
    "O2": Example(
        "openai-chat",
        messages(says("user"), says("assistant"), tool("c1")),
        messages(says("user"), calls("c1"), tool("c1")),
        at=2,
        id="c1",
    ),
    "O3": Example(
        "openai-chat",
        messages(says("user"), calls(_LONG), tool(_LONG)),
        messages(says("user"), calls(_LONG[1:]), tool(_LONG[1:])),
        at=1,
        id=_LONG,
    ),
    "O4": Example(
        "openai-chat",
        messages(says("user"), says("assistant", tool_calls=[])),
        messages(says("user"), says("assistant")),
        at=1,
    ),
    "O5": Example(
        "openai-chat",
        messages(says("user"), tools=[{"type": "function", "function": {"name": "read file"}}]),
        messages(says("user"), tools=[{"type": "function", "function": {"name": "read_file"}}]),
        at=-1,
    ),
    "O6": Example(
        "openai-chat",
        messages(says("user"), says("assistant", None), says("user")),
        messages(says("user"), says("assistant", None, refusal="no"), says("user", "")),
        at=1,
    ),
    "O7": Example(
        "openai-chat",
        messages(says("user"), says("ai")),
        messages(says("developer"), says("user"), says("assistant")),
        at=1,
    ),
    "O8": Example(
        "openai-chat",
        messages({"role": "user", "content": [{"type": "image", "source": {}}]}),
        messages({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png"}}]}),
        at=0,
    ),
    "M1": Example(
        "openai-chat",
        messages(says("user"), calls("call_1"), tool("call_1")),
        messages(says("user"), calls(_NINE), tool(_NINE)),
        at=1,
        id="call_1",
        terms={"dialect": "mistral"},
    ),
    "M2": Example(
        "openai-chat",
        messages(says("user"), calls(_NINE), tool(_NINE), says("user")),
        messages(says("user"), calls(_NINE), tool(_NINE), says("assistant"), says("user")),
        at=3,
        terms={"dialect": "mistral"},
    ),
    "D1": Example(
        "openai-chat",
        messages(says("user"), calls("c1"), tool("c1")),
        messages(says("user"), calls("c1", reasoning_content="hm"), tool("c1")),
        at=1,
        terms={"dialect": "deepseek"},
    ),
    "B1": Example(
        "anthropic",
        messages(user("go"), assistant(use("t1")), user(result("t1"))),
        messages(user("go"), assistant(use("t1")), user(result("t1")), tools=[{"name": "read", "input_schema": {}}]),
        at=1,
        terms={"dialect": "bedrock"},
    ),
}


# ── OpenAI Responses ─────────────────────────────────────────────────────────────────────────────────


def items(*input: Json, **more: Any) -> Json:
    return {"input": list(input), **more}


def message(role: str, **more: Any) -> Json:
    return {"type": "message", "role": role, "content": "well", **more}


def call(call_id: str, **more: Any) -> Json:
    return {"type": "function_call", "call_id": call_id, "name": "read", "arguments": "{}", **more}


def output(call_id: str) -> Json:
    return {"type": "function_call_output", "call_id": call_id, "output": "done"}


def reasoning(id: str = "rs_1", seal: str | None = "sealed") -> Json:
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": seal}


_ASKED = message("user")

OPENAI_RESPONSES = {
    "R1": Example("openai-responses", items(_ASKED, output("c1")), items(_ASKED, call("c1"), output("c1")), 1, "c1"),
    "R2": Example(
        "openai-responses",
        items(_ASKED, call("c1"), _ASKED),
        items(_ASKED, call("c1"), output("c1"), _ASKED),
        at=1,
        id="c1",
    ),
    "R3": Example(
        "openai-responses",
        items(_ASKED, reasoning(), _ASKED),
        items(_ASKED, reasoning(), message("assistant"), _ASKED),
        at=1,
        id="rs_1",
    ),
    "R4": Example(
        "openai-responses",
        items(_ASKED, message("assistant", id="msg_1"), _ASKED),
        items(_ASKED, message("assistant"), _ASKED),
        at=1,
        id="msg_1",
        terms={"previous": items(_ASKED, reasoning(), message("assistant", id="msg_1"))},
    ),
    "R5": Example(
        "openai-responses",
        items(_ASKED, {"type": "item_reference", "id": "msg_1"}, store=False),
        items(_ASKED, {"type": "item_reference", "id": "msg_1"}, store=True),
        at=1,
        id="msg_1",
    ),
    "R6": Example(
        "openai-responses",
        items(_ASKED, message("assistant", id="item_1")),
        items(_ASKED, message("assistant", id="msg_1")),
        at=1,
        id="item_1",
    ),
    "R7": Example(
        "openai-responses",
        items(_ASKED, reasoning(seal="sealed?"), message("assistant")),
        items(_ASKED, reasoning(), message("assistant")),
        at=1,
        id="rs_1",
        terms={"previous": items(_ASKED, reasoning(), message("assistant"))},
    ),
    "R8": Example(
        "openai-responses",
        items(_ASKED, call("c1", name="read.file"), output("c1")),
        items(_ASKED, call("c1", name="read-file"), output("c1")),
        at=1,
    ),
    "R9": Example("openai-responses", items(_ASKED, message("tool")), items(_ASKED, message("developer")), at=1),
    "R10": Example(
        "openai-responses",
        items(_ASKED, message("assistant", content=[{"type": "text", "text": "so"}])),
        items(_ASKED, message("assistant", content=[{"type": "output_text", "text": "so"}])),
        at=1,
    ),
    "R11": Example(
        "openai-responses", items(_ASKED, message("user", content=None)), items(_ASKED, message("user")), at=1
    ),
    "R12": Example(
        "openai-responses",
        items(_ASKED, message("assistant", id="msg_1"), message("user"), message("assistant", id="msg_1")),
        items(_ASKED, message("assistant", id="msg_1"), message("user"), message("assistant")),
        at=3,
        id="msg_1",
    ),
}


# ── Gemini ───────────────────────────────────────────────────────────────────────────────────────────


def contents(*items: Json, **more: Any) -> Json:
    return {"contents": list(items), **more}


def model(*parts: Json) -> Json:
    return {"role": "model", "parts": list(parts)}


def person(*parts: Json) -> Json:
    return {"role": "user", "parts": list(parts)}


def said(words: str = "well", **more: Any) -> Json:
    return {"text": words, **more}


def called(id: str = "f1", signature: str | None = "s1") -> Json:
    part: Json = {"functionCall": {"id": id, "name": "read", "args": {}}}
    return part if signature is None else part | {"thoughtSignature": signature}


def responded(id: str = "f1") -> Json:
    return {"functionResponse": {"id": id, "name": "read", "response": {"output": "done"}}}


GEMINI = {
    "G1": Example(
        "gemini",
        contents(person(said()), model(called("f1"), called("f2", None)), person(responded("f1"))),
        contents(person(said()), model(called("f1"), called("f2", None)), person(responded("f1"), responded("f2"))),
        at=1,
    ),
    "G2": Example(
        "gemini",
        contents(person(said()), model(said()), model(called()), person(responded())),
        contents(person(said()), model(said(), called()), person(responded())),
        at=2,
    ),
    "G3": Example(
        "gemini",
        contents(person(said()), model(said()), person(responded())),
        contents(person(said()), model(called()), person(responded())),
        at=2,
    ),
    "G4": Example(
        "gemini",
        contents(person(said()), model(called("f1", None)), person(responded())),
        contents(person(said()), model(called("f1")), person(responded())),
        at=1,
        id="f1",
    ),
    "G5": Example(
        "gemini",
        contents(person(said()), model(called("f1", "s2")), person(responded())),
        contents(person(said()), model(called("f1", "s1")), person(responded())),
        at=1,
        id="f1",
        terms={"previous": contents(person(said()), model(called("f1", "s1")))},
    ),
    "G6": Example(
        "gemini",
        contents(person(said()), {"role": "assistant", "parts": [said()]}),
        contents(person(said()), model(said())),
        at=1,
    ),
    "G7": Example(
        "gemini",
        contents(person(said()), tools=[{"functionDeclarations": [{"name": "2fa"}]}]),
        contents(person(said()), tools=[{"functionDeclarations": [{"name": "two.fa"}]}]),
        at=-1,
    ),
    "G8": Example("gemini", contents(person(said(), said(""))), contents(person(said(), said(" "))), at=0),
    "G9": Example(
        "gemini",
        contents(person(said(type="text"))),
        contents(person(said())),
        at=0,
    ),
}

EXAMPLES = ANTHROPIC | OPENAI_CHAT | OPENAI_RESPONSES | GEMINI
