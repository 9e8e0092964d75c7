"""Cutting never loses a character, and never lets a text count less than it is; part of a table counts as the whole."""

from __future__ import annotations

from functools import cache, partial

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.tokens import encodings, tokenizer_for
from clew.tokens.encodings import CL100K, CUT_TOKENS, O200K
from clew.tokens.partial_table import PartialTable
from tests.effort import examples

RUNS = st.sampled_from(
    ["a", "Ab", " ", "\n", "\t ", "12", "it's", "é", "漢", "😀", "-", "//", '"', "<|endoftext|>", "\u0301"]
)
RUNNING = st.lists(st.tuples(RUNS, st.integers(1, 30)), max_size=12).map(
    lambda runs: "".join(unit * times for unit, times in runs)
)
TEXTS = st.one_of(RUNNING, st.text(max_size=200))
NAMES = st.sampled_from([O200K, CL100K])


@cache
def words(name: str) -> list[bytes]:
    return encodings._words(name)


def partial_table(name: str) -> PartialTable:
    return PartialTable(partial(words, name), partial(encodings._build, name))


def whole(text: str, name: str) -> int:
    return len(encodings.encoding(name).encode_ordinary(text))


@given(text=TEXTS, name=NAMES, limit=st.integers(8, 60))
@settings(max_examples=examples(400), deadline=None)
def test_pieces_are_the_text_and_count_no_less(text: str, name: str, limit: int) -> None:
    parts, cuts = encodings.pieces(text, limit)
    counted = sum(whole(part, name) for part in parts)
    assert "".join(parts) == text
    assert all(len(part) <= limit for part in parts)
    assert counted == whole(text, name) if cuts == 0 else counted + cuts * CUT_TOKENS >= whole(text, name)


@given(
    text=TEXTS, model=st.sampled_from(["text", "gpt-5", "gpt-4", "claude-opus-4-5", "claude-opus-5", "gemini-3-pro"])
)
@settings(max_examples=examples(200), deadline=None)
def test_counting_never_fails_and_estimates_are_not_under(text: str, model: str) -> None:
    tokenizer = tokenizer_for(model)
    assert tokenizer.count(text) >= encodings.count(text, tokenizer.encoding)


@given(texts=st.lists(TEXTS, max_size=3), name=NAMES)
@settings(max_examples=examples(60), deadline=None)
def test_a_partial_table_gives_the_tokens_of_the_whole(texts: list[str], name: str) -> None:
    found = partial_table(name).encoding(texts)
    if found is not None:
        table = encodings.encoding(name)
        assert [found.encode_ordinary(text) for text in texts] == [table.encode_ordinary(text) for text in texts]
