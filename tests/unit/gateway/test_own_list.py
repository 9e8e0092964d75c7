"""A client's own list after compactions: its summaries, and what it sends while Clew is paused, stay valid."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

import clew
from clew.engine.engine import Engine
from clew.gateway.own_list import without_thinking
from clew.hooks import switch
from tests.gateway_server import gateway
from tests.provider_replies import Says
from tests.provider_server import provider
from tests.strict_upstream import MODES, Json, Mode, StrictUpstream

_TOOLS = [{"name": "read", "description": "Reads a file.", "input_schema": {"type": "object"}}]
_SUMMARY = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSum up the conversation."
_HEADERS = {"x-claude-code-session-id": "s-1", "user-agent": "claude-cli/2.1"}
_ADAPTIVE = next(mode for mode in MODES if mode.name == "adaptive")
_MANUAL = next(mode for mode in MODES if mode.name == "enabled")


class Lenient(StrictUpstream):
    """Takes a request that asks for no thinking, and judges it as such."""

    def _changed(self, body: Json) -> Iterator[str]:
        return iter(())

    def _turn_faults(self, messages: list[Json]) -> Iterator[str]:
        return iter(()) if self._is_off else super()._turn_faults(messages)

    def faults(self, body: Json) -> Iterator[str]:
        self._is_off = body.get("thinking") == {"type": "disabled"}
        yield from super().faults(body)

    _is_off = False


def work(url: str, mode: Mode, *, steps: int = 24, **headers: str) -> list[Any]:
    """A client's list after so many steps through the gateway."""
    messages: list[Any] = [{"role": "user", "content": "Look at every file."}]
    for step in range(steps):
        said = ask(url, mode, messages, **headers)
        messages.append({"role": "assistant", "content": said["content"]})
        call = next(block for block in said["content"] if block["type"] == "tool_use")
        text = "\n".join(f"{step}.{line} def part_{step}_{line}(): return {line * step}" for line in range(60))
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
        messages.append({"role": "user", "content": [result]})
    return messages


def ask(url: str, mode: Mode, messages: list[Any], **headers: str) -> Any:
    body = mode.whole({"messages": messages, "tools": _TOOLS})
    answer = httpx2.post(f"{url}/v1/messages", json=body, headers=_HEADERS | headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def says(body: Json) -> Says:
    return Says("I look.", tool="read", arguments={"path": "a.py"}, id=f"call_{len(str(body))}_{len(body['messages'])}")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with clew.open(":memory:", settings={"gateway.max_tokens": 6_000}) as engine:
        yield engine


def test_lists_without_a_name_are_valid_while_paused(engine: Engine) -> None:
    """Those that have gone on meanwhile, too: what is said then is not recorded."""
    upstream, program = Lenient(_ADAPTIVE), {"x-claude-code-session-id": "", "user-agent": "program"}
    with provider(upstream.script(says)) as served, gateway(engine, served.url) as url:
        messages = work(url, _ADAPTIVE, **program)
        (info,) = engine.infos()
        assert engine.find(info.key.id).reader.was_compacted()
        switch.pause()
        for _ in range(2):
            said = ask(url, _ADAPTIVE, messages, **program)
            call = next(block for block in said["content"] if block["type"] == "tool_use")
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": "so"}
            messages += [{"role": "assistant", "content": said["content"]}, {"role": "user", "content": [result]}]
        switch.resume()
    assert upstream.refused == []


@pytest.mark.parametrize("mode", [_ADAPTIVE, _MANUAL], ids=str)
def test_summaries_and_pauses_of_a_compacted_session_are_valid(engine: Engine, mode: Mode) -> None:
    upstream = Lenient(mode)
    with provider(upstream.script(says)) as served, gateway(engine, served.url) as url:
        messages = work(url, mode)
        assert engine.find("s-1").reader.was_compacted()
        summary = {"type": "text", "text": _SUMMARY}
        ask(url, mode, [*messages[:-1], {"role": "user", "content": [*messages[-1]["content"], summary]}])
        ask(url, mode, messages, **{"x-clew-bypass": "1"})
        switch.pause()
        ask(url, mode, messages)
        switch.resume()
        ask(url, mode, messages)
    assert upstream.refused == []


def test_a_session_that_was_never_compacted_passes_byte_for_byte(engine: Engine) -> None:
    upstream = StrictUpstream(_ADAPTIVE)
    with provider(upstream.script(says)) as served, gateway(engine, served.url) as url:
        messages = work(url, _ADAPTIVE, steps=2)
        messages[-1]["content"].append({"type": "text", "text": _SUMMARY})
        ask(url, _ADAPTIVE, messages)
        assert b'"thinking"' in served.bodies[-1]
    assert upstream.refused == []


def test_without_thinking_nothing_else_is_changed() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    text = {"type": "text", "text": "Done."}
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": [thinking, text]},
        {"role": "assistant", "content": [thinking]},
    ]
    body = {"model": "claude-opus-4-5", "max_tokens": 9, "messages": messages, "unknown": 1}
    edits = [{"type": "clear_thinking_20251015", "keep": "all"}, {"type": "clear_tool_uses_20250919"}]
    manual = body | {"thinking": {"type": "enabled", "budget_tokens": 1_024}, "context_management": {"edits": edits}}
    assert without_thinking(body) == body | {"messages": [messages[0], {"role": "assistant", "content": [text]}]}
    found = without_thinking(manual)
    assert found["thinking"] == {"type": "disabled"}
    assert found["context_management"] == {"edits": edits[1:]}
    adaptive = manual | {"model": "claude-opus-5-5", "thinking": {"type": "adaptive"}}
    assert without_thinking(adaptive)["context_management"] == {"edits": edits}
    assert without_thinking(adaptive)["thinking"] == {"type": "adaptive"}


def test_outputs_that_come_after_a_compaction_are_sent_whole() -> None:
    """Who asked for an output may have no way to read what is left out of it."""
    with (
        clew.open(":memory:", settings={"gateway.max_tokens": 40_000}) as engine,
        provider(StrictUpstream(_ADAPTIVE).script(says)) as served,
        gateway(engine, served.url) as url,
    ):
        messages: list[Any] = [{"role": "user", "content": "Look at every log."}]
        log, epochs, shortened = "", [], []
        for step in range(40):
            body = _ADAPTIVE.whole({"messages": messages, "tools": _TOOLS})
            answer = httpx2.post(f"{url}/v1/messages", json=body, headers=_HEADERS, timeout=60)
            epochs.append(answer.headers["x-clew-epoch"])
            newest = json.loads(served.bodies[-1])["messages"][-1]["content"]
            if step and not any(block.get("content") == log for block in newest):
                shortened.append(step)
            content = answer.json()["content"]
            call = next(block for block in content if block["type"] == "tool_use")
            log = "\n".join(
                f"2031-05-0{line % 9 + 1} INFO worker {step} did {line * 7919 % 997}" for line in range(300)
            )
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": log}
            messages += [{"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
        begun = [at for at in range(1, len(epochs)) if epochs[at] != epochs[at - 1]]
        assert len(begun) >= 2
        assert set(shortened) <= set(begun)
