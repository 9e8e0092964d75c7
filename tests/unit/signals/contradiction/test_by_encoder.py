"""What a model of pairs says becomes rows of contradictions, if it is sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clew.history.person_words import PersonStatement, StatementKind
from clew.signals.contradiction.by_encoder import LOUD, contradictions_by
from clew.signals.learned.tier import Relation


class Sure:
    """Says of each pair what it was told to."""

    def __init__(self, *shares: float) -> None:
        self.shares = shares

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        assert len(pairs) == len(self.shares)
        return [Relation(share, 0.0, 1.0 - share) for share in self.shares]


SAID = PersonStatement(StatementKind.MESSAGE, "Deploy it to staging.", "m9")
EARLIER = {"m1": "We have no staging.", "m3": "The staging logo is blue."}


def test_only_what_is_sure_is_told_with_both_messages_and_what_they_share() -> None:
    (row,) = contradictions_by(Sure(LOUD, LOUD - 0.01), SAID, EARLIER)
    assert (row["earlier"], row["later"], row["speaker"], row["score"]) == ("m1", "m9", "user", LOUD)
    assert "stag" in row["about"]


def test_with_nothing_said_before_nothing_is_asked() -> None:
    assert contradictions_by(Sure(), SAID, {}) == []


def test_long_messages_speak_of_several_things_and_are_not_compared() -> None:
    (id, text), *_ = EARLIER.items()
    assert contradictions_by(Sure(), SAID, {id: text + " And another thing." * 30}) == []


def test_two_everyday_words_in_common_are_not_the_same_subject() -> None:
    asked = "This is the booking service of our marina. Could you look where the code decides whether a berth is free?"
    told = "The other marinas of the county agree: cancelling is free up to 48 hours before arrival."
    assert contradictions_by(Sure(), replace(SAID, text=told), {"m1": asked}) == []


def test_what_both_speak_of_is_told_in_whole_words() -> None:
    (id, _), *_ = EARLIER.items()
    said = replace(SAID, text="Cancelling is never free at the marina.")
    (row,) = contradictions_by(Sure(LOUD), said, {id: "Cancelling is free up to 48 hours at the marina."})
    assert {"free", "marina"} <= set(row["about"].split(", "))
