"""Feedback moves scores a little, within bounds, and fades."""

from __future__ import annotations

from clew.domain import UnitUse
from clew.retrieval.documents import Document, DocumentKind, FoundDocument
from clew.retrieval.feedback import (
    HALF_LIFE,
    MOST,
    Tally,
    describe,
    documents_by_use,
    precision,
    rank_by_use,
    strongest,
)
from clew.retrieval.fusion import Ranked


def judged(*uses: bool) -> Tally:
    tally = Tally()
    for at, used in enumerate(uses, 1):
        tally = tally.with_judgement(used=used, turn=at)
    return tally


def test_one_use_lifts_more_than_one_ignored_unit_sinks() -> None:
    assert judged(True).factor - 1 > 1 - judged(False).factor > 0


def test_a_unit_that_is_always_ignored_sinks_slowly_and_never_below_the_bound() -> None:
    factors = [judged(*[False] * many).factor for many in (1, 4, 16, 500)]
    assert factors == sorted(factors, reverse=True)
    assert factors[0] > 0.98
    assert 1 - MOST <= factors[-1] < 0.9


def test_a_unit_that_is_always_used_never_rises_above_the_bound() -> None:
    assert 1.1 < judged(*[True] * 500).factor <= 1 + MOST


def test_old_feedback_counts_half_after_so_many_judged_replies() -> None:
    now = judged(True)
    later = now.at_turn(1 + HALF_LIFE)
    assert (later.weight_used, later.used) == (0.5, 1)
    assert 1 < later.factor < now.factor


def test_messages_are_ranked_by_their_use_and_say_so() -> None:
    ranked = [Ranked(7, 1.0, {"words": 1.0}), Ranked(3, 0.98, {"words": 0.98})]
    moved = rank_by_use(ranked, {"m7": UnitUse(0, 9, 0.92), "m3": UnitUse(1, 0, 1.04)})
    assert [(one.number, one.why) for one in moved] == [
        (3, {"words": 0.98, "feedback": 0.0392}),
        (7, {"words": 1.0, "feedback": -0.08}),
    ]
    assert rank_by_use(ranked, {}) == ranked


def test_documents_are_put_in_order_by_their_use() -> None:
    found = [FoundDocument(Document(id=id, kind=DocumentKind.CHUNK, text=""), 1.0) for id in ("a#1", "b#1")]
    moved = documents_by_use(found, {"b#1": UnitUse(1, 0, 1.04)})
    assert [(one.document.id, one.why) for one in moved] == [("b#1", {"feedback": 0.04}), ("a#1", {})]


def test_an_epoch_keeps_only_what_moves_a_score() -> None:
    uses = {"m9": judged(True).use, "m2": UnitUse(1, 3, 1.0), "m1": judged(False).use}
    assert list(strongest(uses)) == ["m1", "m9"]


def test_use_is_told_in_words() -> None:
    assert describe(UnitUse(2, 1, 1.05)) == "used 2 times, ignored 1 time by replies"
    assert describe(None) == describe(UnitUse()) == ""


def test_precision_is_the_share_that_was_used() -> None:
    assert precision({"message": [8, 2]}) == {"message": {"retrieved": 8, "used": 2, "precision": 0.25}}
