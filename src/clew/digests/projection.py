"""Digests, trios, story and names index of a session, kept up to date as it grows.

Borders are not drawn here: they are read from the rows of the segments projection, which is told of the same
changes first. So the two can never disagree, also when this one is made anew under other settings. A segment is
finished when a message of a later one comes; what comes later still (an edit, a late output, a run that makes an
old failure good) changes its rows again.

Rows: ``draft/`` facts of a segment, and once it is finished ``trio/`` its header and summary, ``told/`` the story as
it stood after it, ``name/`` segments by name; ``moved/`` where a new version of a message stands. ``reading.py``
reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from clew.config import DigestConfig
from clew.digests.borders import Borders
from clew.digests.drafts import Draft, finished
from clew.digests.jobs import makes_good
from clew.digests.names_index import added, names_of
from clew.digests.stored import restored, stored
from clew.digests.story import evolve
from clew.digests.trio import trio
from clew.domain import Digest, Story
from clew.history.fold import message_id
from clew.history.segments import Segments
from clew.ports import Change, News, Rollback, Rows

DRAFT, TRIO, TOLD, NAME, MOVED = "draft/", "trio/", "told/", "name/", "moved/"
#: Segments whose failures are still looked after; older ones stay as they ended.
_MAX_FAILING = 8


@dataclass(slots=True)
class _State:
    """``open`` is the segment under way, ``base`` the last one whose story counts, ``failing`` what failed where."""

    open: str = ""
    base: str = ""
    failing: dict[str, list[str]] = field(default_factory=dict)


class Digests:
    name = "digests"
    version = 2
    keeps_ids = False

    def __init__(self, config: DigestConfig) -> None:
        self._config = config

    def apply(self, state: Any, changes: Iterable[News], rows: Rows) -> Any:
        work = _Work(self._config, restored(_State, state or {}), rows)
        for change in changes:
            if isinstance(change, Change):
                work.take(change)
            elif isinstance(change, Rollback):
                work.roll_back()
        return stored(work.put_aside())


class _Work:
    """One run over new changes; drafts are read when needed and written when it ends."""

    def __init__(self, config: DigestConfig, state: _State, rows: Rows) -> None:
        self._config, self._state, self._rows = config, state, rows
        self._borders = Borders(rows.of(Segments.name), state.open)
        self._drafts: dict[str, Draft] = {}
        self._amended: set[str] = set()

    def take(self, change: Change) -> None:
        home = self._home(change)
        if not home:
            return
        if home > self._state.open:
            self._close()
            self._state.open = home
        draft = self._draft(home)
        if change.replaces:
            draft.forget(message_id(change.replaces))
        source = message_id(change.number)
        for about in draft.add(change.message, source, notes=change.notes):
            self._make_good(about, source)
        if home != self._state.open:
            self._amended.add(home)

    def roll_back(self) -> None:
        """The story goes back to the last segment that is still in the prompt view."""
        self._state.base = max(self._live(), default="")

    def put_aside(self) -> _State:
        """Everything that changed, written; the state to go on with."""
        if self._amended:
            self._tell_again(min(self._amended))
        for name in sorted(self._amended):
            self._save_trio(name)
        for name, draft in sorted(self._drafts.items()):
            self._rows.put(DRAFT + name, stored(draft))
        return self._state

    # ── where a message stands ───────────────────────────────────────────────────────────────────────

    def _home(self, change: Change) -> str:
        if change.replaces:
            home = self._rows.get(f"{MOVED}{change.replaces}") or self._borders.of(change.replaces)
            self._rows.put(f"{MOVED}{change.number}", home)
            return str(home)
        moved = self._rows.get(f"{MOVED}{change.number}") if change.grows else None
        return str(moved or self._borders.of(change.number))

    def _draft(self, name: str) -> Draft:
        if name not in self._drafts:
            self._drafts[name] = restored(Draft, self._rows.get(DRAFT + name) or {})
        return self._drafts[name]

    def _digest(self, name: str) -> Digest:
        return finished(self._draft(name), self._borders.id(name), tokens=self._borders.tokens(name))

    # ── finishing a segment ──────────────────────────────────────────────────────────────────────────

    def _close(self) -> None:
        name = self._state.open
        if not name:
            return
        digest = self._digest(name)
        self._save_trio(name)
        self._index(digest)
        if about := list(dict.fromkeys(one.about for one in digest.failures if not one.resolved)):
            self._state.failing[name] = about
            self._state.failing = dict(sorted(self._state.failing.items())[-_MAX_FAILING:])
        if not self._borders.is_left(name):
            self._rows.put(TOLD + name, stored(evolve(self._base(), digest)))
            self._state.base = name

    def _base(self) -> Story:
        return restored(Story, self._rows.get(TOLD + self._state.base) or {}) if self._state.base else Story()

    def _save_trio(self, name: str) -> None:
        self._rows.put(TRIO + name, stored(trio(self._digest(name), self._config)))

    def _index(self, digest: Digest) -> None:
        for name in names_of(digest):
            self._rows.put(NAME + name, added(self._rows.get(NAME + name) or (), digest.id))

    # ── changing what is finished ────────────────────────────────────────────────────────────────────

    def _make_good(self, about: str, source: str) -> None:
        """A step succeeded: what had failed in earlier segments may be resolved by it."""
        for name, failing in list(self._state.failing.items()):
            left = [one for one in failing if not makes_good(about, one)]
            if len(left) < len(failing):
                self._draft(name).succeed(about, source)
                self._save_trio(name)
                self._state.failing[name] = left
        self._state.failing = {name: left for name, left in self._state.failing.items() if left}

    def _tell_again(self, first: str) -> None:
        """The story from a changed segment on."""
        live = self._live()
        self._state.base = max((name for name in live if name < first), default="")
        for name in (name for name in live if name >= first):
            self._rows.put(TOLD + name, stored(evolve(self._base(), self._digest(name))))
            self._state.base = name

    def _live(self) -> list[str]:
        """Finished segments whose story counts, in order."""
        told = [name.removeprefix(TOLD) for name, _ in self._rows.scan(TOLD, after(TOLD))]
        return [name for name in told if not self._borders.is_left(name)]


def after(prefix: str) -> str:
    """The first name that no longer begins with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
