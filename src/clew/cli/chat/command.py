"""The command chat: every line goes through the whole pipeline to a model, and its words are shown as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import StoreUrl

if TYPE_CHECKING:
    from clew.cli.chat.screen import Screen
    from clew.config import Config
    from clew.engine.engine import Engine
    from clew.engine.session import Session

_INTERRUPTED = 130


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
    store: StoreUrl = None,
) -> None:
    """Talk to a model; nothing said is lost.

    Each line is sent with what matters of the conversation, the profile and knowledge. /help lists what else can be
    typed; ctrl-c ends a reply. Without a terminal, lines are read from stdin.
    """
    from clew.app import open
    from clew.cli.chat.screen import Screen
    from clew.errors import UsageError

    if window is not None and window < 1:
        raise UsageError(f"--window takes 1 or more tokens, not {window}")
    config = _config(store, url)
    name = _model_name(model, url) or config.models.model
    with open(store, config=config) as engine:
        session = _session(engine, source, model=name, window=window)
        if system:
            session.system(system)
        code = _converse(session, name, Screen())
    raise typer.Exit(code)


def _config(store: str | None, url: str) -> Config:
    from dataclasses import replace

    from clew import config as settings

    config = settings.load(store=store)
    return replace(config, models=replace(config.models, base_url=url)) if url else config


def _model_name(model: str, url: str) -> str:
    """The model as the settings write it: a name without a maker is that of the server at ``url``."""
    return f"local/{model}" if model and url and "/" not in model else model


def _session(engine: Engine, source: str, *, model: str, window: int | None) -> Session:
    """The session that is named, if it is stored, or a new one. Raises UsageError for a file."""
    from datetime import UTC, datetime

    from clew.cli.sources import is_read
    from clew.errors import NotFound, UsageError

    if source and is_read(source):
        raise UsageError(f"{source} is only read; `clew import` it, and chat in the stored session")
    try:
        id = engine.find(source).id if source else f"chat-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    except NotFound:
        id = source
    known = engine.session(id).info.model
    return engine.session(id, model=None if known else model.removeprefix("local/") or None, window=window)


def _converse(session: Session, model: str, screen: Screen) -> int:
    """Reads and answers until the input ends; returns the exit code."""
    from clew.cli.chat.slash_commands import run_command
    from clew.cli.error_lines import error_line
    from clew.cli.output import note
    from clew.errors import ClewError

    code = 0
    while True:
        try:
            line = screen.read(session.health())
        except KeyboardInterrupt:
            if not screen.is_terminal:
                return _INTERRUPTED
            note("ctrl-d or /quit ends the chat")
            continue
        if line is None:
            return 0 if screen.is_terminal else code
        try:
            if line.startswith("/"):
                if not run_command(session, line):
                    return code
            elif line.strip():
                _reply(session, line, model, screen)
        except ClewError as error:
            code = error.exit_code
            note(f"clew: {error_line(error)}")


def _reply(session: Session, line: str, model: str, screen: Screen) -> None:
    """Shows the reply to a line as it comes; an interrupt ends the reply and nothing else."""
    from clew.cli.chat.masked_text import MaskedText
    from clew.cli.output import note

    text = MaskedText()
    try:
        with session.ask_stream(line, model=model or None) as stream:
            for piece in stream:
                screen.write(text.feed(piece))
    except KeyboardInterrupt:
        screen.write(text.close() + "\n")
        note("the reply was interrupted; what came of it is recorded")
        return
    except BaseException:
        screen.write(text.close())
        raise
    screen.write(text.close() + "\n")
