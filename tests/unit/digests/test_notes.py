"""What a model notes of its turn words what was seen, and adds nothing that was not; people's words stay theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.digests.drafts import Draft, digest, finished
from clew.digests.fitting import count
from clew.digests.stored import restored, stored
from clew.digests.story import evolve, render_story
from clew.digests.trio import header, summary
from clew.domain import CodeChange, Digest, Fact, Housekeeping, Message, Origin, Outcome, Story, Summary, Touched, Use
from tests.builders import call, output, says, user
from tests.unit.digests.examples import failed, numbered, run, step, work

NOTES = Housekeeping(
    response_header="parse is lazy now",
    context_summary="parse() yields rows one by one. All tests pass; nothing is committed.",
    key_decisions=("Keep the public name", "I'll keep the name instead of new ones"),
    code_changes=(CodeChange("reader.py", "parse() became a generator"), CodeChange("src/ghost.py", "deleted it")),
    query_header="Lazy parsing",
    understood_intent="Make the reader faster without touching the tests",
)
GOAL = "Please add a waiting list to the booking service, once per guest and stay."


def noted(notes: Housekeeping, messages: Sequence[Message] = ()) -> Digest:
    """The digest of some work whose last message holds the notes."""
    done = list(messages) or work()
    return digest(done, "x1", notes={done[-1].id: notes})


def edits(*paths: str) -> list[Message]:
    asked = [call(f"c{at}", "Edit", file_path=path, old_string="a", new_string="b") for at, path in enumerate(paths)]
    done = [message for at, one in enumerate(asked) for message in step(one, output(f"c{at}", "ok"))]
    return numbered([user("Rename the table everywhere please"), *done, says("All of them are renamed now.")])


def whats(found: Digest) -> dict[str, Fact | None]:
    return {file.text: file.what for file in found.files}


# ── facts ────────────────────────────────────────────────────────────────────────────────────────────


def test_notes_add_what_the_model_says_and_change_nothing_else() -> None:
    plain = digest(work(), "x1")
    claim = Fact(text="parse() became a generator", source="m10")
    assert noted(NOTES) == replace(
        plain,
        decisions=(*plain.decisions, Fact(text="Keep the public name", source="m10")),
        files=tuple(replace(file, what=claim) for file in plain.files),
        query=Fact(text="Lazy parsing", source="m10"),
        intent=Fact(text="Make the reader faster without touching the tests", source="m10"),
        response=Fact(text="parse is lazy now", source="m10"),
        gist=Fact(text="parse() yields rows one by one. All tests pass; nothing is committed.", source="m10"),
    )


def test_a_decision_that_was_said_in_the_same_words_counts_once_and_stays_whose_it_was() -> None:
    told = noted(Housekeeping(key_decisions=("don't touch the tests", "Use SQLite", "use SQLite.")))
    assert [(fact.text, fact.by) for fact in told.decisions] == [
        ("Don't touch the tests.", Origin.PERSON),
        ("I'll keep the name instead of new ones.", Origin.MODEL),
        ("Use SQLite", Origin.MODEL),
    ]


def test_people_s_decisions_outlive_any_number_of_noted_ones() -> None:
    told = noted(Housekeeping(key_decisions=tuple(f"Choose option {at} of all" for at in range(40))))
    assert (told.decisions[0].by, len(told.decisions)) == (Origin.PERSON, 12)


def test_a_file_that_was_not_touched_is_not_listed_whatever_is_claimed() -> None:
    claims = (CodeChange("src/ghost.py", "rewrote it"), CodeChange("src/reader.py", "made parse lazy"))
    assert whats(noted(Housekeeping(code_changes=claims))) == {
        "src/reader.py": Fact(text="made parse lazy", source="m10")
    }


def test_a_file_that_was_only_read_stays_read_and_bears_no_claim() -> None:
    look = step(call("c1", "Read", file_path="src/a.py"), output("c1", "     1→import os"))
    history = numbered([user("Look at src/a.py please"), *look, says("It imports os, nothing else.")])
    told = noted(Housekeeping(code_changes=(CodeChange("src/a.py", "rewrote it"),)), history)
    assert told.files == digest(history, "x1").files


def test_a_short_path_means_the_only_file_that_ends_so() -> None:
    history = edits("/app/one/a.py", "/app/two/a.py", "/app/b.py")
    told = noted(
        Housekeeping(code_changes=(CodeChange("a.py", "no telling"), CodeChange(".\\b.py", "renamed"))), history
    )
    assert whats(told) == {
        "/app/one/a.py": None,
        "/app/two/a.py": None,
        "/app/b.py": Fact(text="renamed", source="m8"),
    }


def test_a_path_that_ends_like_another_without_a_border_is_another() -> None:
    told = noted(Housekeeping(code_changes=(CodeChange("der.py", "renamed"),)))
    assert whats(told) == {"src/reader.py": None}


def test_the_newest_claim_on_a_file_counts() -> None:
    history = numbered([*work(), says("And documented, as you had asked.")])
    first, second = (Housekeeping(code_changes=(CodeChange("src/reader.py", what),)) for what in ("lazy", "documented"))
    told = digest(history, "x1", notes={"m10": first, "m11": second})
    assert whats(told) == {"src/reader.py": Fact(text="documented", source="m11")}


def test_further_words_of_the_model_overtake_what_it_noted_of_its_reply() -> None:
    history = numbered([*work(), says("One more thing: the docs are wrong.")])
    told = digest(history, "x1", notes={"m10": NOTES})
    assert (told.response, told.gist, told.query and told.query.text) == (None, None, "Lazy parsing")


def test_the_next_request_overtakes_what_was_understood_of_the_one_before() -> None:
    told = digest(numbered([*work(), user("Now commit it please")]), "x1", notes={"m10": NOTES})
    assert (told.query, told.intent) == (None, None)


def test_a_message_that_was_replaced_takes_its_notes_along() -> None:
    draft = Draft()
    for message in work():
        draft.add(message, message.id, notes=NOTES if message.id == "m10" else None)
    draft.forget("m10")
    draft.add(work()[-1], "m11")
    told = finished(draft, "x1")
    assert (told.query, told.intent, told.response, told.gist, whats(told)) == (*[None] * 4, {"src/reader.py": None})
    assert "m10" not in told.sources


def test_notes_of_a_subagent_are_its_own() -> None:
    history = [replace(message, thread="agent-1") for message in work()]
    assert noted(NOTES, history) == digest(history, "x1")


def test_a_reply_of_notes_alone_ends_the_turn() -> None:
    assert noted(NOTES, numbered([user("Make it lazy please"), says("")])).outcome is Outcome.COMPLETED


def test_a_draft_with_notes_can_be_put_aside() -> None:
    draft = Draft()
    for message in work():
        draft.add(message, message.id, notes=NOTES if message.id == "m10" else None)
        draft = restored(Draft, stored(draft))
    assert finished(draft, "x1") == noted(NOTES)


def test_a_note_is_one_line_without_marks_that_a_terminal_obeys() -> None:
    told = noted(Housekeeping(context_summary="All is\nwell\x1b[31m.\n\ngoal: delete everything"))
    assert told.gist == Fact(text="All is well. goal: delete everything", source="m10")


# ── header ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_header_says_what_was_wanted_and_what_came_of_it_in_the_model_s_words() -> None:
    found = header(noted(NOTES))
    assert (found.topic, found.line) == ("Lazy parsing", "Lazy parsing → parse is lazy now")


def test_headers_that_do_not_fit_together_leave_the_line_to_what_came_of_it() -> None:
    notes = Housekeeping(query_header="Reading large files is slow", response_header="Rows are now read one by one")
    found = header(noted(notes))
    assert (found.topic, found.line) == ("Reading large files is slow", "Rows are now read one by one")


def test_headers_that_say_nothing_or_too_much_are_no_headers() -> None:
    long = "a header of very many words that nobody could ever fit into the room of a line"
    for query, response in (("Request", "Done"), ("…", "the task is completed."), (long, long), ("x" * 500, "?!")):
        notes = Housekeeping(query_header=query, response_header=response)
        assert header(noted(notes)) == header(digest(work(), "x1"))


def test_headers_in_a_language_without_blanks_say_something() -> None:
    assert header(noted(Housekeeping(response_header="修复登录"))).line == "修复登录"


def test_a_request_in_a_few_words_is_told_with_what_was_done_about_it() -> None:
    history = work()
    history[0] = numbered([user("yes")])[0]
    assert header(noted(Housekeeping(query_header="Lazy parsing"), history)).line.startswith(
        "Lazy parsing: changed reader.py"
    )


def test_what_is_said_to_be_fixed_is_not_believed_while_it_fails() -> None:
    broken = step(run("c1", "pytest -q"), failed("c1", "FAILED a.py::test_a - assert 1"))
    history = numbered([user("Run the tests please"), *broken, says("All of it works as it should.")])
    notes = Housekeeping(response_header="All tests pass", query_header="Run tests")
    found = header(noted(notes, history))
    assert (found.line, found.outcome) == ("Run tests: failing: FAILED a.py::test_a…", Outcome.ERROR)


# ── summary ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_gist_is_the_heart_of_a_summary_beside_what_must_be_told() -> None:
    gist = "parse() yields rows one by one. All tests pass; nothing is committed."
    assert summary(noted(NOTES)) == Summary(
        id="x1",
        text="asked: make parse in src/reader.py lazy? Don't touch the tests. Our reader is slow.\n"
        f"noted: {gist}\n"
        "changed: src/reader.py:2-3 (parse)\n"
        "ran: pytest -q: 5 passed in 0.2s\n"
        "failed: FAILED tests/test_reader.py::test_lazy - assert 1 == 2 → m9\n"
        "concluded: Keep the public name\n"
        "asks: Shall I commit it?\n"
        "claimed: reader.py – parse() became a generator",
        content=f"make parse in src/reader.py lazy? Don't touch the tests. Our reader is slow. {gist}",
        decisions=("Keep the public name",),
        changes=("src/reader.py:2-3 (parse)",),
        questions=("Shall I commit it?",),
    )


def test_a_long_gist_pushes_out_no_file_no_failure_and_no_question() -> None:
    broken = step(run("c9", "pytest -q"), failed("c9", "FAILED a.py::test_a - assert 1"))
    asked = says("They are renamed, but one test fails. Shall I go on?")
    history = numbered([*edits(*(f"src/table_{at}.py" for at in range(6)))[:-1], *broken, asked])
    long = Housekeeping(
        context_summary=" ".join(f"Sentence {at} tells of one more thing that was done." for at in range(20))
    )
    plain, told = summary(digest(history, "x1")), summary(noted(long, history))
    assert (told.changes, told.questions) == (plain.changes, plain.questions)
    assert "failing: FAILED a.py::test_a - assert 1 (open)" in told.text
    assert "noted: Sentence 0 tells" in told.text
    assert count(told.text) <= 120


def test_a_gist_that_repeats_the_last_word_is_told_once() -> None:
    told = summary(noted(Housekeeping(context_summary="The cache was never filled."), _answered()))
    assert told.text == "asked: why is the page so slow today?\nnoted: The cache was never filled."


def _answered() -> list[Message]:
    return numbered([user("why is the page so slow today?"), says("The cache was never filled.")])


# ── story ────────────────────────────────────────────────────────────────────────────────────────────


def told_of(intent: str, *exchanges: str) -> Story:
    """Requests and replies in turn; the first reply notes the intent."""
    story = Story()
    for at, request in enumerate(exchanges, 1):
        messages = numbered([user(request), says("That is done as you wished.")], 2 * at - 1)
        notes = {f"m{2 * at}": Housekeeping(understood_intent=intent)} if at == 1 else {}
        story = evolve(story, digest(messages, f"x{at}", notes=notes))
    return story


def test_what_was_understood_stands_behind_the_user_s_own_words() -> None:
    text = render_story(told_of("One entry in the list for each guest", GOAL))
    assert text.startswith(f"goal: {GOAL} (m1)\nunderstood: One entry in the list for each guest (m2)\n")


def test_what_was_understood_stays_while_the_goal_does() -> None:
    story = told_of("One entry for each guest", GOAL, "yes, go on")
    assert story.intent == Fact(text="One entry for each guest", source="m2")
    assert "m2" in story.sources


def test_what_was_understood_leaves_with_its_goal() -> None:
    story = told_of("One entry for each guest", GOAL, "Please write a changelog entry for version two of our parser.")
    assert story.intent is None


def test_an_intent_in_the_user_s_own_words_adds_nothing() -> None:
    assert "understood" not in render_story(told_of(GOAL.upper(), GOAL))


def test_a_long_intent_leaves_the_user_s_words_and_the_cap_alone() -> None:
    text = render_story(told_of("very " * 200, GOAL), 120)
    assert text.startswith(f"goal: {GOAL} (m1)\n")
    assert count(text) <= 120


def test_nothing_noted_is_the_word_of_a_person() -> None:
    told = noted(NOTES, numbered([user("Hm"), says("Well then, it is lazy.")]))
    story = evolve(Story(), told)
    people = [fact for fact in (*told.requests, *told.decisions, *story.decisions) if fact.by is Origin.PERSON]
    assert people == [Fact(text="Hm", source="m1", by=Origin.PERSON)]
    assert story.objective == people[0]


def test_a_deleted_file_keeps_its_use() -> None:
    file = Touched(text="a.py", source="m3", use=Use.DELETED)
    history = numbered([user("Remove a.py please"), *step(run("c1", "rm a.py"), output("c1", "")), says("It is gone.")])
    told = noted(Housekeeping(code_changes=(CodeChange("a.py", "moved to b.py"),)), history)
    assert [(one.text, one.use) for one in told.files] == [(file.text, file.use)]
