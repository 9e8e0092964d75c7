"""Planned epochs: what they freeze, and what the newest message may take."""

from __future__ import annotations

from dataclasses import replace

import pytest

import clew
from clew import rules
from clew.codecs import jsonio
from clew.domain import Message, Origin, Role, Text, Usage
from clew.engine.engine import Engine
from tests.builders import call, gives, output, says, thinks, user

MODEL = "claude-sonnet-4-5"

_LATE_SYSTEM = Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="be brief"),))


def exchange(at: int, *, reported: int) -> list[Message]:
    """A step of some 1,300 tokens, and a reply that reports how large the prompt has become."""
    asked = user(f"question {at}: " + " ".join(f"word{at}x{n}" for n in range(260)))
    usage = Usage(input_tokens=reported, output_tokens=5)
    return [asked, replace(says(f"answer {at}"), model=MODEL, usage=usage)]


def test_an_epoch_counts_as_it_began_until_it_ends(engine: Engine) -> None:
    session = engine.session("s", model=MODEL)
    session.record([user("begin"), says("yes")])
    began = session.pack("go on", budget=60_000)
    for at in range(30):
        session.record(exchange(at, reported=1_700 * (at + 1)))
        mine, other = session.pack(budget=60_000), engine.find("s").pack(budget=60_000)
        assert (other.digest, other.tokens, other.epoch) == (mine.digest, mine.tokens, mine.epoch)
        assert mine.epoch == began.epoch or at > 20
    assert ratios(session)[0] == 0.0


def test_the_next_epoch_counts_by_what_the_replies_have_shown(engine: Engine) -> None:
    session = engine.session("s", model=MODEL)
    session.record([user("begin"), says("yes")])
    session.pack("go on", budget=60_000)
    for at in range(30):
        session.record(exchange(at, reported=1_700 * (at + 1)))
    session.pack(budget=60_000)
    session.compact("aggressive")
    mine, other = session.pack(budget=60_000), engine.find("s").pack(budget=60_000)
    assert (other.digest, other.tokens) == (mine.digest, mine.tokens)
    assert ratios(session)[0] == 0.0
    assert ratios(session)[-1] > 1.35


def ratios(session: clew.Session) -> list[float]:
    bodies = [jsonio.loads(entry.body) for entry in session.reader.entries() if entry.kind == "epoch"]
    return [body["epoch"].get("ratio", 0.0) for body in bodies if "epoch" in body]


def sealed_step(at: int) -> list[Message]:
    """A step whose thinking is sealed with many tokens, which are not sent after a snapshot."""
    seal = "".join(f"{at * n:x}Q" for n in range(400))
    asked = call(f"c{at}", "Bash", command=f"ls shop/part{at}")
    said = says(thinks("A look.", seal), f"The part {at} of the shop is read because it counts.", asked)
    return [said, gives(output(f"c{at}", f"part{at}.py"))]


def test_room_for_thinking_that_is_not_sent_is_used_for_something_else(engine: Engine) -> None:
    session = engine.session("s", model=MODEL)
    session.record([user("count the parts of the shop"), *(one for at in range(120) for one in sealed_step(at))])
    pack = session.pack(budget=4_000, target="anthropic", record=False)
    assert 0.95 * 4_000 <= pack.tokens <= 4_000


def orders(session: clew.Session, target: str) -> list[str]:
    """System messages that are sent among the others."""
    pack = session.pack(budget=6_000, target=target)
    body = pack.request()
    assert (rules.check(body, target), pack.tokens <= 6_000, bool(pack.left_out)) == ([], True, True)
    listed = body["messages"][target == "openai-chat" :]
    return [one["content"] for one in listed if one["role"] == "system"]


@pytest.mark.parametrize("target", ["anthropic", "openai-chat"])
def test_a_system_message_among_others_holds_on_behind_the_snapshot(engine: Engine, target: str) -> None:
    session = engine.session("s")
    session.record([user("begin"), says("yes")], system="Be kind.")
    for at, text in enumerate(("In German.", "too long " * 1_000, "In French.", "In French.")):
        given = [{"role": "user", "content": f"question {at}"}, {"role": "system", "content": text}]
        session.record(given, format=target, channel="log")
        session.record([message for n in range(9) for message in exchange(10 * at + n, reported=10)])
    assert orders(session, target) == ["In French."]
    assert "In French." not in session.pack(budget=6_000, target="text").text
    for message in [one for one in session.messages() if one.text == "In French."]:
        session.edit(message.id, replace(message, parts=()))
    assert orders(session, target) == []


@pytest.mark.parametrize(
    "history",
    [
        [user("go"), says("I look.", call("c1")), user("and?"), says(""), user("well?"), gives(output("c1", "done"))],
        [user("go"), says(call("c1")), user("and?"), says(thinks("", "sealed"))],
        [user("go"), says(call("c1")), _LATE_SYSTEM, says(output("c1", "done"))],
    ],
    ids=["a blank reply", "thinking alone", "outputs in the assistant's name"],
)
def test_a_reply_that_is_not_sent_as_one_ends_no_loop_of_calls(engine: Engine, history: list[Message]) -> None:
    """What the provider sees is a loop under way, which has to begin with thinking or be told."""
    session = engine.session("blank")
    session.record(history)
    thinking = {"type": "enabled", "budget_tokens": 1_024}
    pack = session.pack(budget=50_000, target="anthropic", thinking=thinking, model="claude-opus-4-5")
    body = pack.request() | {"model": "claude-opus-4-5", "max_tokens": 2_000, "thinking": thinking}
    assert rules.check(body, "anthropic") == []
