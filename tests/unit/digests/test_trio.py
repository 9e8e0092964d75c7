"""Headers and summaries: short, in the segment's own words, within their caps."""

from __future__ import annotations

from clew.digests.draft import digest
from clew.digests.token_fit import count_tokens
from clew.digests.trio import header, summary, trio
from clew.domain import Digest, Header, Housekeeping, Message, Outcome, Summary
from tests.builders import call, output, says, user
from tests.unit.digests.examples import NOTES, edits, failed, noted, numbered, run, step, work

ASKED = "m1 user: Hi! Our reader is slow. Could you please make parse in src/reader.py lazy? Don't touch the tests."


def test_a_header_says_what_was_wanted_and_how_it_ended() -> None:
    assert header(digest(work(), "x1", tokens=99)) == Header(
        id="x1",
        line="make parse in src/reader.py lazy?",
        at=60.0,
        topic="make parse in src/reader.py lazy?",
        entities=("reader.py",),
        outcome=Outcome.ONGOING,
        tokens=99,
    )


def test_a_summary_tells_what_was_asked_and_reported_by_whom_and_where() -> None:
    assert summary(digest(work(), "x1")) == Summary(
        id="x1",
        text=f"{ASKED}\n"
        "m10 agent: `parse` is lazy now, 5 passed. Shall I commit it?\n"
        "m4 agent: I'll keep the name instead of new ones.\n"
        "changed: src/reader.py:2-3 (parse)\n"
        "failed (m7), passed since (m9): FAILED tests/test_reader.py::test_lazy - assert 1 == 2",
        decisions=("Don't touch the tests.", "I'll keep the name instead of new ones."),
        changes=("src/reader.py:2-3 (parse)",),
        questions=("Shall I commit it?",),
    )


def test_a_summary_cuts_no_sentence_of_a_report_while_a_whole_one_fits() -> None:
    said = says(
        "The cache was never filled, because " + "the key had a blank in it and " * 20 + "so it goes. It is now."
    )
    history = numbered([user("Why is the page so slow? " + "It takes a minute. " * 40), said])
    told = summary(digest(history, "x1"))
    assert count_tokens(told.text) <= 120
    assert told.text.startswith("m1 user: Why is the page so slow? It takes a minute.")
    assert told.text.split("\n")[0].endswith("It takes a minute.")


def test_a_summary_leaves_out_what_only_announces() -> None:
    history = edits("src/table.py")[:-1]
    told = summary(digest([*history, *numbered([says("Now let me look at the tests:")], len(history) + 1)], "x1"))
    assert told.text == "m1 user: Rename the table everywhere please\nchanged: src/table.py"


def test_a_short_answer_is_told_by_what_was_done_about_it() -> None:
    history = work()
    history[0] = numbered([user("yes")])[0]
    assert header(digest(history, "x2")).line == "yes: changed reader.py; pytest -q…"


def test_a_short_question_is_told_with_its_answer() -> None:
    history = numbered([user("which commit?"), says("It is the one that moved the tracking of berths.")])
    assert header(digest(history, "x2")).line == "which commit? → It is the one that moved the…"


def test_who_speaks_is_no_part_of_a_header() -> None:
    asked, told = user("Ana Bell: how was the regatta at the pier?"), says("Jo: It was a long day.")
    assert header(digest(numbered([asked, told]), "x2")).line == "how was the regatta at the pier?"
    thanks = header(digest(numbered([user("Ana Bell: thanks, Jo"), told]), "x2"))
    assert thanks.line == "thanks, Jo → It was a long day."
    label = header(digest(numbered([user("Bug: the berths of the pier are gone"), says("They are back.")]), "x2"))
    assert label.line == "Bug: the berths of the pier are gone"


def test_what_only_announces_or_leads_on_is_no_header() -> None:
    said = "Perfect! Let me check the cleanup first. Here is what I found:\n\nThe lock is never freed."
    assert header(digest(numbered([says(said)]), "x3.2")).line == "The lock is never freed."
    look = step(call("c1", "Read", file_path="src/lock.py"), output("c1", "x"), "Let me look at the lock in detail.")
    assert header(digest(numbered(look), "x3.2")).line == "read lock.py"


def test_parts_of_a_long_file_are_told_apart() -> None:
    read = call("c1", "Read", file_path="out.txt", offset=700, limit=100)
    assert header(digest(numbered(step(read, output("c1", "x"))), "x3.2")).line == "read out.txt:700"


def test_a_text_of_one_letter_has_a_header() -> None:
    assert header(digest(numbered([user("x" * 100_000)]), "x1")).line.startswith("xxx")


def test_measures_options_and_fields_of_a_tool_are_no_entities() -> None:
    look = run("c1", "gh run list --json databaseId,workflowName --limit 3")
    words = "It took _really_ 3 days and 2 lines, with --force, of fetchBerths."
    history = numbered([user("Look at the runs, please."), *step(look, output("c1", "[]")), says(words)])
    assert header(digest(history, "x1")).entities == ("fetchBerths",)


def test_a_piece_without_a_request_is_told_by_its_last_word() -> None:
    assert header(digest(numbered([says("The cache was never filled.")]), "x3.2")).line == "The cache was never filled."


def test_nothing_is_told_of_nothing() -> None:
    assert (trio(Digest(id="x0")).header.line, trio(Digest(id="x0")).summary.text) == ("(nothing asked)", "")


def test_the_whole_is_read_by_the_same_id() -> None:
    assert trio(digest(work(), "x1")).full == "x1"


def test_words_are_cut_where_sentences_do_not_fit() -> None:
    long = "please " + "rework the importer so that it reads lines lazily and " * 20
    found = header(digest(numbered([user(long)]), "x1"))
    assert count_tokens(found.line) <= 12
    assert found.line.endswith("…")


# ── headers with notes of the model ──────────────────────────────────────────────────────────────────


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


# ── summaries with notes of the model ────────────────────────────────────────────────────────────────


def test_the_gist_stands_before_the_report_beside_what_must_be_told() -> None:
    assert summary(noted(NOTES)).text == (
        f"{ASKED}\n"
        "m10 agent noted: parse() yields rows one by one. All tests pass; nothing is committed.\n"
        "m10 agent: `parse` is lazy now, 5 passed. Shall I commit it?\n"
        "m10 agent: Keep the public name\n"
        "changed: src/reader.py:2-3 (parse)\n"
        "failed (m7), passed since (m9): FAILED tests/test_reader.py::test_lazy - assert 1 == 2"
    )


def test_a_long_gist_pushes_out_no_file_and_no_failure() -> None:
    broken = step(run("c9", "pytest -q"), failed("c9", "FAILED a.py::test_a - assert 1"))
    asked = says("They are renamed, but one test fails. Shall I go on?")
    history = numbered([*edits(*(f"src/table_{at}.py" for at in range(6)))[:-1], *broken, asked])
    long = Housekeeping(
        context_summary=" ".join(f"Sentence {at} tells of one more thing that was done." for at in range(20))
    )
    told = summary(noted(long, history)).text
    assert "changed: src/table_5.py" in told
    assert "failed (m15): FAILED a.py::test_a - assert 1" in told
    assert "agent noted: Sentence 0 tells" in told
    assert count_tokens(told) <= 120


def test_a_gist_that_repeats_the_last_word_is_told_once() -> None:
    told = summary(noted(Housekeeping(context_summary="The cache was never filled."), _answered()))
    assert told.text == "m1 user: why is the page so slow today?\nm2 agent noted: The cache was never filled."


def _answered() -> list[Message]:
    return numbered([user("why is the page so slow today?"), says("The cache was never filled.")])
