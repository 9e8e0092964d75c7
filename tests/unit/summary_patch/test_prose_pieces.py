"""Pieces that can be told alone."""

from __future__ import annotations

from clew.summary_patch.prose_pieces import pieces_of
from clew.units.unit import Speaker, Unit


def pieces(text: str, speaker: Speaker = Speaker.AGENT) -> list[str]:
    return [one.content for one in pieces_of(Unit(number=1, speaker=speaker, text=text, value=1.0))]


def test_a_sentence_comes_with_the_one_it_refers_to() -> None:
    assert pieces("The cache keeps old prices. This makes the total wrong. The tax table is in `tax.py`.") == [
        "The cache keeps old prices. This makes the total wrong.",
        "The tax table is in `tax.py`.",
    ]


def test_a_sentence_that_refers_to_nothing_here_is_left_out() -> None:
    assert pieces("That makes the total wrong in the cart.") == []


def test_a_short_list_comes_whole_with_the_line_that_leads_to_it() -> None:
    told = "Ways for the cache: keep it in memory; write it to a file"
    assert pieces("Ways for the cache:\n\n- keep it in memory\n- write it to a file") == [told]


def test_an_item_of_a_long_list_is_marked_as_one_of_several() -> None:
    items = [f"keep it in place {at} because the disk of `runner_{at}` is read-only" for at in range(8)]
    text = "Ways for the cache:\n" + "\n".join(f"- {item}" for item in [*items, "If there are none, it is a no-op"])
    assert pieces(text) == [f"Ways for the cache: […] {item}" for item in items]


def test_a_way_that_is_named_by_its_letter_alone_is_left_out() -> None:
    assert pieces("I recommend Option A because it is quicker than all the others.") == []
    assert pieces("Option A: keep the cache in memory because the disk is read-only.") != []


def test_code_and_tables_are_no_prose() -> None:
    assert pieces("```\nx = compute_everything(again)\n```\n| a column | another column of it |") == []


def test_a_command_is_one_piece() -> None:
    assert pieces("`make` → done\nin 3 s", Speaker.RUN) == ["`make` → done\nin 3 s"]


def test_one_step_of_several_is_not_told_alone() -> None:
    assert pieces("The scenario that shows it:\n1. Open the shop at noon\n2. Buy the last lamp") == []
