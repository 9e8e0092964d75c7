from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.knowledge.chunks import chunk_text
from tests.effort import examples


def words(text: str) -> int:
    return len(text.split())


def chunked(text: str, size: int, format: str = "markdown") -> list[str]:
    return [text[one.start : one.end] for one in chunk_text(text, format, module="m", size=size, count=words)]


def test_paragraphs_stay_together_as_long_as_they_fit() -> None:
    text = "one two three.\n\nfour five.\n\nsix seven eight nine.\n"
    assert chunked(text, 6) == ["one two three.\n\nfour five.", "six seven eight nine."]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    assert chunked("One two three. Four five six. Seven eight.", 6) == [
        "One two three. Four five six.",
        " Seven eight.",
    ]


def test_chunks_end_with_their_section_and_keep_its_headings() -> None:
    text = "# A\none two three\n\n## B\nfour five six\n"
    found = chunk_text(text, "markdown", module="m", size=8, count=words)
    assert [(one.id, one.headings, one.tokens) for one in found] == [("m#1", ("A",), 5), ("m#2", ("A", "B"), 5)]


def test_small_sections_are_put_together_under_what_they_share() -> None:
    text = "# A\n## B\none\n## C\ntwo\n" + "# D\n" + "long " * 30
    found = chunk_text(text, "markdown", module="m", size=40, count=words)
    assert [one.headings for one in found] == [("A",), ("D",)]


def test_what_has_no_border_is_cut_between_words_and_overlaps() -> None:
    found = chunked(" ".join(map(str, range(100))), 20, "text")
    assert all(words(one) <= 20 for one in found)
    assert found[1].split()[0] == "17"
    assert found[-1].split()[-1] == "99"


def test_a_run_without_blanks_is_cut_too() -> None:
    found = chunk_text("x" * 10_000, "text", module="m", size=500, count=len)
    assert (max(one.end - one.start for one in found), found[-1].end) == (400, 10_000)


def test_code_is_cut_between_definitions() -> None:
    assert chunked("def a():\n    return 1 + 2\n\n\ndef b():\n    return 3 + 4\n", 7, "code") == [
        "def a():\n    return 1 + 2",
        "def b():\n    return 3 + 4",
    ]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.text(st.sampled_from("ab .\n#=`-é"), max_size=300),
    st.integers(1, 12),
    st.sampled_from(["markdown", "text", "code"]),
)
def test_no_word_is_lost_and_no_chunk_too_large(text: str, size: int, format: str) -> None:
    found = chunk_text(text, format, module="m", size=size, count=words)
    covered = {at for one in found for at in range(one.start, one.end)}
    missed = [at for at, letter in enumerate(text) if letter.isalnum() and at not in covered]
    assert format == "markdown" or not missed
    assert all(one.tokens <= size for one in found)
