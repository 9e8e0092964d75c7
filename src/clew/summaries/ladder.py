"""The ladder of ways to summarise: from notes, by a model in full, by a model on less text."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from clew.cancellation import Cancel
from clew.errors import (
    ClewError,
    ModelCancelled,
    ModelRateLimited,
    ModelTimeout,
    ModelUnauthorized,
    SpendLimitReached,
)
from clew.ports import Model, TokenCounter
from clew.summaries.additions import complete_summary
from clew.summaries.history_text import iter_blocks, message_blocks
from clew.summaries.model_attempt import ModelAttempt
from clew.summaries.model_client import ModelClient
from clew.summaries.notes import has_enough_notes, notes_summary
from clew.summaries.source import Source, replace_surrogates
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
    model: Model,
    window: int = 0,
    seconds: float = 60.0,
    cancel: Cancel | None = None,
    cache: SummaryCache | None = None,
    degraded: Callable[[Degraded], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    carry_share: float = CARRY_SHARE,
) -> WrittenSummary | None:
    """Writes a summary of at most ``room`` tokens, as ``count`` counts them, and never larger than what it replaces.

    ``window`` is what the model can read, ``seconds`` the time for all questions to it together. Each step down is
    reported to ``degraded`` as it happens. Returns None where the model failed; only ModelCancelled is raised.
    """
    client = ModelClient(model, cache or NoCache(), clock, clock() + seconds, cancel)
    room = _room(material, room, count)
    return _Ladder(material, room, count, client, window, carry_share, degraded or _ignore_step).write()


def _ignore_step(_event: Degraded) -> None: ...


def _room(material: SummaryMaterial, room: int, count: TokenCounter) -> int:
    """No more than what is replaced; counted only as far as it matters."""
    replaced = count(material.before) if material.before else 0
    for block in iter_blocks(material.messages):
        if replaced >= room:
            return room
        replaced += count(block)
    return min(room, replaced) if replaced else room


@dataclass
class _Ladder:
    """One summary on its way down the ladder, and the steps that it took."""

    material: SummaryMaterial
    room: int
    count: TokenCounter
    client: ModelClient
    window: int
    share: float
    report: Callable[[Degraded], None]
    degraded: list[Degraded] = field(default_factory=list)

    def write(self) -> WrittenSummary | None:
        return self._from_notes() or self._by_model(self.client)

    def _from_notes(self) -> WrittenSummary | None:
        """What the model noted of its own turns, if that is enough: nobody has to be asked."""
        room, count = self.room, self.count
        text = notes_summary(self.material, room=room, count=count) if has_enough_notes(self.material.digests) else ""
        if not text:
            return None
        try:
            whole, findings = complete_summary(text, self.material, room=room, share=self.share, count=count)
        except UnfitSummary:
            return None
        return self._result(Rung.NOTES, whole, findings)

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
                text = attempt.write(message_blocks(self.material.messages, brief=rung is Rung.SIMPLE))
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
        material = self.material
        settled = [fact.text for digest in material.digests for fact in digest.decisions]
        lists = (
            "\0".join(texts) for texts in (message_blocks(material.messages), material.files, material.keep, settled)
        )
        return client.cache_key(rung, str(self.room), f"{self.share:g}", material.before, *lists)

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
            calls=self.client.calls,
            usage=self.client.usage,
            degraded=tuple(self.degraded),
            findings=tuple(dict.fromkeys(findings)),
        )


def _cannot_retry(error: Exception, left: float) -> bool:
    """True when a second question, in the seconds that are left, cannot fare better than the first."""
    is_late = isinstance(error, ModelTimeout) and left <= 0
    must_wait = isinstance(error, ModelRateLimited) and (error.retry_after or 0) >= left
    return isinstance(error, _FINAL_ERRORS) or is_late or must_wait
