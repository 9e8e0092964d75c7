"""A layout is filled in turns: each section has its share, what is guaranteed stays, and the budget is a cap."""

from __future__ import annotations

from clew.packing.formats import PackSection
from clew.packing.layout import Content, Part, fill_layout, with_part


def size(sections: tuple[PackSection, ...]) -> int:
    return sum(len(section.text) for section in sections)


def letters(letter: str) -> Part[str]:
    """A section that takes all the room it gets."""
    return Part(letter, turn=1, fill=lambda _, slot: Content(letter * slot.room))


def filled(*layout: Part[str], budget: int = 100) -> dict[str, int]:
    sections = fill_layout(layout, "", budget=budget, size=size)
    return {section.name: len(section.text) for section in sections}


def test_a_section_takes_its_share_of_the_budget_and_of_what_is_left() -> None:
    (first,) = with_part((letters("a"),), "a", share=0.5)
    (second,) = with_part((letters("b"),), "b", turn=2, share=0.4, most=0.5)
    assert filled(first, second) == {"a": 50, "b": 25}


def test_sections_of_one_turn_share_what_the_turns_before_have_left() -> None:
    (first,) = with_part((letters("a"),), "a", turn=0, share=0.2)
    (second, third) = (with_part((letters(name),), name, most=0.5)[0] for name in "bc")
    assert filled(third, second, first) == {"c": 40, "b": 40, "a": 20}


def test_what_is_guaranteed_keeps_its_room_until_its_turn() -> None:
    held: Part[str] = Part("held", turn=2, fill=lambda *_: Content("full"), least=lambda _: Content("h" * 30))
    assert filled(held, letters("a")) == {"held": 4, "a": 70}


def test_a_section_sees_what_those_before_its_turn_hold() -> None:
    echo: Part[str] = Part("echo", turn=2, fill=lambda _, slot: slot.told["a"])
    assert filled(echo, *with_part((letters("a"),), "a", share=0.4)) == {"echo": 40, "a": 40}


def test_what_does_not_fit_is_filled_anew_without_room() -> None:
    large: Part[str] = Part("large", turn=1, fill=lambda _, slot: Content("l" * 200 if slot.room else ""))
    assert filled(large, *with_part((letters("a"),), "a", turn=2)) == {"large": 0, "a": 100}
