"""Each rule about calls and outputs, on the smallest history that needs it."""

from __future__ import annotations

from clew.domain import Message, Output, Role, Status, Text
from clew.history.repair.output_rules import missing_output
from clew.history.repair.rules import repair_history
from tests.builders import call, gives, output, says, user


def outputs_after(messages: tuple[Message, ...], at: int) -> list[str]:
    return [part.call_id for part in messages[at].parts if isinstance(part, Output)]


def test_a_call_without_output_is_answered_as_aborted() -> None:
    history, repairs = repair_history([user("go"), says(call("c1", "bash")), user("never mind"), says("fine")])
    assert history[2].parts == (missing_output(call("c1", "bash")),)
    assert [message.role for message in history] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT]
    assert [repair.rule for repair in repairs] == ["call-answered"]


def test_a_lost_call_is_called_the_same_wherever_it_stands() -> None:
    for after in ([], [user("go on")], [says("hm"), user("?")]):
        history, repairs = repair_history([user("go"), says(call("c1", "bash")), *after])
        (made,) = history[2].outputs
        assert (made.status, made.text) == (Status.ABORTED, "[no output: the call to bash was aborted]")
        assert repairs[0].message.endswith("aborted")


def test_an_output_without_a_call_leaves() -> None:
    history, repairs = repair_history([user("go"), gives(output("ghost")), says("done")])
    assert history == (user("go"), says("done"))
    assert [repair.rule for repair in repairs] == ["no-orphans"]


def test_a_message_that_mixes_an_orphan_and_text_keeps_its_text() -> None:
    history, _ = repair_history([user("go"), says("hm"), user(output("ghost"), "use tabs")])
    assert history[-1].text == "use tabs"
    assert history[-1].outputs == ()


def test_of_two_outputs_the_last_real_one_stands() -> None:
    first, second = output("c1", "old"), output("c1", "new")
    history, repairs = repair_history([says(call("c1")), gives(first), gives(second), says("ok")])
    assert [part.text for message in history for part in message.outputs] == ["new"]
    assert "one-output" in [repair.rule for repair in repairs]


def test_a_real_output_beats_a_later_stand_in() -> None:
    real, stand_in = output("c1", "real"), output("c1", "gone", Status.ABORTED)
    history, _ = repair_history([says(call("c1")), gives(real), gives(stand_in), says("ok")])
    assert [part.text for message in history for part in message.outputs] == ["real"]


def test_an_output_before_its_call_is_paired_not_dropped() -> None:
    history, _ = repair_history([user("go"), gives(output("c1", "early")), says(call("c1")), says("ok")])
    assert [message.role for message in history] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert history[2].outputs[0].text == "early"


def test_outputs_of_parallel_calls_come_in_call_order() -> None:
    history, _ = repair_history([says(call("c1"), call("c2")), gives(output("c2")), gives(output("c1")), says("ok")])
    assert outputs_after(history, 1) == ["c1", "c2"]


def test_an_output_that_came_late_moves_to_its_step() -> None:
    late = [says(call("c1")), user("are you there?"), says("yes"), gives(output("c1", "late"))]
    history, _ = repair_history(late)
    assert outputs_after(history, 1) == ["c1"]
    assert [message.text for message in history if message.text] == ["are you there?", "yes"]


def test_equal_ids_used_twice_are_renamed_on_both_sides() -> None:
    twice = [says(call("c1")), gives(output("c1", "a")), says(call("c1")), gives(output("c1", "b")), says("ok")]
    history, repairs = repair_history(twice)
    assert [part.id for message in history for part in message.calls] == ["c1", "c1_2"]
    assert [(part.call_id, part.text) for message in history for part in message.outputs] == [
        ("c1", "a"),
        ("c1_2", "b"),
    ]
    assert [repair.rule for repair in repairs] == ["unique-ids"]


def test_a_new_id_never_takes_one_that_is_in_use() -> None:
    history, _ = repair_history(
        [
            says(call("c1"), call("c1_2")),
            gives(output("c1"), output("c1_2")),
            says(call("c1")),
            gives(output("c1")),
            says("ok"),
        ]
    )
    ids = [part.id for message in history for part in message.calls]
    assert len(ids) == len(set(ids))


def test_outputs_inside_a_reply_are_cut_out_into_steps() -> None:
    history, _ = repair_history([user("go"), says("a", call("c1"), output("c1"), "b", call("c2"), output("c2"), "c")])
    assert [message.role for message in history] == [
        Role.USER,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
        Role.TOOL,
        Role.ASSISTANT,
    ]


def test_calls_outside_a_reply_get_a_reply_of_their_own() -> None:
    asked = Message(role=Role.USER, parts=(Text(text="go"), call("c1")))
    history, repairs = repair_history([asked, gives(output("c1"))])
    assert [(message.role, len(message.parts)) for message in history] == [
        (Role.USER, 1),
        (Role.ASSISTANT, 1),
        (Role.TOOL, 1),
    ]
    assert [made.rule for made in repairs] == ["outputs-apart"]
