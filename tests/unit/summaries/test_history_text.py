"""History is told as text that cannot end its own fence, whole or with tools cut, in parts that fit."""

from __future__ import annotations

import re

from clew.domain import Message, Origin, Role
from clew.summaries.history_text import fence, head_and_tail, message_blocks, split_parts
from tests.builders import call, gives, output, says, thinks, user
from tests.unit.digests.examples import numbered
from tests.unit.summaries.examples import NOISE, count, work


def test_a_message_is_told_with_who_said_it() -> None:
    told = message_blocks(
        numbered([user("Hi"), says("Yes", call("c", "read", path="a.py")), gives(output("c", "x = 1"))])
    )
    assert told == ["[m1 user]\nHi", '[m2 assistant]\nYes\n→ read {"path":"a.py"}', "[m3 tool]\n← x = 1"]


def test_sealed_thinking_is_left_out_and_all_of_it_where_tools_are_cut() -> None:
    message = says(thinks("", "sealed"), thinks("hm"), "Yes")
    assert message_blocks([message]) == ["[- assistant]\n(thinking) hm\nYes"]
    assert message_blocks([message], cut_tools=True) == ["[- assistant]\nYes"]


def test_outputs_are_cut_to_their_ends_and_everything_else_stays() -> None:
    full, simple = message_blocks(work()), message_blocks(work(), cut_tools=True)
    assert [at for at, pair in enumerate(zip(full, simple, strict=True)) if pair[0] != pair[1]] == [2]
    assert simple[2] == f"[m3 tool]\n← {head_and_tail(NOISE)}"
    assert head_and_tail(NOISE).split("\n")[4] == "[113 lines left out]"


def test_long_arguments_are_cut_too() -> None:
    [told] = message_blocks(
        [says(call("c", "write", path="a.py", content="x\n" * 400, edits=[{"new": "y" * 900}]))], cut_tools=True
    )
    assert len(told) < 700
    assert "394 lines left out" in told


def test_messages_are_not_changed_by_being_told() -> None:
    messages = work()
    message_blocks(messages, cut_tools=True)
    assert messages == work()


def test_text_cannot_close_its_fence() -> None:
    inside = fence("history", "x")
    outside = fence("history", inside)
    tags = re.findall(r"</?history-([0-9a-f]{16})>", outside)
    assert tags[0] == tags[-1]
    assert tags[0] not in tags[1:-1]
    assert fence("history", "x") == inside


def test_parts_are_cut_at_messages_and_hold_everything() -> None:
    blocks = [f"[m{at} user]\n" + "word " * 40 for at in range(30)]
    parts = split_parts(blocks, 200, count)
    assert "\n\n".join(parts) == "\n\n".join(blocks)
    assert max(map(count, parts)) <= 200
    assert all(part.startswith("[m") for part in parts)


def test_a_giant_message_is_itself_cut() -> None:
    giant = "\n".join(f"line {at} of a very long output" for at in range(2_000))
    parts = split_parts(["[m1 user]\nhi", giant, "[m3 user]\nbye"], 500, count)
    assert max(map(count, parts)) <= 500
    assert "".join(parts).replace("\n", "") == ("[m1 user]\nhi" + giant + "[m3 user]\nbye").replace("\n", "")


def test_text_without_a_line_end_is_cut_all_the_same() -> None:
    parts = split_parts(["x7Qz" * 5_000], 300, count)
    assert max(map(count, parts)) <= 300
    assert "".join(parts) == "x7Qz" * 5_000


def test_a_clients_words_are_told_as_such() -> None:
    message = Message(role=Role.USER, origin=Origin.CLIENT, id="m4", parts=user("x").parts)
    assert message_blocks([message]) == ["[m4 user, client]\nx"]
