"""Trains the encoder of `packages/clew-encoder` to find the lines of a talk that answer a question.

    python scripts/signals/train_retrieval.py --encoder encoder.onnx --tokenizer tokenizer.json --talks talks.jsonl
        --signals FOLDER --out FOLDER [--seed N] [--measure FILE…]

It begins with the weights that the package carries and changes what embeddings are near to each other; what those
weights say of sentences and pairs is held to what they said before. ENCODER and TOKENIZER are the package's, TALKS is
`data/retrieval/talks.jsonl`, SIGNALS the folder with `sentences.jsonl` and `pairs.jsonl`. OUT gets
`encoder.safetensors`, of which `export_encoder.py` makes what the package carries. ``--measure`` names files of talks
with questions, such as LoCoMo's, that are only measured. Needs torch, onnx, safetensors, tokenizers: a minute on an
accelerator.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent))
from encoder_model import EMBED, PAIR, SENTENCE, Encoder, Tokens
from onnx_weights import encoder_weights

from data import Row, read_rows, window

_BATCH, _HARD, _EPOCHS, _RATE = 64, 8, 8, 7e-5
#: How sharply the nearest are told from the rest; how strongly sentences and pairs are held to what was said of them.
_TEMPERATURE, _KEEP = 0.05, 4.0
#: Weights are averaged over about so many steps.
_AVERAGE = 100
#: Epochs before which hard negatives are looked for anew, by what has been learned until then.
_MINED_AGAIN = (2, 5)
#: Lines of a talk from which hard negatives are drawn: those that look nearest.
_NEAREST = 40
#: Characters of the line before that stand before a line, and words of a line that needs none: as the product has it.
_BEFORE, _SELF_CONTAINED = 160, 50
#: Authors whose talks measure and never train.
HELD_BACK = frozenset({"d"})

Score = Callable[["Talk", str], np.ndarray]


@dataclass(frozen=True)
class Question:
    kind: str
    text: str
    lines: frozenset[int]


@dataclass(frozen=True, eq=False)
class Talk:
    id: str
    author: str
    passages: Sequence[str]
    words: Sequence[Sequence[str]]
    questions: Sequence[Question]


def main() -> None:
    args = _arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tokens = Tokens(Tokenizer.from_file(str(args.tokenizer)))
    talks = [_talk(json.loads(line)) for line in args.talks.read_text(encoding="utf-8").splitlines()]
    train, held = ([talk for talk in talks if (talk.author in HELD_BACK) is is_held] for is_held in (False, True))
    measured = {"held back": held} | {
        path.stem: [_talk(row) for row in json.loads(path.read_text())] for path in args.measure
    }
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    model = Encoder()
    model.load_state_dict(encoder_weights(args.encoder))
    trainer = Trainer(model, tokens, device, args)
    signals = [read_rows(args.signals / f"{name}.jsonl") for name in ("sentences", "pairs")]
    for name, group in measured.items():
        for how, score in (
            ("words", bm25_scores),
            ("before", trainer.scores()),
            ("both", _sum(bm25_scores, trainer.scores())),
        ):
            report(f"{name}, {how}", group, score)
    trainer.train(train, signals)
    for name, group in measured.items():
        report(f"{name}, trained", group, trainer.scores())
        for weight in (0.3, 0.6, 1.0):
            report(f"{name}, trained and {weight} words", group, _sum(bm25_scores, trainer.scores(), weight))
    args.out.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: value.contiguous().cpu() for name, value in trainer.average.state_dict().items()},
        args.out / "encoder.safetensors",
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("encoder", "tokenizer", "talks", "signals", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=_EPOCHS)
    parser.add_argument("--rate", type=float, default=_RATE)
    parser.add_argument("--measure", type=Path, nargs="*", default=[])
    return parser.parse_args()


def _talk(row: Row) -> Talk:
    """A talk as search compares it: without the names of those who speak, which say who and not what."""
    texts = [text for _, _, text in row["lines"]]
    speakers = frozenset(speaker for _, speaker, _ in row["lines"])
    questions = [
        Question(kind, _without(text, speakers), frozenset(number - 1 for number in numbers))
        for kind, numbers, text in row["questions"]
        if numbers
    ]
    passages = [_passage(*pair) for pair in zip(("", *texts), texts, strict=False)]
    return Talk(row["id"], row.get("author", ""), passages, [_words(text) for text in texts], questions)


def _passage(before: str, text: str) -> str:
    """A line with the end of the one before it, unless it stands on its own."""
    return f"{before[-_BEFORE:]} | {text}" if before and len(text.split()) < _SELF_CONTAINED else text


def _without(text: str, speakers: frozenset[str]) -> str:
    names = "|".join(re.escape(part) for speaker in speakers for part in speaker.split())
    return re.sub(r"\s+", " ", re.sub(rf"\b(?:{names})(?:['’]s)?\b", "", text)).strip()


def _words(text: str) -> list[str]:
    found = re.findall(r"[a-z0-9]+", text.lower())
    return [re.sub(r"(ing|ed|es|s|ly)$", "", word) if len(word) > 4 else word for word in found]


class Trainer:
    """Trains, and keeps the average of the weights, which is what is saved and measured."""

    def __init__(self, model: Encoder, tokens: Tokens, device: torch.device, args: argparse.Namespace) -> None:
        self._tokens, self._device, self._args = tokens, device, args
        self._model = model.to(device)
        self._first = copy.deepcopy(self._model).eval()
        self.average = copy.deepcopy(self._model).eval()
        self._steps = 0

    def train(self, talks: Sequence[Talk], signals: Sequence[Sequence[Row]]) -> None:
        asked = [(talk, question) for talk in talks for question in talk.questions]
        steps = self._args.epochs * (len(asked) // _BATCH)
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=self._args.rate, weight_decay=0.01)
        rates = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self._args.rate, total_steps=steps + 1, pct_start=0.1
        )
        begun, hard = time.time(), self._hard_negatives(talks)
        for epoch in range(self._args.epochs):
            if epoch in _MINED_AGAIN:
                hard = self._hard_negatives(talks)
            random.shuffle(asked)
            self._model.train()
            losses = []
            for at in range(0, len(asked) - _BATCH + 1, _BATCH):
                found = self._question_loss(asked[at : at + _BATCH], hard)
                kept = self._kept_loss(SENTENCE, signals[0]) + self._kept_loss(PAIR, signals[1])
                optimizer.zero_grad()
                (found + _KEEP * kept).backward()
                nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
                optimizer.step()
                rates.step()
                self._blend()
                losses.append((float(found.detach()), float(kept.detach())))
            print(f"epoch {epoch}, {time.time() - begun:.0f} s, loss {np.mean(losses, axis=0)}", flush=True)

    def _question_loss(self, asked: Sequence[tuple[Talk, Question]], hard: dict[Any, list[int]]) -> Tensor:
        chosen = [(talk, random.choice(sorted(question.lines))) for talk, question in asked]
        others = [
            (talk, line)
            for talk, question in asked
            for line in random.sample(hard[talk.id, question.text], min(_HARD, len(hard[talk.id, question.text])))
        ]
        lines = [*chosen, *others]
        questions = self._embed(self._model, [question.text for _, question in asked])
        passages = self._embed(self._model, [talk.passages[line] for talk, line in lines])
        near = questions @ passages.T / _TEMPERATURE
        also = [[talk is other and line in question.lines for other, line in lines] for talk, question in asked]
        mask = torch.tensor(also, device=self._device)
        mask[torch.arange(len(asked)), torch.arange(len(asked))] = False
        return functional.cross_entropy(near.masked_fill(mask, -1e4), torch.arange(len(asked), device=self._device))

    def _kept_loss(self, task: int, rows: Sequence[Row]) -> Tensor:
        """How far what is said of sentences or pairs is from what was said at the start."""
        sides = [
            (row["text"], window(row)) if task == SENTENCE else (row["earlier"], row["later"])
            for row in random.sample(rows, _BATCH)
        ]
        batch = self._tokens.batch(task, sides, self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type == "cuda"):
            with torch.no_grad():
                wanted = self._first.head(task, self._first.hidden(*batch), batch[1])
            got = self._model.head(task, self._model.hidden(*batch), batch[1])
        return functional.kl_div(got.float().log_softmax(-1), wanted.float().softmax(-1), reduction="batchmean")

    def _embed(self, model: Encoder, texts: Sequence[str]) -> Tensor:
        batch = self._tokens.batch(EMBED, [(text, "") for text in texts], self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type == "cuda"):
            hidden = model.hidden(*batch)
        weight = batch[1][..., None].float()
        return functional.normalize((hidden.float() * weight).sum(1) / weight.sum(1), dim=-1)

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        with torch.no_grad():
            parts = [self._embed(self.average, texts[at : at + 256]) for at in range(0, len(texts), 256)]
        return torch.cat(parts).cpu().numpy()

    def scores(self) -> Score:
        known: dict[int, np.ndarray] = {}
        asked: dict[str, np.ndarray] = {}

        def score(talk: Talk, question: str) -> np.ndarray:
            if id(talk) not in known:
                known[id(talk)] = self.vectors(talk.passages)
                texts = [one.text for one in talk.questions]
                asked.update(zip(texts, self.vectors(texts), strict=True))
            return known[id(talk)] @ asked[question]

        return score

    def _hard_negatives(self, talks: Sequence[Talk]) -> dict[Any, list[int]]:
        score = _sum(bm25_scores, self.scores())
        hard = {}
        for talk in talks:
            for question in talk.questions:
                near = {line + step for line in question.lines for step in (-1, 0, 1)}
                order = np.argsort(-score(talk, question.text))
                hard[talk.id, question.text] = [int(line) for line in order[:_NEAREST] if line not in near]
        return hard

    def _blend(self) -> None:
        self._steps += 1
        share = max(1 / self._steps, 1 / _AVERAGE)
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self._model.parameters()), share)


# ── how good it is ───────────────────────────────────────────────────────────────────────────────────

_WORDS: dict[int, tuple[list[Counter[str]], dict[str, float], float]] = {}


@cache
def bm25_scores(talk: Talk, question: str) -> np.ndarray:
    if id(talk) not in _WORDS:
        counts = [Counter(words) for words in talk.words]
        frequency = Counter(word for count in counts for word in count)
        rarity = {word: math.log(1 + (len(counts) - n + 0.5) / (n + 0.5)) for word, n in frequency.items()}
        _WORDS[id(talk)] = counts, rarity, mean(map(len, talk.words))
    counts, rarity, length = _WORDS[id(talk)]
    scores = np.zeros(len(counts))
    for word in set(_words(question)) & rarity.keys():
        for at, count in enumerate(counts):
            if word in count:
                scores[at] += rarity[word] * 1.9 / (1 + 0.9 * (0.25 + 0.75 * count.total() / length))
    return scores


def _sum(one: Score, other: Score, weight: float = 1.0) -> Score:
    def scaled(scores: np.ndarray) -> np.ndarray:
        return (scores - scores.mean()) / (scores.std() + 1e-6)

    return lambda talk, question: weight * scaled(one(talk, question)) + scaled(other(talk, question))


def report(name: str, talks: Sequence[Talk], score: Score) -> None:
    """Recall at 5 and 10, by kind of question at 10, and within 1,800 tokens."""
    five, ten, kinds, fit = [], [], defaultdict(list), []
    for talk in talks:
        sizes = [len(passage) // 4 for passage in talk.passages]
        for question in talk.questions:
            order = np.argsort(-score(talk, question.text))
            five.append(len(question.lines & set(order[:5])) / len(question.lines))
            ten.append(len(question.lines & set(order[:10])) / len(question.lines))
            kinds[question.kind].append(ten[-1])
            room = np.cumsum([sizes[at] for at in order])
            fit.append(len(question.lines & set(order[room <= 1800])) / len(question.lines))
    by_kind = {kind: round(mean(values), 2) for kind, values in sorted(kinds.items())}
    print(f"{name:40} @5 {mean(five):.3f} @10 {mean(ten):.3f} fit {mean(fit):.3f} {by_kind} n {len(five)}", flush=True)


if __name__ == "__main__":
    main()
