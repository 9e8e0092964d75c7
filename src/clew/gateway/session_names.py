"""Names of sessions: which conversation a request belongs to, by what the client says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from clew.codecs import jsonio
from clew.domain import Json

#: Headers that name a session, in the order in which they are believed. Vendors' own are found by their form.
OWN_HEADER = "x-clew-session"
_VENDORS = re.compile(r"x-[a-z0-9-]+-session-id")
_HEADERS = ("session-id", "session_id", "thread-id", "conversation_id", "x-session-id")
#: Threads of a client beside its conversation: of Claude Code's subagents, and of Codex, which has one for itself too.
_AGENT, _SESSION, _THREAD = "x-claude-code-agent-id", "session-id", "thread-id"
#: How Claude Code wrote its session into the id of its user before it had a header for it.
_SESSION_IN_USER = re.compile(r"_session_([0-9a-fA-F-]{8,64})$")
_MOST_CHARS = 120
#: How assistants call themselves to servers.
_ASSISTANTS = {"claude-code": ("claude-cli", "claude-code"), "codex": ("codex",)}


def session_name(headers: Mapping[str, str], body: Json) -> str:
    """Returns the name that a request gives its conversation; empty where it gives none. A ``prompt_cache_key`` is no
    name: programs send the same one for all who talk to them.
    """
    metadata = body.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    named, agent = _named_by_headers(headers) or _session_of_user(user), _named_subagent(headers)
    name = f"{named}.{agent}" if named and agent else named
    return name if len(name) <= _MOST_CHARS else f"{name[:_MOST_CHARS]}-{sha256(name.encode()).hexdigest()[:16]}"


def assistant_of(headers: Mapping[str, str]) -> str:
    """Returns the coding assistant that sends a request; empty for any other client."""
    agent = headers.get("user-agent", "").lower()
    return next((name for name, starts in _ASSISTANTS.items() if agent.startswith(starts)), "")


def _named_by_headers(headers: Mapping[str, str]) -> str:
    vendors = sorted(name for name in headers if _VENDORS.fullmatch(name))
    names = (headers.get(name, "").strip() for name in (OWN_HEADER, *vendors, *_HEADERS))
    return next((name for name in names if name), "")


def _named_subagent(headers: Mapping[str, str]) -> str:
    agent, session, thread = (headers.get(name, "").strip() for name in (_AGENT, _SESSION, _THREAD))
    return agent or (thread if session and thread != session else "")


def _session_of_user(user: Any) -> str:
    """The session in the id of a user: at its end, or in an object that is written as a text."""
    if not isinstance(user, str):
        return ""
    if user.startswith("{"):
        try:
            named = jsonio.loads(user.encode("utf-8", "replace"))
        except ValueError:
            return ""
        return _text(named.get("session_id")) if isinstance(named, dict) else ""
    found = _SESSION_IN_USER.search(user)
    return found[1] if found else ""


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
