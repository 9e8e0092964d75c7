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
from clew.engine.compacting import Compacted, compacted
from clew.engine.core import Engine
from clew.engine.counts import Counts
from clew.engine.ledger import Ledger
from clew.errors import UsageError
from clew.history.calibrating import Calibrating
from clew.history.overview import Overview
from clew.history.segments import Segments
from clew.history.sending import Sending
from clew.history.tools_used import ToolsUsed
from clew.history.workmap import WorkMapping
from clew.ports import Clock, Projection, Store
from clew.retrieval.projection import WordsIndex
from clew.storage import open_store
from clew.telemetry.events import Bus


class SystemClock:
    def now(self) -> float:
        return time.time()


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
    )


def open(store: str | Path | None = None, *, config: Config | None = None, clock: Clock | None = None) -> Engine:
    """An engine on a store: a path, ``:memory:``, or the user's own when nothing is given."""
    chosen = config or settings.load(store=str(store) if store is not None else None)
    url = str(store) if store is not None else settings.store_url(chosen)
    opened = open_store(
        url, durability=chosen.storage.durability, busy_timeout_seconds=chosen.storage.busy_timeout_seconds
    )
    return assemble(opened, chosen, clock or SystemClock())


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


def assemble(store: Store, config: Config, clock: Clock) -> Engine:
    secret = _store_secret(store)
    mask = _masked if config.storage.mask_secrets else None
    return Engine(
        store,
        config=config,
        clock=clock,
        events=Bus(),
        ledger=Ledger(store, clock, secret, mask),
        counts=Counts(store, secret),
        projections=projections(config),
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
