"""The command check: judges a request by a provider's rules, and repairs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import print_json, say
from clew.cli.sources import AUTO
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.cli.check_request.judged import JudgedRequest
    from clew.domain import Finding, Repair


def check(
    source: Source,
    provider: Annotated[
        str, typer.Option("--for", metavar="PROVIDER", help="anthropic, openai-chat, openai-responses or gemini.")
    ],
    final: Annotated[bool, typer.Option("--final", help="Check it as a complete request, ready to be sent.")] = False,
    previous: Annotated[
        Path | None,
        typer.Option("--previous", metavar="FILE", help="The request sent before, for rules that compare."),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", metavar="NAME", help="mistral or deepseek (openai-chat), bedrock (anthropic)."),
    ] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Repair it and write the result to --out.")] = False,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="File for the repaired request.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Let --out replace the file that is checked.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Check a history against a provider's rules.

    A file of messages is judged as the provider's own request; a session, or a file whose --format is another, as it
    would be sent. A history may end with a reply or an open call; a request that names its model, and any with --final,
    is judged as complete. Findings are listed by rule (docs/rules.md). The exit code is 1 if the provider would refuse
    it.
    """
    from clew.cli.check_request.judged import Terms, findings_of, refuse_bad_output, requests_to_judge, write_repaired

    refuse_bad_output(source, out, repair=repair, overwrite=overwrite)
    terms = Terms.for_provider(provider, final=final, dialect=dialect, previous=previous)
    with requests_to_judge(source, store, provider, format) as requests:
        results = [(request, findings_of(request, terms)) for request in requests]
        goes_on = any(
            not findings and findings_of(request, replace(terms, final=True)) for request, findings in results
        )
        repairs = write_repaired(requests, terms, out) if out else None
    if as_json:
        _print_json(results, repairs, goes_on=goes_on)
    else:
        _show(results, provider, repairs=repairs, out=out, goes_on=goes_on)
    raise typer.Exit(1 if any(findings for _, findings in results) else 0)


_Results = Sequence[tuple["JudgedRequest", "list[Finding]"]]


def _print_json(results: _Results, repairs: tuple[Repair, ...] | None, *, goes_on: bool) -> None:
    from dataclasses import asdict

    rows = [
        {"rule": finding.rule, "at": finding.at, "id": finding.id, "message": finding.message}
        | ({} if request.is_own else {"messages": list(request.messages_at(finding.at)) if finding.at >= 0 else []})
        | ({"session": request.name} if len(results) > 1 else {})
        for request, findings in results
        for finding in findings
    ]
    answer: dict[str, Any] = {"valid": not rows, "findings": rows} | ({"goes_on": True} if goes_on else {})
    if what := ", ".join(dict.fromkeys(request.what for request, _ in results if not request.is_own)):
        answer |= {"judged": what}
    print_json(answer if repairs is None else answer | {"repairs": [asdict(made) for made in repairs]})


#: Said of a history that is valid so far, and that no one would answer as it is.
_GOES_ON = "; as a history that goes on: --final says what is missing to send it as it is"


def _show(
    results: _Results, provider: str, *, repairs: tuple[Repair, ...] | None, out: Path | None, goes_on: bool
) -> None:
    what = ", ".join(dict.fromkeys(request.what for request, _ in results))
    findings = [(request, finding) for request, broken in results for finding in broken]
    for one, finding in findings:
        prefix = f"{one.name} " if len(results) > 1 else ""
        say(f"{prefix}{finding.rule} at {one.place(finding, provider)}: {finding.message}")
    for made in repairs or ():
        say(f"repaired {made.rule} at {made.at}: {made.message}")
    then = f"repaired in {out}" if out else "--repair --out FILE repairs it"
    if findings:
        say(f"{pluralise(len(findings), 'finding')}: {provider} would refuse {what}; {then}")
    else:
        say(f"valid for {provider}: {what}" + (f"; written to {out}" if out else _GOES_ON if goes_on else ""))
