"""Makes the weights by which contradictions are scored, from pairs of statements written for it.

Needs nothing but Clew itself, and half a minute:  python scripts/train_contradiction.py [--check]
``--check`` writes nothing: it says how well pairs are told apart whose family was held out of the training.
The pairs were written for this; no other data goes in.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path

from clew.signals.contradiction.features import Bout, bouts
from clew.signals.contradiction.model import Weights, sureness

PAIRS = Path(__file__).with_name("contradiction_pairs.jsonl")
TARGET = Path(__file__).parent.parent / "src" / "clew" / "signals" / "contradiction" / "weights.json"

#: Steps down the gradient, their size, and how often the telling bout of a pair is chosen anew.
_STEPS, _RATE, _ROUNDS = 300, 1.0, 3
#: What keeps weights small, by the way to clash: the more the features overlap, the more.
_DECAY = {"experience": 0.03, "value": 0.002, "polarity": 0.002}
#: How much of the weight the contradictions have. Of values and denials more: what is about other things is kept from
#: being compared at all.
_TELLING = {"experience": 0.25, "value": 0.35, "polarity": 0.35}
#: How far away in the file the rows stand that others are grown with, and how many of those count as unrelated pairs.
_STRIDES, _UNRELATED = (61, 97, 151, 191, 223, 263, 307, 331), 2
#: Families are held out some at a time, so that a check takes minutes.
_FOLDS = 5
#: What the telling bouts are guessed by, before there are weights.
_FIRST = {"clause": 1.0, "turn": 1.0, "cover least": 2.0, "shared": 1.0, "near": 0.5}


@dataclass(frozen=True, slots=True)
class Pair:
    family: str
    label: str
    bouts: tuple[Bout, ...]


@dataclass(frozen=True, slots=True)
class Row:
    family: str
    label: str
    earlier: str
    later: str

    def read(self) -> Pair:
        return Pair(self.family, self.label, tuple(bouts(self.earlier, self.later)))


def rows() -> list[Row]:
    return [Row(**json.loads(line)) for line in PAIRS.read_text().splitlines()]


def grown(known: Sequence[Row]) -> list[Row]:
    """The rows, and longer ones made of them: each among statements of other rows, which change nothing about it; and
    statements that have nothing to do with one another. Real messages are long, and most pairs of them are neutral."""
    found = list(known)
    for at, row in enumerate(known):
        others = [known[(at + step) % len(known)] for step in _STRIDES]
        others = [other for other in others if other.family != row.family] or others
        half = len(others) // 2
        before = " ".join(other.earlier for other in others[:half])
        after = " ".join(other.later for other in others[half:])
        found.append(
            replace(row, earlier=f"{others[0].earlier} {row.earlier}", later=f"{row.later} {others[-1].later}")
        )
        found.append(replace(row, earlier=f"{before} {row.earlier}", later=f"{row.later} {after}"))
        found += [replace(row, label="neutral", earlier=other.earlier) for other in others[:_UNRELATED]]
        found.append(replace(row, label="neutral", earlier=before, later=f"{row.later} {after}"))
    return found


def trained(known: Sequence[Pair]) -> Weights:
    """Weights for each way: of a contradiction the likeliest bout is one, of a neutral pair none is."""
    known = [pair for pair in known if pair.label != "update"]
    found: Weights = {}
    for _ in range(_ROUNDS):
        chosen = [(bout, 0.0) for pair in known if pair.label == "neutral" for bout in pair.bouts]
        clashing = [pair for pair in known if pair.label == "contradiction" and pair.bouts]
        chosen += [(max(pair.bouts, key=lambda bout: _likely(bout, found)), 1.0) for pair in clashing]
        ways = sorted({bout.way for bout, _ in chosen})
        found = {way: _fitted([(bout, label) for bout, label in chosen if bout.way == way]) for way in ways}
    return found


def _likely(bout: Bout, known: Weights) -> float:
    if known:
        return sureness(bout.way, bout.features, known)
    return sum(_FIRST.get(name, 0.0) * value for name, value in bout.features.items())


def _fitted(rows: Sequence[tuple[Bout, float]]) -> dict[str, float]:
    """Logistic regression by plain gradient descent; both labels weigh the same."""
    names = list(rows[0][0].features)
    table = [[bout.features[name] for name in names] for bout, _ in rows]
    labels = [label for _, label in rows]
    share = max(sum(labels), 1.0) / len(labels)
    telling = _TELLING[rows[0][0].way]
    balance = [telling / share if label else (1 - telling) / max(1 - share, 1e-9) for label in labels]
    found = [0.0] * len(names)
    for _ in range(_STEPS):
        slope = [
            _DECAY[rows[0][0].way] * weight if name != "bias" else 0.0
            for name, weight in zip(names, found, strict=True)
        ]
        for row, label, part in zip(table, labels, balance, strict=True):
            miss = part * (1 / (1 + exp(-sum(map(float.__mul__, found, row)))) - label) / len(rows)
            for at, value in enumerate(row):
                slope[at] += miss * value
        found = [weight - _RATE * down for weight, down in zip(found, slope, strict=True)]
    return {name: round(weight, 4) for name, weight in zip(names, found, strict=True)}


def score(pair: Pair, known: Weights) -> float:
    return max((sureness(bout.way, bout.features, known) for bout in pair.bouts), default=0.0)


def auc(good: Iterable[float], bad: Iterable[float]) -> float:
    """How often a contradiction is scored above a neutral pair; a tie counts half."""
    good, bad = list(good), list(bad)
    wins = sum((one > other) + (one == other) / 2 for one in good for other in bad)
    return wins / max(len(good) * len(bad), 1)


def held_out(known: Sequence[Row]) -> list[tuple[Row, float]]:
    """Every row with the score that weights give it which never saw its family."""
    found: list[tuple[Row, float]] = []
    families = sorted({row.family for row in known})
    for fold in range(_FOLDS):
        apart = families[fold::_FOLDS]
        fitted = trained([row.read() for row in grown([row for row in known if row.family not in apart])])
        found += [(row, score(row.read(), fitted)) for row in known if row.family in apart]
    return found


def main() -> int:
    known = rows()
    if "--check" in sys.argv:
        scored = held_out(known)
        good, bad = ([value for row, value in scored if row.label == label] for label in ("contradiction", "neutral"))
        print(f"{len(known)} pairs; families held out: AUC {auc(good, bad):.3f}")
        return 0
    TARGET.write_text(json.dumps(trained([row.read() for row in grown(known)]), indent=1) + "\n")
    print(f"written: {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
