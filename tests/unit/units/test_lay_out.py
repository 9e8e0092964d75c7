"""Units as they are read."""

from __future__ import annotations

from clew.units.lay_out import lay_out, lay_out_earlier, lay_out_sections
from clew.units.unit import Section, Speaker, Unit

HEADINGS = {Section.CORRECTION: "Corrections:", Section.WORK: "Found, decided and done:"}


def unit(number: int, text: str, value: float = 1.0, *, section: Section = Section.WORK) -> Unit:
    return Unit(number=number, text=text, value=value, section=section)


def test_a_unit_tells_what_it_is_about_or_all_of_its_text() -> None:
    one = Unit(number=1, speaker=Speaker.AGENT, text="it works", value=1.0, lead="After the change:")
    assert one.content == "After the change: it works"
    assert one.line == "m1 agent: After the change: it works"
    assert Unit(number=1, text="user, as a line: it works", value=1.0, about="it works").content == "it works"


def test_units_stand_in_the_order_of_the_conversation_under_one_speaker() -> None:
    units = [Unit(number=at, speaker=Speaker.AGENT, text=text, value=1.0) for at, text in ((7, "b"), (3, "a\nz"))]
    units.append(Unit(number=7, speaker=Speaker.AGENT, text="c", value=2.0, position=1))
    assert lay_out(units) == "m3 agent: a\n  z\nm7 agent: b\n  c"


def test_items_of_an_earlier_summary_stand_under_their_headings() -> None:
    units = [
        Unit(number=1, text=text, value=1.0, position=at, heading=head)
        for at, head, text in ((1, "Goal", "- ship"), (2, "Goal", "- test"), (3, "Next", "- rest"))
    ]
    assert lay_out_earlier(units) == "Goal\n  - ship\n  - test\nNext\n  - rest"


def test_lines_stand_under_their_headings_in_order() -> None:
    units = [unit(7, "later", 2.0), unit(3, "earlier\nin two lines"), unit(9, "wrong", section=Section.CORRECTION)]
    assert lay_out_sections(units, HEADINGS) == (
        "Corrections:\n- wrong\nFound, decided and done:\n- earlier\n  in two lines\n- later"
    )


def test_items_of_one_list_stand_together_behind_the_words_that_lead_to_them() -> None:
    found = [
        Unit(number=at, speaker=Speaker.AGENT, lead="Ways to mend the cache:", text=item, value=1.0, position=place)
        for place, (at, item) in enumerate(((7, "clear it"), (7, "[…] drop it"), (8, "none")))
    ]
    assert lay_out_sections(found, HEADINGS).split("\n")[1:] == [
        "- m7 agent: Ways to mend the cache: clear it; drop it",
        "- m8 agent: Ways to mend the cache: none",
    ]
