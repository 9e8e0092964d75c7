"""The built-in encoder with late chunking, to measure whether that helps: a text is read in windows, and the vector of
a part is the mean of its tokens' vectors.

The graph gives no token vectors. ONNX files are protocol buffers, of which messages that follow each other are merged:
so a second graph with nothing but the name of an inner value, put behind the first, makes that value an output.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from clew.ports import Span
from clew.signals.learned.encoder import EncoderEmbedder

#: The value in the graph that has a vector for each token, before they are pooled.
_TOKEN_VECTORS = "/layers.5/last_norm/LayerNormalization_output_0"
#: Numbers of the fields of ONNX: graph of a model, output of a graph, name of an output.
_GRAPH, _OUTPUT, _NAME = 7, 12, 1
#: Tokens of a window, as the encoder was trained, and the two that stand around them.
_WINDOW, _FIRST, _LAST = 222, 101, 102


class LateEncoder(EncoderEmbedder):
    """The encoder as an embedder of spans."""

    def __init__(self) -> None:
        import clew_encoder
        import onnxruntime
        from tokenizers import Tokenizer

        super().__init__()
        self.name += "-late"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        output = _field(_GRAPH, _field(_OUTPUT, _field(_NAME, _TOKEN_VECTORS.encode())))
        model = clew_encoder.MODEL.read_bytes() + output
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(clew_encoder.TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def embed_spans(self, text: str, spans: Sequence[Span]) -> list[list[float]]:
        """A vector for each span, of the window that has it in its middle."""
        read = self._tokenizer.encode(text, add_special_tokens=False)
        starts, ends = [one for one, _ in read.offsets], [one for _, one in read.offsets]
        return [self._vector(read.ids, bisect_right(ends, start), bisect_left(starts, end)) for start, end in spans]

    def _vector(self, ids: Sequence[int], first: int, until: int) -> list[float]:
        import numpy as np

        start = max(0, min(first - (_WINDOW - (until - first)) // 2, first, len(ids) - _WINDOW))
        window = np.array([[_FIRST, *ids[start : start + _WINDOW], _LAST]], dtype=np.int64)
        given: dict[str, Any] = {"ids": window, "mask": np.ones_like(window), "types": np.zeros_like(window)}
        tokens = self._session.run([_TOKEN_VECTORS], given)[0][0][1:-1]
        mean = tokens[first - start : max(until, first + 1) - start].mean(axis=0)
        vector: list[float] = (mean / np.linalg.norm(mean)).tolist()
        return vector


def _field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer; contents are shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content
