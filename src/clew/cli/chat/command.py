"""The command chat: every line goes through the whole pipeline to a model, and its words are shown as they come."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import AsJson, StoreUrl
from clew.cli.output import note, print_json
from clew.errors import NotFound, UsageError

if TYPE_CHECKING:
    from clew.config import Config
    from clew.engine.engine import Engine
    from clew.engine.session import Session


def chat(
    source: Annotated[
        str,
        typer.Argument(
            metavar="[SOURCE]",
            help="A session id or its beginning, 'latest', or the id of a new session; without it a new one begins.",
            show_default=False,
        ),
    ] = "",
    model: Annotated[
        str,
        typer.Option("--model", metavar="M", help="anthropic/…, openai/…, gemini/…, local/…; default: models.model."),
    ] = "",
    url: Annotated[
        str, typer.Option("--url", metavar="URL", help="Where the model is served, such as http://127.0.0.1:8080/v1.")
    ] = "",
    window: Annotated[
        int | None,
        typer.Option("--window", metavar="N", help="The model's window in tokens."),
    ] = None,
    system: Annotated[str, typer.Option("--system", metavar="TEXT", help="The system prompt.")] = "",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Talk to a model; nothing said is lost.

    Each line is sent with what matters of the conversation, the profile and knowledge. /help lists what else can be
    typed; ctrl-c ends a reply. Without a terminal, or with --json, lines are read from stdin.
    """
    from clew.cli.chat.conversation import Conversation
    from clew.cli.chat.screen import Screen
    from clew.cli.sources import open_engine

    if window is not None and window < 1:
        raise UsageError(f"--window takes 1 or more tokens, not {window}")
    config = _config(store, url)
    name = _model_name(model, url) or config.models.model
    config = _with_summaries(config, name, window)
    with open_engine(store, config) as engine:
        session = _session(engine, source, model=name, window=window)
        is_new = engine.store.session(session.key) is None
        if system:
            session.system(system)
        conversation = Conversation(session, name, Screen(is_silent=as_json), summariser=config.models.model)
        engine.on("compaction.complete", conversation.tell_compaction)
        code = conversation.run()
        if is_new and conversation.has_failed:
            engine.discard(session.key)
            note(f"nothing was answered, so session {session.id} is not kept")
    if as_json:
        print_json({"session": session.id, "turns": [asdict(turn) for turn in conversation.turns]})
    raise typer.Exit(code)


def _config(store: str | None, url: str) -> Config:
    from dataclasses import replace

    from clew import config as settings

    config = settings.load(is_command=True, store=store)
    return replace(config, models=replace(config.models, base_url=url)) if url else config


def _with_summaries(config: Config, model: str, window: int | None) -> Config:
    """With summaries by the model that is talked to, where the settings name none and do not forbid it."""
    from dataclasses import replace

    if config.models.model or not config.models.chat_summaries:
        return config
    return replace(config, models=replace(config.models, model=model, window=window or config.models.window))


def _model_name(model: str, url: str) -> str:
    """The model as the settings write it: a name without a maker is that of the server at ``url``."""
    return f"local/{model}" if model and url and "/" not in model else model


def _session(engine: Engine, source: str, *, model: str, window: int | None) -> Session:
    """The session that is named, if it is stored, or a new one. Raises UsageError for a file."""
    from contextlib import suppress
    from datetime import UTC, datetime

    from clew.cli.sources import is_read

    if source and is_read(source):
        raise UsageError(f"{source} is only read; `clew import` it, and chat in the stored session")
    id, user = source or f"chat-{datetime.now(UTC):%Y%m%d-%H%M%S}", None
    with suppress(NotFound):
        _, user, id = engine.find(source).key if source else (None, None, id)
    recorded = engine.session(id, user=user).info.model
    return engine.session(
        id, user=user, model=None if recorded else model.removeprefix("local/") or None, window=window
    )
