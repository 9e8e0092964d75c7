"""What a query asks for: names, the asker, times, events, and what "it" stands for."""

from __future__ import annotations

import pytest

from clew.retrieval.query import Intent, read_query, resolve_references


def test_names_and_the_asker_are_known() -> None:
    read = read_query("When did Caroline fix my parser?")
    assert (read.names, read.asker) == (("Caroline",), True)
    assert read_query("When was the parser fixed?").asker is False


def test_without_the_names_of_speakers_it_asks_by_what_is_left() -> None:
    read = read_query("What did Caroline's team research?").without_names(["Caroline"])
    assert read.meaning == "What did team research?"
    assert read.words == ("team", "research")
    assert read_query("Who is Caroline?").without_names(["Caroline"]).words


def test_an_event_tells_before_and_after() -> None:
    read = read_query("what did we decide before the migration?")
    assert (read.event, read.relation) == ("the migration", "before")
    assert read_query("which tests ran after the merge").relation == "after"
    assert read_query("what came before 2024-03-15", now=1.8e9).event == ""


def test_that_file_is_the_one_last_spoken_of() -> None:
    recent = ["I changed src/pier.py.", "Then src/ferry.py and its test.", "Fine."]
    assert resolve_references("what is in that file?", recent) == ("src/ferry.py",)
    assert "ferry.py" in read_query("what is in that file?", recent=recent).words


def test_the_second_error_is_the_second_of_the_newest_messages() -> None:
    recent = ["KeyError: 'pier'\nok\nValueError: no tide", "done"]
    assert resolve_references("explain the second error", recent) == ("ValueError: no tide",)
    assert resolve_references("explain the fifth error", recent) == ()


def test_it_is_resolved_only_where_the_query_says_little_else() -> None:
    recent = ["Renamed parseTimetable.", "Good."]
    assert resolve_references("who wrote it?", recent) == ("parseTimetable",)
    assert resolve_references("does it matter that ferries leave the northern harbour late?", recent) == ()
    assert resolve_references("who wrote it?", []) == ()


def test_a_huge_query_is_read_by_its_ends() -> None:
    read = read_query("anchor " + "x " * 60_000 + "keel")
    assert {"anchor", "keel"} <= set(read.words)
    assert len(read.meaning) < 25_000


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("where is the parser?", Intent.WHERE),
        ("which file holds the rates?", Intent.WHERE),
        ("why does login fail?", Intent.WHY),
        ("When did we migrate?", Intent.WHEN),
        ("how many tests failed?", Intent.COUNT),
        ("list all commands that were run", Intent.LIST),
        ("retry policy", Intent.FIND),
    ],
)
def test_the_kind_of_answer_is_told_by_the_wording(text: str, intent: Intent) -> None:
    assert read_query(text).intent is intent


def test_concepts_are_the_words_that_say_something_names_first() -> None:
    read = read_query("Why does parseTimetable in src/ferry.py drop the last row?")
    assert read.concepts[:2] == ("src/ferry.py", "parseTimetable")
    assert {"drop", "last", "row"} <= {*read.concepts}
    assert not {"why", "the", "does"} & {one.lower() for one in read.concepts}


def test_a_query_that_spans_things_is_complex() -> None:
    assert read_query("retry policy").complexity == "simple"
    wide = "Compare both retry policies, then refactor every client to one of them across all services."
    assert read_query(wide).complexity == "high"
