"""Embedders by name, and one behind a server."""

from __future__ import annotations

import pytest

from clew.config import ModelsConfig
from clew.errors import ModelBadAnswer, UsageError
from clew.models.embedders import embedder_for
from tests.model_server import FaultyServer, answers


def config(server: FaultyServer) -> ModelsConfig:
    return ModelsConfig(embedder_base_url=f"{server.url}/v1", max_retries=0)


def test_a_server_gives_vectors_of_length_1_in_the_order_of_the_texts(server: FaultyServer) -> None:
    data = [{"index": 1, "embedding": [0.0, 2.0]}, {"index": 0, "embedding": [3.0, 4.0]}]
    server.then(answers(200, {"data": data}))
    embedder = embedder_for("local/small", config(server))
    assert embedder.embed(["one", "two"]) == [[0.6, 0.8], [0.0, 1.0]]
    assert embedder.name.endswith("/small")
    [seen] = server.requests
    assert (seen.path, seen.body) == ("/v1/embeddings", {"model": "small", "input": ["one", "two"]})


@pytest.mark.parametrize("data", [[], [{"index": 0, "embedding": []}], [{"index": 0}], "no list"])
def test_an_answer_without_the_vectors_is_an_error(server: FaultyServer, data: object) -> None:
    server.then(answers(200, {"data": data}))
    with pytest.raises(ModelBadAnswer):
        embedder_for("local/small", config(server)).embed(["one"])


def test_an_unknown_embedder_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="unknown embedder 'abacus'; write encoder"):
        embedder_for("abacus", ModelsConfig())
