"""What a session costs with a prompt cache, and ways to send it that need nothing but sizes.

A call's prompt is read from the cache as far as it equals the one before, and written to it from there on. Prices are
shares of a plain input token; outputs cost the same whatever is sent, and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

READ, WRITE = 0.1, 1.25
SYSTEM_TOKENS = 15_000
#: What stands in the place of an output that is masked.
_STUB_TOKENS = 10


@dataclass(frozen=True, slots=True)
class Prompt:
    """The tokens of one call: those the cache had, and those that were written to it."""

    cached: int
    written: int

    @property
    def tokens(self) -> int:
        return self.cached + self.written


Bill = tuple[Prompt, ...]


def cost(bill: Iterable[Prompt]) -> float:
    return sum(READ * prompt.cached + WRITE * prompt.written for prompt in bill)


def with_cold_cache(bill: Bill, times: Sequence[float], seconds: float) -> Bill:
    """The same calls, with a cache that keeps nothing longer than that."""
    gaps = [0.0, *(now - before for before, now in pairwise(times))]
    pairs = zip(bill, gaps, strict=True)
    return tuple(Prompt(0, prompt.tokens) if gap > seconds else prompt for prompt, gap in pairs)


@dataclass(frozen=True, slots=True)
class Item:
    """A message of a request, or a tool's output in it, by its size."""

    tokens: int
    is_output: bool = False


#: What was told between a call and the one before, for each call.
CallItems = Sequence[Sequence[Item]]


def send_everything(told: CallItems) -> Bill:
    """The whole history at every call."""
    out: list[Prompt] = []
    for items in told:
        known, new = (out[-1].tokens, 0) if out else (0, SYSTEM_TOKENS)
        out.append(Prompt(known, new + sum(item.tokens for item in items)))
    return tuple(out)


def mask_outputs(told: CallItems, *, keep: int) -> Bill:
    """The whole history, with stubs for all outputs but the newest few; chosen anew at every call."""
    out: list[Prompt] = []
    sizes: list[int] = []
    outputs: list[int] = []
    stubs = 0
    for items in told:
        before = len(sizes)
        sizes += [item.tokens for item in items]
        outputs += [before + at for at, item in enumerate(items) if item.is_output]
        due = max(stubs, len(outputs) - keep)
        for at in outputs[stubs:due]:
            sizes[at] = min(sizes[at], _STUB_TOKENS)
        equal = min([before, *outputs[stubs:due]])
        stubs = due
        cached = SYSTEM_TOKENS + sum(sizes[:equal]) if out else 0
        out.append(Prompt(cached, SYSTEM_TOKENS + sum(sizes) - cached))
    return tuple(out)


def compact_when_full(told: CallItems, *, full: int, left: int, outputs: float = 1.0) -> Bill:
    """What was told since, until it is more than ``full``: then ``left`` tokens stand for all of it.

    Nothing is charged for what would have to be read again. ``outputs`` is the share of a tool's output that is kept.
    """
    out: list[Prompt] = []
    context = 0
    for items in told:
        new = sum(int(item.tokens * outputs) if item.is_output else item.tokens for item in items)
        context += new
        if context > full:
            context = left
            out.append(Prompt(SYSTEM_TOKENS if out else 0, left + (0 if out else SYSTEM_TOKENS)))
        else:
            known, first = (out[-1].tokens, 0) if out else (0, SYSTEM_TOKENS)
            out.append(Prompt(known, first + new))
    return tuple(out)
