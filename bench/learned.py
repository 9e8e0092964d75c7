"""What learned models make of words that no training saw: sentences that should last, and pairs, by tier; and what of
them reaches those who use the product.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

from bench.hearing import hearing_figures
from bench.results import Figure
from clew.codecs import jsonio
from clew.domain import Json
from clew.signals.contradiction.by_encoder import LOUD, is_comparable
from clew.signals.contradiction.clash import score
from clew.signals.learned.core import CORE
from clew.signals.learned.encoder import encoder, is_installed
from clew.signals.learned.tier import Certainty, SentenceInContext, Tier

_ROOT = Path(__file__).parent.parent
_DATA = _ROOT / "data" / "signals"
sys.path.append(str(_ROOT / "scripts" / "signals"))

#: Goals by tier: the precision at which recall is told, and the recall.
_GOALS = {"core": (0.85, ">= 0.6"), "encoder": (0.9, ">= 0.85")}
_LASTING = {"instruction", "constraint", "preference", "decision", "requirement"}


def run() -> list[Figure]:
    if not _DATA.exists():
        return [Figure("learned", "held-back sentences", 0, "no data")]
    tiers: list[Tier] = [CORE, *([encoder()] if is_installed() else [])]
    by_tier = [figure for tier in tiers for figure in sentence_figures(tier)]
    return [*by_tier, *pair_figures(), *hearing_figures(_held_back("sentences"), _LASTING)]


def sentence_figures(tier: Tier) -> Iterator[Figure]:
    """Held-back authors wrote mostly hard cases: more than half of their sentences last, where real ones seldom do."""
    from measures import auc, recall_at

    rows = _held_back("sentences")
    begun = perf_counter()
    read = tier.read([SentenceInContext(row["text"], row["context"], row.get("before", "")) for row in rows])
    seconds = perf_counter() - begun
    wanted, scores = [row["label"] in _LASTING for row in rows], [one.lasting for one in read]
    precision, goal = _GOALS[tier.name]
    group = f"learned, {tier.name}"
    yield Figure(group, "held-back sentences", len(rows))
    yield Figure(group, "lasting from the rest", auc(scores, wanted), "AUC")
    yield Figure(group, f"found at precision {precision}", recall_at(scores, wanted, precision), "", goal)
    for certainty in (Certainty.SURE, Certainty.LIKELY):
        chosen = [is_one for is_one, one in zip(wanted, read, strict=True) if one.certainty is certainty]
        yield Figure(group, f"{certainty.value}: right", sum(chosen) / max(len(chosen), 1), f"of {len(chosen)}")
    yield Figure(group, "a sentence", 1_000 * seconds / len(rows), "ms", "< 0.2" if tier is CORE else "")


def pair_figures() -> Iterator[Figure]:
    rows = _held_back("pairs")
    yield from _pair_figures("wordings", rows, lambda some: [score(row["earlier"], row["later"]) for row in some])
    if is_installed():
        yield from _pair_figures("encoder", rows, _by_encoder)


def _pair_figures(name: str, rows: Sequence[Json], scored: Callable[[Sequence[Json]], list[float]]) -> Iterator[Figure]:
    from measures import auc

    group, by_label, named = f"learned pairs, {name}", {}, {}
    for label in ("contradiction", "neutral", "update"):
        some = [row for row in rows if row["label"] == label]
        by_label[label] = scored(some)
        named[label] = [is_comparable(row["earlier"], row["later"]) for row in some]
    yield Figure(group, "held-back pairs", len(rows))
    good = by_label["contradiction"]
    for other in ("neutral", "update"):
        bad = by_label[other]
        told = auc([*good, *bad], [True] * len(good) + [False] * len(bad))
        yield Figure(group, f"contradiction against {other}", told, "AUC", ">= 0.92" if name == "encoder" else "")
    if name == "encoder":
        loud = {label: [*map(_is_told, scores, named[label])] for label, scores in by_label.items()}
        quiet = [*loud["neutral"], *loud["update"]]
        yield Figure(group, "wrongly loud", sum(quiet) / len(quiet), "", "<= 0.03")
        yield Figure(group, "rightly loud", sum(loud["contradiction"]) / len(good))


def _is_told(score: float, is_named: bool) -> bool:
    return is_named and score >= LOUD


def _by_encoder(rows: Sequence[Json]) -> list[float]:
    return [one.contradiction for one in encoder().compare([(row["earlier"], row["later"]) for row in rows])]


def _held_back(name: str) -> list[Json]:
    from data import held_back

    rows = [jsonio.loads(line) for line in (_DATA / f"{name}.jsonl").read_bytes().splitlines() if line.strip()]
    return [row for row in rows if held_back(row)]
