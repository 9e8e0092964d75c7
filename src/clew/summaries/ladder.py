"""The ladder of ways to summarise: notes, a model in full, a model on less text, lines of digests, truncation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from clew.domain import Usage
from clew.errors import (
    ClewError,
    ModelCancelled,
    ModelRateLimited,
    ModelTimeout,
    ModelUnauthorized,
    SpendLimitReached,
)
from clew.ports import Cancel, Model, TokenCounter
from clew.summaries.extraction import extract_summary
from clew.summaries.history_text import message_blocks
from clew.summaries.model_attempt import ModelAttempt
from clew.summaries.model_client import ModelClient
from clew.summaries.notes import has_enough_notes
from clew.summaries.source import Source, replace_surrogates
from clew.summaries.truncation import truncate_history
from clew.summaries.values import Degraded, NoCache, Rung, SummaryCache, SummaryMaterial, UnfitSummary, WrittenSummary

#: The part of the room that facts of an earlier summary may take, where a model left them out.
CARRY_SHARE = 0.25
#: Asking the same model again cannot help.
_FINAL_ERRORS = (ModelUnauthorized, SpendLimitReached)
_REASON_CHARS = 300


def summarise(
    material: SummaryMaterial,
    *,
    room: int,
    count: TokenCounter,
    model: Model | None = None,
    window: int = 0,
    seconds: float = 60.0,
    cancel: Cancel | None = None,
    cache: SummaryCache | None = None,
    degraded: Callable[[Degraded], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    carry_share: float = CARRY_SHARE,
) -> WrittenSummary:
    """Writes a summary of at most ``room`` tokens, as ``count`` counts them, and never larger than what it replaces.

    ``window`` is what the model can read, ``seconds`` the time for all questions to it together. Each step down is
    reported to ``degraded`` as it happens. Whatever fails, there is a summary; only ModelCancelled is raised: who
    cancels wants none.
    """
    client = ModelClient(model, cache or NoCache(), clock, clock() + seconds, cancel) if model else None
    room = _room(material, room, count)
    return _Ladder(material, room, count, client, window, carry_share, degraded or _ignore_step).write()


def _ignore_step(_event: Degraded) -> None: ...


def _room(material: SummaryMaterial, room: int, count: TokenCounter) -> int:
    """No more than what is replaced; counted only as far as it matters."""
    replaced = count(material.before) if material.before else 0
    for block in _blocks_of(material):
        if replaced >= room:
            return room
        replaced += count(block)
    return min(room, replaced) if replaced else room


def _blocks_of(material: SummaryMaterial) -> Iterator[str]:
    """Block by block: a long history need not be written out to see that it is long."""
    for message in material.messages:
        yield from message_blocks([message])


@dataclass
class _Ladder:
    """One summary on its way down the ladder, and the steps that it took."""

    material: SummaryMaterial
    room: int
    count: TokenCounter
    client: ModelClient | None
    window: int
    share: float
    report: Callable[[Degraded], None]
    degraded: list[Degraded] = field(default_factory=list)

    def write(self) -> WrittenSummary:
        if has_enough_notes(self.material.digests):
            text, findings = extract_summary(self.material, room=self.room, count=self.count)
            if text:
                return self._result(Rung.NOTES, text, findings)
        return (self._by_model(self.client) if self.client else None) or self._extractive() or self._truncation()

    # ── with a model ─────────────────────────────────────────────────────────────────────────────────

    def _by_model(self, client: ModelClient) -> WrittenSummary | None:
        keys = {rung: self._key(client, rung) for rung in (Rung.FULL, Rung.SIMPLE)}
        for rung, key in keys.items():
            if (known := client.recall(key)) and self.count(known) <= self.room:
                return self._result(rung, known, [], model=client.model.name)
        source = Source(self.material)
        for rung, below in ((Rung.FULL, Rung.SIMPLE), (Rung.SIMPLE, Rung.EXTRACTIVE)):
            attempt = ModelAttempt(self.material, source, client, self.count, self.room, self.window, self.share)
            try:
                text = attempt.write(message_blocks(self.material.messages, cut_tools=rung is Rung.SIMPLE))
            except ModelCancelled:
                raise
            except (ClewError, UnfitSummary) as error:
                cannot_retry = _cannot_retry(error, client.seconds_left)
                self._step_down(rung, Rung.EXTRACTIVE if cannot_retry else below, error)
                if cannot_retry:
                    break
            else:
                client.remember(keys[rung], replace_surrogates(text))
                return self._result(rung, text, attempt.findings, model=client.model.name)
        return None

    def _key(self, client: ModelClient, rung: Rung) -> str:
        """The cache key of the summary, made of all that it depends on."""
        one = self.material
        settled = [fact.text for digest in one.digests for fact in digest.decisions]
        lists = ("\0".join(texts) for texts in (message_blocks(one.messages), one.files, one.keep, settled))
        return client.cache_key(rung, str(self.room), f"{self.share:g}", one.before, *lists)

    # ── without ──────────────────────────────────────────────────────────────────────────────────────

    def _extractive(self) -> WrittenSummary | None:
        text, findings = extract_summary(self.material, room=self.room, count=self.count)
        if text:
            return self._result(Rung.EXTRACTIVE, text, findings)
        has_any = self.material.digests or self.material.before
        reason = f"no line fits into {self.room} tokens" if has_any else "there is no digest to draw on"
        self._step_down(Rung.EXTRACTIVE, Rung.TRUNCATION, UnfitSummary(reason))
        return None

    def _truncation(self) -> WrittenSummary:
        text, findings = truncate_history(self.material, room=self.room, count=self.count)
        return self._result(Rung.TRUNCATION, text, findings)

    # ── results ──────────────────────────────────────────────────────────────────────────────────────

    def _step_down(self, rung: Rung, below: Rung, error: Exception) -> None:
        kind = "check" if isinstance(error, UnfitSummary) else type(error).__name__
        event = Degraded(rung, below, str(error)[:_REASON_CHARS], kind)
        self.degraded.append(event)
        self.report(event)

    def _result(self, rung: Rung, text: str, findings: list[str], *, model: str = "") -> WrittenSummary:
        return WrittenSummary(
            text=replace_surrogates(text),
            rung=rung,
            sources=self.material.ids,
            model=model,
            calls=self.client.calls if self.client else 0,
            usage=self.client.usage if self.client else Usage(),
            degraded=tuple(self.degraded),
            findings=tuple(dict.fromkeys(findings)),
        )


def _cannot_retry(error: Exception, left: float) -> bool:
    """True when a second question, in the seconds that are left, cannot fare better than the first."""
    is_late = isinstance(error, ModelTimeout) and left <= 0
    must_wait = isinstance(error, ModelRateLimited) and (error.retry_after or 0) >= left
    return isinstance(error, _FINAL_ERRORS) or is_late or must_wait
