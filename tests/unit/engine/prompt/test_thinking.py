"""Thinking is sent only behind the bytes it was made from, judged by an upstream that remembers them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import clew
from clew.rules import check
from tests.agent_loops.clients import output, tools
from tests.provider_replies import Says, anthropic_message
from tests.strict_upstream import MODES, SAMPLED, Mode, StrictUpstream

PADDING = "words of a file\n" * 150


class Talk:
    """A session and its upstream: each step packs the tool's output, asks, and records a reply that calls again."""

    def __init__(self, engine: clew.Engine, mode: Mode) -> None:
        self.session, self.upstream, self.step = engine.session("s"), StrictUpstream(mode), 0
        self.session.record([], format="anthropic", system="Be kind.", tools=tools("anthropic"))

    def goes_on(self, steps: int, budget: int) -> None:
        for _ in range(steps):
            called = {"kind": "tool_response", "tool_id": f"c{self.step}"} if self.step else {}
            words = f"{self.step} {PADDING}" if self.step else "Look at every file."
            pack = self.session.pack(words, budget=budget, target="anthropic", **called)  # type: ignore[arg-type]
            self.step += 1
            said = Says(tool="look", arguments={"path": f"{self.step}.py"}, id=f"c{self.step}")
            answered = self.upstream.answer(self.upstream.mode.whole(pack.request()), lambda _, said=said: said)
            self.session.reply(anthropic_message(answered, self.step), format="anthropic")


@pytest.mark.parametrize("mode", SAMPLED, ids=str)
def test_thinking_of_another_budgets_prompts_is_not_sent(mode: Mode) -> None:
    with clew.open(":memory:") as engine:
        talk = Talk(engine, mode)
        for budget in (4_000, 9_000, 4_000, 60_000, 9_000):
            talk.goes_on(4, budget)


@pytest.mark.parametrize("mode", SAMPLED, ids=str)
def test_thinking_of_an_epoch_that_was_taken_back_is_not_sent(mode: Mode) -> None:
    with clew.open(":memory:") as engine:
        talk = Talk(engine, mode)
        talk.goes_on(8, 40_000)
        talk.session.compact("aggressive")
        talk.goes_on(3, 40_000)
        talk.session.undo()
        talk.goes_on(5, 40_000)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_packs_and_exports_of_a_session_file_are_accepted_in_every_mode(tmp_path: Path, mode: Mode) -> None:
    upstream = StrictUpstream(mode)
    path = tmp_path / "s1.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in _claude_code_lines(upstream, 12)))
    with clew.open(":memory:") as engine:
        session = engine.find(engine.import_file(path)[0].session)
        packs = [session.pack(None, budget=budget, target="anthropic", record=False) for budget in (900, 50_000)]
        for body in (*(pack.request() for pack in packs), session.reader.request("anthropic")[0].body):
            sent = mode.whole(body)
            assert (list(upstream.faults(sent)), check(sent, "anthropic", final=True)) == ([], [])


def test_of_a_huge_argument_the_told_steps_have_a_part_and_where_the_whole_is() -> None:
    text = "".join(f"line {at} of the file\\n" for at in range(10_000))
    with clew.open(":memory:") as engine:
        session, upstream = engine.session("s"), StrictUpstream(MODES[0])
        session.record([], format="anthropic", system="Be kind.", tools=tools("anthropic"))
        words, kind = "Write it.", {}
        for step in range(1, 4):
            pack = session.pack(words, budget=4_000, target="anthropic", thinking="enabled", **kind)  # type: ignore
            said = Says(tool="look", arguments={"path": f"{step}.py", "content": text}, id=f"c{step}")
            answered = upstream.answer(MODES[0].whole(pack.request()), lambda _, said=said: said)
            session.reply(upstream.reply(answered), format="anthropic")
            words, kind = f"written {step} {PADDING}", {"kind": "tool_response", "tool_id": f"c{step}"}
        pack = session.pack(words, budget=4_000, target="anthropic", thinking="enabled", **kind)  # type: ignore
        told = json.dumps(pack.request())
        marks = re.findall(r"characters left out here; whole: (m\d+)\]", told)
        assert (pack.tokens <= 4_000, "line 0 of the file" in told, "line 5000 of" in told) == (True, True, False)
        assert "written 3" in told
        assert marks
        assert all("line 5000 of the file" in session.recall(id)[0].text for id in marks)


def _claude_code_lines(upstream: StrictUpstream, steps: int) -> list[dict[str, Any]]:
    """A session of Claude Code that ends inside a loop: its system prompt and tools are in no line."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at every file."}]
    lines = [_line("user", messages[0], 0)]
    for step in range(steps):
        body = {"system": "You are an agent.", "tools": tools("anthropic"), "messages": messages}
        said = Says(tool="look", arguments={"path": f"{step}.py"}, id=f"toolu_{step}")
        reply = anthropic_message(upstream.answer(upstream.mode.whole(body), lambda _, said=said: said), step)
        given = output("anthropic", said.id, f"{step} {PADDING}")
        messages = [*messages, {"role": "assistant", "content": reply["content"]}, given]
        lines += [_line("assistant", reply, 2 * step + 1), _line("user", given, 2 * step + 2)]
    return lines


def _line(kind: str, message: dict[str, Any], at: int) -> dict[str, Any]:
    ids = {"uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s1", "version": "2.1.0"}
    where = {"timestamp": f"2026-11-01T10:00:{at:02d}.000Z", "isSidechain": False, "cwd": "/w", "gitBranch": "main"}
    return {"type": kind, "message": message, **ids, **where}
