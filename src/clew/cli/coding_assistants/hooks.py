"""The commands that assistants start (hook, statusline), and the switch that silences them (pause, resume).

An assistant that starts one does not come by here: ``clew.cli.__main__`` answers it without loading the command line.
"""

from __future__ import annotations

from typing import Annotated

import typer

from clew.cli.options import AsJson, StoreUrl
from clew.cli.output import print_json, say


def hook(
    client: Annotated[str, typer.Argument(metavar="CLIENT", help="claude-code or codex.", show_default=False)],
    event: Annotated[
        str,
        typer.Argument(
            metavar="EVENT",
            help="PreCompact, PostCompact, SessionStart, SubagentStop, UserPromptSubmit or PostToolUse.",
            show_default=False,
        ),
    ],
    store: StoreUrl = None,
) -> None:
    """Answer an event of a coding assistant, which gives it as JSON on standard input.

    It always ends with 0, and says nothing where it cannot help; hooks.log in the data folder says why.
    """
    from clew.hooks.program import run_hook

    run_hook([client, event, *(["--store", store] if store else [])])


def statusline(store: StoreUrl = None) -> None:
    """Print a line for the status line of Claude Code, which gives its state as JSON on standard input.

    The share of the window, drift, critical items, and whether the prompt cache is warm.
    """
    from clew.hooks.program import run_statusline

    run_statusline(["--store", store] if store else [])


def pause(as_json: AsJson = False) -> None:
    """Silence every hook and the status line, and let the gateway pass everything as it comes, until `clew resume`."""
    from clew.hooks import switch

    changed = switch.pause()
    line = (
        "paused: hooks say nothing and the gateway changes nothing until `clew resume`"
        if changed
        else "paused already; `clew resume` ends it"
    )
    print_json({"paused": True, "changed": changed}) if as_json else say(line)


def resume(as_json: AsJson = False) -> None:
    """Let hooks, the status line and the gateway work again."""
    from clew.hooks import switch

    changed = switch.resume()
    print_json({"paused": False, "changed": changed}) if as_json else say(
        "hooks and the gateway work again" if changed else "nothing was paused"
    )
