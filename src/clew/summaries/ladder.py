"""Down the ladder: notes, a model's full summary, its simple one, lines of digests, the ends of the text."""

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
from clew.ports import Cancel, Model
from clew.summaries.asking import Desk
from clew.summaries.clipping import Count
from clew.summaries.extracting import extracted
from clew.summaries.modelled import Attempt
from clew.summaries.noting import is_noted
from clew.summaries.serialising import as_blocks
from clew.summaries.source import Source, sound
from clew.summaries.truncating import truncated
from clew.summaries.values import Cache, Degraded, Material, NoCache, Rung, Unfit, Written

#: The part of the room that facts of an earlier summary may take, where a model left them out.
CARRY_SHARE = 0.25
#: Asking the same model again cannot help.
_HOPELESS = (ModelUnauthorized, SpendLimitReached)
_REASON_CHARS = 300


def summarised(
    material: Material,
    *,
    room: int,
    count: Count,
    model: Model | None = None,
    window: int = 0,
    seconds: float = 60.0,
    cancel: Cancel | None = None,
    cache: Cache | None = None,
    degraded: Callable[[Degraded], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    carry_share: float = CARRY_SHARE,
) -> Written:
    """A summary of at most ``room`` tokens, as ``count`` counts them, and never larger than what it stands for.

    ``window`` is what the model can read, ``seconds`` the time for all questions to it together. Each step down is
    told to ``degraded`` as it happens. Whatever fails, there is a summary; only ModelCancelled is raised: who cancels
    wants none.
    """
    desk = Desk(model, cache or NoCache(), clock, clock() + seconds, cancel) if model else None
    room = _room(material, room, count)
    return _Ladder(material, room, count, desk, window, carry_share, degraded or _ignore).written()


def _ignore(_event: Degraded) -> None: ...


def _room(material: Material, room: int, count: Count) -> int:
    """No more than what is replaced; counted only as far as it matters."""
    replaced = count(material.before) if material.before else 0
    for block in _blocks_of(material):
        if replaced >= room:
            return room
        replaced += count(block)
    return min(room, replaced) if replaced else room


def _blocks_of(material: Material) -> Iterator[str]:
    """Block by block: a long history need not be written out to see that it is long."""
    for message in material.messages:
        yield from as_blocks([message])


@dataclass
class _Ladder:
    material: Material
    room: int
    count: Count
    desk: Desk | None
    window: int
    share: float
    tell: Callable[[Degraded], None]
    degraded: list[Degraded] = field(default_factory=list)

    def written(self) -> Written:
        if is_noted(self.material.digests):
            text, findings = extracted(self.material, room=self.room, count=self.count)
            if text:
                return self._as(Rung.NOTES, text, findings)
        return (self._by_model(self.desk) if self.desk else None) or self._extractive() or self._truncation()

    # ── with a model ─────────────────────────────────────────────────────────────────────────────────

    def _by_model(self, desk: Desk) -> Written | None:
        keys = {rung: self._key(desk, rung) for rung in (Rung.FULL, Rung.SIMPLE)}
        for rung, key in keys.items():
            if (known := desk.remembered(key)) and self.count(known) <= self.room:
                return self._as(rung, known, [], model=desk.model.name)
        source = Source(self.material)
        for rung, below in ((Rung.FULL, Rung.SIMPLE), (Rung.SIMPLE, Rung.EXTRACTIVE)):
            attempt = Attempt(self.material, source, desk, self.count, self.room, self.window, self.share)
            try:
                text = attempt.written(as_blocks(self.material.messages, cut_tools=rung is Rung.SIMPLE))
            except ModelCancelled:
                raise
            except (ClewError, Unfit) as error:
                is_hopeless = _is_hopeless(error, desk.seconds_left)
                self._step_down(rung, Rung.EXTRACTIVE if is_hopeless else below, error)
                if is_hopeless:
                    break
            else:
                desk.remember(keys[rung], sound(text))
                return self._as(rung, text, attempt.findings, model=desk.model.name)
        return None

    def _key(self, desk: Desk, rung: Rung) -> str:
        """The name of the summary: all that it depends on."""
        one = self.material
        settled = [fact.text for digest in one.digests for fact in digest.decisions]
        lists = ("\0".join(texts) for texts in (as_blocks(one.messages), one.files, one.keep, settled))
        return desk.key(rung, str(self.room), f"{self.share:g}", one.before, *lists)

    # ── without ──────────────────────────────────────────────────────────────────────────────────────

    def _extractive(self) -> Written | None:
        text, findings = extracted(self.material, room=self.room, count=self.count)
        if text:
            return self._as(Rung.EXTRACTIVE, text, findings)
        has_any = self.material.digests or self.material.before
        reason = f"no line fits into {self.room} tokens" if has_any else "there is no digest to draw on"
        self._step_down(Rung.EXTRACTIVE, Rung.TRUNCATION, Unfit(reason))
        return None

    def _truncation(self) -> Written:
        text, findings = truncated(self.material, room=self.room, count=self.count)
        return self._as(Rung.TRUNCATION, text, findings)

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────

    def _step_down(self, rung: Rung, below: Rung, error: Exception) -> None:
        kind = "check" if isinstance(error, Unfit) else type(error).__name__
        event = Degraded(rung, below, str(error)[:_REASON_CHARS], kind)
        self.degraded.append(event)
        self.tell(event)

    def _as(self, rung: Rung, text: str, findings: list[str], *, model: str = "") -> Written:
        return Written(
            text=sound(text),
            rung=rung,
            sources=self.material.ids,
            model=model,
            calls=self.desk.calls if self.desk else 0,
            usage=self.desk.usage if self.desk else Usage(),
            degraded=tuple(self.degraded),
            findings=tuple(dict.fromkeys(findings)),
        )


def _is_hopeless(error: Exception, left: float) -> bool:
    """True when a second question, in the seconds that are left, cannot fare better than the first."""
    is_late = isinstance(error, ModelTimeout) and left <= 0
    is_told_to_wait = isinstance(error, ModelRateLimited) and (error.retry_after or 0) >= left
    return isinstance(error, _HOPELESS) or is_late or is_told_to_wait
