"""Headers and summaries: short, in the segment's own words, within their caps."""

from __future__ import annotations

from clew.digests.drafts import digest
from clew.digests.fitting import count
from clew.digests.trio import era, header, header_cost, summary, trio, within
from clew.domain import Digest, Header, Outcome, Summary
from tests.builders import says, user
from tests.unit.digests.examples import numbered, work


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


def test_a_summary_says_what_was_asked_settled_done_and_left() -> None:
    changed = "reader.py:2-3 (parse)"
    assert summary(digest(work(), "x1")) == Summary(
        id="x1",
        text="asked: make parse in src/reader.py lazy? Don't touch the tests. Our reader is slow.\n"
        f"changed: src/{changed}\n"
        "ran: pytest -q: 5 passed in 0.2s\n"
        "failed: FAILED tests/test_reader.py::test_lazy - assert 1 == 2 → m9\n"
        "concluded: I'll keep the name instead of new ones.\n"
        "said: Done. `parse` is lazy now, 5 passed. Shall I commit it?\n"
        "asks: Shall I commit it?",
        content="make parse in src/reader.py lazy? Don't touch the tests. Our reader is slow. "
        "Done. `parse` is lazy now, 5 passed. Shall I commit it?",
        decisions=("I'll keep the name instead of new ones.",),
        changes=(f"src/{changed}",),
        questions=("Shall I commit it?",),
    )


def test_a_short_answer_is_told_by_what_was_done_about_it() -> None:
    history = work()
    history[0] = numbered([user("yes")])[0]
    assert header(digest(history, "x2")).line == "yes: changed reader.py; pytest -q…"


def test_a_piece_without_a_request_is_told_by_its_last_word() -> None:
    assert header(digest(numbered([says("The cache was never filled.")]), "x3.2")).line == "The cache was never filled."


def test_nothing_is_told_of_nothing() -> None:
    assert (trio(Digest(id="x0")).header.line, trio(Digest(id="x0")).summary.text) == ("(nothing asked)", "")


def test_the_whole_is_read_by_the_same_id() -> None:
    assert trio(digest(work(), "x1")).full == "x1"


def headers(amount: int) -> list[Header]:
    return [
        Header(id=f"x{at}", line=f"rename table {at}", entities=(f"f{at % 3}.py",), tokens=10)
        for at in range(1, amount + 1)
    ]


def test_an_era_spans_its_segments_and_names_the_files_touched_most() -> None:
    found = era(headers(4))
    assert found == Header(
        id="x1–x4",
        line="4 segments: f1.py, f2.py, f0.py; rename table 1; rename table 2",
        topic="rename table 1; rename table 2; rename table 3; rename table 4",
        entities=("f1.py", "f2.py", "f0.py"),
        outcome=Outcome.COMPLETED,
        tokens=40,
        segments=4,
    )


def test_an_era_of_eras_counts_all_their_segments() -> None:
    found = era([era(headers(4)[:2]), era(headers(4)[2:])])
    assert (found.id, found.segments, found.tokens) == ("x1–x4", 4, 40)


def test_headers_that_fit_stay_as_they_are() -> None:
    assert within(headers(5), max_headers=5, max_tokens=1000) == headers(5)


def test_the_oldest_headers_roll_up_and_the_newest_stay() -> None:
    found = within(headers(300), max_headers=200, max_tokens=700)
    assert len(found) <= 200
    assert sum(header_cost(one) for one in found) <= 700
    assert sum(one.segments for one in found) == 300
    assert found[-1] == headers(300)[-1]
    assert found[0].id.startswith("x1–")


def test_words_are_cut_where_sentences_do_not_fit() -> None:
    long = "please " + "rework the importer so that it reads lines lazily and " * 20
    found = header(digest(numbered([user(long)]), "x1"))
    assert count(found.line) <= 12
    assert found.line.endswith("…")
