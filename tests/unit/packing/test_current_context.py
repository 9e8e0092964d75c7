"""The current context as fields: each fact with the message that bears it out, in sessions without tools too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clew.domain import Message, Status
from clew.engine.engine import Engine
from clew.packing.current_context import CurrentContext, build_current_context
from tests.builders import call, gives, output, says, user
from tests.unit.history.work_map.examples import work_map_of

TODOS = [{"content": "Round the total", "status": "pending"}, {"content": "Show it", "status": "completed"}]
EDIT = call("c1", "Edit", file_path="/shop/cart.py", old_string="a", new_string="def total_price():\n    pass")
FAILED = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed"


def context(*said: Message) -> CurrentContext:
    messages = [replace(message, id=f"m{at}") for at, message in enumerate(said, start=1)]
    work = replace(work_map_of(*messages), root="/shop")
    return build_current_context(messages, work, {}, budget=300, count=lambda text: len(text.split()))


def facts(found: CurrentContext) -> dict[str, Any]:
    told = {name: getattr(found, name) for name in ("done", "open", "files", "functions", "next_steps")}
    return {name: [(fact.text, fact.source) for fact in value] for name, value in told.items()}


def test_work_is_told_by_what_is_done_and_open() -> None:
    found = context(
        user("please let the cart show the total price"),
        says("I'll change it.", EDIT),
        gives(output("c1", "The file has been updated.")),
        says(call("c2", "Bash", command="pytest -q")),
        gives(output("c2", FAILED, Status.FAILED)),
        says(call("c3", "TodoWrite", todos=TODOS)),
        gives(output("c3", "ok")),
        says("Added the total to the cart, because prices are integers."),
    )
    assert found.objective is not None
    assert (found.objective.text, found.objective.source) == ("please let the cart show the total price", "m1")
    assert facts(found) == {
        "done": [("Added the total to the cart, because prices are integers.", "m8"), ("Show it", "m7")],
        "open": [
            ("Round the total", "m7"),
            (f"failed, not seen to pass since: `pytest -q` → {FAILED.splitlines()[0]}", "m5"),
        ],
        "files": [("cart.py", "m3")],
        "functions": [("total_price", "m3")],
        "next_steps": [("Round the total", "m7")],
    }
    assert "pytest -q" in found.text


def test_what_passes_later_is_done_and_no_longer_open() -> None:
    found = context(
        user("Make the tests pass."),
        says(call("c1", "Bash", command="pytest -q")),
        gives(output("c1", FAILED, Status.FAILED)),
        says(call("c2", "Bash", command="pytest -q")),
        gives(output("c2", "4 passed in 0.10s")),
        says("Both were rounding errors."),
    )
    assert facts(found)["open"] == []
    assert facts(found)["done"] == [("passed: `pytest -q` → 4 passed in 0.10s", "m5")]


def test_a_talk_without_tools_has_one_too() -> None:
    found = context(
        user("Plan three days in Kyoto for us."),
        says("Day one is for Gion, day two for Arashiyama.\n\nNext steps:\n- Book the ryokan\n- Buy the rail pass"),
        user("We do not want to rent a car."),
        says("Noted: trains only, no rental car. Shall I look up the timetable?"),
    )
    assert found.objective is not None
    assert found.objective.source == "m3"
    assert ("Noted: trains only, no rental car.", "m4") in facts(found)["done"]
    assert facts(found)["open"] == [("the agent asks: Shall I look up the timetable?", "m4")]
    assert facts(found)["next_steps"] == [("Book the ryokan", "m2"), ("Buy the rail pass", "m2")]


def test_a_request_that_nobody_answered_is_open() -> None:
    found = context(user("Plan three days in Kyoto for us."))
    assert facts(found)["open"] == [("not answered yet: Plan three days in Kyoto for us.", "m1")]
    assert found.done == ()


def test_an_empty_session_has_no_objective(engine: Engine) -> None:
    found = engine.session("s").current_context()
    assert (found.objective, found.text, found.done) == (None, "", ())


def test_it_takes_no_more_than_a_story(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user("Explain the tides. " * 400), says("The moon pulls at the sea. " * 400)])
    found = session.current_context()
    assert session.reader.count(found.text) <= session.config.digests.story_tokens
    assert len(str(found.fields())) < 6_000


def test_a_list_that_was_not_touched_since_tells_of_other_work() -> None:
    found = context(
        user("please let the cart show the total price"),
        says(call("c3", "TodoWrite", todos=TODOS)),
        gives(output("c3", "ok")),
        says("Added the total to the cart, because prices are integers."),
        user("And now write the release notes, please."),
        says("## Notes\n\nAdded the release notes to NOTES.md, one line for each change."),
    )
    assert facts(found)["open"] == facts(found)["next_steps"] == []
    assert facts(found)["done"][0] == ("Added the release notes to NOTES.md, one line for each change.", "m6")
    assert "to-dos (m3, not touched since the request of m5): [open] Round the total" in found.text


def test_what_failed_since_has_not_passed_and_files_for_a_trial_are_not_open() -> None:
    """As in the state lines: both are drawn from the same facts."""
    trial = call("c3", "Write", file_path="/shop/.git/hooks/pre-push", content="exit 0")
    found = context(
        user("Make the tests pass and commit."),
        says(call("c1", "Bash", command="pytest tests/test_cart.py")),
        gives(output("c1", "4 passed in 0.10s")),
        says(call("c2", "Bash", command="git commit -am x")),
        gives(output("c2", "[main 1a2b3c4] Round the total")),
        says(trial),
        gives(output("c3", "File created.")),
        says(call("c4", "Bash", command="pytest")),
        gives(output("c4", FAILED, Status.FAILED)),
        says("One is left."),
    )
    assert [text for text, _ in facts(found)["done"]] == ["committed 1a2b3c4 Round the total"]
    assert [text.split(" →")[0] for text, _ in facts(found)["open"]] == ["failed, not seen to pass since: `pytest`"]


def test_what_is_yet_to_be_done_is_no_report_of_it() -> None:
    found = context(
        user("Update the docs of the shop."),
        says("I'll change it.", EDIT),
        gives(output("c1", "The file has been updated.")),
        says("Added scope:\n- Docs and tests of the cart should be updated where they name files."),
    )
    assert facts(found)["done"] == []


def test_a_suite_of_which_only_what_failed_was_run_again_is_open() -> None:
    found = context(
        user("Make the tests pass."),
        says(call("c1", "Bash", command="pytest")),
        gives(output("c1", FAILED, Status.FAILED)),
        says(call("c2", "Bash", command="pytest tests/test_cart.py::test_total")),
        gives(output("c2", "1 passed in 0.10s")),
        says("It passes alone."),
    )
    (told,) = [text for text, _ in facts(found)["open"]]
    assert told.startswith("failed (m3), not seen to pass as a whole since: `pytest`")
    assert not any("passed" in text for text, _ in facts(found)["done"])
