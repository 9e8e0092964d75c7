"""Candidates of a compaction: which segments may go, which stay word for word, and how runs become chunks."""

from __future__ import annotations

from clew.compaction.candidates import SegmentCandidate, choose_kept, split_into_chunks


def candidate(at: int, **about: object) -> SegmentCandidate:
    given = {"tokens": 1_000, "header": f"header {at}", "points": (f"point {at}",)} | about
    return SegmentCandidate(id=f"x{at}", first=10 * at, last=10 * at + 9, **given)  # type: ignore[arg-type]


def test_a_segment_may_go_when_nothing_speaks_for_it() -> None:
    assert candidate(1).is_expendable
    assert not candidate(1, is_referenced=True).is_expendable
    assert not candidate(1, is_critical=True).is_expendable
    assert not candidate(1, decisions=("use JWT",)).is_expendable
    assert not candidate(1, relevance=0.4).is_expendable


def test_what_is_critical_or_spoken_of_is_kept_first_and_in_order() -> None:
    candidates = [
        candidate(1, is_critical=True),
        candidate(2),
        candidate(3, is_referenced=True),
        candidate(4, relevance=0.5),
    ]
    kept, is_all = choose_kept(candidates, room=2_000)
    assert [one.id for one in kept] == ["x1", "x3"]
    assert not is_all
    kept, is_all = choose_kept(candidates, room=3_000)
    assert ([one.id for one in kept], is_all) == (["x1", "x3", "x4"], True)


def test_runs_of_segments_become_chunks_with_points_decisions_and_tokens() -> None:
    candidates = [candidate(at, decisions=("use JWT",) if at == 3 else ()) for at in range(1, 7)]
    chunks = split_into_chunks(candidates, count=2)
    assert [(one.id, one.tokens) for one in chunks] == [("x1–x3", 3_000), ("x4–x6", 3_000)]
    assert chunks[0].text == "(3,000 tokens); point 1; point 2; point 3; decided: use JWT"


def test_every_segment_is_in_just_one_chunk_however_uneven_they_are() -> None:
    candidates = [candidate(at, tokens=tokens) for at, tokens in enumerate((9_000, 10, 10, 10, 4_000, 10), 1)]
    for count in range(1, 8):
        chunks = split_into_chunks(candidates, count=count)
        assert [one.id for chunk in chunks for one in chunk.segments] == [one.id for one in candidates]
        assert len(chunks) <= count
