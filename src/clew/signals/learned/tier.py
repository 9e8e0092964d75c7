"""What learned models say of people's words, whichever model it is.

Two tiers answer the same questions. The core tier is part of the package: linear models in plain Python, fast enough to
read every sentence as it is recorded. The encoder tier is a small neural network that is installed beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from clew.domain.critical import ItemKind

#: The kinds that a sentence may be read as, in the order of the models' outputs.
KINDS = (
    ItemKind.INSTRUCTION,
    ItemKind.CONSTRAINT,
    ItemKind.PREFERENCE,
    ItemKind.DECISION,
    ItemKind.REQUIREMENT,
)


_NEVER = 2.0


class Certainty(Enum):
    """How far a model is to be believed that a sentence should last: kept at once, proposed, or not at all."""

    SURE = "sure"
    LIKELY = "likely"
    NONE = "none"


class SentenceInContext(NamedTuple):
    """A sentence, the message it stands in, and what the assistant had said before."""

    text: str
    message: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which share on a model is sure of a kind, and from which on it finds something likely. Of a kind that is not
    named it is never sure: a preference said in passing holds where it was said. Below ``denied`` it is sure that
    nothing is meant to last.
    """

    sure: Mapping[ItemKind, float]
    likely: float
    denied: float = 0.0

    def certainty(self, lasting: float, kind: ItemKind) -> Certainty:
        if lasting >= self.sure.get(kind, _NEVER):
            return Certainty.SURE
        return Certainty.LIKELY if lasting >= self.likely else Certainty.NONE


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence is taken for: ``lasting``, from 0 to 1, that it says something that should last, the share of
    each kind if it does, and the measure of the model that says so.
    """

    lasting: float
    kinds: Mapping[ItemKind, float]
    thresholds: Thresholds

    @property
    def kind(self) -> ItemKind:
        """The likeliest kind."""
        return max(self.kinds, key=lambda kind: self.kinds[kind])

    @property
    def certainty(self) -> Certainty:
        return self.thresholds.certainty(self.lasting, self.kind)

    @property
    def is_denied(self) -> bool:
        """True where the model is sure that nothing is meant to last."""
        return self.lasting < self.thresholds.denied


class Relation(NamedTuple):
    """How a later statement stands to an earlier one, from 0 to 1 each: it contradicts it, openly changes it, or
    neither.
    """

    contradiction: float
    update: float
    neutral: float


class Tier(Protocol):
    """A model that reads sentences. The same input gives the same answer, always."""

    name: str

    def read(self, sentences: Sequence[SentenceInContext]) -> list[Reading]:
        """What each sentence is taken for."""
        ...
