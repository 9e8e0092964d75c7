"""The typer application: all commands, in the order in which help lists them."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any

import typer

from clew.cli import compaction, demo, drift, gain, health, imports, left_open, packs, transcripts, upkeep
from clew.cli.audit_report.command import audit
from clew.cli.chat.command import chat
from clew.cli.check_request.command import check
from clew.cli.coding_assistants import client_setup, hooks
from clew.cli.coding_assistants.handback import handback
from clew.cli.coding_assistants.mend import mend
from clew.cli.critical_items import pins, profile
from clew.cli.knowledge_modules.command import knowledge
from clew.cli.options import show_help, with_user
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


app.command("import")(with_user(imports.import_))
app.command()(with_user(transcripts.sessions))
app.command()(with_user(transcripts.show))
app.command("open")(with_user(left_open.open_))
app.command()(audit)
app.command()(with_user(gain.gain))
app.command()(with_user(transcripts.export))
app.command()(with_user(check))
app.command()(with_user(packs.pack))
app.command()(with_user(chat))
app.command()(with_user(compaction.compact))
app.command()(with_user(mend))
app.command()(with_user(health.health))
app.command()(with_user(drift.drift))
app.command()(with_user(search))
app.command()(with_user(pins.pin))
app.command()(with_user(pins.pins))
app.command()(with_user(pins.unpin))
app.add_typer(knowledge, name="knowledge")
app.command()(with_user(profile.remember))
app.command()(profile.forget)
app.add_typer(profile.profile, name="profile")
app.command()(client_setup.wrap)
app.command()(client_setup.unwrap)
app.command()(with_user(handback))
app.command()(hooks.pause)
app.command()(hooks.resume)
app.command()(hooks.hook)
app.command()(hooks.statusline)
app.command()(with_user(serve))
app.command()(with_user(mcp))
app.add_typer(token, name="token")
app.command()(upkeep.doctor)
app.command()(with_user(upkeep.purge))
app.command()(with_user(upkeep.rebuild))
app.command()(demo.demo)


@cache
def program() -> Any:
    """Returns the program as one callable command. Signatures of all commands are read for it, so it is made once."""
    command = typer.main.get_command(app)
    read_plainly(command)
    return command
