"""The composition root: builds an engine from settings. It is the only module that knows every part."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew import config as configuration
from clew.codecs import registry
from clew.config import Config, ModelsConfig
from clew.curation.projection import CuratedFormsProjection
from clew.digests.projection import DigestsProjection
from clew.domain import SessionKey
from clew.domain.checks import check_text, check_text_or_none, check_whole_number, describe_value
from clew.engine.background import Background
from clew.engine.engine import Engine
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.services import Services
from clew.environment import data_folder
from clew.errors import ModelError, UsageError
from clew.history.calibration import CalibrationProjection
from clew.history.overview import OverviewProjection
from clew.history.prompt_state import PromptStateProjection
from clew.history.prompt_usage import PromptUsageProjection
from clew.history.segments import SegmentsProjection
from clew.history.tool_usage import ToolUsageProjection
from clew.history.work_map.projection import WorkMapProjection
from clew.ports import ChatModel, Clock, Embedder, Model, Projection, Store
from clew.retrieval.feedback import FeedbackProjection
from clew.retrieval.projection import WordIndexProjection
from clew.signals.projection import SignalsProjection
from clew.storage.stores import is_file, open_store, store_path
from clew.telemetry.events import Bus
from clew.telemetry.log import log_warnings

if TYPE_CHECKING:
    from clew.engine.one_shot import CompactedMessages
    from clew.models import Guard


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        """Returns seconds since 1970, UTC."""
        return time.time()


class ConfiguredModels:
    """Provides the model that the caller has given, or else the one that the settings name.

    The configured model is built when it is first asked for.
    The modules that reach models are imported only then, since most work needs none.
    """

    def __init__(self, store: Store, config: Config, clock: Clock, given: Model | None = None) -> None:
        self._store, self._config, self._clock, self._model = store, config, clock, given

    def for_session(self, key: SessionKey, *, lent: Model | None = None) -> Model | None:
        """Returns the model wrapped in the spending limits; None where there is none.
        Raises ModelError for unusable settings.
        """
        model = lent or self._own()
        return None if model is None else self._guard(key).watch(model, key.id)

    def chat_for_session(self, key: SessionKey, *, chosen: ChatModel | str | None = None) -> ChatModel | None:
        """Returns the chosen model, or that of the settings, wrapped in the spending limits; None where there is none.
        Raises UsageError for an unknown name, and for a model that holds no conversations.
        """
        if isinstance(chosen, str):
            from clew.models import model_for

            found: object = model_for(chosen, self._config.models)
        else:
            found = chosen if chosen is not None else self._own()
        if found is None:
            return None
        if not isinstance(found, ChatModel):
            raise UsageError(
                f"{describe_value(found)} is no model to talk to: it lacks the methods respond and stream (clew.ports"
                " has them as ChatModel); give one that has them, or a name such as 'anthropic/claude-sonnet-5'"
            )
        return self._guard(key).watch_chat(found, key.id)

    def _guard(self, key: SessionKey) -> Guard:
        from clew.models import Guard, StoreSpendLog

        return Guard(self._config.models, self._clock, StoreSpendLog(self._store, tenant=key.tenant, user=key.user))

    def forget(self, key: SessionKey) -> None:
        """Deletes the record of what the session has cost."""
        from clew.models import StoreSpendLog

        StoreSpendLog(self._store, tenant=key.tenant, user=key.user).forget(key.id)

    def _own(self) -> Model | None:
        if self._model is None and self._config.models.model:
            from clew.models import model_for

            try:
                self._model = model_for(self._config.models.model, self._config.models)
            except UsageError as error:  # to whoever asks, one model that cannot be asked is like another
                raise ModelError(f"models.model cannot be used: {error}") from None
        return self._model


class ConfiguredEmbedders:
    """Provides the embedder that the settings name. It is built when it is first used."""

    def __init__(self, config: ModelsConfig) -> None:
        self._config = config
        self._known: dict[str, Embedder | None] = {}

    def current(self) -> Embedder | None:
        """Returns the embedder in use; None where there is none. Raises ModelError for one that cannot be used."""
        name = self._config.embedder
        if name == "auto":
            return self.named("encoder")
        return None if name in ("", "none") else self._open(name)

    def named(self, name: str) -> Embedder | None:
        """Returns an embedder by the name of its vectors, or of the setting; None if it cannot be had."""
        from clew.signals.learned import encoder

        kind, _, version = name.partition("@")
        if kind == "encoder" and kind not in self._known and not encoder.is_installed():
            self._known[kind] = None
        try:
            found = self._open(kind if kind == "encoder" else name)
        except ModelError:
            return None
        return found if found is None or not version or found.name == name else None

    def _open(self, name: str) -> Embedder | None:
        if name not in self._known:
            try:
                self._known[name] = self._make_embedder(name)
            except (UsageError, ImportError) as error:
                raise ModelError(f"models.embedder {name!r} cannot be used: {error}") from None
        return self._known[name]

    def _make_embedder(self, name: str) -> Embedder:
        """An embedder of that name. What reaches servers is not loaded for the encoder, which needs none."""
        if name == "encoder":
            from clew.signals.learned.encoder import EncoderEmbedder

            return EncoderEmbedder()
        from clew.models.embedders import embedder_for

        return embedder_for(name, self._config)


def projections(config: Config) -> Sequence[Projection]:
    """Returns all projections, in the order in which they are brought up to date."""
    return (
        OverviewProjection(),
        SegmentsProjection(config.segments),
        DigestsProjection(config.digests),
        ToolUsageProjection(),
        CalibrationProjection(),
        WorkMapProjection(),
        PromptStateProjection(),
        CuratedFormsProjection(config.curation),
        PromptUsageProjection(),
        WordIndexProjection(),
        FeedbackProjection(),
        SignalsProjection(),
    )


def open(
    store: str | Path | None = None,
    *,
    config: Config | None = None,
    clock: Clock | None = None,
    model: Model | None = None,
    settings: Mapping[str, Any] | None = None,
    summariser: Callable[[str], str] | None = None,
    person: str = "",
) -> Engine:
    """Opens an engine on a store: a path, ``:memory:``, or the user's own store when nothing is given.
    A file that is not there yet is made. Raises NotFound if its folder is not there.

    ``settings`` beat all others, by name: ``{"compaction.target_tokens": 20_000}``. ``model`` is asked instead of the
    one that they name, within the same limits on spending; a ``summariser`` is a function that writes summaries in its
    place: it is given a text and returns one. ``person`` is named for sessions where neither a call nor the settings
    name a user; whoever names one is a command, and what that asks of models has limits. Raises UsageError for an
    argument of a wrong kind, and an unknown setting.
    """
    _ensure_arguments(store, config, model, summariser)
    check_text(person, "person of open()", "give the name of a user, or leave it out")
    if clock is not None and not callable(getattr(clock, "now", None)):
        raise UsageError(f"clock is a {type(clock).__name__}; give an object with now(), or leave it out")
    chosen = config or configuration.load(is_command=bool(person), store=str(store) if store is not None else None)
    chosen = configuration.with_settings(chosen, settings or {}) if settings is not None else chosen
    _ensure_embedder(chosen.models.embedder)
    if summariser is not None:
        from clew.models.callables import CallableModel

        model = CallableModel(summariser)
    url = str(store) if store is not None else configuration.store_url(chosen)
    _ensure_data_folder(url)
    opened = open_store(
        url, durability=chosen.storage.durability, busy_timeout_seconds=chosen.storage.busy_timeout_seconds
    )
    return assemble(opened, chosen, clock or SystemClock(), model, person=person)


def _ensure_arguments(store: object, config: object, model: object, summariser: object) -> None:
    """Raises UsageError for what is not of its kind, before anything is opened."""
    if store is not None and not isinstance(store, str | Path):
        raise UsageError(f"store is a {type(store).__name__}; give a path, a URL or ':memory:'")
    if config is not None and not isinstance(config, Config):
        raise UsageError(f"config is a {type(config).__name__}; give clew.Config(…), or settings={{…}} by name")
    if model is not None and not callable(getattr(model, "ask", None)):
        raise UsageError(
            f"model is a {type(model).__name__}; give an object with name and ask, or a function as summariser"
        )
    if summariser is not None and not callable(summariser):
        raise UsageError(
            f"summariser is a {type(summariser).__name__}; give a function that takes a text and returns one"
        )
    if model is not None and summariser is not None:
        raise UsageError("a model and a summariser are given; give one of them")


def _ensure_embedder(name: str) -> None:
    """Raises UsageError for a name that no embedder has; nothing is loaded for those that are built in."""
    if name not in ("", "none", "auto", "encoder"):
        from clew.models.embedders import ensure_known

        ensure_known(name)


def _ensure_data_folder(url: str) -> None:
    """Makes the folder of the user's own store. Any other folder is left to whoever names it."""
    folder = data_folder()
    if not is_file(url) or store_path(url).parent != folder:
        return
    from clew.storage.failures import Failures

    with Failures(store_path(url)):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def compact(
    messages: Iterable[Any],
    *,
    budget: int,
    format: str = "anthropic",
    query: str | None = None,
    system: Any = None,
    tools: Sequence[Any] | None = None,
) -> CompactedMessages:
    """Fits messages of a provider's format into a budget, in one call and without a store. Messages that fit and are
    valid come back as they are, with the ``query`` behind them.

    Raises UsageError for an unknown format, and BudgetExceeded when even the least does not fit.
    """
    if not isinstance(format, str) or format not in registry.PROVIDERS:
        raise UsageError(f"cannot compact {describe_value(format)}; there are {', '.join(registry.PROVIDERS)}")
    check_whole_number(budget, "the budget of compact()", "give the tokens that the messages may take: budget=8_000")
    check_text_or_none(query, "the query of compact()", 'give its words: query="…", or None for none')
    messages = list(messages) if isinstance(messages, Iterator) else messages
    alone = {"critical.encoder": False, "models.embedder": "none"}  # nobody waits for what is read in the background
    session = open(":memory:", settings=alone).session("conversation")
    session.record(messages, format=format, system=system, tools=tools)
    from clew.engine.one_shot import compact_once

    given = list(messages) if isinstance(messages, list | tuple) and system is None else None
    return compact_once(session, given, query, budget=budget, provider=format)


def assemble(store: Store, config: Config, clock: Clock, model: Model | None = None, *, person: str = "") -> Engine:
    """Wires an engine from an open store, settings, a clock and an optional model."""
    secret = _store_secret(store)
    mask = _mask_body if config.storage.mask_secrets else None
    events = Bus()
    log_warnings(events)
    ledgers = Ledgers(store, projections(config), config=config, clock=clock, secret=secret, mask=mask, person=person)
    models = ConfiguredModels(store, config, clock, model)
    embedders = ConfiguredEmbedders(config.models)
    return Engine(ledgers, Services(config, clock, events, models, Background(events), embedders=embedders))


def _store_secret(store: Store) -> bytes:
    """The key of this store's hashes: made once, never leaves it."""
    space: tuple[str, str, str] = ("", "", "store")
    known = store.values(*space, ["secret"]).get("secret")
    if known is not None:  # reading must not wait for whoever is writing
        return known
    with store.transaction():
        known = store.values(*space, ["secret"]).get("secret")
        if known is None:
            known = os.urandom(32)
            store.put_values(*space, {"secret": known})
    return known


def _mask_body(body: bytes) -> bytes:
    from clew.codecs import jsonio
    from clew.text.secrets import mask, mask_strings

    try:
        value = jsonio.loads_exact(body)
    except ValueError:
        return mask(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    after = mask_strings(value, names=True)
    return body if after == value else jsonio.dumps_exact(after)
