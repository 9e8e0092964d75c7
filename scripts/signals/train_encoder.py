"""Trains the encoder of `packages/clew-encoder`: one small encoder, two heads, and embeddings from the same weights.

    python scripts/signals/train_encoder.py --base FOLDER --data FOLDER --out FOLDER [--seed N] [--check]

BASE holds `model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2 (Apache-2.0); DATA the labelled sentences and
pairs of this repository (`sentences.jsonl`, `pairs.jsonl`), and `snli.jsonl` if SNLI is to be used. OUT gets
`encoder.safetensors`; `export_encoder.py` makes of one or several what the package carries. Needs torch, safetensors,
tokenizers: minutes on an accelerator, about two hours on two cores. ``--check`` says how well the held-back part is
told apart.
What the package carries is the mean of seeds 1 to 4.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent))
from encoder_model import EMBED, PAIR, SENTENCE, Encoder, Tokens
from measures import auc, recall_at

from data import KINDS, LASTING, PAIR_LABELS, Row, held_back, read_rows, window

_SEED, _BATCH, _RATE = 1, 128, 2e-4
_SNLI_EPOCHS, _EPOCHS = 2, 6
#: How strongly embeddings are held to those of the model that training began with.
_KEEP_EMBEDDINGS = 4.0
#: Weights are averaged over about so many steps.
_AVERAGE = 200
#: How often a pair is shown turned round, or with words of another message around it.
_TURNED, _SURROUNDED = 0.3, 0.25
#: How often a sentence is shown in small letters, without its last stop, or without its message.
_LOWERED, _UNSTOPPED, _ALONE = 0.15, 0.15, 0.15

#: How much of a label is left to others, and how often given rows are shown.
_SMOOTHED, _GIVEN = 0.05, 3

Device = torch.device


def main() -> None:
    args = _arguments()
    torch.manual_seed(_SEED)  # heads begin alike, so that encoders of several seeds can be averaged
    device = Device("cuda" if torch.cuda.is_available() else "cpu")
    tokens = Tokens(Tokenizer.from_file(str(args.base / "tokenizer.json")))
    sentences, pairs = read_rows(args.data / "sentences.jsonl"), read_rows(args.data / "pairs.jsonl")
    snli = read_rows(args.data / "snli.jsonl") if (args.data / "snli.jsonl").exists() else []
    kept = [_weighted(row for row in rows if not held_back(row)) for rows in (sentences, pairs)]
    trainer = Trainer(Encoder.start(load_file(args.base / "model.safetensors")), tokens, device)
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    if snli:
        trainer.train([], snli, epochs=_SNLI_EPOCHS, name="snli")
    trainer.train(*kept, epochs=args.epochs, name="own")
    trainer.save(args.out / "encoder.safetensors")
    if args.check:
        check(trainer, [row for row in sentences if held_back(row)], [row for row in pairs if held_back(row)])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("base", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=_EPOCHS)
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


class Trainer:
    """Trains an encoder and keeps the average of its weights, which is what is saved and used."""

    def __init__(self, model: Encoder, tokens: Tokens, device: Device) -> None:
        self._tokens, self._device = tokens, device
        self._model = model.to(device)
        self._first = copy.deepcopy(self._model).eval()
        self.average = copy.deepcopy(self._model).eval()
        self._steps = 0

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file({name: one.contiguous().cpu() for name, one in self.average.state_dict().items()}, path)

    def train(self, sentences: Sequence[Row], pairs: Sequence[Row], *, epochs: int, name: str) -> None:
        vary = PairVariation(sentences)
        jobs = list(_jobs(sentences, pairs, epochs))
        weights = [one for one in self._model.parameters() if one.requires_grad]
        optimizer = torch.optim.AdamW(weights, lr=_RATE, weight_decay=0.01)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=_RATE, total_steps=len(jobs) + 1, pct_start=0.1)
        texts = [row["text"] for row in sentences] + [row[side] for row in pairs for side in ("earlier", "later")]
        self._model.train()
        self._steps, begun, seen = 0, time.time(), 0.0
        for at, (task, rows) in enumerate(jobs):
            loss = self._task_loss(task, rows, vary) + self._embedding_loss(texts)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            rates.step()
            self._blend()
            seen = 0.98 * seen + 0.02 * float(loss.detach()) if at else float(loss.detach())
            if at % 200 == 0:
                print(f"{name}: step {at} of {len(jobs)}, {time.time() - begun:.0f} s, loss {seen:.3f}", flush=True)

    def logits(self, task: int, rows: Sequence[Row]) -> Tensor:
        """What the averaged model says of rows as they stand."""
        with torch.no_grad():
            parts = [self._run(self.average, task, rows[at : at + 256]) for at in range(0, len(rows), 256)]
        return torch.cat(parts).cpu()

    def embeddings(self, texts: Sequence[str], *, first: bool = False) -> Tensor:
        with torch.no_grad():
            model = self._first if first else self.average
            ids = (
                self._tokens.batch(EMBED, [(text, "") for text in texts[at : at + 256]], self._device)
                for at in range(0, len(texts), 256)
            )
            return torch.cat([model.embed(*one) for one in ids]).cpu()

    def _run(self, model: Encoder, task: int, rows: Sequence[Row]) -> Tensor:
        sides = [_sides(task, row) for row in rows]
        batch = self._tokens.batch(task, sides, self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type == "cuda"):
            hidden = model.hidden(*batch)
        return model.head(task, hidden.float(), batch[1])

    def _task_loss(self, task: int, rows: Sequence[Row], vary: PairVariation) -> Tensor:
        labels = KINDS if task == SENTENCE else PAIR_LABELS
        rows = [_varied_sentence(row) if task == SENTENCE else vary(row) for row in rows]
        wanted = torch.tensor([labels.index(row["label"]) for row in rows], device=self._device)
        return functional.cross_entropy(self._run(self._model, task, rows), wanted, label_smoothing=_SMOOTHED)

    def _embedding_loss(self, texts: Sequence[str]) -> Tensor:
        batch = self._tokens.batch(EMBED, [(text, "") for text in random.sample(texts, _BATCH)], self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type == "cuda"):
            with torch.no_grad():
                wanted = self._first.embed(*batch)
            got = self._model.embed(*batch)
        return _KEEP_EMBEDDINGS * (1 - (wanted.float() * got.float()).sum(-1)).mean()

    def _blend(self) -> None:
        """Takes the newest weights into the average."""
        self._steps += 1
        share = max(1 / self._steps, 1 / _AVERAGE)
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self._model.parameters()), share)


def _jobs(sentences: Sequence[Row], pairs: Sequence[Row], epochs: int) -> Iterator[tuple[int, list[Row]]]:
    jobs = []
    for _ in range(epochs):
        for task, rows in ((SENTENCE, list(sentences)), (PAIR, list(pairs))):
            random.shuffle(rows)
            jobs += [(task, rows[at : at + _BATCH]) for at in range(0, len(rows), _BATCH)]
    random.shuffle(jobs)
    return iter(jobs)


def _weighted(rows: Iterable[Row]) -> list[Row]:
    """Those that were given came first and are few: each counts for several."""
    return [row for row in rows for _ in range(_GIVEN if row["author"] == "given" else 1)]


def _sides(task: int, row: Row) -> tuple[str, str]:
    return (row["text"], window(row)) if task == SENTENCE else (row["earlier"], row["later"])


def _varied_sentence(row: Row) -> Row:
    text, context = row["text"], row["context"]
    if random.random() < _ALONE:
        return row | {"context": text, "before": ""}
    if random.random() < _LOWERED:
        text, context = text.lower(), context.lower()
    if random.random() < _UNSTOPPED:
        text = text.rstrip(".!?")
    return row | {"text": text, "context": context}


class PairVariation:
    """Pairs as they might also have come."""

    def __init__(self, sentences: Sequence[Row]) -> None:
        self._around = [row["text"] for row in sentences if row["label"] in ("task", "none")]

    def __call__(self, row: Row) -> Row:
        earlier, later = row["earlier"], row["later"]
        if row["label"] in ("contradiction", "neutral") and "family" in row and random.random() < _TURNED:
            earlier, later = later, earlier
        if self._around and random.random() < _SURROUNDED:
            earlier, later = self._surrounded(earlier), self._surrounded(later)
        return row | {"earlier": earlier, "later": later}

    def _surrounded(self, text: str) -> str:
        where, other = random.random(), random.choice(self._around)
        return f"{other} {text}" if where < 0.4 else f"{text} {other}" if where < 0.8 else text


# ── how good it is ───────────────────────────────────────────────────────────────────────────────────


def check(trainer: Trainer, sentences: Sequence[Row], pairs: Sequence[Row]) -> None:
    for name, rows in _groups(sentences, lambda row: f"{row['author']}"):
        shares = trainer.logits(SENTENCE, rows).softmax(-1)
        lasting = shares[:, [KINDS.index(kind) for kind in LASTING]].sum(-1).tolist()
        wanted = [row["label"] in LASTING for row in rows]
        right = [KINDS[at] == row["label"] for at, row in zip(shares.argmax(-1).tolist(), rows, strict=True)]
        print(
            f"sentences {name}: {len(rows)}, AUC {auc(lasting, wanted):.3f}, recall at precision .90 "
            f"{recall_at(lasting, wanted, 0.9):.2f}, .85 {recall_at(lasting, wanted, 0.85):.2f}, "
            f"label right {sum(right) / len(right):.2f}"
        )
    for name, rows in _groups(pairs, lambda row: f"{row['author']}"):
        shares = trainer.logits(PAIR, rows).softmax(-1)
        score = shares[:, PAIR_LABELS.index("contradiction")].tolist()
        text = " ".join(f"{other} {_against(score, rows, other):.3f}" for other in ("neutral", "update"))
        print(f"pairs {name}: {len(rows)}, AUC of contradiction against {text}")
    texts = [row["later"] for row in pairs][:1000]
    near = (trainer.embeddings(texts) * trainer.embeddings(texts, first=True)).sum(-1)
    print(f"embeddings: cosine to those at the start {float(near.mean()):.4f}")


def _against(score: Sequence[float], rows: Sequence[Row], other: str) -> float:
    chosen = [
        (one, row["label"] == "contradiction")
        for one, row in zip(score, rows, strict=True)
        if row["label"] in ("contradiction", other)
    ]
    return auc([one for one, _ in chosen], [is_one for _, is_one in chosen])


def _groups(rows: Sequence[Row], key: Callable[[Row], str]) -> Iterator[tuple[str, list[Row]]]:
    groups: dict[str, list[Row]] = {"all": list(rows)}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return iter(groups.items())


if __name__ == "__main__":
    main()
