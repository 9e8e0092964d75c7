"""The story says what packs say: people's words, the state as records bear it out, and the agent's own reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message, Status
from clew.packing.story import build_story, render_story
from clew.units.state_lines import state_lines
from tests.builders import call, gives, output, says, user
from tests.unit.history.work_map.examples import work_map_of

TODOS = [{"content": "Round the total", "status": "pending"}, {"content": "Show it", "status": "completed"}]


def history(*messages: Message) -> list[Message]:
    return [replace(message, id=f"m{at}") for at, message in enumerate(messages, start=1)]


def words(text: str) -> int:
    return len(text.split())


WORK = history(
    user("please let the cart show the total price"),
    says("I'll change it.", call("c1", "Edit", file_path="/shop/cart.py", old_string="a", new_string="total()")),
    gives(output("c1", "The file has been updated.")),
    says(call("c2", "Bash", command="pytest -q")),
    gives(output("c2", "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed", Status.FAILED)),
    says("The cart sums cents, because prices are integers; I chose `Decimal` instead of floats."),
    user("good, and round it to whole euros"),
    says(call("c3", "TodoWrite", todos=TODOS)),
    gives(output("c3", "ok")),
    says("Rounding is left. Let me look at the tests next."),
)
MAP = replace(work_map_of(*WORK), root="/shop")
EXCHANGES = {"m1": 1, "m7": 2}


def story(budget: int = 200, messages: list[Message] = WORK) -> dict[str, str]:
    sections = build_story(messages, MAP, EXCHANGES, budget=budget, count=words)
    assert words(render_story(sections)) <= budget
    return {section.name: section.text for section in sections}


def test_requests_stand_in_order_in_the_words_of_who_asked() -> None:
    assert story()["user-said"] == (
        "m1 (x1) user: please let the cart show the total price\nm7 (x2) user: good, and round it to whole euros"
    )


def test_the_state_is_what_packs_say_of_it() -> None:
    told = story()["state"].split("\n")
    assert told == [f"- {line}" for line in state_lines(MAP)]
    assert told[:2] == [
        "- to-dos (m9): [open] Round the total; done: Show it",
        "- failed, not seen to pass since (m5): `pytest -q` → FAILED tests/test_cart.py::test_total - assert 3 == 4",
    ]


def test_decisions_come_with_their_reasons_from_the_agents_reports() -> None:
    assert "m6 agent: The cart sums cents, because prices are integers; I chose `Decimal`" in story()["work"]


def test_what_only_announces_is_not_told() -> None:
    assert "Let me look" not in render_story(build_story(WORK, MAP, EXCHANGES, budget=200, count=words))


def test_every_section_names_its_messages() -> None:
    found = {one.name: one.sources for one in build_story(WORK, MAP, EXCHANGES, budget=200, count=words)}
    assert found["user-said"] == ("m1", "m7")
    assert "m6" in found["work"]


@pytest.mark.parametrize("budget", [5, 20, 40, 60, 90, 130])
def test_the_budget_is_a_cap(budget: int) -> None:
    story(budget)


def test_the_first_request_is_told_however_many_came_after_it() -> None:
    later = [user(f"now change file number {at} of the shop and tell me about it") for at in range(40)]
    lines = story(120, history(*WORK, *later))["user-said"].split("\n")
    assert lines[0].startswith("m1 (x1) user: please let the cart")
    assert lines[-1].startswith("m50 user: now change file number 39")


def test_of_nothing_nothing_is_told() -> None:
    assert build_story((), work_map_of(), {}, budget=300, count=words) == ()


def test_the_newest_request_stands_whole_where_it_fits_and_else_has_a_beginning_and_an_end() -> None:
    asked = "Begin with the rounding. " + "Then show it in the cart of the shop. " * 12 + "End with a plan."
    told = story(200, history(*WORK, user(asked)))
    assert f"m11 user: {asked}" in told["user-said"]
    assert told["user-said"].startswith("m1 (x1) user: please let the cart")
    assert "[open] Round the total" in told["state"]
    assert story(200, history(user(asked)))["user-said"] == f"m1 (x1) user: {asked}"
    cut = story(80, history(*WORK, user(asked)))["user-said"]
    assert "m11 user: Begin with the rounding." in cut
    assert cut.endswith("End with a plan.")


def test_the_newest_report_is_told_whatever_the_state_takes() -> None:
    """The state is as long as it gets, and the report stands at the end of a long reply's beginning."""
    report = "Fixed and pushed.\n\nRoot cause: the total was rounded twice.\n\nVerification:\n" + "- all green\n" * 80
    more = [says(call(f"t{at}", "Bash", command=f"make check-{at}")) for at in range(8)]
    runs = [one for at, each in enumerate(more) for one in (each, gives(output(f"t{at}", "1 failed", Status.FAILED)))]
    messages = history(*WORK, *runs, says(report), says("Let me look at the page next."))
    work = replace(work_map_of(*messages), root="/shop")
    found = build_story(messages, work, EXCHANGES, budget=150, count=words)
    told = render_story(found)
    assert words(told) <= 150
    assert "agent: Fixed and pushed.\n  Root cause: the total was rounded twice." in told
