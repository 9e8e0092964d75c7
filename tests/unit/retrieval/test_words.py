"""Texts as words: what can be found by what."""

from __future__ import annotations

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.retrieval.words import MAX_CHARS, MAX_QUERY_WORDS, query_words, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  …!? ", []),
        ("The rope, the ROPE!", ["the", "rop"]),
        ("getUserName", ["getusernam", "get", "user", "nam"]),
        ("HTTPServer2", ["httpserver2", "http", "server2"]),
        ("max_retry_count", ["max_retry_count", "max", "retry", "count"]),
        ("src/clew/ports.py", ["src", "clew", "ports.py", "port", "py"]),
        ("session.recordAll()", ["session.recordall", "session", "recordall", "record", "all"]),
        ("a well-known trick", ["a", "well-known", "well", "known", "trick"]),
        ("__init__", ["__init__", "init"]),
        ("v5.3.0 and 2024-03-15", ["v5.3.0", "v5", "and", "2024-03-15", "2024", "03", "15"]),
        ("--dry-run", ["dry-run", "dry", "run"]),
        ("x = 7", ["x", "7"]),
    ],
)
def test_names_are_found_whole_and_by_their_pieces(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file", "files"),
        ("running", "runs"),
        ("failed", "failing"),
        ("queries", "query"),
        ("tried", "tries"),
        ("classes", "class"),
        ("make", "making"),
        ("Café", "cafe"),
        ("Straße", "STRASSE"),
        ("re\u0301sume\u0301", "résumé"),
        ("ﬁle", "file"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_forms_of_one_word_are_one_word(one: str, other: str) -> None:
    assert words_of(one) == words_of(other) != []


def test_scripts_without_blanks_are_found_by_pairs() -> None:
    assert words_of("修复解析器") == ["修复", "复解", "解析", "析器"]
    assert words_of("網") == ["網"]
    assert words_of("修复parser错误") == ["修复", "parser", "错误"]
    assert words_of("設定.json") == ["設定", "json"]


def test_other_scripts_are_words_like_any() -> None:
    assert words_of("Проверка Δοκιμή") == ["проверка", "δοκιμη"]


def test_encoded_data_is_one_word_of_its_beginning() -> None:
    data = "aGVsbG8gd29ybGQ" * 500
    assert words_of(data) == [data[:MAX_CHARS].lower()]


def test_a_query_leaves_out_words_that_say_nothing_by_themselves() -> None:
    assert query_words("Why does the parser fail on it?") == ["parser", "fail"]


def test_a_query_of_nothing_else_is_asked_as_it_stands() -> None:
    assert query_words("what is this?") == ["what", "is", "thi"]
    assert query_words("?!") == []


def test_names_in_a_query_keep_pieces_that_are_common_words() -> None:
    assert query_words("is_all") == ["is_all", "is", "all"]


def test_a_very_long_query_is_asked_by_its_beginning_and_its_end() -> None:
    found = query_words(" ".join(f"w{at}" for at in range(1000)))
    half = MAX_QUERY_WORDS // 2
    assert found == [f"w{at}" for at in (*range(half), *range(1000 - half, 1000))]


@given(st.text(max_size=300))
def test_every_word_is_made_of_what_stores_take(text: str) -> None:
    for word in words_of(text):
        assert word == word.casefold()
        assert all(char.isalnum() or char in "._-" or not char.isascii() for char in word)
        assert not any(char.isspace() for char in word)
        word.encode()


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=300))
def test_what_is_asked_in_the_same_words_is_found(text: str) -> None:
    assert set(query_words(text)) <= set(words_of(text))


@given(st.text(st.sampled_from("aB9_.-… \n/é＜\u0338ｆ①ﬁ修日\u00a0\u0301\ud800") | st.characters(), max_size=200))
def test_a_text_holds_the_words_of_its_runs_in_their_order(text: str) -> None:
    runs = re.findall(r"\w+(?:[.-]\w+)*", normalize("NFKC", text))
    assert words_of(text) == list(dict.fromkeys(word for run in runs for word in words_of(run)))


def test_a_long_name_is_cut_where_it_is_whatever_stands_there() -> None:
    name = "a" * (MAX_CHARS - 1)
    assert words_of(f"see ({name}.py), {name}-x") == ["see", f"{name}.", name, f"{name}-"]
