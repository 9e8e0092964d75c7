"""Summaries by a model, written ahead or on demand. They are stored in the ledger with the messages they cover."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from clew.cancellation import Cancel
from clew.domain import CompactionRequest, Digest, FileUse
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.session_core import SessionCore
from clew.errors import ModelError
from clew.ports import Model
from clew.summaries.ladder import summarise
from clew.summaries.values import Degraded, Rung, SummaryMaterial, WrittenSummary
from clew.text.secrets import mask
from clew.tokens.models import window_for

_CACHE = "summary-cache"
#: A summary takes at most this share of the compaction's target.
_SHARE = 0.15
_LEAST_TOKENS, _MOST_TOKENS = 300, 2_500
#: Least number of new messages that is worth asking a model for: on demand, and when writing ahead.
_LEAST_NEW, _LEAST_AHEAD = 8, 40


class _Cache:
    """Answers of models, kept with the session they are about."""

    def __init__(self, ledger: SessionLedger, *, masks: bool) -> None:
        self._ledger, self._masks = ledger, masks

    def get(self, key: str) -> str | None:
        raw = self._ledger.cached_value(_CACHE, key)
        return raw.decode() if raw is not None else None

    def put(self, key: str, text: str) -> None:
        self._ledger.cache_values(_CACHE, {key: (mask(text) if self._masks else text).encode()})


class Summariser:
    """Asks a model for summaries of one session. ``lent`` is asked instead of the configured model.

    Without a usable model it writes nothing; settings that cannot be used are emitted as ``compaction.degraded``.
    """

    def __init__(self, core: SessionCore, lent: Model | None = None) -> None:
        self._ledger, self._reader, self._services = core.ledger, core.reader, core.services
        self._log, self._pins = core.log, core.pins
        self._model = self._find_model(lent)

    @property
    def can_write(self) -> bool:
        """True when there is a model to ask."""
        return self._model is not None

    def write(
        self, *, until: int, tokens: int, least_new: int = _LEAST_NEW, cancel: Cancel | None = None
    ) -> WrittenSummary | None:
        """Writes a summary of everything up to message ``until`` to the ledger and returns it.
        It continues the one before.

        Returns None without a model, with fewer than ``least_new`` new messages, if the model failed (emitted as
        ``compaction.degraded``), or if the session was rewritten meanwhile. Cancelling raises.
        """
        asked = self._model
        since, before = self._known_summary()
        if asked is None or until - since < least_new:
            return None
        config, version = self._services.config.models, self._ledger.info.version
        material = self._material(since + 1, until, before)
        written = summarise(
            material,
            room=min(max(int(tokens * _SHARE), _LEAST_TOKENS), _MOST_TOKENS),
            count=self._services.tokenizers.count,
            model=asked,
            window=window_for(asked.name, config),
            seconds=config.timeout_seconds,
            cancel=cancel,
            cache=_Cache(self._ledger, masks=self._services.config.storage.mask_secrets),
            degraded=self._report_degraded,
            clock=monotonic,
        )
        return written if written and self._log.write_summary(written, until=until, version=version) else None

    def _find_model(self, lent: Model | None) -> Model | None:
        try:
            return self._services.models.for_session(self._ledger.key, lent=lent)
        except ModelError as error:
            self._report_degraded(Degraded(Rung.FULL, Rung.EXTRACTIVE, str(error), type(error).__name__))
            return None

    def _known_summary(self) -> tuple[int, str]:
        """The last message that the newest summary tells of, and its text."""
        written = self._log.summary()
        return (self._log.state().summarised, written.text) if written else (0, "")

    def _material(self, first: int, last: int, before: str) -> SummaryMaterial:
        messages = tuple(self._reader.read_prompt_view(first, last))
        digests = tuple(self._digests(first, last))
        files = {file.text: None for digest in digests for file in digest.files if file.use is not FileUse.READ}
        keep = tuple(item.text for item in self._pins.items())
        return SummaryMaterial(messages=messages, digests=digests, before=before, files=tuple(files), keep=keep)

    def _digests(self, first: int, last: int) -> Sequence[Digest]:
        digested = self._reader.digests()
        segments = [
            segment
            for segment, _ in self._reader.outline()
            if segment.last >= first and segment.first <= last and not segment.rolled_back
        ]
        return [digest for segment in segments if (digest := digested.digest(segment.id))]

    def _report_degraded(self, step: Degraded) -> None:
        about = {"rung_from": str(step.rung_from), "rung_to": str(step.rung_to), "reason": mask(step.reason)}
        self._services.events.emit("compaction.degraded", session=self._ledger.id, **about)

    def write_ahead(self, request: CompactionRequest, cancel: Cancel) -> WrittenSummary | None:
        """Writes a summary of what will soon be compacted, if there is enough of it; None if nothing was written."""
        until = self._ledger.info.messages - self._services.config.compaction.keep_recent
        return self.write(until=until, tokens=request.tokens, least_new=_LEAST_AHEAD, cancel=cancel)
