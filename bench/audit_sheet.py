"""Draws findings of an audit by a seed, as a sheet for somebody who judges whether each is true.

``python -m bench.audit_sheet PATH… --count 50 --seed 7 --out sheet.md``; ``--half even`` takes only files whose names
have an even checksum, so that one half can be kept for the last measurement.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from clew.audit.recorded_session import read_sessions
from clew.audit.report import AuditReport
from clew.audit.run import Audit
from clew.audit.shown_text import message_text
from clew.audit.values import Evidence, Finding, FindingKind
from clew.engine.ingest.folders import FolderWalk

_MEANINGS = {
    FindingKind.LOST: (
        "True if the thing was known before the compaction, the summary does not hold it, and behind the compaction the"
        " agent used it before anything had shown it again."
    ),
    FindingKind.CODE: (
        "True if the lines were known before the compaction, and behind it an edit that succeeded replaced them, which"
        " the agent had from where the finding says."
    ),
    FindingKind.READ_AGAIN: (
        "True if the last message shows that many lines which the others, before the compaction, had shown of the same"
        " file, search or command."
    ),
    FindingKind.REPEATED: "True if all messages say the same rule, and it was not one message that was sent again.",
    FindingKind.BROKEN: "True if the rule was given first, held then, and the act that is quoted breaks it.",
}


def draw(report: AuditReport, count: int, seed: int) -> list[Finding]:
    """Draws findings, the same for the same seed."""
    found = sorted(report.findings, key=lambda one: one.id)
    return random.Random(seed).sample(found, min(count, len(found)))


def sheet(findings: Sequence[Finding]) -> Iterator[str]:
    """Yields the sheet, line by line: each finding with its quotations, then the summaries it speaks of."""
    yield "# Findings to judge"
    yield ""
    yield "For each: read the quotations, and where these do not settle it the messages (`clew show FILE ID`, or that"
    yield "line of the file). Write `true` or `false` and why; what is not certain is false. Summaries are at the end."
    summaries: dict[tuple[str, str], Evidence] = {}
    for place, one in enumerate(findings, 1):
        yield from ("", f"## {place}. {one.id} ({one.kind.value}, {one.what})", "", f"**{one.says}**", "")
        yield _MEANINGS[one.kind]
        for shown in one.evidence:
            if shown.speaker == "summary":
                summaries[shown.source, shown.message] = shown
                yield from ("", f"- {shown.role}: summary {shown.message} of `{shown.source}`, below")
            else:
                yield from _quoted(shown, shown.text)
        yield from ("", "Verdict: ")
    for shown in summaries.values():
        yield from _quoted(shown, _whole(shown))


def _whole(one: Evidence) -> str:
    sessions = read_sessions(one.source.partition("#")[0]).sessions
    found = (message for session in sessions if session.source == one.source for message in session.messages)
    return next(message_text(message) for message in found if message.id == one.message)


def _quoted(one: Evidence, text: str) -> Iterator[str]:
    yield from ("", f"- {one.role}: {one.message} ({one.speaker}), `{one.source}:{one.line}`", "")
    yield from (f"      {line}" for line in text.split("\n"))


def _files(paths: Sequence[str], half: str) -> list[str]:
    found = [file for path in paths for file in (FolderWalk(path).files() if Path(path).is_dir() else (path,))]
    wanted = {"even": (0,), "odd": (1,)}.get(half, (0, 1))
    return [file for file in found if crc32(Path(file).name.encode()) % 2 in wanted]


def main() -> None:
    """Writes the sheet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", choices=("all", "even", "odd"), default="all")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    audit = Audit()
    audit.find_files(_files(given.paths, given.half))
    audit.read_figures(lambda _path: None)
    report = audit.read_findings(lambda _path: None)
    text = "\n".join(sheet(draw(report, given.count, given.seed))) + "\n"
    if given.out:
        given.out.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
