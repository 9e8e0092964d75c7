"""The typer application: all commands, in the order in which help lists them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from clew.cli import compaction, demo, drift, health, imports, packs, pins, transcripts, upkeep
from clew.cli.audit_report.command import audit
from clew.cli.chat.command import chat
from clew.cli.check_request.command import check
from clew.cli.coding_assistants import client_setup, hooks
from clew.cli.coding_assistants.handback import handback
from clew.cli.coding_assistants.mend import mend
from clew.cli.knowledge_modules.command import knowledge
from clew.cli.options import show_help
from clew.cli.parameters import read_plainly
from clew.cli.search_results.command import search
from clew.cli.servers.mcp import mcp
from clew.cli.servers.serve import serve
from clew.cli.servers.tokens import token

app = typer.Typer(
    name="clew",
    help="Keeps every word of long conversations with language models, and sends only what matters.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from clew import __version__

        typer.echo(f"clew {__version__}")
        raise typer.Exit


@app.callback()
def clew(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 (its callback has answered it)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Keeps every word of long conversations with language models, and sends only what matters."""
    show_help(context)


app.command("import")(imports.import_)
app.command()(transcripts.sessions)
app.command()(transcripts.show)
app.command()(audit)
app.command()(transcripts.export)
app.command()(check)
app.command()(packs.pack)
app.command()(chat)
app.command()(compaction.compact)
app.command()(mend)
app.command()(health.health)
app.command()(drift.drift)
app.command()(search)
app.command()(pins.pin)
app.command()(pins.pins)
app.command()(pins.unpin)
app.add_typer(knowledge, name="knowledge")
app.add_typer(pins.profile, name="profile")
app.command()(client_setup.wrap)
app.command()(client_setup.unwrap)
app.command()(handback)
app.command()(hooks.pause)
app.command()(hooks.resume)
app.command()(hooks.hook)
app.command()(hooks.statusline)
app.command()(serve)
app.command()(mcp)
app.add_typer(token, name="token")
app.command()(upkeep.doctor)
app.command()(upkeep.purge)
app.command()(upkeep.rebuild)
app.command()(demo.demo)


@cache
def program() -> Any:
    """Returns the program as one callable command. Signatures of all commands are read for it, so it is made once."""
    command = typer.main.get_command(app)
    read_plainly(command)
    return command
