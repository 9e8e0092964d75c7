"""The encoder tier: one small neural network for sentences, pairs and embeddings, loaded once and when first needed.

It is installed with the extra ``embeddings`` (the distribution clew-encoder). The first token tells it what a text is
read for, so that one set of weights serves all three ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

from clew.domain.critical import ItemKind
from clew.foreground import give_way
from clew.signals.learned.tier import KINDS, Reading, Relation, SentenceInContext, Thresholds

#: The first token by what a text is read for.
_EMBED, _SENTENCE, _PAIR = 101, 1, 2
_MAX_TOKENS = 224
#: Characters of a message around a sentence that are read; of what the assistant said before, the end: there it asks.
_BEFORE, _AFTER, _QUESTION = 300, 200, 250
#: Words of a text that needs nothing before it to be found, and characters of what others have before them.
_SELF_CONTAINED, _CONTEXT = 50, 160
_THRESHOLDS = Thresholds(
    sure={
        ItemKind.INSTRUCTION: 0.9,
        ItemKind.CONSTRAINT: 0.9,
        ItemKind.REQUIREMENT: 0.95,
        ItemKind.DECISION: 0.98,
    },
    likely=0.5,
    denied=0.1,
)
#: Places of labels among the outputs for a pair.
_CONTRADICTION, _UPDATE = 0, 1

Sides = tuple[str, str]


@cache
def is_installed() -> bool:
    """Whether everything that the encoder needs is there; nothing is loaded."""
    return all(find_spec(name) is not None for name in ("clew_encoder", "onnxruntime", "tokenizers", "numpy"))


@cache
def versioned_name() -> str:
    """The encoder's name with the version of its weights, for others say other things of the same words."""
    from importlib.metadata import version

    return f"encoder@{version('clew-encoder')}"


@cache
def encoder() -> EncoderTier:
    """The encoder of this process."""
    return EncoderTier()


class EncoderTier:
    name = "encoder"

    def __init__(self) -> None:
        import clew_encoder
        import onnxruntime
        from tokenizers import Tokenizer

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(clew_encoder.MODEL), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(clew_encoder.TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)

    def read(self, sentences: Sequence[SentenceInContext]) -> list[Reading]:
        return [
            _reading(_shares(self._run("sentence", _SENTENCE, (sentence.text, _surrounding_text(sentence)))))
            for sentence in sentences
        ]

    def compare(self, pairs: Sequence[Sides]) -> list[Relation]:
        """How the later statement of each pair stands to the earlier one."""
        encoded = [_shares(self._run("pair", _PAIR, pair)) for pair in pairs]
        return [Relation(row[_CONTRADICTION], row[_UPDATE], sum(row[_UPDATE + 1 :])) for row in encoded]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of length 1, nearer to each other the nearer the meaning."""
        return [self._run("embedding", _EMBED, (text, "")).tolist() for text in texts]

    def _run(self, output: str, first: int, sides: Sides) -> Any:
        """One text at a time: rounded to eight bits, what is said of one would depend on those read with it."""
        import numpy as np

        give_way()
        first_side, other = (side.encode("utf-8", "replace").decode() for side in sides)
        encoded = self._tokenizer.encode(first_side, other) if other else self._tokenizer.encode(first_side)
        ids = np.array([[first, *encoded.ids[1:]]], dtype=np.int64)
        types, mask = np.array([encoded.type_ids], dtype=np.int64), np.ones_like(ids)
        return self._session.run([output], {"ids": ids, "mask": mask, "types": types})[0][0]


class EncoderEmbedder:
    """The encoder as an embedder; it is loaded when it is first asked.

    Its name holds the version of the weights, for others give other vectors.
    """

    def __init__(self) -> None:
        self.name = versioned_name()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Returns a vector for each text."""
        return encoder().embed(texts)

    def in_context(self, text: str, before: str) -> str:
        """Returns a text that does not stand on its own behind the end of what was said before it."""
        is_short = len(text.split()) < _SELF_CONTAINED
        return f"{before[-_CONTEXT:]} | {text}" if is_short and before.strip() else text


def _surrounding_text(context: SentenceInContext) -> str:
    """The words around the sentence, the assistant's before it too; empty where the sentence is all there is."""
    before = context.before[-_QUESTION:]
    message = f"{before}\n{context.message}" if before else context.message
    index = message.find(context.text, len(before))
    if index < 0 or message.strip() == context.text.strip():
        return ""
    return message[max(0, index - _BEFORE) : index + len(context.text) + _AFTER]


def _shares(row: Any) -> list[float]:
    import numpy as np

    raised = np.exp(row - row.max())
    shares: list[float] = (raised / raised.sum()).tolist()
    return shares


def _reading(shares: Sequence[float]) -> Reading:
    lasting = sum(shares[: len(KINDS)])
    kinds: dict[ItemKind, float] = {kind: share / lasting for kind, share in zip(KINDS, shares, strict=False)}
    return Reading(lasting, kinds, _THRESHOLDS)
