"""What became of imported files, as JSON, as lines and as a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.cli.output import note, say
from clew.cli.table import clip_to_columns, table
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.engine.ingest.importer import ImportReport

#: Columns that a session's id may take.
_MOST_ID = 20


def report_json(report: ImportReport) -> dict[str, Any]:
    """Returns a report with the keys that are documented."""
    return {name: value for name, value in asdict(report).items() if name != "conversation"}


def say_report(report: ImportReport) -> None:
    """Prints what became of one file, for people."""
    restored = f", {report.restored} lost records restored" if report.restored else ""
    repairs = f", {pluralise(report.repairs, 'repair')} of the history when it is sent" if report.repairs else ""
    messages = pluralise(report.messages, "message")
    say(f"{report.session}: {report.new_messages} new of {messages} ({report.format}){restored}{repairs}")
    for skipped in report.skipped:
        line = f":{skipped.line}" if skipped.line else ""
        note(f"  {report.path}{line}: {skipped.reason}")


def show_reports(reports: Sequence[ImportReport], *, latest: str) -> None:
    """Prints a table with a row for each session."""
    columns = ["path", "format", "session", "messages", "new", "skipped"]
    folder = os.path.commonpath([Path(report.path).absolute().parent for report in reports])
    for line in table(columns, [_row(report, folder) for report in reports], right=columns[3:], cut="path"):
        say(line)
    count = pluralise(len({report.session for report in reports}), "session")
    say(f"{count}; latest is {latest}" if latest else count)


def _row(report: ImportReport, folder: str) -> list[str]:
    numbers = (report.messages, report.new_messages, len(report.skipped))
    session = clip_to_columns(report.session, _MOST_ID)
    return [os.path.relpath(report.path, folder), report.format, session, *map(str, numbers)]
