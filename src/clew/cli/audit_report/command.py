"""The command audit: reads session files that assistants keep, and reports on them. It writes nothing but --html."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.options import AsJson, FileFormat
from clew.cli.output import note, print_json, progress
from clew.cli.sources import AUTO
from clew.errors import NotFound, UsageError
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.audit.report import AuditReport
    from clew.audit.run import Advance, Audit


def audit(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Session files, or folders of them such as ~/.claude.", show_default=False),
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write the report as one page.")] = None,
    what_if: Annotated[
        bool, typer.Option("--what-if", help="Also say what Clew's packs would have cost and kept.")
    ] = False,
    budget: Annotated[
        int, typer.Option("--budget", metavar="N", help="Tokens of these packs; by default those of each summary.")
    ] = 0,
    finding: Annotated[
        str,
        typer.Option("--finding", metavar="ID", help="Show the messages behind a finding or a figure (tool:Read)."),
    ] = "",
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Look anew, and keep nothing for the next time.")
    ] = False,
    clear_cache: Annotated[
        bool, typer.Option("--clear-cache", help="Delete what was kept for the next time; no PATH is needed.")
    ] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
) -> None:
    """Report on past sessions: where tokens went, what compactions lost, what was read again.

    Session files are only read, and nothing is stored but a cache of what was found. Lost is a fact that the next 60
    messages used before anything had shown it again, and that the summary does not hold.
    """
    from clew.audit.result_cache import ResultCache, audit_cache, clear_audit_cache
    from clew.audit.run import Audit, AuditOptions
    from clew.config import load

    if budget < 0 or (budget and not what_if):
        raise UsageError("--budget is a number of tokens for --what-if; give both, such as --what-if --budget 4000")
    if html is not None and finding:
        raise UsageError("--html writes the whole report and --finding shows one of it; give one of them")
    if clear_cache:
        note(f"deleted {pluralise(clear_audit_cache(), 'entry')} of the cache")
    if not paths:
        if clear_cache:
            return
        raise UsageError("name session files, or a folder that an assistant writes to, such as ~/.claude or ~/.codex")
    cache = None if no_cache else ResultCache(audit_cache())
    options = AuditOptions(format=format, what_if=what_if, budget=budget, prices=load().prices, cache=cache)
    run = Audit(options)
    run.find_files(paths)
    if finding:
        _look_up(run, finding, as_json=as_json)
    else:
        _report(run, paths, html=html, as_json=as_json)
    _note_skipped(run, as_json=as_json)
    raise typer.Exit(run.exit_code)


def _report(run: Audit, paths: Sequence[str], *, html: Path | None, as_json: bool) -> None:
    """Shows tables as they are known: where tokens went first, then the rest."""
    from clew.cli.audit_report.terminal import show_figures, show_findings

    report = _figures(run, paths)
    if not as_json:
        show_figures(report)
    with _progress(run.files, "compactions") as advance:
        report = run.read_findings(advance)
    if html is not None:
        _write_page(report, html)
    if as_json:
        from clew.audit.report_json import report_json

        print_json(report_json(report))
    else:
        show_findings(report, paths)


def _look_up(run: Audit, id: str, *, as_json: bool) -> None:
    from dataclasses import asdict

    from clew.audit.report import is_figure, look_up
    from clew.cli.audit_report.terminal import show_detail

    report = _figures(run, run.files)
    if not is_figure(id):
        with _progress(run.files, "compactions") as advance:
            report = run.read_findings(advance)
    finding = look_up(report, id)
    if as_json:
        print_json({"finding": asdict(finding)})
    else:
        show_detail(finding, report)


def _figures(run: Audit, paths: Sequence[str]) -> AuditReport:
    """Counts all files. Raises NotFound where there is no session among them."""
    with _progress(run.files, "tokens") as advance:
        report = run.read_figures(advance)
    if not report.sessions:
        failed = [file.reason for file in run.skipped if file.is_failure]
        if failed and len(failed) == len(run.files):
            raise NotFound("; ".join(failed))
        first = f"{run.skipped[0].reason}; " if len(run.skipped) == 1 else ""
        looked = f"{pluralise(len(run.files), 'file')} looked at"
        raise NotFound(
            f"{first}no session in {', '.join(paths)} ({looked}); name a folder that an assistant writes to, such as"
            " ~/.claude or ~/.codex"
        )
    return report


@contextmanager
def _progress(files: Sequence[str], title: str) -> Iterator[Advance]:
    """A bar on a terminal that moves as files are done."""
    sizes = {path: Path(path).stat().st_size if Path(path).is_file() else 0 for path in files}
    done, count = 0, 0
    with progress(title, sum(sizes.values())) as move:

        def advance(path: str) -> None:
            nonlocal done, count
            done, count = done + sizes.get(path, 0), count + 1
            move(done, f"{title}: {count} of {len(sizes)}")

        yield advance


def _write_page(report: AuditReport, out: Path) -> None:
    from clew.audit.page import report_page
    from clew.cli.file_output import write_file

    size = write_file(out, [report_page(report).encode("utf-8", "replace")])
    note(f"wrote {out} ({size / 1e6:.1f} MB)")


def _note_skipped(run: Audit, *, as_json: bool) -> None:
    """Notes files that are not in the report, a few by name."""
    shown = run.skipped[:_MAX_NAMED]
    for file in shown:
        note(f"clew: {file.reason}" if file.is_failure else f"left out: {file.reason}")
    if len(run.skipped) > len(shown):
        note(f"left out: {len(run.skipped) - len(shown)} more, which --json names")
    if run.others and not as_json:
        note(f"passed over: {pluralise(run.others, 'file')} of other kinds")


#: Most files left out that are named one by one.
_MAX_NAMED = 12
