"""Formats by name, and by what a file begins with. Codecs are imported when they are first needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import cast

from clew.codecs.formats import FORMATS, MESSAGE_LISTS, PROVIDERS
from clew.codecs.sources import unreadable_reason
from clew.errors import NoConversation, UsageError
from clew.ports import Codec, Encoder

__all__ = ["FORMATS", "MESSAGE_LISTS", "PROVIDERS", "codec", "codec_for_file", "detect", "encoder", "is_known"]

#: Module and class of each codec. What users call copilot are two formats: of the CLI and of VS Code.
_CODECS = {
    "anthropic": ("providers.anthropic", "Anthropic"),
    "openai-chat": ("providers.openai_chat", "OpenAIChat"),
    "openai-responses": ("providers.openai_responses", "OpenAIResponses"),
    "gemini": ("providers.gemini", "Gemini"),
    "claude-code": ("transcripts.claude_code", "ClaudeCode"),
    "codex": ("transcripts.codex", "Codex"),
    "cline": ("transcripts.cline", "Cline"),
    "copilot": ("transcripts.copilot", "Copilot"),
    "vscode-chat": ("transcripts.vscode_chat", "VSCodeChat"),
    "gemini-cli": ("transcripts.gemini_cli", "GeminiCli"),
    "opencode": ("transcripts.opencode", "OpenCode"),
    "swe-agent": ("transcripts.swe_agent", "SweAgent"),
    "aider": ("transcripts.aider", "Aider"),
    "specstory": ("transcripts.specstory", "SpecStory"),
    "clew": ("clew_format", "Clew"),
}
#: The most specific first: what one format is known by may occur in files of those after it.
_OF_JSON = (
    "clew",
    "opencode",
    "vscode-chat",
    "gemini-cli",
    "swe-agent",
    "codex",
    "copilot",
    "claude-code",
    "cline",
    "gemini",
    "openai-responses",
    "openai-chat",
    "anthropic",
)
_OF_TEXT = ("specstory", "aider")


@cache
def codec(name: str) -> Codec:
    """The codec of a format; UsageError when there is none of that name."""
    if name not in _CODECS:
        raise UsageError(f"no format {name!r}{_nearest(name, FORMATS)}; there are {', '.join(FORMATS)}")
    module, kind = _CODECS[name]
    return cast(Codec, getattr(import_module(f"clew.codecs.{module}"), kind)())


def is_known(name: str) -> bool:
    """Is there a codec of that name?"""
    return name in _CODECS


def encoder(name: str) -> Encoder:
    """What writes a format; UsageError for one that is read only."""
    found = codec(name) if is_known(name) else None
    if not hasattr(found, "encode"):
        written = [known for known in FORMATS if hasattr(codec(known), "encode")]
        problem = f"{name} is read but not written" if found else f"no format {name!r}{_nearest(name, written)}"
        raise UsageError(f"{problem}; there are {', '.join(written)}")
    return cast(Encoder, found)


def detect(head: bytes, where: str = "the input") -> Codec:
    """The codec for a file that starts with these bytes (64 KB are enough); NoConversation when none fits."""
    if problem := unreadable_reason(head):
        raise NoConversation(f"{where} {problem}")
    for name in _candidates(head):
        if codec(name).sniff(head):
            return codec(name)
    known = ", ".join(FORMATS)
    raise NoConversation(f"{where} is in no format known here", hint=f"name its format, one of {known}", about="format")


def codec_for_file(name: str, head: bytes) -> Codec:
    """The codec of a format that the user names, of the kind that the file is of."""
    other = codec("vscode-chat")
    return other if name == "copilot" and other.sniff(head) else codec(name)


def _candidates(head: bytes) -> Sequence[str]:
    return _OF_JSON if head.lstrip(b"\xef\xbb\xbf \t\r\n\x00")[:1] in {b"{", b"["} else _OF_TEXT


def _nearest(name: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    found = get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return f" (did you mean {found[0]}?)" if found else ""
