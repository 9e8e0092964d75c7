"""What is gathered from a history: what people said, with what had happened just before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message
from clew.text.memo import forget_all
from clew.units import gather
from clew.units.code_lines import removed_lines
from clew.units.gather import UnitGatherer, gather_units
from clew.units.person_lines import person_line
from tests.builders import call, gives, injected, output, says, user


def lines(*messages: Message) -> list[str]:
    numbered = [replace(message, id=f"m{at}") for at, message in enumerate(messages, 1)]
    return [person_line(one, 100, "") for one in gather_units(numbered, root="").statements]


def test_words_after_an_interruption_say_so() -> None:
    stop = injected("[Request interrupted by user]")
    told = lines(user("Move the old table."), says("I drop it."), stop, user("No, keep a copy of it first."))
    assert told == ["m1 user: Move the old table.", "m4 user (after stopping the agent): No, keep a copy of it first."]


def test_an_interruption_that_nobody_spoke_after_is_over_when_the_agent_goes_on() -> None:
    stop = injected("[Request interrupted by user]")
    told = lines(stop, says("I go on."), user("Now move the old table."))
    assert told == ["m3 user: Now move the old table."]


def test_what_a_person_took_back_says_so() -> None:
    told = lines(
        user("Rename the release to update."), says("I rename it."), user("sorry, wrong chat. ignore the last message")
    )
    assert told[0] == "m1 user (taken back in m3): Rename the release to update."
    assert (
        lines(user("Rename it."), user("Ignore the last message of the log when you count them"))[0]
        == "m1 user: Rename it."
    )


def test_a_history_that_is_cut_here_and_there_gives_what_reading_it_anew_gives() -> None:
    told = [user("Mend it."), says("I look.", call("c1", "Bash", command="pytest")), gives(output("c1", "1 failed"))]
    told += [says("I edit a.py.", call("c2", "Edit", file_path="a.py", old_string="old line here", new_string="new"))]
    told += [gives(output("c2", "done")), user("And now?"), says("The parser of `a.py` takes `None` now.")]
    messages = [replace(message, id=f"m{at}") for at, message in enumerate(told, 1)]
    gatherer = UnitGatherer(messages[:-1], messages[-1:], root="")
    for cut in (6, 3, 6, 0, 5):
        known = gatherer.gather_before(cut)
        forget_all()
        assert known == UnitGatherer(messages[:-1], messages[-1:], root="").gather_before(cut)


def test_a_history_is_read_once_wherever_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []

    def removed(told: list[Message]) -> frozenset[str]:
        reads.append(len(told))
        return removed_lines(told)

    monkeypatch.setattr(gather, "removed_lines", removed)
    told = [replace(says(f"The parser of `a.py` takes {at} now."), id=f"m{at}") for at in range(1, 2_101)]
    for end in (2_099, 2_090, 2_050):
        copies = [replace(message) for message in told]
        assert UnitGatherer(copies[:end], copies[end:], root="").gather_before(end).units[-1].number == end
    assert reads == [1_600]
