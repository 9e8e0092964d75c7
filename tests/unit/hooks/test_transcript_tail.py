from __future__ import annotations

from clew.hooks.transcript_tail import has_added
from tests.hook_events import GrowingSession

BEGINNING = ("Missing from",)


def test_an_addition_counts_once_a_reply_has_followed() -> None:
    work = GrowingSession()
    work.work()
    assert not has_added(work.path, BEGINNING)
    work.keep_addition("Missing from the summary: ü")
    assert not has_added(work.path, BEGINNING)
    work.call("Bash", "ok", command="true")
    assert has_added(work.path, BEGINNING)
    assert not has_added(work.path, ("Where this",))


def test_what_came_before_the_newest_summary_is_gone() -> None:
    work = GrowingSession()
    work.work()
    work.keep_addition("Missing from the summary")
    work.call("Bash", "ok", command="true")
    work.sum_up()
    assert not has_added(work.path, BEGINNING)


def test_words_that_are_only_quoted_and_broken_lines_are_no_addition() -> None:
    work = GrowingSession()
    work.work()
    work.say("hook_additional_context: Missing from the summary")
    with work.path.open("ab") as file:
        file.write(b'{"type":"attachment","hook_additional_context Missing from\n')
    work.call("Bash", "ok", command="true")
    assert not has_added(work.path, BEGINNING)
