"""Long output among a person's words is shortened; the words, and what is short, stay as they are."""

from __future__ import annotations

from clew.units.pasted_text import with_short_pastes

OWN = "It still fails on the second run, and I think the cache is not cleared between the two of them."
LOG = "\n".join(f"2026-03-01 10:00:{n:02d} INFO worker {n} handled order {n * 7}" for n in range(40))


def test_words_before_and_behind_a_long_paste_stay_and_its_middle_goes() -> None:
    said = with_short_pastes(f"{OWN}\n\n{LOG}\n\nMake the cache key depend on the tenant, and nothing else.")
    assert OWN in said
    assert said.endswith("Make the cache key depend on the tenant, and nothing else.")
    assert "worker 1 " in said
    assert "worker 39 " in said
    assert "worker 20 " not in said
    assert "[… 37 lines of pasted output]" in said


def test_what_stands_between_two_pastes_belongs_to_them_unless_it_asks() -> None:
    said = with_short_pastes(f"{OWN}\n\n{LOG}\n\nDone with that.\n\n{LOG}\n\nWhy twice?\n\n{LOG}")
    assert "Done with that." not in said
    assert "Why twice?" in said


def test_code_of_a_few_lines_a_list_and_prose_are_no_paste() -> None:
    code = "Instead of this:\n\nfor path in paths:\n    if path in known:\n        total += 1\n\n"
    listed = "\n".join(f"{n}. {OWN}" for n in range(20))
    for text in (code + OWN * 6, listed, f"{OWN}\n\n" * 30):
        assert with_short_pastes(text) == text


def test_a_request_that_was_written_elsewhere_has_blanks_before_every_line_and_stays() -> None:
    points = "\n".join(
        f"  {at}. part_{at}.py: call the function there, and dispatch what it gives back" for at in range(9)
    )
    request = "\n".join(
        [
            "  Read the plan first, above all its fourth part, and the notes on\n  why there is no catch-up.\n",
            "  Your task: wire the function into the handlers, so that something",
            "  really happens when a phase ends. The places are:",
            points,
            "\n  Write tests first. Run all of them before you say\n  that it is done.\n",
            "also use the skill for plans",
        ]
    )
    assert len(request) > 800
    assert with_short_pastes(request) == request
    assert "of pasted output" in with_short_pastes(f"{request}\n\n{LOG}")
