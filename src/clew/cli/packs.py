"""The command pack: prints a pack, or explains it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.figures import shows_tokens
from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import print_json, say, size
from clew.cli.sources import AUTO, session_of
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.engine.prompt.pack import Pack
    from clew.packing.report import Omission

_BAR = 24
#: Branches of a budget that have a share of it; system prompt and input are sent whole.
_SHARED = ("knowledge", "conversation")


def pack(
    source: Source,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget", metavar="N", help="Tokens for the whole request; default: the window less the reserve."
        ),
    ] = None,
    query: Annotated[str, typer.Option("--query", metavar="TEXT", help="The user's next question.")] = "",
    target: Annotated[
        str, typer.Option("--for", metavar="PROVIDER", help="anthropic, openai-chat, openai-responses, gemini or text.")
    ] = "text",
    explain: Annotated[bool, typer.Option("--explain", help="Show what was kept, cut and left out, and why.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Print the prompt that fits a budget.

    It is valid for the provider; without --query it is the conversation so far. Nothing is recorded.
    """
    from clew.codecs import jsonio

    with session_of(source, store, format=format) as session:
        built = session.pack(query or None, budget=budget, target=target, record=False)
        if as_json:
            print_json(_json(built), unmasked=True)
        elif explain:
            _explain(built, query)
        else:
            body = built.text if target == "text" else jsonio.dumps(built.request()).decode()
            sys.stdout.write(body + "\n")


def _json(built: Pack) -> dict[str, Any]:
    return {
        "session": built.session,
        "budget": built.budget,
        "tokens": built.tokens,
        "epoch": built.epoch,
        "digest": built.digest,
        "shares": built.shares,
        "sections": [asdict(section) for section in built.sections],
        **_body(built),
        "counted": built.counted,
        "left_out": [asdict(omission) for omission in built.left_out],
    }


def _body(built: Pack) -> dict[str, Any]:
    return {"text": built.text} if built.target == "text" else {"request": built.request()}


def _explain(built: Pack, query: str) -> None:
    from clew.text.complexity import complexity

    numbers, how = f"{built.tokens / built.budget:.0%} of the budget", ""
    if shows_tokens():
        numbers, how = f"{built.tokens} of {built.budget} tokens", f" ({built.counted})"
    say(f"session {built.session}: {numbers} for {built.target}{how}")
    if query:
        shares = ", ".join(f"{name} {built.shares[name]:.0%}" for name in _SHARED)
        say(f"complexity of the query {complexity(query)}: {shares}")
    for section in built.sections:
        bar = "█" * max(1, round(_BAR * section.tokens / built.budget))
        sources = (
            f"{section.sources[0]} … {section.sources[-1]}" if len(section.sources) > 2 else ", ".join(section.sources)
        )
        tokens = f"{size(section.tokens):>7}  " if shows_tokens() else ""
        say(f"  L{section.layer} {section.name:<15} {tokens}{bar:<{_BAR}}  {sources}".rstrip())
    for what, omissions in _not_whole(built).items():
        tokens = (
            f", {size(sum(omission.tokens for omission in omissions))} tokens as recorded" if shows_tokens() else ""
        )
        say(f"not word for word: {pluralise(len(omissions), what)}{tokens}; each can be read by its id")
        _list(omissions)


#: What the omissions of a kind are; all others are segments.
_LISTED_AS = {"curated": "output", "clipped": "message"}


def _not_whole(built: Pack) -> dict[str, list[Omission]]:
    """What is listed, by what it is; segments are always named, also when there are none."""
    by_kind: dict[str, list[Omission]] = {"segment": []}
    for omission in built.left_out:
        by_kind.setdefault(_LISTED_AS.get(omission.shown_as, "segment"), []).append(omission)
    return by_kind


def _list(left: Sequence[Omission]) -> None:
    shown = shows_tokens()
    for omission in left:
        tokens = f"{size(omission.tokens):>7}  " if shown else ""
        say(f"  {omission.id:<7} {tokens}as {omission.shown_as}: {omission.reason}")
