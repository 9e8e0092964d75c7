"""The commands token make, list and revoke: who may use the server from elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import AsJson, StoreUrl, show_help
from clew.cli.output import note, print_json, say, when
from clew.cli.sources import open_engine, opened_to_read

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.server.access_tokens import AccessTokens

token = typer.Typer(help="Tokens for using `clew serve` from elsewhere.", invoke_without_command=True)
token.callback()(show_help)


@token.command()
def make(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is for, such as laptop.")],
    user: Annotated[str, typer.Option("--user", metavar="U", help="Whose sessions it opens; by default yours.")] = "",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Make a token; it is shown this once, and only its hash is kept."""
    with open_engine(store) as engine:
        made, secret = _tokens(engine).make(name, user=user or engine.user)
    if as_json:
        import json

        typer.echo(json.dumps({"token": secret, **asdict(made)}))  # as it is: this is the one place that shows it
        return
    note(f"token {made.id} ({made.name}) opens the sessions of {made.user}; keep it, it is not shown again:")
    say(secret)


@token.command("list")
def list_(as_json: AsJson = False, store: StoreUrl = None) -> None:
    """List tokens by id."""
    with opened_to_read(store) as engine:
        tokens = _tokens(engine).all()
    if as_json:
        print_json({"tokens": [asdict(token) for token in tokens]})
        return
    for one in tokens:
        say(f"{one.id}  {one.name}  {one.user}  {when(one.created)}")
    if not tokens:
        say("no tokens; `clew token make NAME` makes one")


@token.command()
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id of the token.")],
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """End a token."""
    with opened_to_read(store) as engine:
        ended = _tokens(engine).revoke(id)
    print_json({"revoked": asdict(ended)}) if as_json else say(f"token {ended.id} ({ended.name}) is revoked")


def _tokens(engine: Engine) -> AccessTokens:
    from clew.server.access_tokens import AccessTokens

    return AccessTokens(engine.store, engine.services.clock)
