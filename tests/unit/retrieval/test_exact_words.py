"""What a query asks for word for word."""

from __future__ import annotations

import pytest

from clew.retrieval.exact_words import exact_words


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("when does it sail?", "Tell me: When does\n  it sail"),
        ('"when does it sail"', "I asked WHEN DOES IT SAIL, twice."),
        ('crew "pier four"', "pier  four"),
        ("“pier four”", "At pier four."),
        ('"foo(bar)"', "call foo(bar) now"),
        ("don't stop", "Don't, stop"),
        ('"Pier Four"', "the fourth pier: PIER FOUR"),
        ('"GRÜNER pier"', "Am grüner Pier"),
        ('"istanbul pier"', "İstanbul pier"),
    ],
)
def test_it_is_said_whatever_capitals_blanks_and_signs_between_words(query: str, text: str) -> None:
    assert exact_words(query).are_said(text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("when does it sail?", "it does sail when it can"),
        ('"pier four"', "pier fourteen, four piers"),
        ('"pier four"', "spier four, _pier four"),
        ('"pier four" "at nine"', "pier four at ten"),
        ('"foo(bar)"', "foo bar"),
        ("?!", "?!"),
        (" ".join(["word"] * 65), " ".join(["word"] * 65)),
    ],
)
def test_other_words_or_another_order_are_not(query: str, text: str) -> None:
    assert not exact_words(query).are_said(text)


def test_only_quotation_marks_make_phrases() -> None:
    assert exact_words('say "pier four" or "nine" now').quoted == "pier four nine"
    assert exact_words("it's the crew's").phrases == ()
    assert not exact_words('"" !')


def test_rows_of_a_listing_are_no_phrase_and_wrapped_words_are() -> None:
    asked = exact_words("rope boat")
    assert not asked.are_said("./boat/rope\n./boat/deck")
    assert asked.are_said("it is the rope,\n   boat and all")
    assert asked.are_said("a rope\nboat")
