"""pack: what to send."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, Source, StoreUrl, session_of

if TYPE_CHECKING:
    from clew.engine.pack import Pack
    from clew.packing.pack import LeftOut

_BAR = 24


def pack(
    source: Source,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget", metavar="N", help="Tokens for the whole request; default: the window less the reserve."
        ),
    ] = None,
    query: Annotated[str, typer.Option("--query", metavar="TEXT", help="What is asked next.")] = "",
    target: Annotated[
        str, typer.Option("--for", metavar="PROVIDER", help="anthropic, openai-chat, openai-responses, gemini or text.")
    ] = "text",
    explain: Annotated[bool, typer.Option("--explain", help="What was kept, shrunk and left out, and why.")] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """What to send: a prompt that fits the budget and is valid for the provider."""
    from clew.cli.output import print_json
    from clew.codecs import jsonio

    with session_of(source, store) as session:
        made = session.pack(query or None, budget=budget, record=False)
        if as_json:
            print_json(_json(made, target), unmasked=True)
        elif explain:
            _explain(made, target)
        else:
            body = made.text if target == "text" else jsonio.dumps(made.request(target)).decode()
            sys.stdout.write(body + "\n")


def _json(made: Pack, target: str) -> dict[str, Any]:
    body = _body(made, target)
    return {
        "session": made.session,
        "budget": made.budget,
        "tokens": made.tokens,
        "epoch": made.epoch,
        "digest": made.digest,
        "sections": [asdict(section) for section in made.sections],
        **body,
        "left_out": [asdict(one) for one in made.left_out],
    }


def _body(made: Pack, target: str) -> dict[str, Any]:
    return {"text": made.text} if target == "text" else {"request": made.request(target)}


def _explain(made: Pack, target: str) -> None:
    from clew.cli.output import say, size

    _body(made, target)
    say(f"session {made.session}: {made.tokens} of {made.budget} tokens for {target}")
    for section in made.sections:
        bar = "█" * max(1, round(_BAR * section.tokens / made.budget))
        sources = (
            f"{section.sources[0]} … {section.sources[-1]}" if len(section.sources) > 2 else ", ".join(section.sources)
        )
        say(f"  L{section.layer} {section.name:<10} {size(section.tokens):>7}  {bar:<{_BAR}}  {sources}".rstrip())
    for what, found in _not_whole(made).items():
        tokens = size(sum(one.tokens for one in found))
        say(f"not word for word: {len(found)} {what}, {tokens} tokens; each can be read by its id")
        _list(found)


def _not_whole(made: Pack) -> dict[str, list[LeftOut]]:
    left = made.left_out
    segments = [one for one in left if one.shown_as != "curated"]
    outputs = [one for one in left if one.shown_as == "curated"]
    return {
        what: found for what, found in (("segments", segments), ("outputs", outputs)) if found or what == "segments"
    }


def _list(left: Sequence[LeftOut]) -> None:
    from clew.cli.output import say, size

    for one in left:
        say(f"  {one.id:<7} {size(one.tokens):>7}  as {one.shown_as}: {one.reason}")
