"""The weights of the encoder that `packages/clew-encoder` carries, read back for more training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

#: Linear parts of a layer in the order in which the graph multiplies by them.
_LINEAR = ("query", "key", "value", "out", "widen", "narrow")
_LAYERS = 6
_HEADS = ("sentence", "pair")


def encoder_weights(path: Path) -> dict[str, Tensor]:
    """Returns the weights by the names that `encoder_model.Encoder` has for them."""
    graph = onnx.load(str(path)).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights = {name: value for name, value in stored.items() if name.endswith((".bias", "norm.weight"))}
    weights |= {f"{name}.weight": _dequantized(f"{name}.weight", stored) for name in ("words", "positions", "types")}
    products = [node.input[1].removesuffix("_quantized") for node in graph.node if node.op_type == "MatMulInteger"]
    in_layers = [name for name in products if not name.startswith(_HEADS)]
    names = [f"layers.{layer}.{part}.weight" for layer in range(_LAYERS) for part in _LINEAR]
    weights |= {ours: _dequantized(name, stored).T for ours, name in zip(names, in_layers, strict=True)}
    weights |= {name: _dequantized(name, stored).T for name in products if name.startswith(_HEADS)}
    return {name: torch.tensor(np.array(value, dtype=np.float32)) for name, value in weights.items()}


def _dequantized(name: str, stored: Mapping[str, np.ndarray]) -> np.ndarray:
    whole = stored[f"{name}_quantized"].astype(np.float32) - stored[f"{name}_zero_point"].astype(np.float32)
    return whole * stored[f"{name}_scale"]
