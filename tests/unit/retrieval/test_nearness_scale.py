"""What nearness means to an embedder is measured with it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clew.retrieval.vector_rows import NearnessScale, measure_scale


class Leaning:
    """An embedder whose vectors all lean to one side, as those of many models do."""

    def __init__(self, lean: float) -> None:
        self.name, self.lean = "leaning", lean

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        rest = (1 - self.lean) ** 0.5
        return [[self.lean**0.5, *(rest * (at == place) for at in range(len(texts)))] for place in range(len(texts))]


@pytest.mark.parametrize("lean", [0.0, 0.7])
def test_texts_that_have_nothing_to_do_with_each_other_are_unrelated_whatever_their_product(lean: float) -> None:
    assert measure_scale(Leaning(lean)) == NearnessScale(lean, lean)


def test_nearness_is_0_at_chance_and_1_where_it_is_surely_none() -> None:
    scale = NearnessScale(0.2, 0.4)
    assert [round(scale.rescale(one), 6) for one in (0.1, 0.2, 0.3, 0.4)] == [-0.5, 0.0, 0.5, 1.0]


@pytest.mark.encoder
def test_the_encoder_tells_a_question_about_something_else() -> None:
    encoder = pytest.importorskip("clew.signals.learned.encoder")
    if not encoder.is_installed():
        pytest.skip("the encoder is not installed")
    embedder = encoder.EncoderEmbedder()
    scale = measure_scale(embedder)
    texts = ["Shop › Rollback: Run undo.sh to bring the previous release back.", "How do I revert a deployment?"]
    text, asked, other = embedder.embed([*texts, "What is a good recipe for lentil soup?"])
    product = [sum(a * b for a, b in zip(text, query, strict=True)) for query in (asked, other)]
    assert (scale.rescale(product[0]) > 1, scale.rescale(product[1]) < 0) == (True, True)
