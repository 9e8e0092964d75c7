"""The encoder as it is trained: six layers of BERT, a head for sentences, one for pairs, and embeddings.

The first token tells the encoder what it is read for, so that one set of weights serves three ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

#: What a text is read for: an embedding, the kind of a sentence, how two statements stand to each other.
EMBED, SENTENCE, PAIR = 0, 1, 2
#: The first token by what a text is read for: [CLS] as ever, and two that no text contains.
FIRST_TOKENS = (101, 1, 2)
_MAX_TOKENS = 224
_LAYERS, _HEADS, _WIDTH, _INNER = 6, 12, 384, 1536
_VOCABULARY, _POSITIONS = 30_522, 512
_KINDS, _PAIR_LABELS = 7, 4


class Tokens:
    """Texts as rows of token ids."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MAX_TOKENS)
        self._tokenizer = tokenizer

    def batch(self, task: int, sides: Sequence[tuple[str, str]], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, mask and segment of each token; the second side may be empty."""
        found = self._tokenizer.encode_batch([one if one[1] else one[0] for one in sides])
        length = max(len(one.ids) for one in found)
        ids, mask, types = (torch.zeros(len(found), length, dtype=torch.long) for _ in range(3))
        for at, one in enumerate(found):
            ids[at, : len(one.ids)] = torch.tensor(one.ids)
            types[at, : len(one.ids)] = torch.tensor(one.type_ids)
            mask[at, : len(one.ids)] = 1
        ids[:, 0] = FIRST_TOKENS[task]
        return ids.to(device), mask.to(device), types.to(device)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(_VOCABULARY, _WIDTH)
        self.positions = nn.Embedding(_POSITIONS, _WIDTH)
        self.types = nn.Embedding(2, _WIDTH)
        self.norm = nn.LayerNorm(_WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(_Layer() for _ in range(_LAYERS))
        self.sentence = _head(_KINDS)
        self.pair = _head(_PAIR_LABELS)

    @classmethod
    def start(cls, weights: Mapping[str, Tensor]) -> Encoder:
        """An encoder with the weights of a MiniLM, and untrained heads."""
        model = cls()
        names = {
            "embeddings.word_embeddings": "words",
            "embeddings.position_embeddings": "positions",
            "embeddings.token_type_embeddings": "types",
            "embeddings.LayerNorm": "norm",
        }
        parts = {
            "attention.self.query": "query", "attention.self.key": "key", "attention.self.value": "value",
            "attention.output.dense": "out", "attention.output.LayerNorm": "norm",
            "intermediate.dense": "widen", "output.dense": "narrow", "output.LayerNorm": "last_norm",
        }  # fmt: skip
        names |= {f"encoder.layer.{n}.{a}": f"layers.{n}.{b}" for n in range(_LAYERS) for a, b in parts.items()}
        known = {
            f"{ours}.{end}": weights[f"{theirs}.{end}"].float()
            for theirs, ours in names.items()
            for end in ("weight", "bias")
            if f"{theirs}.{end}" in weights
        }
        missing = [name for name in model.load_state_dict(known, strict=False).missing_keys if name[:4] not in _HEADED]
        if missing:
            raise SystemExit(f"the base model lacks {missing[:3]}")
        return model

    def hidden(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        at = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.positions(at)[None] + self.types(types))
        seen = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, seen)
        return x

    def head(self, task: int, hidden: Tensor, mask: Tensor) -> Tensor:
        both = torch.cat([hidden[:, 0], _mean(hidden, mask)], -1)
        return (self.sentence if task == SENTENCE else self.pair)(both)

    def embed(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        return functional.normalize(_mean(self.hidden(ids, mask, types).float(), mask), dim=-1)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Everything at once, as it is exported: embedding, kinds of the sentence, labels of the pair."""
        hidden = self.hidden(ids, mask, types)
        both = torch.cat([hidden[:, 0], _mean(hidden, mask)], -1)
        return functional.normalize(_mean(hidden, mask), dim=-1), self.sentence(both), self.pair(both)


_HEADED = ("sent", "pair")


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(_WIDTH, _WIDTH) for _ in range(4))
        self.norm, self.last_norm = (nn.LayerNorm(_WIDTH, eps=1e-12) for _ in range(2))
        self.widen, self.narrow = nn.Linear(_WIDTH, _INNER), nn.Linear(_INNER, _WIDTH)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        rows, length, _ = x.shape
        parts = [one(x).view(rows, length, _HEADS, -1).transpose(1, 2) for one in (self.query, self.key, self.value)]
        near = functional.scaled_dot_product_attention(*parts, attn_mask=seen)
        x = self.norm(x + self.dropout(self.out(near.transpose(1, 2).reshape(rows, length, _WIDTH))))
        return self.last_norm(x + self.dropout(self.narrow(functional.gelu(self.widen(x)))))


def _head(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Dropout(0.1), nn.Linear(2 * _WIDTH, 256), nn.GELU(), nn.Linear(256, outputs))


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    weight = mask[..., None].to(hidden.dtype)
    return (hidden * weight).sum(1) / weight.sum(1)
