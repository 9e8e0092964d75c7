"""Terms are the names and longer words of a text, worked out once for as long as users' texts may be kept."""

from __future__ import annotations

from clew.text.memo import forget_all
from clew.units.terms import terms_of


def test_names_and_longer_words_are_terms() -> None:
    assert terms_of("Where does `load_it` in src/app.py call runAll? See #12, please.") == {
        "load_it",
        "src/app.py",
        "runall",
        "#12",
        "please",
    }


def test_a_text_is_read_once_until_all_is_forgotten() -> None:
    first = terms_of("rename the harbour")
    assert terms_of("rename the harbour") is first
    forget_all()
    assert terms_of("rename the harbour") is not first
