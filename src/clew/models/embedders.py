"""Embedders by name: ``openai/…`` and ``local/…`` for servers of OpenAI's API, or a package's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import sqrt

from clew.codecs.jsonio import value_at
from clew.config import ModelsConfig
from clew.errors import ModelBadAnswer, UsageError
from clew.models.endpoint import Endpoint
from clew.models.registry import endpoint_for
from clew.models.response_json import objects_in
from clew.plugins import Registry
from clew.ports import Embedder

#: A function that makes an embedder from the settings of models; for those of packages, the name is the entry point's.
EMBEDDERS: Registry[Callable[[ModelsConfig], Embedder]] = Registry("clew.embedders", kind="embedder", built_in={})
_SERVED = ("openai", "local")
#: Texts that one request carries.
_BATCH = 64


def embedder_for(name: str, config: ModelsConfig) -> Embedder:
    """Returns the embedder of that name. Raises UsageError if there is none."""
    maker, slash, model = name.partition("/")
    if slash and maker in _SERVED:
        served = replace(config, base_url=config.embedder_base_url)
        return ServedEmbedder(model, endpoint_for(maker, served), seconds=config.timeout_seconds)
    ensure_known(name)
    return EMBEDDERS.get(name)(config)


def ensure_known(name: str) -> None:
    """Raises UsageError for a name that neither a server nor a package has."""
    maker, slash, _ = name.partition("/")
    if not (slash and maker in _SERVED) and name not in EMBEDDERS:
        raise UsageError(f"unknown embedder {name!r}; write encoder, openai/…, local/… or none")


class ServedEmbedder:
    """An embedder behind any server that speaks OpenAI's embeddings."""

    def __init__(self, model: str, endpoint: Endpoint, *, seconds: float) -> None:
        self.name, self._model, self._endpoint, self._seconds = f"{endpoint.host}/{model}", model, endpoint, seconds

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [one for index in range(0, len(texts), _BATCH) for one in self._batch(texts[index : index + _BATCH])]

    def _batch(self, texts: Sequence[str]) -> list[list[float]]:
        body = {"model": self._model, "input": [text or " " for text in texts]}
        answer = self._endpoint.post("/embeddings", lambda: body, seconds=self._seconds)
        items = sorted(objects_in(value_at(answer, "data")), key=lambda one: int(one.get("index", 0)))
        found = [item["embedding"] for item in items if isinstance(item.get("embedding"), list)]
        if len(found) != len(texts) or len({len(one) for one in found}) != 1 or not found[0]:
            raise ModelBadAnswer(f"{self._endpoint.host} answered with {len(found)} vectors for {len(texts)} texts")
        return [_of_length_1(one) for one in found]


def _of_length_1(vector: Sequence[float]) -> list[float]:
    length = sqrt(sum(float(one) ** 2 for one in vector)) or 1.0
    return [float(one) / length for one in vector]
