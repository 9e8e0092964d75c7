"""Which messages say the same."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Message
from clew.retrieval.neighbours import DistinctMessages
from tests.builders import gives, output, says, user

TRACE = " ".join(f"frame{number} in module{number}" for number in range(20))


def seen(*messages: Message) -> list[int | None]:
    distinct = DistinctMessages()
    return [distinct.add(replace(one, id=f"m{number}")) for number, one in enumerate(messages, 1)]


def test_an_output_that_came_before_with_other_figures_is_the_same() -> None:
    first, second = (gives(output("c", f"{TRACE} after {seconds} s")) for seconds in ("0.31", "0.27"))
    assert seen(first, says("Again."), second, gives(output("c", "all 12 tests passed"))) == [None, None, 1, None]


def test_words_of_people_are_the_same_only_when_all_of_them_are() -> None:
    wish = "Set the timeout of the worker in config.toml to {} seconds, and say so in the changelog of the release"
    assert seen(user(wish.format(30)), user(wish.format(60)), user(wish.format(30))) == [None, None, 1]
