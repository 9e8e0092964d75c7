"""External rules hold in a session without being said in it: the user's profile and the project's rule files.

Both are copied into the session's ledger when they are taken in, so that everything derived from them can be rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path

from clew.domain import CriticalItem, EntryKind, Json
from clew.domain.critical import Candidate, Scope
from clew.engine.health.pins import Pins
from clew.engine.health.profile import Profile
from clew.engine.health.rule_files import read_rules
from clew.engine.ledger.session_ledger import SessionLedger
from clew.signals.projection import SignalsProjection

#: Phrases by which people speak of wishes that hold beyond this conversation.
_OF_THEMSELVES = re.compile(
    r"\b(?:i|we) (?:always|never|usually|generally|like|love|prefer|hate|dislike|want|am|live|work|use)\b|\bi'm\b"
    r"|\b(?:all|any|every(?:one)?)(?: of)? (?:my|our) |\beverywhere\b|\bin general\b"
    r"|\bevery (?:project|session|chat)\b",
    re.IGNORECASE,
)


class ExternalRules:
    """Brings the profile and rule files into one session, and the user's general wishes into the profile."""

    def __init__(self, ledger: SessionLedger, pins: Pins, profile: Profile) -> None:
        self._ledger, self._pins, self._profile = ledger, pins, profile

    def exchange_with_profile(self, sources: Collection[str], *, by_hand: bool = False) -> None:
        """Adds to the profile what the user said of themselves in these messages, or pinned by hand;
        then takes the profile into the session, if it changed.
        """
        if self._state().get("acts"):
            self._teach_profile(sources, by_hand=by_hand)
        self._take_in(by="profile", digest=self._profile.digest(), rules=self._profile_rules)

    def load_rule_files(self, home: Path | None) -> None:
        """Takes in the rules of the files that assistants read in the session's folder, and the user's own, if they
        changed.
        """
        found = read_rules(self._ledger.info.cwd, home)
        rules = [_rule(rule, source=file.path) for file in found.files for rule in file.rules if not rule.doubtful]
        self._take_in(by="file", digest=" ".join(file.digest for file in found.files), rules=lambda: rules)

    def _profile_rules(self) -> list[Json]:
        return [_rule(item, source=f"profile {item.id}") for item in self._profile.items()]

    def _teach_profile(self, sources: Collection[str], *, by_hand: bool) -> None:
        for item in self._pins.items():
            is_theirs = item.scope is Scope.USER and item.by == "person" and item.is_in_force
            if is_theirs and item.source in sources and (by_hand or _OF_THEMSELVES.search(item.text)):
                source = f"{self._ledger.id} {item.source}"
                self._profile.set(item.text, kind=item.kind, reason=item.reason, source=source)

    def _take_in(self, *, by: str, digest: str, rules: Callable[[], list[Json]]) -> None:
        """Written down only when it differs from what was taken in last."""
        if self._state().get("given", {}).get(by, "") != digest:
            self._ledger.append(EntryKind.PIN, {"given": {"by": by, "digest": digest, "rules": rules()}})

    def _state(self) -> Json:
        state: Json = self._ledger.state(SignalsProjection.name) or {}
        return state


def _rule(one: CriticalItem | Candidate, *, source: str) -> Json:
    return {"text": one.text, "kind": one.kind, "scope": one.scope, "source": source, "subject": one.subject}
