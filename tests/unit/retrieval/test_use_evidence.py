"""What shows that a reply used a retrieved unit, and what does not."""

from __future__ import annotations

from collections.abc import Set

import pytest

from clew.domain import RetrievedUnit
from clew.retrieval.use_evidence import Evidence, cites, find_evidence
from tests.builders import call, gives, output, says

UNIT = RetrievedUnit(id="m12", text="m12 assistant: parse_timetable in src/ferry.py waits 2750 ms before it retries.")
OTHER = RetrievedUnit(id="m14", text="m14 user: The gull lands on the pier each morning.")


def nothing(words: Set[str]) -> dict[str, int]:
    """The rest of the prompt has none of them, and hardly a message."""
    return dict.fromkeys(words, 2)


def everything(_words: Set[str]) -> dict[str, int]:
    return {}


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("As m12 says.", True),
        ("We agreed (m12).", True),
        ("See m12, m13", True),
        ("See m120 or m12.5 or xm12", False),
        ("```\nm12 = 3\n```", False),
    ],
)
def test_an_id_counts_as_cited_in_words_only(text: str, cited: bool) -> None:
    assert cites(says(text), "m12") is cited


def test_an_id_as_an_argument_of_a_call_is_cited() -> None:
    assert cites(says(call("c", "retrieve_context", conversation_ids=["x3.1"])), "x3.1")
    assert not cites(says(call("c", "Write", content="x3.1 = 2")), "x3.1")


def test_a_name_that_only_the_unit_has_is_evidence() -> None:
    found = find_evidence(says("The cause is parse_timetable."), [UNIT, OTHER], nothing)
    assert found == {"m12": Evidence("names", ("parse_timetable",))}


def test_a_name_in_the_arguments_of_a_call_is_evidence() -> None:
    assert find_evidence(says(call("c", "Read", file_path="/w/src/ferry.py")), [UNIT], nothing)


def test_a_number_is_evidence() -> None:
    assert find_evidence(says("It took 2750 ms."), [UNIT], nothing)["m12"].names == ("2750",)


def test_a_name_that_the_rest_of_the_prompt_has_is_none() -> None:
    assert find_evidence(says("The cause is parse_timetable."), [UNIT], everything) == {}


def test_a_rare_word_is_evidence_in_talk_and_takes_company_at_work() -> None:
    few, many = says("A gull."), says("In the morning the gull lands at the pier.")
    assert find_evidence(few, [OTHER], nothing) == {"m14": Evidence("names", ("gull",))}
    assert find_evidence(few, [OTHER], nothing, is_talk=False) == {}
    assert find_evidence(many, [OTHER], nothing, is_talk=False)


def test_a_word_that_many_messages_have_is_no_evidence() -> None:
    assert find_evidence(says("A gull."), [OTHER], lambda words: dict.fromkeys(words, 9)) == {}


def test_a_long_reply_shares_a_plain_word_by_chance() -> None:
    long = " ".join(f"{a}{b}ent" for a in "bcdfglmnprst" for b in ("a", "er", "ion", "os"))
    assert find_evidence(says(f"A gull. {long}"), [OTHER], nothing) == {}
    assert find_evidence(says(f"parse_timetable. {long}"), [UNIT], nothing)


def test_what_many_units_have_tells_of_none() -> None:
    units = [RetrievedUnit(id=f"m{at}", text="parse_timetable") for at in range(4)]
    assert find_evidence(says("parse_timetable"), units, nothing) == {}


def test_outputs_of_tools_are_no_words_of_the_assistant() -> None:
    assert find_evidence(gives(output("c", "m12 parse_timetable 2750")), [UNIT], nothing) == {}


def test_short_and_round_numbers_are_no_evidence() -> None:
    unit = RetrievedUnit(id="m3", text="80 of 1500 items in 0.5 s, 12 of them late")
    assert find_evidence(says("80 and 1500, 0.5, 12"), [unit], nothing) == {}
