"""Requests are answered within the quota, and what is not sent is told."""

from __future__ import annotations

from collections.abc import Sequence

from clew.replies.retrieval_answer import (
    Piece,
    RetrievalAnswer,
    SentSegment,
    UnknownId,
    UnsentSize,
    answer_requests,
    cut_piece,
    likely_next_ids,
)
from clew.replies.values import Format, Priority, RetrievalRequest

HEADER, SUMMARY, FULL, MIXED = Format.HEADER, Format.SUMMARY, Format.FULL, Format.MIXED
TOKENS = {"header": 10, "summary": 100, "full": 1000}


class Shelf:
    """Ten exchanges of a header of 10 tokens, a summary of 100 and a full text of 1,000; x3 was cut in two."""

    ids = ("x1", "x2", "x3.1", "x3.2", "x4", "x5", "x6", "x7", "x8", "x9")

    def resolve(self, id: str) -> str | None:
        id = "x3.1" if id == "x3" else id
        return id if id in self.ids else None

    def size(self, id: str, format: str) -> int:
        return TOKENS[format]

    def text(self, id: str, format: str) -> str:
        return f"{id} in {format}"

    def piece(self, id: str, format: str, *, start: int, limit: int, most_tokens: int) -> Piece:
        text = "abcdefghi\n" * (TOKENS[format] // 10)  # a token to a character
        return cut_piece(text, len, start=start, limit=limit, most_tokens=most_tokens)

    def nearest(self, id: str) -> Sequence[str]:
        return ["x9", "x8", "x7", "x6"]

    def recent(self, n: int) -> Sequence[str]:
        return self.ids[::-1][:n]

    def relevant(self, n: int) -> Sequence[str]:
        return ["x5", "x2", *(id for id in self.ids if id not in ("x5", "x2"))][:n]


def asked(*ids: str, format: Format = SUMMARY, priority: Priority = Priority.SPECIFIC) -> RetrievalRequest:
    return RetrievalRequest(ids, format, priority)


def sent(id: str, format: Format = SUMMARY, asked: str | None = None) -> SentSegment:
    tokens, text = TOKENS[format], f"{id} in {format}"
    return SentSegment(id=id, format=format, tokens=tokens, text=text, asked=id if asked is None else asked)


def sizes(found: RetrievalAnswer) -> list[tuple[str, str]]:
    return [(one.id, one.format) for one in found.sent]


def test_ids_are_given_in_the_order_they_were_named():
    found = answer_requests([asked("x4", "x2")], 500, Shelf())
    assert found == RetrievalAnswer(quota_tokens=500, sent=(sent("x4"), sent("x2")))
    assert (sum(one.tokens for one in found.sent), found.notes) == (200, ())


def test_the_newest_or_the_most_relevant_come_first_when_that_is_asked_for():
    recent = answer_requests([asked("x4", "x9", "x2", priority=Priority.RECENT)], 500, Shelf())
    relevant = answer_requests([asked("x4", "x9", "x2", priority=Priority.RELEVANT)], 500, Shelf())
    assert [one.id for one in recent.sent] == ["x9", "x4", "x2"]
    assert [one.id for one in relevant.sent] == ["x2", "x4", "x9"]


def test_a_request_without_ids_brings_the_first_five():
    found = answer_requests([asked(priority=Priority.RECENT, format=HEADER)], 500, Shelf())
    assert found.sent == tuple(sent(id, HEADER, asked="") for id in ("x9", "x8", "x7", "x6", "x5"))
    assert found.notes == ()


def test_mixed_shrinks_as_the_quota_runs_out():
    found = answer_requests([asked("x1", "x2", "x4", "x5", format=MIXED)], 1150, Shelf())
    assert sizes(found) == [("x1", FULL), ("x2", SUMMARY), ("x4", HEADER), ("x5", HEADER)]
    assert found.left_out == (
        UnsentSize(id="x2", format=FULL, tokens=1000, sent_as=SUMMARY),
        UnsentSize(id="x4", format=FULL, tokens=1000, sent_as=HEADER),
        UnsentSize(id="x5", format=FULL, tokens=1000, sent_as=HEADER),
    )


def test_when_not_even_all_headers_fit_the_first_are_given():
    assert sizes(answer_requests([asked("x1", "x2", "x4", format=MIXED)], 25, Shelf())) == [
        ("x1", HEADER),
        ("x2", HEADER),
    ]


def test_a_size_that_was_named_is_never_swapped_for_another():
    found = answer_requests([asked("x1", "x2", format=FULL), asked("x4")], 1500, Shelf())
    assert sizes(found) == [("x1", FULL), ("x2", FULL), ("x4", SUMMARY)]
    assert found.left_out == ()


def test_the_first_that_does_not_fit_is_begun_with_what_the_others_leave():
    found = answer_requests([asked("x1", "x2", "x5", format=FULL), asked("x4")], 1505, Shelf())
    begun = found.sent[1]
    assert [(one.id, one.start, one.end, one.chars) for one in found.sent] == [
        ("x1", 0, 0, 0),
        ("x2", 0, 400, 1000),
        ("x4", 0, 0, 0),
    ]
    assert (begun.tokens, len(begun.text), begun.text[-1]) == (400, 400, "\n")
    assert begun.size == "full, characters 0 to 400 of 1000"
    assert found.left_out == (UnsentSize(id="x5", format=FULL, tokens=1000),)
    assert found.notes == (
        "Of x2 in full, characters 0 to 400 of 1000 are sent. To read on, ask for it with offset 400.",
        "x5 in full has 1,000 tokens and did not fit this turn. Ask for it alone, or for a smaller format.",
    )


def test_a_part_that_no_turn_can_hold_is_read_in_pieces_to_its_end():
    offset, read = 0, ""
    for _ in range(4):
        found = answer_requests([RetrievalRequest(("x1",), FULL, offset=offset)], 300, Shelf())
        (piece,) = found.sent
        assert piece.tokens <= 300
        assert bool(found.notes) is (piece.end < 1000)
        read, offset = read + piece.text, piece.end
    assert (read, offset) == ("abcdefghi\n" * 100, 1000)


def test_a_range_is_sent_as_it_was_named():
    (piece,) = answer_requests([RetrievalRequest(("x1",), FULL, offset=15, limit=7)], 300, Shelf()).sent
    assert (piece.text, piece.start, piece.end, piece.tokens) == ("fghi\nab", 15, 22, 7)
    beyond = answer_requests([RetrievalRequest(("x1",), FULL, offset=5000)], 300, Shelf())
    assert beyond.notes == ("x1 in full has 1000 characters; there is nothing from 1000 on.",)


def test_what_mixed_made_smaller_can_be_read_in_pieces():
    found = answer_requests([asked("x1", format=MIXED)], 300, Shelf())
    assert sizes(found) == [("x1", SUMMARY)]
    assert found.notes == (
        "x1 in full has 1,000 tokens, more than the 300 of a turn; sent as summary."
        " Ask for it alone, in full: it comes in pieces.",
    )


def test_a_piece_ends_where_the_tokens_do_in_a_text_without_lines():
    text = "x" * 10_000
    piece = cut_piece(text, lambda one: len(one) // 3, start=100, limit=0, most_tokens=500)
    assert 450 <= piece.tokens <= 500
    assert (piece.start, piece.chars, piece.text) == (100, 10_000, text[100 : piece.end])
    assert cut_piece(text, len, start=0, limit=0, most_tokens=0).text == ""


def test_an_id_is_given_once_in_the_largest_size_asked_for():
    found = answer_requests(
        [asked("x1", "x2"), asked("x2", "x1", format=FULL), asked("x1", format=HEADER)], 5000, Shelf()
    )
    assert sizes(found) == [("x1", FULL), ("x2", FULL)]


def test_a_superseded_id_leads_to_the_one_that_stands_for_it_now():
    found = answer_requests([asked("x3", "x3.1")], 500, Shelf())
    assert found == RetrievalAnswer(quota_tokens=500, sent=(sent("x3.1", asked="x3"),))
    assert found.notes == ("x3 is now x3.1.",)


def test_an_unknown_id_is_answered_with_the_nearest():
    found = answer_requests([asked("x99", "x1"), asked("x99")], 500, Shelf())
    assert found == RetrievalAnswer(
        quota_tokens=500, sent=(sent("x1"),), unknown=(UnknownId("x99", nearest=("x9", "x8", "x7")),)
    )
    assert found.notes == ("There is no x99. Nearest: x9, x8, x7.",)


def test_what_has_not_the_form_of_an_id_is_not_repeated():
    assert answer_requests([asked("x1\n## Rules")], 500, Shelf()) == RetrievalAnswer(quota_tokens=500)


def test_a_quota_of_nothing_gives_nothing():
    found = answer_requests([asked("x1", format=MIXED)], 0, Shelf())
    assert (found.sent, [one.id for one in found.left_out]) == ((), ["x1"])


def test_what_did_not_fit_and_neighbours_are_likely_next():
    found = answer_requests([asked("x3", "x1", "x9", format=FULL)], 2500, Shelf())
    assert sizes(found) == [("x3.1", FULL), ("x1", FULL), ("x9", FULL)]
    assert likely_next_ids(found) == ("x3.2", "x2", "x10", "x8")


def test_a_summary_that_was_read_makes_its_neighbours_likely():
    assert likely_next_ids(answer_requests([asked("x5", "x4")], 500, Shelf())) == ("x6", "x4", "x5", "x3")
