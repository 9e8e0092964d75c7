"""A session goes on, after a compaction or in a new process: what its summary lost is added, once.

Claude Code says what it added only to the process that runs, so that a resumed session gets it anew. It starts the
session before it writes the summary down; a summary that was kept is the newest. Codex writes it down first, and keeps
what was added in the conversation.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from clew.engine.session import Session
from clew.hooks.added_context import added_context, newest_summary
from clew.hooks.deliveries import claim, take_summary
from clew.hooks.event import Event
from clew.hooks.work_lines import rule_lines, work_sections

#: Tokens of a patch where nobody knows what the summary says, and the most there are in any case.
_UNKNOWN_TOKENS, _MOST_TOKENS = 600, 2_000
#: Of a summary so many tokens, as a share of its own, are added.
_SHARE = 0.2
_LEAST_TOKENS = 400
#: A text that no summary holds: everything counts as lost.
_NO_SUMMARY = "The summary is not known."
_RESUMED = "Where this session stands, as its records show (Clew):"


def answer(event: Event, session: Session) -> str:
    """Returns the JSON that adds the text; nothing where it was added already, or nothing is lost."""
    if event.client == "codex":
        return added_context(event.name, _after_summary(event, session))
    if not claim(event.client, event.session, event.text("source"), _moment(event)):
        return ""
    if event.text("source") == "compact":
        return added_context(event.name, _patch(session, take_summary(event.session)))
    return added_context(event.name, _resumed(session))


def _moment(event: Event) -> str:
    """What tells this event from a later one of its kind: the prompt it belongs to, or else how long the file is."""
    return event.text("prompt_id") or str(Path(event.transcript).stat().st_size)


def _after_summary(event: Event, session: Session) -> str:
    """The patch of the newest summary, unless it was handed out; nothing while there is none: all is still there."""
    found = newest_summary(session)
    if found is None:
        return ""
    digest = sha256(found.text.encode("utf-8", "surrogatepass")).hexdigest()
    return _patch(session, found.text) if claim(event.client, event.session, digest) else ""


def _resumed(session: Session) -> str:
    """What the newest summary lost; where the session was never summed up, a few lines on where it stands."""
    found = newest_summary(session)
    if found is not None:
        return _patch(session, found.text)
    lines = [*rule_lines(session), *work_sections(session, ("state",))]
    return "\n".join([_RESUMED, *lines]) if lines else ""


def _patch(session: Session, summary: str) -> str:
    """What a summary lost; with no summary, what matters most."""
    if not summary:
        return session.mend(_NO_SUMMARY, budget=_UNKNOWN_TOKENS).text
    budget = min(max(int(session.count(summary) * _SHARE), _LEAST_TOKENS), _MOST_TOKENS)
    return session.mend(summary, budget=budget).text
