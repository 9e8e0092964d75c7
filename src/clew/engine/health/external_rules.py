"""External rules hold in a session without being said in it: the user's profile and the project's rule files.

Both are copied into the session's ledger when they are taken in, so that everything derived from them can be rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from clew.domain import EntryKind, Json
from clew.domain.critical import Candidate, Scope
from clew.engine.health.pins import Pins
from clew.engine.health.profile import Profile
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

    def teach_profile(self, sources: Collection[str], *, by_hand: bool = False) -> None:
        """Adds to the profile what the user said of themselves in these messages, or pinned by hand."""
        for item in self._pins.items():
            is_theirs = item.scope is Scope.USER and item.by == "person"
            if is_theirs and item.source in sources and (by_hand or _OF_THEMSELVES.search(item.text)):
                source = f"{self._ledger.id} {item.source}"
                self._profile.set(item.text, kind=item.kind, reason=item.reason, source=source)
        self._pins.take_in_profile()

    def load_rule_files(self, home: Path | None) -> None:
        """Takes in the rules of the files that assistants read in the session's folder, and the user's own, if they
        changed.
        """
        from clew.engine.health.rule_files import read_rules

        found = read_rules(self._ledger.info.cwd, home)
        rules = [_rule(rule, source=file.path) for file in found.files for rule in file.rules if not rule.doubtful]
        digest = " ".join(file.digest for file in found.files)
        if self._state().get("given", {}).get("file", "") != digest:
            self._pins.take_in_profile()
            self._ledger.append(EntryKind.PIN, {"given": {"by": "file", "digest": digest, "rules": rules}})

    def _state(self) -> Json:
        state: Json = self._ledger.state(SignalsProjection.name) or {}
        return state


def _rule(one: Candidate, *, source: str) -> Json:
    return {"text": one.text, "kind": one.kind, "scope": one.scope, "source": source, "subject": one.subject}
