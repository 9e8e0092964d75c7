"""Weights of linear models as the package carries them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

TARGET = Path(__file__).parent.parent.parent / "src" / "clew" / "signals" / "learned" / "weights"


def save(name: str, models: Sequence[tuple[str, np.ndarray, float]], size: int) -> None:
    """Writes models as one signed byte a weight, in units of a hundred-and-twenty-seventh of the largest."""
    TARGET.mkdir(exist_ok=True)
    scales = [float(np.abs(weights).max()) / 127 for _, weights, _ in models]
    whole = [np.round(weights / scale).astype(np.int8) for (_, weights, _), scale in zip(models, scales, strict=True)]
    (TARGET / f"{name}.bin").write_bytes(b"".join(one.tobytes() for one in whole))
    about = [
        {"name": name, "scale": round(scale, 9), "bias": round(float(bias), 6)}
        for (name, _, bias), scale in zip(models, scales, strict=True)
    ]
    (TARGET / f"{name}.json").write_text(json.dumps({"size": size, "models": about}, indent=1) + "\n")
