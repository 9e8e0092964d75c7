"""Names of formats, apart from their codecs: a list of names should cost nothing to import."""

from __future__ import annotations

from clew.text.vocabulary import in_order, words

#: The providers, and where a request of each keeps its messages.
MESSAGE_LISTS = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input", "gemini": "contents"}
PROVIDERS = tuple(MESSAGE_LISTS)
#: Session files of assistants: what a model said is in them, but not the system prompt and tools that it was sent.
TRANSCRIPTS = words("claude-code codex cline copilot vscode-chat gemini-cli opencode swe-agent aider specstory")
FORMATS = (
    *PROVIDERS,
    *in_order("claude-code codex cline copilot gemini-cli opencode swe-agent aider specstory clew"),
)
