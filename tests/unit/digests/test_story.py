"""The story follows the work: the goal stays or changes, things enter and leave focus, what is mended is over."""

from __future__ import annotations

from clew.digests.draft import digest
from clew.digests.story import evolve, render_story
from clew.digests.token_fit import count_tokens
from clew.domain import Digest, Fact, Failure, FileUsage, FileUse, Housekeeping, Message, Origin, Story
from clew.domain.ids import message_id
from tests.builders import output, says, user
from tests.unit.digests.examples import failed, numbered, run, step, work

GOAL = "Please add a waiting list to the booking service, once per guest and stay."


def after(*exchanges: list[Message]) -> Story:
    story, first = Story(), 1
    for at, exchange in enumerate(exchanges, 1):
        story = evolve(story, digest(numbered(exchange, first), f"x{at}"))
        first += len(exchange)
    return story


def test_the_first_request_is_the_goal() -> None:
    assert after([user(GOAL)]).objective == Fact(text=GOAL, source="m1", by=Origin.PERSON)


def test_a_follow_up_keeps_the_goal() -> None:
    story = after([user(GOAL), says("Done.")], [user("yes, go ahead and commit")])
    assert (story.objective and story.objective.source, story.asked and story.asked.source) == ("m1", "m3")


def test_a_request_about_something_else_replaces_the_goal() -> None:
    story = after([user(GOAL), says("Done.")], [user("Please write a changelog entry for version two of our parser.")])
    assert (story.objective and story.objective.source, story.asked) == ("m3", None)


def test_a_question_about_the_work_keeps_the_goal() -> None:
    story = after([user(GOAL), says("Done.")], [user("could it be that the length is cut off?")])
    assert (story.objective and story.objective.source, story.asked and story.asked.source) == ("m1", "m3")


def touching(name: str, at: int) -> Digest:
    return Digest(id=f"x{at}", files=(FileUsage(text=name, source=message_id(at), use=FileUse.CHANGED),))


def test_files_enter_and_leave_focus() -> None:
    story = evolve(Story(), touching("old.py", 1))
    for at in range(2, 12):
        story = evolve(story, touching("new.py", at))
    assert [one.name for one in story.files] == ["new.py"]


def test_a_failure_is_told_until_a_later_run_makes_it_good() -> None:
    broken = [user("Run them please now"), *step(run("c1", "pytest -q"), failed("c1", "FAILED a.py::test_a"))]
    mended = step(run("c2", "pytest -q"), output("c2", "3 passed"))
    assert after(broken).failure == Failure(
        text="FAILED a.py::test_a", source="m3", by=Origin.TOOL, at="a.py", about="pytest -q"
    )
    assert after(broken, mended).failure is None


def test_achievements_collect_and_condense() -> None:
    story = Story()
    for at in range(1, 21):
        story = evolve(story, touching(f"f{at}.py", at))
    assert (len(story.achievements), story.earlier) == (8, 12)
    assert story.achievements[-1] == Fact(text="x20 changed f20.py", source="m20")


def test_to_dos_and_questions_are_the_next_steps() -> None:
    story = after(work())
    assert [fact.text for fact in story.next_steps] == ["Shall I commit it?"]


def test_the_story_states_goal_state_and_what_is_open_within_its_budget() -> None:
    text = render_story(after(work()))
    assert text.split("\n")[:3] == [
        "goal: Hi! Our reader is slow. Could you please make parse in src/reader.py lazy? Don't touch the tests. (m1)",
        "state: x1 ongoing: Done. `parse` is lazy now, 5 passed. Shall I commit it?",
        "next: Shall I commit it?",
    ]
    assert all(count_tokens(render_story(after(work()), budget)) <= budget for budget in range(0, 300, 7))


def test_a_story_knows_its_sources_and_where_it_stands() -> None:
    story = after(work())
    assert (story.position, story.updated, story.sources) == ("x1", 600.0, ("m1", "m4", "m10"))


def story_of(intent: str, *exchanges: str) -> Story:
    """Requests and replies in turn; the first reply notes the intent."""
    story = Story()
    for at, request in enumerate(exchanges, 1):
        messages = numbered([user(request), says("That is done as you wished.")], 2 * at - 1)
        notes = {message_id(2 * at): Housekeeping(understood_intent=intent)} if at == 1 else {}
        story = evolve(story, digest(messages, f"x{at}", notes=notes))
    return story


def test_what_was_understood_stands_behind_the_user_s_own_words() -> None:
    text = render_story(story_of("One entry in the list for each guest", GOAL))
    assert text.startswith(f"goal: {GOAL} (m1)\nunderstood: One entry in the list for each guest (m2)\n")


def test_what_was_understood_stays_while_the_goal_does() -> None:
    story = story_of("One entry for each guest", GOAL, "yes, go on")
    assert story.intent == Fact(text="One entry for each guest", source="m2")
    assert "m2" in story.sources


def test_what_was_understood_leaves_with_its_goal() -> None:
    story = story_of("One entry for each guest", GOAL, "Please write a changelog entry for version two of our parser.")
    assert story.intent is None


def test_an_intent_in_the_user_s_own_words_adds_nothing() -> None:
    assert "understood" not in render_story(story_of(GOAL.upper(), GOAL))


def test_a_long_intent_leaves_the_user_s_words_and_the_cap_alone() -> None:
    text = render_story(story_of("very " * 200, GOAL), 120)
    assert text.startswith(f"goal: {GOAL} (m1)\n")
    assert count_tokens(text) <= 120
