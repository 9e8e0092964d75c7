"""Renders facts as short phrases, from which headers and summaries are built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clew.digests.token_fit import clip
from clew.domain import CommandRun, Digest, Failure, FileUsage, FileUse
from clew.text.names import file_name
from clew.text.tools.purposes import command_rank, purpose_of
from clew.text.trim import cut_at_word

#: Where a command ends and what only trims its output begins.
_PIPED = re.compile(r" (?:2>&1|\| (?:tail|head|grep)|> ?/dev/null)")
_MAX_RESULT_CHARS, _MAX_FAILURE_TOKENS = 80, 40


def short_path(path: str) -> str:
    """Returns folder and name of a file: enough to recognise it."""
    return "/".join(path.replace("\\", "/").rstrip("/").split("/")[-2:])


def file_phrase(file: FileUsage, *, names: int = 3) -> str:
    """Renders the use of a file: src/a.py:10-40 (parse, Reader)."""
    lines = ",".join(f"{first}-{last}" if last > first else str(first) for first, last in file.lines[:2])
    inside = f" ({', '.join(file.names[:names])})" if names and file.names else ""
    return f"{short_path(file.text)}{':' + lines if lines else ''}{inside}"


def file_pieces(files: Iterable[FileUsage], *uses: FileUse, names: int = 3) -> tuple[str, ...]:
    """Renders the files that were put to one of these uses, the newest first."""
    chosen = [file for file in files if file.use in uses]
    return tuple(file_phrase(file, names=names) for file in reversed(chosen))


def run_phrase(run: CommandRun) -> str:
    """Renders a run of a command: pytest tests/a.py: 2 failed, 3 passed."""
    result = cut_at_word(run.result, _MAX_RESULT_CHARS)
    is_kept_work = command_rank(run.text) == 1
    command = purpose_of(run.text).name if is_kept_work else cut_at_word(_PIPED.split(run.text, 1)[0], 60)
    code = f"exit {run.status}" if run.status is not None else ""
    if run.ok is None:
        return f"{command}: {code or 'no result'}"
    verdict = result or ("passed" if run.ok else code or "failed")
    mark = "" if run.ok or not result else "failed, "
    return f"{command}: {mark}{verdict}"


def notable_runs(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """Returns the last run for each purpose, tests first; commands that only look around are left out."""
    last = {purpose_of(run.text).name: run for run in runs if command_rank(run.text) < 3 or run.ok is False}
    order = {id(run): index for index, run in enumerate(runs)}
    return sorted(last.values(), key=lambda run: (command_rank(run.text), -order[id(run)]))


def failure_phrase(failure: Failure) -> str:
    """Renders a failure: failed (m40), passed since (m41): AssertionError: 3 != 4 (tests/a.py:12)."""
    place = failure.at if failure.at and failure.at not in failure.text else ""
    where = f" ({short_path(place)})" if place else ""
    since = f", passed since ({failure.resolved})" if failure.resolved else ""
    return f"failed ({failure.source}){since}: {clip(failure.text, _MAX_FAILURE_TOKENS)}{where}"


def notable_failures(digest: Digest) -> list[Failure]:
    """Returns failures of tests, builds and the like, the newest first, each once; a file not found is left out."""
    newest = {failure.text: failure for failure in digest.failures if command_rank(failure.about) < 3}
    return list(reversed(newest.values()))


def open_failures(digest: Digest) -> list[Failure]:
    """Returns notable failures that nothing has resolved."""
    return [failure for failure in notable_failures(digest) if not failure.resolved]


def key_entities(digest: Digest, limit: int = 6) -> tuple[str, ...]:
    """Returns what the segment is about: files it changed, then files it read, then names."""
    made = [file_name(file.text) for file in reversed(digest.files) if file.use is not FileUse.READ]
    read = [file_name(file.text) for file in reversed(digest.files) if file.use is FileUse.READ]
    names = [fact.text for fact in digest.names if len(fact.text) <= 40]
    return tuple(dict.fromkeys([*made, *read[:2], *names]))[:limit]
