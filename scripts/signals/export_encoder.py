"""Makes of a trained encoder what `packages/clew-encoder` carries: an ONNX model with weights of eight bits.

    python scripts/signals/export_encoder.py --encoder FILE… --base FOLDER [--out FOLDER]

Needs torch, onnx, onnxscript, onnxruntime. The tokenizer of the base model is copied beside it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from safetensors.torch import load_file
from torch import Tensor

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from encoder_model import Encoder  # noqa: E402

TARGET = HERE.parent.parent / "packages" / "clew-encoder" / "src" / "clew_encoder"
_MOST_BYTES = 25_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encoder", type=Path, nargs="+", required=True, help="several are averaged")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=TARGET)
    args = parser.parse_args()
    model = Encoder()
    model.load_state_dict(average(args.encoder))
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        whole, ready = Path(folder) / "whole.onnx", Path(folder) / "ready.onnx"
        _export(model.eval(), whole)
        quant_pre_process(str(whole), str(ready), skip_symbolic_shape=True)
        quantize_dynamic(ready, args.out / "encoder.onnx", weight_type=QuantType.QInt8, per_channel=True)
    shutil.copy(args.base / "tokenizer.json", args.out / "tokenizer.json")
    size = sum(path.stat().st_size for path in args.out.iterdir() if path.suffix in {".onnx", ".json"})
    print(f"{size / 1e6:.1f} MB")
    if size > _MOST_BYTES:
        raise SystemExit("too large for the package")


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of weights that were trained from one start, on the same data, in other orders."""
    found = [load_file(path) for path in paths]
    return {name: sum(one[name].float() for one in found) / len(found) for name in found[0]}


def _export(model: Encoder, path: Path) -> None:
    ids = torch.tensor([[101, 7592, 2088, 102], [101, 7592, 102, 0]])
    mask, types = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]]), torch.zeros(2, 4, dtype=torch.long)
    names = ["ids", "mask", "types"]
    torch.onnx.export(
        model,
        (ids, mask, types),
        str(path),
        input_names=names,
        output_names=["embedding", "sentence", "pair"],
        dynamic_axes={name: {0: "rows", 1: "tokens"} for name in names},
        opset_version=17,
        dynamo=False,
    )


if __name__ == "__main__":
    main()
