"""The composition root: settings in, an engine out. The only place that knows every part."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clew import config as settings
from clew.codecs import registry
from clew.config import Config
from clew.curation.projection import Forms
from clew.digests.projection import Digests
from clew.domain import SessionKey
from clew.engine.compacting import Compacted, compacted
from clew.engine.core import Engine
from clew.engine.counts import Counts
from clew.engine.ledger import Ledger
from clew.errors import ModelError, UsageError
from clew.history.calibrating import Calibrating
from clew.history.overview import Overview
from clew.history.segments import Segments
from clew.history.sending import Sending
from clew.history.tools_used import ToolsUsed
from clew.history.workmap import WorkMapping
from clew.ports import Clock, Model, Projection, Store
from clew.retrieval.projection import WordsIndex
from clew.signals.projection import Watch
from clew.storage import open_store
from clew.telemetry.events import Bus
from clew.telemetry.log import follow


class SystemClock:
    def now(self) -> float:
        return time.time()


class ConfiguredModels:
    """The model that the caller has given, or else the one that the settings name, made when it is first asked for.

    What reaches models is loaded only then: most work needs none.
    """

    def __init__(self, store: Store, config: Config, clock: Clock, given: Model | None = None) -> None:
        self._store, self._config, self._clock, self._model = store, config, clock, given

    def for_session(self, key: SessionKey, *, lent: Model | None = None) -> Model | None:
        model = lent or self._own()
        if model is None:
            return None
        from clew.models import Guard, StoreBook

        book = StoreBook(self._store, tenant=key.tenant, user=key.user, payer=self._config.user)
        return Guard(self._config.models, self._clock, book).watch(model, key.id)

    def forget(self, key: SessionKey) -> None:
        from clew.models import StoreBook

        StoreBook(self._store, tenant=key.tenant, user=key.user).forget(key.id)

    def _own(self) -> Model | None:
        if self._model is None and self._config.models.model:
            from clew.models import model_for

            try:
                self._model = model_for(self._config.models.model, self._config.models)
            except UsageError as error:  # to whoever asks, one model that cannot be asked is like another
                raise ModelError(f"models.model cannot be used: {error}") from None
        return self._model


def projections(config: Config) -> Sequence[Projection]:
    """Everything that is derived from the ledger, in the order it is brought up to date."""
    return (
        Overview(),
        Segments(config.segments),
        Digests(config.digests),
        ToolsUsed(),
        Calibrating(),
        WorkMapping(),
        Sending(),
        Forms(config.curation),
        WordsIndex(),
        Watch(),
    )


def open(
    store: str | Path | None = None,
    *,
    config: Config | None = None,
    clock: Clock | None = None,
    model: Model | None = None,
) -> Engine:
    """An engine on a store: a path, ``:memory:``, or the user's own when nothing is given.

    ``model`` is asked instead of the one that the settings name, within the same limits on spending.
    """
    chosen = config or settings.load(store=str(store) if store is not None else None)
    url = str(store) if store is not None else settings.store_url(chosen)
    opened = open_store(
        url, durability=chosen.storage.durability, busy_timeout_seconds=chosen.storage.busy_timeout_seconds
    )
    return assemble(opened, chosen, clock or SystemClock(), model)


def compact(
    messages: Iterable[Any],
    *,
    budget: int,
    format: str = "anthropic",
    query: str | None = None,
    system: Any = None,
    tools: Sequence[Any] | None = None,
) -> Compacted:
    """Messages of a provider's format that fit a budget, in one call and without a store."""
    if format not in registry.PROVIDERS:
        raise UsageError(f"cannot compact {format!r}; there are {', '.join(registry.PROVIDERS)}")
    session = open(":memory:").session("conversation")
    session.record(messages, format=format, system=system, tools=tools)
    return compacted(session, query, budget=budget, provider=format)


def assemble(store: Store, config: Config, clock: Clock, model: Model | None = None) -> Engine:
    secret = _store_secret(store)
    mask = _masked if config.storage.mask_secrets else None
    events = Bus()
    follow(events)
    return Engine(
        store,
        config=config,
        clock=clock,
        events=events,
        ledger=Ledger(store, clock, secret, mask),
        counts=Counts(store, secret),
        projections=projections(config),
        models=ConfiguredModels(store, config, clock, model),
    )


def _store_secret(store: Store) -> bytes:
    """The key of this store's hashes: made once, never leaves it."""
    space: tuple[str, str, str] = ("", "", "store")
    known = store.values(*space, ["secret"]).get("secret")
    if known is not None:  # reading must not wait for whoever is writing
        return known
    with store.transaction():
        known = store.values(*space, ["secret"]).get("secret")
        if known is None:
            known = secrets.token_bytes(32)
            store.put_values(*space, {"secret": known})
    return known


def _masked(body: bytes) -> bytes:
    from clew.codecs import jsonio
    from clew.text.secrets import mask

    def masked(value: Any) -> Any:
        if isinstance(value, str):
            return mask(value)
        if isinstance(value, dict):
            return {masked(name): masked(item) for name, item in value.items()}
        return [masked(item) for item in value] if isinstance(value, list) else value

    try:
        value = jsonio.loads(body)
    except ValueError:
        return mask(body.decode("utf-8", "replace")).encode()
    after = masked(value)
    return body if after == value else jsonio.dumps(after)
