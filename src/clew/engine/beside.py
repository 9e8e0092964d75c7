"""What holds in a session without being said in it: the user's profile, and the rule files of the project.

Both are written into the session's ledger as they are when they are taken in, so that what follows from them can be
made anew at any time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from clew.domain import Item, Json, Kind
from clew.domain.critical import Candidate, Scope
from clew.engine.profile import Profile
from clew.engine.project_files import read_rules
from clew.signals.projection import Watch

if TYPE_CHECKING:
    from clew.engine.session import Session


#: How people say what they want of everybody, not of this conversation alone.
_OF_THEMSELVES = re.compile(
    r"\b(?:i|we) (?:always|never|usually|generally|like|love|prefer|hate|dislike|want|am|live|work|use)\b|\bi'm\b"
    r"|\b(?:all|any|every(?:one)?)(?: of)? (?:my|our) |\beverywhere\b|\bin general\b"
    r"|\bevery (?:project|session|chat)\b",
    re.IGNORECASE,
)


def take_in_profile(session: Session, sources: Collection[str], *, by_hand: bool = False) -> None:
    """What the user said of themselves in these messages, or pinned by hand, joins the profile; what it holds joins the
    session."""
    profile = Profile(session.engine, session.key.user)
    if _state(session).get("acts"):
        _learn(session, profile, sources, by_hand=by_hand)
    _give(session, by="profile", digest=profile.digest(), rules=lambda: map(_of_profile, profile.items()))


def take_in_files(session: Session, home: Path | None) -> None:
    """The rules of the files that assistants read in the session's folder, and of the user's own."""
    found = read_rules(session.info.cwd, home)
    rules = [_rule(rule, source=file.path) for file in found.files for rule in file.rules if not rule.doubtful]
    _give(session, by="file", digest=" ".join(file.digest for file in found.files), rules=lambda: rules)


def _learn(session: Session, profile: Profile, sources: Collection[str], *, by_hand: bool) -> None:
    for item in session.pins():
        is_theirs = item.scope is Scope.USER and item.by == "person" and item.is_in_force and item.source in sources
        if is_theirs and (by_hand or _OF_THEMSELVES.search(item.text)):
            profile.set(item.text, kind=item.kind, reason=item.reason, source=f"{session.id} {item.source}")


def _give(session: Session, *, by: str, digest: str, rules: Callable[[], Iterable[Json]]) -> None:
    """Written down only when it differs from what was taken in last."""
    if _state(session).get("given", {}).get(by, "") != digest:
        session.outgoing.write(Kind.PIN, {"given": {"by": by, "digest": digest, "rules": list(rules())}})


def _of_profile(item: Item) -> Json:
    return _rule(item, source=f"profile {item.id}")


def _rule(one: Item | Candidate, *, source: str) -> Json:
    return {"text": one.text, "kind": one.kind, "scope": one.scope, "source": source, "subject": one.subject}


def _state(session: Session) -> Json:
    state: Json = session.engine.state(session.key, Watch.name) or {}
    return state
