"""Epochs: between two of them a pack only grows, and what was handed out stays as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import clew
from clew import rules
from clew.codecs import jsonio, registry
from clew.config import CompactionConfig, Config
from clew.domain import Message, Origin, Reasoning, Usage
from clew.engine.engine import Engine
from clew.samples import sample
from tests.builders import call, gives, output, says, user
from tests.conftest import HandClock
from tests.effort import first
from tests.verdicts import hear

BUDGET = 9_000


def units(body: dict[str, Any], provider: str) -> list[bytes]:
    """What a provider's cache sees: blocks in order, with whose they are, and without the marks for the cache."""
    found = []
    for item in body[registry.MESSAGE_LISTS[provider]]:
        blocks = item.get("content", item.get("parts")) if isinstance(item, dict) else None
        for block in blocks if isinstance(blocks, list) else [item]:
            plain = {k: v for k, v in block.items() if k != "cache_control"}
            found.append(jsonio.dumps([item.get("role"), plain]))
    return found


@cache
def story() -> tuple[Message, ...]:
    with clew.open(":memory:") as engine:
        return tuple(engine.find(engine.import_file(sample())[0].session).reader.history().prompt_view())


def kinds(messages: tuple[Message, ...]) -> set[object]:
    return {(m.role, m.origin, type(part), getattr(part, "status", "")) for m in messages for part in m.parts}


def rich_story() -> tuple[Message, ...]:
    """Exchanges from the middle on, until there was every kind of message, a client's own summary included."""
    asked = [at for at, message in enumerate(story()) if message.origin is Origin.PERSON]
    first = asked[len(asked) // 2 - 1]
    return next(found for at in (*asked, None) if kinds(found := story()[first:at]) == kinds(story()))


@pytest.mark.parametrize("provider", first(registry.PROVIDERS))
def test_every_next_pack_starts_with_all_of_the_one_before_until_an_epoch_begins(
    tmp_path: Path, clock: HandClock, provider: str
) -> None:
    store = tmp_path / "clew.db" if provider == "anthropic" else ":memory:"
    with clew.open(store, config=Config(), clock=clock) as engine:
        replay(engine, provider, rich_story())


def replay(engine: Engine, provider: str, messages: tuple[Message, ...]) -> None:
    """Packs after every message; another handle gives the same, as every tenth pack shows."""
    session, before, epoch, held, begun = engine.session("s"), [b""], 0, 0, 0
    tool = {"name": "Read", "description": "Reads a file.", "input_schema": {"type": "object"}}
    session.record([], format="anthropic", system="Be brief.", tools=[tool])
    for at, message in enumerate(messages):
        session.record([message])
        pack = session.pack(budget=BUDGET, target=provider)
        now = units(pack.request(provider), provider)
        assert pack.tokens <= BUDGET
        if at % 10 == 0 or pack.epoch != epoch:
            fresh = engine.find("s").pack(budget=BUDGET, target=provider)
            assert (fresh.request(provider), fresh.epoch) == (pack.request(provider), pack.epoch)
        assert rules.check(pack.request(provider), provider) == []
        if pack.epoch == epoch:
            assert now[: len(before)] == before
            held += 1
        else:
            assert pack.epoch == epoch + 1
            begun += 1
        before, epoch = now, pack.epoch
    assert begun > 5
    assert held > 3 * begun


def test_another_handle_and_another_process_go_on_with_the_same_bytes(tmp_path: Path) -> None:
    store = tmp_path / "clew.db"
    with clew.open(store) as engine:
        session = engine.session("s")
        session.record(story())
        mine = session.pack("and now?", budget=BUDGET, target="anthropic")
        other = engine.find("s").pack("and now?", budget=BUDGET, target="anthropic")
        assert (other.digest, other.epoch) == (mine.digest, mine.epoch)
    program = (
        "import sys, clew\n"
        "with clew.open(sys.argv[1]) as engine:\n"
        f"    print(engine.find('s').pack('and now?', budget={BUDGET}).digest)\n"
    )
    env = os.environ | {"PYTHONHASHSEED": "77"}
    ran = subprocess.run([sys.executable, "-c", program, store], capture_output=True, text=True, env=env, check=True)
    assert ran.stdout.strip() == mine.digest


def test_an_input_stays_as_it_was_sent_however_the_reply_is_recorded(engine: Engine) -> None:
    for name, told in (("reply", []), ("both", [user("what  failed?")])):
        session = engine.session(name)
        session.record([user("run the tests"), says("done")])
        sent = units(session.pack("what failed?", budget=BUDGET, target="anthropic").request(), "anthropic")
        session.record([*told, says("test_login")])
        after = units(session.pack("why?", budget=BUDGET, target="anthropic").request(), "anthropic")
        assert after[: len(sent)] == sent
        assert len(after) == len(sent) + 2


def test_an_input_that_was_never_answered_is_replaced_by_the_next(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("hi"), says("hello")])
    session.pack("first thought", budget=BUDGET, target="openai-chat").request()
    messages = session.pack("second thought", budget=BUDGET, target="openai-chat").request()["messages"]
    assert [message["content"] for message in messages] == ["hi", "hello", "second thought"]


def test_a_step_is_sent_when_all_its_outputs_have_come(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("look"), says(call("a", "Read", file_path="x"), call("b", "Read", file_path="y"))])
    before = session.pack(budget=BUDGET, target="anthropic").request()
    session.record([gives(output("a", "one"))])
    assert units(session.pack(budget=BUDGET, target="anthropic").request(), "anthropic") == units(before, "anthropic")
    session.record([gives(output("b", "two"))])
    assert [m["role"] for m in session.pack(budget=BUDGET, target="anthropic").request()["messages"]] == [
        "user",
        "assistant",
        "user",
    ]


def test_a_tool_response_answers_its_call(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("look"), says(call("a", "Read", file_path="x"))])
    request = session.pack("the text", budget=BUDGET, kind="tool_response", tool_id="a", target="openai-chat").request()
    assert request["messages"][-1] == {"role": "tool", "tool_call_id": "a", "content": "the text"}
    with pytest.raises(clew.ClewError, match="no open call"):
        session.pack("the text", budget=BUDGET, kind="tool_response", tool_id="z", target="openai-chat").request()


def test_what_a_rollback_takes_back_ends_the_epoch_only_if_its_snapshot_told_of_it(engine: Engine) -> None:
    session = engine.session("s")
    many = [message for at in range(60) for message in (user(f"step {at} " + "words " * 50), says("ok " * 60))]
    session.record(many)
    first = session.pack(budget=4_000, target="anthropic")
    before = units(first.request("anthropic"), "anthropic")
    session.rollback(1)
    second = session.pack(budget=4_000, target="anthropic")
    now = units(second.request("anthropic"), "anthropic")
    assert second.epoch == first.epoch
    assert now == before[: len(now)]
    session.rollback(58)
    third = session.pack(budget=4_000, target="anthropic")
    assert third.request("anthropic")["messages"]
    assert third.epoch == first.epoch + 1
    assert "step 40" not in jsonio.dumps(third.request("anthropic")).decode()


def test_thinking_goes_when_what_it_was_bound_to_changes_and_stays_otherwise(engine: Engine) -> None:
    def thought(text: str, seal: str) -> Message:
        return says(Reasoning(text="hm", seal=seal), text)

    session = engine.session("s", model="claude-sonnet-4-5")
    session.record([user("begin " + "words " * 2_000), thought("old", "s1")])
    assert (
        seals(session.pack(budget=8_000, target="anthropic").request()) == []
    )  # not written down by Anthropic: no signature
    raw = {"type": "thinking", "thinking": "hm", "signature": "sealed"}
    session.record(
        [{"role": "user", "content": "go"}, {"role": "assistant", "content": [raw, {"type": "text", "text": "new"}]}],
        format="anthropic",
    )
    within = session.pack("more", budget=8_000, target="anthropic")
    assert seals(within.request("anthropic")) == ["sealed"]
    session.record([user("x " * 7_000), says("ok")])
    after = session.pack("more", budget=8_000, target="anthropic")
    assert seals(after.request("anthropic")) == []
    assert after.epoch == within.epoch + 1


def seals(body: dict[str, Any]) -> list[str]:
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    return [block["signature"] for block in blocks if block["type"] == "thinking"]


def test_a_stale_read_shrinks_when_an_epoch_begins_and_its_whole_can_be_read(engine: Engine) -> None:
    source = "\n".join(f"def function_{at}(value):\n    return value + {at}\n" for at in range(60))
    session = engine.session("s")
    session.record([user(f"remember {at} " + "words " * 200) for at in range(60)])
    session.record(
        [
            user("fix it"),
            says(call("a", "Read", file_path="/w/app.py")),
            gives(output("a", source)),
            says(call("b", "Edit", file_path="/w/app.py", old_string="value + 7\n", new_string="value + 8\n")),
            gives(output("b", "ok")),
        ]
    )
    body = jsonio.dumps(session.pack(budget=12_000, target="anthropic").request()).decode()
    assert "def function_3" in body
    assert "return value + 3" not in body
    blob = body.split("whole: ")[1].split("]")[0]
    assert session.recall(blob)[0].text == source


def test_breakpoints_are_at_most_four_and_keep_the_callers_lifetime(engine: Engine) -> None:
    mark = {"type": "ephemeral", "ttl": "1h"}
    session = engine.session("s")
    session.record(
        [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]}],
        format="anthropic",
        system=[{"type": "text", "text": "a", "cache_control": mark}, {"type": "text", "text": "b"}],
    )
    session.record([says("hello")])
    request = session.pack("go on", budget=BUDGET, target="anthropic").request()
    marks = [b["cache_control"] for m in request["messages"] for b in m["content"] if "cache_control" in b]
    assert marks == [mark, mark]
    assert request["system"][0]["cache_control"] == mark
    assert rules.check(request, "anthropic", final=True) == []


@pytest.mark.parametrize("provider", first(registry.PROVIDERS))
def test_what_is_pinned_amid_work_is_told_once_and_the_prefix_stands(provider: str) -> None:
    before, epoch = [b""], 0
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        for at, message in enumerate(story()[:60]):
            if at == 20:
                session.pin("Use JWT everywhere", kind="decision")
            session.record([message])
            pack = session.pack(budget=BUDGET, target=provider)
            now = units(pack.request(provider), provider)
            assert rules.check(pack.request(provider), provider) == []
            if pack.epoch == epoch:
                assert now[: len(before)] == before
            if at > 20:
                assert b"".join(now).count(b"Use JWT everywhere") == 1
            before, epoch = now, pack.epoch


def test_what_is_heard_late_is_told_beside_the_next_input_and_the_prefix_stands() -> None:
    before, epoch, told = [b""], 0, b"Only numbers from the harbour office count."
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        for at, message in enumerate(story()[:60]):
            session.record([message])
            if at == 40:
                hear(session, told.decode(), "m1")
            pack = session.pack(budget=BUDGET, target="anthropic")
            now = units(pack.request("anthropic"), "anthropic")
            if pack.epoch == epoch:
                assert now[: len(before)] == before
            before, epoch = now, pack.epoch
        assert b"".join(before).count(told) == 1


def steps(first: int, count: int) -> list[Message]:
    """Steps of a Claude that counts 1.6 times what o200k does."""
    found: list[Message] = []
    for at in range(first, first + count):
        read = says("Reading.", call(f"c{at}", "Read", file_path=f"src/a{at}.py"))
        usage = Usage(input_tokens=20_000 + at * 3_400, output_tokens=100)
        found += [replace(read, model="claude-opus-4-5", usage=usage)]
        found += [gives(output(f"c{at}", f"value_{at} " * 700))]
    return found


def test_the_same_bytes_have_one_count_whoever_counts_them(clock: HandClock) -> None:
    """Replies teach how a model counts; an epoch is counted as it was when it began, by every handle."""
    engine = clew.open(":memory:", config=Config(compaction=CompactionConfig(auto=False)), clock=clock)
    session = engine.session("s", model="claude-opus-4-5", window=400_000)
    session.record([user("Go on."), *steps(0, 4)])
    first = session.pack(None, target="anthropic")
    session.record([*steps(4, 40), says("Done."), user("And now?")])
    ours, others = (one.pack(None, target="anthropic") for one in (session, engine.find("s")))
    assert (ours.digest, ours.tokens, ours.counted) == (others.digest, others.tokens, others.counted)
    assert ours.counted == first.counted
    session.compact()
    ours, others = (one.pack(None, target="anthropic", record=False) for one in (session, engine.find("s")))
    assert (ours.digest, ours.tokens, ours.counted) == (others.digest, others.tokens, others.counted)
    assert ours.counted != first.counted
