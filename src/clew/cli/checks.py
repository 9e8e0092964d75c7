"""The command check: judges a request by a provider's rules."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.sources import AUTO, sessions_of

if TYPE_CHECKING:
    from clew.domain import Finding
    from clew.engine.session import Session


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
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Check a history against a provider's rules.

    Findings are listed by rule. The exit code is 1 if the provider would refuse it.
    """
    from clew.codecs import registry
    from clew.errors import UsageError

    registry.encoder(provider)
    if repair != (out is not None):
        raise UsageError("--repair and --out FILE go together")
    with sessions_of(source, store, format=format) as found:
        before = _loaded(previous) if previous else None
        results = [
            (
                one,
                _findings(
                    source if len(found) == 1 else "",
                    one,
                    provider,
                    format=format,
                    final=final,
                    previous=before,
                    dialect=dialect,
                ),
            )
            for one in found
        ]
        if repair and out:
            _write_repaired(found, provider, out)
    _show(results, provider, mended=out, as_json=as_json)


def _findings(
    source: str,
    session: Session,
    provider: str,
    *,
    format: str,
    final: bool,
    previous: dict[str, Any] | None,
    dialect: str | None,
) -> list[Finding]:
    from clew import rules

    request = _given_request(source, provider, format) if source else None
    if request is None:
        request = session.request(provider, repair=False)[0].body
    return rules.check(request, provider, final=final, previous=previous, dialect=dialect)


def _loaded(path: Path) -> dict[str, Any]:
    from clew.codecs import jsonio
    from clew.errors import UsageError

    try:
        return jsonio.loads_object(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"--previous {path} is no request: {error}") from None


def _given_request(source: str, provider: str, format: str) -> dict[str, Any] | None:
    """A file that holds the provider's own request is judged as it stands, settings included."""
    import json

    from clew.codecs import jsonio, registry

    path = Path(source)
    if not path.is_file() or path.stat().st_size > jsonio.MAX_RECORD_BYTES or _format(path, format) != provider:
        return None
    try:
        # Read strictly, not as imports are: what the tolerant reader mends must be found here.
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    is_request = isinstance(value, dict) and isinstance(value.get(registry.MESSAGE_LISTS[provider]), list)
    return value if is_request else None


def _format(path: Path, format: str) -> str:
    from clew.codecs import registry
    from clew.codecs.sources import open_source, peek

    if format != AUTO:
        return format
    with open_source(path) as stream:
        return registry.detect(peek(stream), str(path)).name


def _write_repaired(found: list[Session], provider: str, out: Path) -> None:
    from clew.cli.session_export import export_session
    from clew.errors import UsageError

    if len(found) != 1:
        raise UsageError(f"--repair writes one conversation and there are {len(found)}; choose one with FILE#ID")
    export_session(found[0], provider, out, unmasked=True, as_json=False)


def _show(results: list[tuple[Session, list[Finding]]], provider: str, *, mended: Path | None, as_json: bool) -> None:
    from clew.cli.output import print_json, say
    from clew.text.plurals import counted

    findings = [(session, finding) for session, found in results for finding in found]
    if as_json:
        many = len(results) > 1
        rows = [asdict(finding) | ({"session": session.id} if many else {}) for session, finding in findings]
        print_json({"valid": not findings, "findings": rows})
    elif not findings:
        say(f"valid for {provider}")
    else:
        for session, finding in findings:
            prefix = f"{session.id} " if len(results) > 1 else ""
            say(f"{prefix}{finding.rule} at {finding.at}: {finding.message}")
        then = f"mended in {mended}" if mended else "--repair --out FILE mends it"
        say(f"{counted(len(findings), 'finding')}: {provider} would refuse this; {then}")
    raise typer.Exit(1 if findings else 0)
