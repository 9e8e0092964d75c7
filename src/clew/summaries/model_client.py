"""A client of the model under limits: one deadline for all questions, a cap on their number, and none asked twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from clew.cancellation import Cancel
from clew.domain import Usage
from clew.errors import ClewError, ModelCancelled, ModelTimeout, ModelUnavailable
from clew.ports import Model, ModelReply, ModelRequest
from clew.summaries.prompt_builder import prompts_version
from clew.summaries.values import SummaryCache, UnfitSummary


@dataclass
class ModelClient:
    """Asks one model, and counts calls and tokens over all rungs.

    ``until`` is when time runs out, by ``clock``.
    """

    model: Model
    cache: SummaryCache
    clock: Callable[[], float]
    until: float
    cancel: Cancel | None = None
    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def seconds_left(self) -> float:
        return self.until - self.clock()

    def recall(self, key: str) -> str:
        """Returns what is cached under a key, or nothing. A store that fails costs no summary, here and below."""
        with suppress(ClewError):
            return self.cache.get(key) or ""
        return ""

    def remember(self, key: str, text: str) -> None:
        with suppress(ClewError):
            self.cache.put(key, text)

    def cache_key(self, *what: str) -> str:
        """The cache key of something that depends on these texts, the model and the prompts, and on nothing else."""
        parts = "\0".join(f"{len(one)}:{one}" for one in (prompts_version(), self.model.name, *what))
        return "summary-" + hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()

    def ask(self, asked: ModelRequest) -> ModelReply:
        """Returns the answer or raises a ClewError: a model that was added from outside may fail in any way."""
        if self.cancel and self.cancel.is_set:
            raise ModelCancelled(f"the summary by {self.model.name} was cancelled")
        left = self.seconds_left
        if left <= 0:
            raise ModelTimeout(f"no time is left to ask {self.model.name}")
        self.calls += 1
        try:
            said = self.model.ask(asked, seconds=left, cancel=self.cancel)
        except ClewError:
            raise
        except Exception as error:
            raise ModelUnavailable(f"{self.model.name} failed with {type(error).__name__}") from error
        self.usage = _sum(self.usage, said.usage)
        return said


class CallLimit:
    """The number of questions that one attempt may still ask."""

    def __init__(self, most: int) -> None:
        self.most = self.left = most

    def take(self) -> None:
        if self.left <= 0:
            raise UnfitSummary(f"it would take more than {self.most} questions")
        self.left -= 1


def _sum(usage: Usage, other: Usage | None) -> Usage:
    if other is None:
        return usage
    return Usage(
        usage.input_tokens + other.input_tokens,
        usage.output_tokens + other.output_tokens,
        usage.cache_read_tokens + other.cache_read_tokens,
        usage.cache_write_tokens + other.cache_write_tokens,
    )
