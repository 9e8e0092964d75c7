"""The core tier: linear models that are part of the package."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from clew.domain.critical import ItemKind
from clew.signals.learned.features import sentence_features
from clew.signals.learned.linear import models, share
from clew.signals.learned.tier import KINDS, Reading, SentenceInContext, Thresholds
from clew.text.memo import remember

#: Below this, nobody asks of what kind a sentence would be.
_UNLIKELY = 0.1
_THRESHOLDS = Thresholds(
    sure={
        ItemKind.INSTRUCTION: 0.97,
        ItemKind.CONSTRAINT: 0.98,
        ItemKind.REQUIREMENT: 0.98,
        ItemKind.DECISION: 0.99,
    },
    likely=0.9,
)
_NO_KIND = dict.fromkeys(KINDS, 1 / len(KINDS))


class CoreTier:
    """Reads sentences by their own words; the message around them is the encoder's business."""

    name = "core"

    def read(self, sentences: Sequence[SentenceInContext]) -> list[Reading]:
        return [_read(sentence.text) for sentence in sentences]


@remember(1_024)
def _read(text: str) -> Reading:
    known, features = models("sentences"), sentence_features(text)
    lasting = share(known["lasting"].score(features))
    if lasting < _UNLIKELY:
        return Reading(lasting, _NO_KIND, _THRESHOLDS)
    kinds = _shares({kind: known[kind].score(features) for kind in KINDS})
    return Reading(lasting, kinds, _THRESHOLDS)


def _shares(scores: dict[ItemKind, float]) -> dict[ItemKind, float]:
    raised = {kind: exp(score) for kind, score in scores.items()}
    total = sum(raised.values())
    return {kind: raised_share / total for kind, raised_share in raised.items()}


CORE = CoreTier()
