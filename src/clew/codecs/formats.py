"""Names of formats, apart from their codecs: a list of names should cost nothing to import."""

from __future__ import annotations

#: The providers, and where a request of each keeps its messages.
MESSAGE_LISTS = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input", "gemini": "contents"}
PROVIDERS = tuple(MESSAGE_LISTS)
FORMATS = (
    *PROVIDERS,
    "claude-code",
    "codex",
    "cline",
    "copilot",
    "gemini-cli",
    "opencode",
    "swe-agent",
    "aider",
    "specstory",
    "clew",
)
