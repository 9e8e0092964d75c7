"""External rules hold in a session without being said in it: the user's profile and the project's rule files.

Both are copied into the session's ledger when they are taken in, so that everything derived from them can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from clew.domain import EntryKind, Json
from clew.domain.critical import Candidate, CriticalItem, Scope
from clew.engine.health.pins import Pins
from clew.engine.health.profile import Profile
from clew.engine.ledger.session_ledger import SessionLedger
from clew.signals.projection import SignalsProjection


class ExternalRules:
    """Brings the profile and rule files into one session, and the user's general wishes into the profile."""

    def __init__(self, ledger: SessionLedger, pins: Pins, profile_of: Callable[[str], Profile]) -> None:
        self._ledger, self._pins, self._profile_of = ledger, pins, profile_of

    def teach_profile(self, sources: Collection[str] | None = None) -> None:
        """Brings into the profile what the user said of themselves in these messages, or in any, and takes out of it
        what they took back there. Where nobody was named, there is no profile.
        """
        from clew.signals.critical.own_words import is_of_oneself

        if not (profile := self._profile_of(self._ledger.info.owner)).user:
            return
        items = [item for item in self._pins.all() if item.by in {"person", "profile"}]
        gone = [item for item in items if item.has_ended and _is_in(item.ended_in, sources)]
        profile.unlearn([place for item in gone for place in self._places(item)])
        stated = [item for item in items if item.by == "person" and item.is_in_force and item.scope is Scope.USER]
        own = [item for item in stated if _is_in(item.source, sources) and is_of_oneself(item.text)]
        profile.learn(self._ledger.id, own)
        self._pins.take_in_profile()

    def set_in_profile(self, item: CriticalItem) -> None:
        """Adds an item that was pinned by hand. Where nobody was named, it holds in this session alone."""
        if not (profile := self._profile_of(self._ledger.info.owner)).user:
            return
        source = f"{self._ledger.id} {item.source}".strip()
        profile.set(item.text, kind=item.kind, reason=item.reason, source=source)
        self._pins.take_in_profile()

    def _places(self, item: CriticalItem) -> tuple[str, str]:
        """The id that an item has in the profile, if it came from there, and where it was said."""
        return item.source.removeprefix("profile "), f"{self._ledger.id} {item.source}"

    def load_rule_files(self, home: Path | None) -> None:
        """Takes in the rules of the files that assistants read in the session's folder, and the user's own, if they
        changed.
        """
        from clew.engine.health.rule_files import read_rules

        read = read_rules(self._ledger.info.cwd, home)
        rules = [_rule(rule, source=file.path) for file in read.files for rule in file.rules if not rule.doubtful]
        digest = " ".join(file.digest for file in read.files)
        if self._state().get("given", {}).get("file", "") != digest:
            self._pins.take_in_profile()
            self._ledger.append(EntryKind.PIN, {"given": {"by": "file", "digest": digest, "rules": rules}})

    def _state(self) -> Json:
        state: Json = self._ledger.state(SignalsProjection.name, alone=True) or {}
        return state


def _is_in(source: str, sources: Collection[str] | None) -> bool:
    return bool(source) and (sources is None or source in sources)


def _rule(candidate: Candidate, *, source: str) -> Json:
    return {
        "text": candidate.text,
        "kind": candidate.kind,
        "scope": candidate.scope,
        "source": source,
        "subject": candidate.subject,
    }
