"""A model gets its own encoding, or an estimate from above that calibration makes tighter."""

from __future__ import annotations

from math import ceil

import pytest

from clew.ports import Tokenizer
from clew.tokens import Calibration, count_texts, tokenizer_for
from clew.tokens.encodings import CL100K, O200K, count

TEXT = "Every word of a long conversation is kept, and only what matters is sent.\n" * 20


@pytest.mark.parametrize(("name", "encoding"), [("gpt-5", O200K), ("text", O200K), ("who", O200K), ("gpt-4", CL100K)])
def test_public_encodings_count_exactly(name: str, encoding: str) -> None:
    assert tokenizer_for(name).count(TEXT) == count(TEXT, encoding)


@pytest.mark.parametrize(
    ("name", "ratio"), [("claude-opus-4-5", 1.35), ("claude-opus-5", 1.85), ("gemini-3-pro", 1.35)]
)
def test_others_count_from_above(name: str, ratio: float) -> None:
    assert tokenizer_for(name).count(TEXT) == ceil(count(TEXT) * ratio)


def test_nothing_costs_nothing() -> None:
    assert [tokenizer_for(name).count("") for name in ("claude-opus-5", "gpt-5", "text")] == [0, 0, 0]


def test_calibration_takes_the_place_of_the_default() -> None:
    calibrated = tokenizer_for("claude-opus-5", Calibration((1.5,) * 30).ratio)
    assert calibrated.count(TEXT) == ceil(count(TEXT) * 1.5)


def test_too_little_calibration_changes_nothing() -> None:
    assert tokenizer_for("claude-opus-5", Calibration((1.1,)).ratio).ratio == 1.85


def test_calibration_never_touches_an_exact_count() -> None:
    assert tokenizer_for("gpt-5", Calibration((1.5,) * 30).ratio).count(TEXT) == count(TEXT)


def test_many_texts_count_as_one_by_one() -> None:
    tokenizer: Tokenizer = tokenizer_for("claude-sonnet-4-5")
    texts = ["", "one", TEXT]
    assert count_texts(texts, tokenizer) == [tokenizer.count(text) for text in texts]


def test_any_tokenizer_can_count_many() -> None:
    class Letters:
        name = "text"

        def count(self, text: str) -> int:
            return len(text)

    assert count_texts(["", "abc"], Letters()) == [0, 3]
