"""Copies of sessions: the same conversation in another file is counted once, in the file that has more of it."""

from __future__ import annotations

from collections.abc import Sequence

from clew.audit.report import SkippedFile
from clew.audit.values import SessionFigures

#: From this share of its records in another file on a session is a copy.
_SHARE = 0.5


def without_copies(sessions: Sequence[SessionFigures]) -> tuple[list[SessionFigures], list[SkippedFile]]:
    """Returns the sessions that are no copies, in their order, and the copies with the file that has no less."""
    longest = sorted(sessions, key=lambda one: -one.messages)
    homes: dict[int, SessionFigures] = {}
    copies: dict[int, SkippedFile] = {}
    for one in longest:
        known = [homes[key] for key in one.keys if key in homes]
        if known and len(known) >= _SHARE * len(one.keys):
            most = max(known, key=lambda home: sum(other is home for other in known))
            copies[id(one)] = SkippedFile(one.source, f"{one.source} is a copy: {_copy_reason(one, most)}")
        else:
            homes.update(dict.fromkeys(one.keys, one))
    return [one for one in sessions if id(one) not in copies], list(copies.values())


def _copy_reason(copy: SessionFigures, home: SessionFigures) -> str:
    is_same = (copy.keys, copy.messages) == (home.keys, home.messages)
    return f"{home.source} has the same session" if is_same else f"{home.source} has more of that session"
