"""How many tokens of its own a model makes of a token of ours, learned from the usage its replies report.

The input that two consecutive replies of a thread report differs by what was said between them: the first
reply, the outputs of its calls, what a person added. Only such differences can be compared, because the
prompt holds instructions that no transcript shows. Clients also slip hidden reminders in, which make a step
look dearer than its text is: on recorded sessions one step in twenty came out at twice its text while the
tokenizer itself never did. Hidden text is not what a pack sends, so steps far above the usual do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from clew.domain import Media, Message, Opaque, Origin, Output, Part, Role
from clew.ports import Tokenizer
from clew.tokens.counting import content_tokens, frame_tokens, reasoning_tokens
from clew.tokens.models import model as model_info

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
MAX_THOUGHT = 0.1


@dataclass(frozen=True, slots=True)
class Sample:
    """What a step was counted as by o200k, and what the model says it took, frames taken off."""

    model: str
    counted: int
    reported: int


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


def samples(messages: Iterable[Message], tokenizer: Tokenizer) -> Iterator[Sample]:
    """The usable steps of one thread's messages, in order; ``tokenizer`` is the one for "text".

    A reply that several records spell out has to be one message here. Steps with media, unknown blocks, much
    thinking or a summary in them, and steps after which the input shrank (a compaction), are passed over.
    """
    thread = list(messages)
    replies = [at for at, message in enumerate(thread) if message.role is Role.ASSISTANT and message.usage]
    for first, second in pairwise(replies):
        sample = _sample(thread[first:second], thread[second], tokenizer)
        if sample is not None:
            yield sample


def _sample(said: list[Message], reply: Message, tokenizer: Tokenizer) -> Sample | None:
    before, after = said[0].usage, reply.usage
    if before is None or after is None or not reply.model or reply.model != said[0].model:
        return None
    info = model_info(reply.model)
    growth = after.input_tokens - before.input_tokens - sum(frame_tokens(message, info) for message in said)
    thought = sum(reasoning_tokens(message, info) for message in said)
    if growth < MIN_STEP_TOKENS or thought > growth * MAX_THOUGHT or not all(map(is_plain, said)):
        return None
    counted = sum(content_tokens(part, tokenizer) for message in said for part in message.parts)
    return Sample(reply.model, counted, growth) if counted else None


def is_plain(message: Message) -> bool:
    """True when all that the message costs is text and calls."""
    return message.origin is not Origin.SUMMARY and not any(map(_is_priced_apart, message.parts))


def _is_priced_apart(part: Part) -> bool:
    """Media and unknown blocks are priced by a rule of thumb, so they would teach the rule, not the ratio."""
    inner = part.content if isinstance(part, Output) else (part,)
    return any(isinstance(piece, Media | Opaque) for piece in inner)
