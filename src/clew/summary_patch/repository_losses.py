"""What a summary lost of what git printed last: the commits of the branch, how it stands to another one, and files that
commits left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.domain.ids import message_id
from clew.history.work_map.view import WorkMap
from clew.text.plurals import pluralise
from clew.units.already_said import SaidText
from clew.units.unit import Section, Unit, nearness

_HASH, _HASH_CHARS = re.compile(r"[0-9a-f]{12,40}"), 10
_MAX_COMMITS, _MAX_FILES = 4, 6
#: What the newest log is worth, how the branch stands to another one, and files that commits left out.
_LOG_VALUE, _STANDING_VALUE, _LEFT_OUT_VALUE = 2.0, 2.2, 1.9
#: From this share of their names missing in the summary on, files are told.
_MISSING = 0.25


def repository_losses(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """Yields what git printed last and neither the summary nor the state tells."""
    known = work.repository
    yield from _log(work, summary)
    standing, shown_in = known.standing
    if shown_in > max((known.settled_at, *(push.at for push in known.pushes))):
        line = f"git status ({message_id(shown_in)}): {standing}"
        yield Unit(
            section=Section.STATE, number=shown_in, text=line, value=_STANDING_VALUE * nearness(shown_in, work.now)
        )
    yield from _left_out(work, summary)


def _log(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """The commits of the branch that are not told, or the one that this session's commits were put upon."""
    known, log = work.repository, work.repository.log
    if log is None:
        return
    made = {commit.hash[:7] for commit in known.commits}
    if known.head and known.head.at >= log.at:
        made.add(known.head.hash[:7])
    others = [(hash, subject) for hash, subject in log.commits if hash[:7] not in made]
    has_own = len(others) < len(log.commits)
    lost = [f"{hash} {subject}" for hash, subject in others[: _MAX_COMMITS if log.base else 1] if not summary.has(hash)]
    if not lost or (known.head and not log.base and not known.commits and has_own):
        return
    base = log.base[:_HASH_CHARS] if _HASH.fullmatch(log.base) else log.base
    of = f"{base}..HEAD has {pluralise(log.count, 'commit')}" if base else "git log"
    below = ", below this session's commits" if has_own else ""
    line = f"{of} ({message_id(log.at)}){below}: {'; '.join(lost)}"
    yield Unit(section=Section.STATE, number=log.at, text=line, value=_LOG_VALUE * nearness(log.at, work.now))


def _left_out(work: WorkMap, summary: SaidText) -> Iterator[Unit]:
    """One line with the files that the commits since the last status left out, where the summary lacks them."""
    parts = [(label, names) for label, names in work.repository.left_out.items() if names]
    names = [name for _, some in parts for name in some]
    if work.repository.status and 0 < len(names) <= _MAX_FILES and summary.missing(" ".join(names)) >= _MISSING:
        files, shown_in = "; ".join(f"{label} {', '.join(some)}" for label, some in parts), work.repository.status.at
        line = f"not in any commit since git status ({message_id(shown_in)}): {files}"
        yield Unit(section=Section.STATE, number=shown_in, text=line, value=_LEFT_OUT_VALUE)
