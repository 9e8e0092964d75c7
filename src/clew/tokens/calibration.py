"""How many tokens of its own a model makes of a token of ours, learned from the usage its replies report.

The input that two consecutive replies of a thread report differs by what was said between them: the first
reply, the outputs of its calls, what a person added. Only such differences can be compared, because the
prompt holds instructions that no transcript shows. Clients also slip hidden reminders in, which make a step
look dearer than its text is: on recorded sessions one step in twenty came out at twice its text while the
tokenizer itself never did. Hidden text is not what a pack sends, so steps far above the usual do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from clew.domain import Media, Message, Opaque, Origin, Output, Part

#: Smaller steps say more about frames and reminders than about text.
MIN_STEP_TOKENS = 1_000
#: Before so many steps the default ratio stands.
MIN_SAMPLES = 20
#: The newest are kept; more would change the quantile by less than a percent.
MAX_SAMPLES = 200
#: Steps above this many times the median hold hidden text. The tokenizers measured stay under 1.3 times.
_HIDDEN_TEXT = 1.35
#: On 1,000 steps of three Claude models (median 1.12 to 1.15) this gives 1.32 to 1.38, which covers 99 % of their
#: texts and any request of 20,000 tokens.
_QUANTILE = 0.95


#: Thinking costs what its seal hides, which is itself a guess: steps with a larger share of it are passed over.
MAX_REASONING_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the replies of one model have shown; ``ratios`` are in the order they came, newest last."""

    ratios: tuple[float, ...] = ()

    @property
    def samples(self) -> int:
        return len(self.ratios)

    @property
    def ratio(self) -> float | None:
        """Tokens to a token of o200k, rarely too small; None while there is too little to go by."""
        if self.samples < MIN_SAMPLES:
            return None
        in_order = sorted(self.ratios)
        usual = in_order[len(in_order) // 2] * _HIDDEN_TEXT
        seen = [ratio for ratio in in_order if ratio <= usual]
        return seen[min(len(seen) - 1, ceil(_QUANTILE * len(seen)))]


def observe(calibration: Calibration, *, counted: int, reported: int) -> Calibration:
    """The calibration after one more step; steps too small to tell leave it as it is."""
    if counted < 1 or reported < MIN_STEP_TOKENS:
        return calibration
    ratios = (*calibration.ratios, round(reported / counted, 4))
    return Calibration(ratios[-MAX_SAMPLES:])


def is_plain(message: Message) -> bool:
    """True when all that the message costs is text and calls."""
    return message.origin is not Origin.SUMMARY and not any(map(_is_priced_apart, message.parts))


def _is_priced_apart(part: Part) -> bool:
    """Media and unknown blocks are priced by a rule of thumb, so they would teach the rule, not the ratio."""
    inner = part.content if isinstance(part, Output) else (part,)
    return any(isinstance(piece, Media | Opaque) for piece in inner)
