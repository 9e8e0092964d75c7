"""The encoder: what sentences are in their message, how statements stand to each other, and what is near in meaning."""

from __future__ import annotations

import pytest

pytest.importorskip("clew_encoder")

from clew.signals.learned.encoder import EncoderEmbedder, EncoderTier, encoder
from clew.signals.learned.tier import Certainty, SentenceInContext


@pytest.fixture(scope="module")
def model() -> EncoderTier:
    return encoder()


def test_it_is_loaded_once(model: EncoderTier) -> None:
    assert encoder() is model


def test_what_lasts_is_told_from_what_is_for_now(model: EncoderTier) -> None:
    words = "the api has to keep answering v1 clients until march"
    rule = SentenceInContext(words, f"One more thing: {words}. Then rerun the tests.")
    now = SentenceInContext("please rerun the tests", "please rerun the tests")
    kept, passing = model.read([rule, now])
    assert kept.certainty is Certainty.SURE
    assert passing.certainty is Certainty.NONE


def test_the_message_around_a_sentence_counts(model: EncoderTier) -> None:
    alone, quoted = model.read(
        [
            SentenceInContext("tabs, not spaces", "tabs, not spaces"),
            SentenceInContext(
                "tabs, not spaces", "my old team had it the other way round: tabs, not spaces. funny people, anyway"
            ),
        ]
    )
    assert quoted.lasting != alone.lasting


def test_statements_are_compared(model: EncoderTier) -> None:
    clash, other = model.compare(
        [
            ("We have no staging environment.", "I deployed it to our staging environment on Friday."),
            ("We have no staging environment.", "The login page needs a new logo."),
        ]
    )
    assert clash.contradiction > other.contradiction
    assert sum(clash) == pytest.approx(1.0, abs=1e-4)


def test_embeddings_are_near_where_meanings_are(model: EncoderTier) -> None:
    cat, kitten, tax = model.embed(
        ["A cat sleeps on the sofa.", "A kitten naps on the couch.", "The tax is due in May."]
    )
    assert sum(one * other for one, other in zip(cat, kitten, strict=True)) > 0.5
    assert sum(one * other for one, other in zip(cat, tax, strict=True)) < 0.4
    assert sum(one * one for one in cat) == pytest.approx(1.0, abs=1e-3)


def test_what_is_read_together_is_read_as_alone(model: EncoderTier) -> None:
    words = ["short", "a much longer sentence about the deployment of services " * 8, "keep the old endpoint alive"]
    together = model.read([SentenceInContext(one, one) for one in words])
    for one, reading in zip(words, together, strict=True):
        assert model.read([SentenceInContext(one, one)])[0].lasting == pytest.approx(reading.lasting, abs=0.02)


@pytest.mark.parametrize("text", ["", "\x00", "🙂" * 300, "word " * 5_000, "\ud800 lone"])
def test_any_text_is_read(model: EncoderTier, text: str) -> None:
    (reading,) = model.read([SentenceInContext(text, text)])
    assert 0.0 <= reading.lasting <= 1.0
    assert len(model.embed([text])[0]) == 384


@pytest.mark.encoder
def test_a_short_text_is_embedded_behind_the_end_of_what_was_said_before_it() -> None:
    embedder = EncoderEmbedder()
    question = "x" * 200 + " How long have you painted?"
    assert embedder.in_context("Three years!", question) == f"{question[-160:]} | Three years!"
    assert embedder.in_context("Three years!", " ") == "Three years!"
    alone = "It went on and on. " * 20
    assert embedder.in_context(alone, question) == alone
