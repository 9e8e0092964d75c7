"""What the summariser of a client is told: requests whole, decisions with reasons, every file without a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.hooks.event import Event
from clew.hooks.program import answer_event
from clew.units.unit import indent
from tests.hook_events import COMMIT, GrowingSession, pre_compact

TASK = (
    "no revert those changes, I think it is correct if it is part of the commit. "
    + "The export runs after midnight and the shop is closed then, so nobody minds a second or two. " * 4
    + "What we should rather do, after running enable, is to make an initial commit, so that we begin clean."
)
REASON = "We keep the batch size at 500 because the importer of `orders.py` holds one batch in memory."


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "clew.db")


def told(session: GrowingSession, store: str, **more: str) -> str:
    return answer_event(Event("claude-code", "PreCompact", pre_compact(session.path, **more)), store)


def test_the_newest_request_stands_whole_however_long_it_is(store: str) -> None:
    session = GrowingSession()
    for number in range(30):
        session.say(f"Look at part {number} of the export as well, and tell me what it does with orders of {number}.")
    session.say(TASK)
    said = told(session, store)
    assert TASK in said
    assert "part 29 of the export" in said
    assert len(said) <= 2_000


def test_every_edited_file_without_a_commit_is_named_and_the_others_apart(store: str) -> None:
    session = GrowingSession()
    session.say("Make the export streaming.")
    session.call("Edit", "Updated.", file_path="/srv/shop/export/done.py", old_string="a = 1", new_string="a = 2")
    session.call("Bash", COMMIT, command="git commit -am 'export: rows are streamed'")
    for number in range(5):
        path = f"/srv/shop/export/part_{number}.py"
        session.call("Edit", "Updated.", file_path=path, old_string="a = 1", new_string="a = 2")
    open_files, _, committed = (
        told(session, store).partition("no commit seen since:")[2].partition("before the last commit:")
    )
    assert all(f"part_{number}.py" in open_files for number in range(5))
    assert "done.py" in committed


def test_commands_and_what_was_told_to_the_summariser_are_no_requests(store: str) -> None:
    session = GrowingSession()
    session.say("Make the export streaming.")
    session.say("/compact keep the tests")
    session.say("/github-pr-review")
    session.say("tell which numbers matter")
    session.say("/test only the export, with two workers")
    said = told(session, store, custom_instructions="tell which numbers matter")
    assert "Make the export streaming." in said
    assert "/test only the export" in said
    for word in ("/compact", "keep the tests", "/github-pr-review", "numbers matter"):
        assert word not in said


def test_a_request_that_was_repeated_word_for_word_is_told_once(store: str) -> None:
    session = GrowingSession()
    for _ in range(3):
        session.say("Use the staging copy for it.")
    assert told(session, store).count("m3 user: Use the staging copy for it.") == 1
    assert "m1 user" not in told(session, store)


def test_decisions_come_with_their_reasons_and_answered_offers_do_not(store: str) -> None:
    session = GrowingSession()
    session.say("Make the export of `orders.py` streaming, in batches.")
    session.reply("I recommend Option A because `orders.py` would then write one file for each batch.")
    session.say("No, one file. How large is a batch?")
    session.reply(REASON)
    session.say("Good. Then stream the batches of `orders.py` into one file.")
    said = told(session, store)
    assert REASON in said
    assert "Option A" not in said


def test_the_newest_request_stands_whole_beside_rules_state_and_decisions(store: str) -> None:
    session = GrowingSession()
    for number in range(4):
        session.say(f"Never write to the production database number {number}, always use the staging copy of it.")
    session.work(rounds=9)
    for number in range(6):
        session.reply(f"We keep batch {number} at 500 because the importer of `part_{number}.py` holds it in memory.")
    items = "\n".join(
        f"    {number}. Mend what is wrong with part {number} of the export of rows" for number in range(1, 9)
    )
    task = f"Can you look after the following items:\n\n{items}\n\nand tell me when you are through?"
    session.say(task)
    said = told(session, store)
    assert indent(task) in said
    assert len(said) <= 2_000


def test_what_a_person_turned_down_anywhere_in_their_reply_was_not_decided(store: str) -> None:
    session = GrowingSession()
    session.say("Let the importer of `orders.py` run in the nightly job.")
    session.reply("`orders.py` now runs through the wrapper by default because the job then needs no settings.")
    session.say(
        "- orders.py now runs through the wrapper by default\n\nThis should not be changed, only for the nightly job."
    )
    session.reply(REASON)
    session.say("Good. Then go on with `orders.py` and its batches.")
    said = told(session, store)
    assert REASON in said
    assert "because the job then needs no settings" not in said


def test_of_options_that_were_laid_out_none_is_told_as_decided(store: str) -> None:
    session = GrowingSession()
    session.say("How do we keep the settings of `orders.py` apart?")
    ways = ("a wrapper is committed, because `orders.py` then has one source", "`orders.py` is set up by hand because")
    session.reply(
        "\n\n".join(f"### Option {at}: way {at}\n- In it {way} nobody minds" for at, way in enumerate(ways, 1))
    )
    session.say("I like Option 1, but from the perspective of whoever sets `orders.py` up.")
    session.reply(REASON)
    session.say("Good. Then go on with `orders.py` and its batches.")
    said = told(session, store)
    assert REASON in said
    assert "by hand because" not in said
