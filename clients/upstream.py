"""A scripted provider: answers Claude Code (Messages) and Codex (Responses) as streams, and keeps every request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from threading import Thread
from typing import Any

SUMMARY = "1. Primary Request: make the export streaming. 2. Everything works."
_RECENT = {"priority": "recent", "format": "full"}


@dataclass
class Upstream:
    """What is asked and what is answered. A prompt that says RUN gets a call of the shell with ``command``, one that
    says DELEGATE a call of a subagent for each of ``tasks``, one that says RECALL words and a call of Clew's own tool.
    Usage tells of ``input_tokens``; of a quarter of the characters that came where that is None.
    """

    command: str = "echo done"
    input_tokens: int | None = 1_000
    tasks: tuple[str, ...] = ()
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def texts(self, request: int = -1) -> list[str]:
        """All texts of a request's conversation, in order."""
        body = self.requests[request]
        return [text for item in body.get("messages", body.get("input", [])) for text in _texts(item)]

    def counted(self, body: dict[str, Any]) -> int:
        """The tokens that a request is said to have."""
        return len(json.dumps(body)) // 4 if self.input_tokens is None else self.input_tokens

    def said(self, request: int = -1) -> str:
        return "\n".join(self.texts(request))

    def summary_request(self) -> str:
        """The newest request that asks for a summary."""
        found = [n for n, body in enumerate(self.requests) if _is_summary(body)]
        return self.said(found[-1])


def _texts(item: dict[str, Any]) -> list[str]:
    content = item.get("content", item.get("output", ""))
    if isinstance(content, str):
        return [content]
    parts = [part for part in content if isinstance(part, dict)]
    return [str(part.get("text") or part.get("content") or "") for part in parts]


def _is_summary(body: dict[str, Any]) -> bool:
    """True for a request to sum up; something that a client adds by itself may stand behind it."""
    text = "\n".join(text for item in _items(body)[-3:] for text in _texts(item))
    return "Respond with TEXT ONLY" in text or "You are about to lose this conversation" in text


def _items(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body.get("messages") or body.get("input") or [{}]


def _is_result(body: dict[str, Any]) -> bool:
    last = _items(body)[-1]
    content = last.get("content")
    kinds = [part.get("type") for part in content] if isinstance(content, list) else []
    return "tool_result" in kinds or str(last.get("type", "")).endswith("_output")


def _person(body: dict[str, Any]) -> str:
    """The last words of a person in a request."""
    said = [text for item in _items(body) if item.get("role") == "user" for text in _texts(item)]
    return next((text for text in reversed(said) if not text.startswith("<")), "")


class _Handler(BaseHTTPRequestHandler):
    upstream: Upstream

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._json({})

    do_GET = do_HEAD

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        if self.path.split("?")[0].endswith("/count_tokens"):
            return self._json({"input_tokens": self.upstream.counted(body)})
        self.upstream.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.upstream.requests.append(body)
        if "/responses" in self.path:
            return self._responses(body)
        return self._messages(body)

    def _json(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: list[tuple[str, dict[str, Any]]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for name, about in events:
            self.wfile.write(f"event: {name}\ndata: {json.dumps({'type': name} | about)}\n\n".encode())

    def _messages(self, body: dict[str, Any]) -> None:
        blocks, stop = self._blocks(body)
        number = len(self.upstream.requests)
        usage = {"input_tokens": self.upstream.counted(body), "output_tokens": 1}
        start = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "content": []}
        start |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            return self._json(start | {"content": blocks, "stop_reason": stop})
        return self._stream(
            [
                ("message_start", {"message": start}),
                *(event for at, block in enumerate(blocks) for event in _block_events(at, block)),
                ("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 9}}),
                ("message_stop", {}),
            ]
        )

    def _blocks(self, body: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
        if _is_summary(body):
            return [{"type": "text", "text": f"<analysis>so</analysis><summary>{SUMMARY}</summary>"}], "end_turn"
        id, said = f"toolu_{len(self.upstream.requests)}", _person(body)
        if "DELEGATE" in said and not _is_result(body):
            tool = next(one["name"] for one in body["tools"] if one["name"] in ("Agent", "Task"))
            about = {"description": "a part of the work", "subagent_type": "general-purpose"}
            asked = [about | {"prompt": task} for task in self.upstream.tasks]
            return [
                {"type": "tool_use", "id": f"{id}_{at}", "name": tool, "input": one} for at, one in enumerate(asked)
            ], "tool_use"
        if "RECALL" in said and not _is_result(body):
            call = {"type": "tool_use", "id": id, "name": "retrieve_context", "input": _RECENT}
            return [{"type": "text", "text": "Let me look back."}, call], "tool_use"
        if "RUN" in said and not _is_result(body):
            given = {"command": self.upstream.command, "description": "run it"}
            return [{"type": "tool_use", "id": id, "name": "Bash", "input": given}], "tool_use"
        return [{"type": "text", "text": "Understood."}], "end_turn"

    def _responses(self, body: dict[str, Any]) -> None:
        number = len(self.upstream.requests)
        text = SUMMARY if _is_summary(body) else "Understood."
        item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
        items = [item | {"content": [{"type": "output_text", "text": text, "annotations": []}]}]
        if "DELEGATE" in _person(body) and not any(one.get("name") == "spawn_agent" for one in _items(body)):
            asked = [("spawn_agent", {"message": task}) for task in self.upstream.tasks]
            items = [_call(number, at, *one, namespace="multi_agent_v1") for at, one in enumerate(asked)]
        elif agents := _spawned(body):
            items = [_call(number, 0, "wait_agent", {"targets": agents}, namespace="multi_agent_v1")]
        elif "RECALL" in _person(body) and not _is_result(body):
            items = [_call(number, 0, "retrieve_context", _RECENT)]
        elif "RUN" in _person(body) and not _is_result(body):
            items = [_call(number, 0, "exec_command", {"cmd": self.upstream.command})]
        about = {"id": f"r_{number}", "object": "response", "status": "completed", "output": items}
        used = self.upstream.counted(body)
        counts = {"input_tokens": used, "output_tokens": 9, "total_tokens": used + 9}
        self._stream(
            [
                ("response.created", {"response": about | {"status": "in_progress", "output": []}}),
                *(("response.output_item.done", {"output_index": at, "item": one}) for at, one in enumerate(items)),
                ("response.completed", {"response": about | {"usage": counts}}),
            ]
        )


def _call(number: int, at: int, name: str, arguments: dict[str, Any], **more: str) -> dict[str, Any]:
    ids = {"id": f"fc_{number}_{at}", "call_id": f"c_{number}_{at}"}
    return {"type": "function_call", **ids, "name": name, "arguments": json.dumps(arguments), **more}


def _spawned(body: dict[str, Any]) -> list[str]:
    """The ids of Codex's subagents that were spawned right before."""
    last = takewhile(lambda one: str(one.get("type", "")).endswith("_output"), reversed(_items(body)))
    return [id for one in last for id in re.findall(r'"agent_id"\s*:\s*"([^"]+)"', str(one.get("output")))]


def _block_events(at: int, block: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    empty, delta = block | {"text": ""}, {"type": "text_delta", "text": block.get("text", "")}
    if block["type"] == "tool_use":
        empty, delta = block | {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        ("content_block_start", {"index": at, "content_block": empty}),
        ("content_block_delta", {"index": at, "delta": delta}),
        ("content_block_stop", {"index": at}),
    ]


@contextmanager
def serving() -> Iterator[Upstream]:
    """Runs a provider on a free port of this machine."""
    upstream = Upstream()
    handler = type("Handler", (_Handler,), {"upstream": upstream})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    upstream.url = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield upstream
    finally:
        server.shutdown()
        server.server_close()
