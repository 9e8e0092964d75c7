"""Trains the models of rule files: `src/clew/signals/learned/weights/rule_files.{bin,json}`.

    python scripts/signals/train_rule_files.py [--data FILE] [--check]

FILE holds a line of JSON for each statement of a rule file: text, headings, lead, is_item, label (rule or none), kind,
bare (a rule only by its place), family (the file). Needs scikit-learn, and a minute. ``--check`` says how well the
held-back files are read.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "src")]
from measures import auc  # noqa: E402
from weights import save  # noqa: E402

from clew.signals.learned import rule_files as learned  # noqa: E402
from clew.signals.learned.rule_files import SIZE, Placed  # noqa: E402
from clew.signals.learned.tier import KINDS  # noqa: E402
from data import Row, read_rows  # noqa: E402

DATA = HERE.parent.parent / "data" / "signals" / "rule_files.jsonl"
#: How little weights are held back; files in which a feature must occur to count; folds of files.
_FREEDOM, _MIN_FILES, _FOLDS = 15.0, 2, 8
#: What is no rule counts for more: a statement of which nothing is known is none.
_OTHERS = 1.3
#: Each fifth file measures and never trains.
_HELD_BACK = 5

Fit = tuple[np.ndarray, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    rows = read_rows(args.data)
    kept = [row for row in rows if not held_back(row)]
    train(kept)
    if args.check:
        check([row for row in rows if held_back(row)])


def held_back(row: Row) -> bool:
    return crc32(row["family"].encode()) % _HELD_BACK == 0


def by_file(rows: Sequence[Row]) -> list[list[Row]]:
    files: dict[str, list[Row]] = {}
    for row in rows:
        files.setdefault(row["family"], []).append(row)
    return list(files.values())


def placed(rows: Sequence[Row]) -> list[Placed]:
    """The statements of a file as the package reads them: what all of it stands under is its title, no heading."""
    firsts = {row["headings"][0] for row in rows if row["headings"]}
    without = 1 if len(firsts) == 1 else 0
    return [Placed(row["text"], "".join(row["headings"][without:][-1:]), row["lead"], row["is_item"]) for row in rows]


def train(rows: Sequence[Row]) -> None:
    rows = [row for some in by_file(rows) for row in some]
    statements = [one for some in by_file(rows) for one in placed(some)]
    wanted = np.array([row["label"] == "rule" for row in rows])
    files = np.array([row["family"] for row in rows])
    alone = matrix([learned.numbers(learned.word_features(one.text)) for one in statements], files)
    words, unseen = fit(alone, wanted), out_of_fold(alone, wanted, files)
    by_words = wanted & ~np.array([row["bare"] for row in rows])
    own = fit(alone, by_words, others=sum(by_words) / sum(~by_words))
    near = np.zeros(len(rows))
    for file in set(files):
        at = np.flatnonzero(files == file)
        near[at] = learned.scores_beside([statements[one] for one in at], [unseen[one] for one in at])
    leads = {one.lead: score(words, one.lead) for one in statements}
    features = [
        learned.placed_features(one, own=by_itself, near=by, lead=leads[one.lead])
        for one, by_itself, by in zip(statements, unseen, near, strict=True)
    ]
    rule = fit(matrix(features, files), wanted)
    binding = np.flatnonzero(wanted)
    kinds = LogisticRegression(C=_FREEDOM, max_iter=500)
    kinds.fit(alone[binding], [rows[one]["kind"] for one in binding])
    order = [list(kinds.classes_).index(str(kind)) for kind in KINDS]
    models = [("words", *words), ("alone", *own), ("rule", *rule)]
    models += [(str(kind), kinds.coef_[at], kinds.intercept_[at]) for kind, at in zip(KINDS, order, strict=True)]
    save("rule_files", models, SIZE)


def score(model: Fit, text: str) -> float:
    features = sorted(learned.numbers(learned.word_features(text))) if text else []
    return float(model[1] + model[0][features].sum() / len(features) ** 0.5) if features else 0.0


def matrix(found: Sequence[set[int]], files: np.ndarray) -> csr_matrix:
    """The features as rows; those of a single file are no sign of anything."""
    often = Counter(one for _, one in {(file, one) for file, some in zip(files, found, strict=True) for one in some})
    values, places, ends = [], [], [0]
    for features in found:
        some = sorted(one for one in features if often[one] >= _MIN_FILES)
        places += some
        values += [1 / len(features) ** 0.5] * len(some)
        ends.append(len(places))
    return csr_matrix((values, places, ends), shape=(len(found), SIZE))


def fit(features: csr_matrix, wanted: np.ndarray, *, others: float = _OTHERS) -> Fit:
    model = LogisticRegression(C=_FREEDOM, max_iter=500, solver="liblinear", class_weight={False: others, True: 1})
    model.fit(features, wanted)
    return model.coef_[0], float(model.intercept_[0])


def out_of_fold(features: csr_matrix, wanted: np.ndarray, files: np.ndarray) -> np.ndarray:
    """The scores of statements by models that saw nothing of their files."""
    scores = np.zeros(len(wanted))
    for seen, others in GroupKFold(_FOLDS).split(features, wanted, files):
        weights, bias = fit(features[seen], wanted[seen])
        scores[others] = features[others] @ weights + bias
    return scores


def check(rows: Sequence[Row]) -> None:
    read = [one for some in by_file(rows) for one in learned.read_statements(placed(some))]
    ordered = [row for some in by_file(rows) for row in some]
    wanted = [row["label"] == "rule" for row in ordered]
    print(f"{len(rows)} statements, AUC {auc([one.placed for one in read], wanted):.3f}")
    for least in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        hits = [is_wanted for one, is_wanted in zip(read, wanted, strict=True) if one.placed >= least]
        print(f"from {least}: precision {sum(hits) / len(hits):.3f}, recall {sum(hits) / sum(wanted):.3f}")
    told = [learned.kind_of(row["text"]) == row["kind"] for row in ordered if row["label"] == "rule"]
    print(f"kind right {sum(told) / len(told):.3f}")


if __name__ == "__main__":
    main()
