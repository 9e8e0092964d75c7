"""Trains the core tier's model of sentences: `src/clew/signals/learned/weights/sentences.{bin,json}`.

    python scripts/signals/train_core.py --data FOLDER [--check]

DATA holds `sentences.jsonl`. Needs scikit-learn, and a minute. ``--check`` says how well the held-back part is told
apart.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "src")]
from measures import auc, recall_at  # noqa: E402
from weights import save  # noqa: E402

from clew.signals.learned.features import SIZE, sentence_features  # noqa: E402
from clew.signals.learned.tier import KINDS  # noqa: E402
from data import LASTING, Row, held_back, read_rows  # noqa: E402

#: How little weights are held back: the models are small, and features many.
_FREEDOM, _KIND_FREEDOM = 30.0, 30.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    rows = read_rows(args.data / "sentences.jsonl")
    kept = [row for row in rows if not held_back(row)]
    lasting = _fit(_matrix(kept), [row["label"] in LASTING for row in kept], _FREEDOM)
    binding = [row for row in kept if row["label"] in LASTING]
    kinds = LogisticRegression(C=_KIND_FREEDOM, max_iter=500).fit(_matrix(binding), [row["label"] for row in binding])
    order = [list(kinds.classes_).index(str(kind)) for kind in KINDS]
    models = [("lasting", lasting.coef_[0], lasting.intercept_[0])]
    models += [(str(kind), kinds.coef_[at], kinds.intercept_[at]) for kind, at in zip(KINDS, order, strict=True)]
    save("sentences", models, SIZE)
    if args.check:
        check([row for row in rows if held_back(row)])


def _fit(matrix: csr_matrix, wanted: Sequence[bool], freedom: float) -> LogisticRegression:
    return LogisticRegression(C=freedom, max_iter=500).fit(matrix, wanted)


def _matrix(rows: Sequence[Row]) -> csr_matrix:
    found = [sorted(sentence_features(row["text"])) for row in rows]
    values = [1 / len(features) ** 0.5 for features in found for _ in features]
    ends = np.cumsum([0, *map(len, found)])
    return csr_matrix((values, [one for features in found for one in features], ends), shape=(len(rows), SIZE))


def check(rows: Sequence[Row]) -> None:
    from clew.signals.learned.core import CoreTier
    from clew.signals.learned.tier import SentenceInContext

    for author in ("", *sorted({row["author"] for row in rows})):
        some = [row for row in rows if author in ("", row["author"])]
        read = CoreTier().read([SentenceInContext(row["text"], row["context"]) for row in some])
        scores, wanted = [one.lasting for one in read], [row["label"] in LASTING for row in some]
        told = [one.kind == row["label"] for one, row in zip(read, some, strict=True) if row["label"] in LASTING]
        print(
            f"{author or 'all'}: {len(some)}, AUC {auc(scores, wanted):.3f}, recall at precision .85 "
            f"{recall_at(scores, wanted, 0.85):.2f}, .90 {recall_at(scores, wanted, 0.9):.2f}, "
            f"kind right {sum(told) / len(told):.2f}"
        )


if __name__ == "__main__":
    main()
