"""History is told as packs tell it, as text that cannot end its own fence, in full or in brief, in parts that fit."""

from __future__ import annotations

import re

from clew.domain import Message, Origin, Output, Role, Status, Text
from clew.summaries.history_text import fence, message_blocks, split_parts
from tests.builders import call, gives, output, says, user
from tests.unit.digests.examples import numbered
from tests.unit.summaries.examples import NOISE, count, work


def test_a_message_is_told_as_a_step_of_a_pack_is() -> None:
    told = message_blocks(
        numbered([user("Hi"), says("Yes", call("c", "Read", file_path="a.py")), gives(output("c", "x = 1"))])
    )
    assert told == ["m1 user: Hi", "m2 agent: Yes\n  → Read a.py", "m3 ← x = 1"]


def test_a_refusal_is_told_as_a_persons_words() -> None:
    text = (Text(text="The user doesn't want to proceed with this tool use."),)
    refused = Output(call_id="c", content=text, status=Status.CANCELED, reason="not now")
    told = message_blocks(numbered([says(call("c", "Bash", command="git push")), gives(refused)]))
    assert told[-1].endswith("user (refusing `git push`): not now")


def test_outputs_and_announcements_are_cut_in_brief_and_words_stay() -> None:
    full, brief = message_blocks(work()), message_blocks(work(), brief=True)
    assert [at for at, pair in enumerate(zip(full, brief, strict=True)) if pair[0] != pair[1]] == [1, 2]
    assert full[1].replace("agent: I'll look.\n  ", "") == brief[1]
    assert full[2] == "m3 ← " + NOISE.replace("\n", "\n  ")
    assert len(brief[2]) < 400


def test_an_earlier_summary_is_told_as_one() -> None:
    message = Message(role=Role.USER, origin=Origin.SUMMARY, id="m4", parts=user("Goal: ship it").parts)
    assert message_blocks([message]) == ["m4 earlier summary: Goal: ship it"]


def test_what_clients_inject_is_not_told() -> None:
    assert message_blocks([Message(role=Role.USER, origin=Origin.CLIENT, id="m4", parts=user("x").parts)]) == []


def test_messages_are_not_changed_by_being_told() -> None:
    messages = work()
    message_blocks(messages, brief=True)
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
