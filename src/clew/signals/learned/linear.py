"""Linear models over hashed features, as files: one signed byte for each weight."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp, sqrt

from clew.codecs import jsonio


@dataclass(frozen=True, slots=True)
class LinearModel:
    """``weights`` by the number of a feature, in units of ``scale``; ``bias`` is the score of an empty text."""

    weights: array[int]
    scale: float
    bias: float

    def score(self, features: Collection[int]) -> float:
        """The score of a text with these features: above 0, it is likelier than not."""
        if not features:
            return self.bias
        total: int = sum(map(self.weights.__getitem__, features))
        return self.bias + self.scale * total / sqrt(len(features))


def share(score: float) -> float:
    """A score as a share from 0 to 1."""
    return 1 / (1 + exp(-max(-60.0, min(60.0, score))))


@cache
def models(name: str) -> dict[str, LinearModel]:
    """The models of a file of the package, by their names."""
    home = resources.files("clew.signals.learned") / "weights"
    about = jsonio.loads((home / f"{name}.json").read_bytes())
    bytes = (home / f"{name}.bin").read_bytes()
    size = about["size"]
    return {
        model["name"]: LinearModel(array("b", bytes[index * size : (index + 1) * size]), model["scale"], model["bias"])
        for index, model in enumerate(about["models"])
    }
