"""Facts as short phrases: what headers, summaries and the story are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clew.digests.fitting import clipped
from clew.digests.jobs import job, rank
from clew.digests.quoting import cut_at_word
from clew.domain import Digest, Failure, Ran, Touched, Use

#: Where a command ends and what only trims its output begins.
_PIPED = re.compile(r" (?:2>&1|\| (?:tail|head|grep)|> ?/dev/null)")
_MAX_RESULT_CHARS, _MAX_FAILURE_TOKENS = 80, 40


def short(path: str) -> str:
    """Folder and name: enough to know a file by."""
    return "/".join(path.replace("\\", "/").rstrip("/").split("/")[-2:])


def name_of(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def file_phrase(file: Touched, *, names: int = 3) -> str:
    """src/a.py:10-40 (parse, Reader)"""
    lines = ",".join(f"{first}-{last}" if last > first else str(first) for first, last in file.lines[:2])
    inside = f" ({', '.join(file.names[:names])})" if names and file.names else ""
    return f"{short(file.text)}{':' + lines if lines else ''}{inside}"


def file_pieces(files: Iterable[Touched], *uses: Use, names: int = 3) -> tuple[str, ...]:
    """The files put to one of these uses, the newest first."""
    chosen = [file for file in files if file.use in uses]
    return tuple(file_phrase(file, names=names) for file in reversed(chosen))


def run_phrase(run: Ran) -> str:
    """pytest tests/a.py: 2 failed, 3 passed"""
    result = cut_at_word(run.result, _MAX_RESULT_CHARS)
    command = job(run.text).name if rank(run.text) == 1 else cut_at_word(_PIPED.split(run.text, 1)[0], 60)
    if run.ok is None:
        return f"{command}: no result"
    verdict = result or ("ok" if run.ok else f"exit {run.status}" if run.status is not None else "failed")
    mark = "" if run.ok or not result else "failed, "
    return f"{command}: {mark}{verdict}"


def telling_runs(runs: Sequence[Ran]) -> list[Ran]:
    """The last run of each kind of job, tests first; looking around tells nothing."""
    last = {job(run.text).name: run for run in runs if rank(run.text) < 3 or run.ok is False}
    order = {id(run): at for at, run in enumerate(runs)}
    return sorted(last.values(), key=lambda run: (rank(run.text), -order[id(run)]))


def failure_phrase(failure: Failure) -> str:
    """AssertionError: 3 != 4 (tests/a.py:12) → m41, or: open"""
    place = failure.at if failure.at and failure.at not in failure.text else ""
    where = f" ({short(place)})" if place else ""
    end = f" → {failure.resolved}" if failure.resolved else " (open)"
    return f"{clipped(failure.text, _MAX_FAILURE_TOKENS)}{where}{end}"


def telling_failures(digest: Digest) -> list[Failure]:
    """Failures of tests, builds and the like, the newest first, each once; a file not found is no news."""
    found = {one.text: one for one in digest.failures if rank(one.about) < 3}
    return list(reversed(found.values()))


def open_failures(digest: Digest) -> list[Failure]:
    return [one for one in telling_failures(digest) if not one.resolved]


def key_entities(digest: Digest, limit: int = 6) -> tuple[str, ...]:
    """What the segment is about: files it changed, then files it read, then names."""
    made = [name_of(file.text) for file in reversed(digest.files) if file.use is not Use.READ]
    read = [name_of(file.text) for file in reversed(digest.files) if file.use is Use.READ]
    names = [fact.text for fact in digest.names if len(fact.text) <= 40]
    return tuple(dict.fromkeys([*made, *read[:2], *names]))[:limit]
