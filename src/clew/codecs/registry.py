"""Formats by name, and by what a file begins with. Codecs are imported when they are first needed.

Packages bring in more as entry points of ``clew.codecs``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

from clew.codecs import jsonio
from clew.codecs.formats import FORMATS, MESSAGE_LISTS, PROVIDERS
from clew.codecs.sources import HEAD_BYTES, unreadable_reason
from clew.errors import NoConversation, UsageError
from clew.plugins import Registry
from clew.ports import Codec, Encoder, SessionWriter
from clew.text.vocabulary import in_order

__all__ = [
    "CODECS",
    "FORMATS",
    "MESSAGE_LISTS",
    "PROVIDERS",
    "codec",
    "codec_for_file",
    "detect",
    "encoder",
    "is_known",
    "is_session_file",
    "session_writer",
]

#: Module and class of each codec. What users call copilot are two formats: of the CLI and of VS Code.
CODECS: Registry[type[Codec]] = Registry(
    "clew.codecs",
    kind="format",
    built_in={
        "anthropic": "clew.codecs.providers.anthropic:Anthropic",
        "openai-chat": "clew.codecs.providers.openai_chat:OpenAIChat",
        "openai-responses": "clew.codecs.providers.openai_responses:OpenAIResponses",
        "gemini": "clew.codecs.providers.gemini:Gemini",
        "claude-code": "clew.codecs.transcripts.claude_code:ClaudeCode",
        "codex": "clew.codecs.transcripts.codex:Codex",
        "cline": "clew.codecs.transcripts.cline:Cline",
        "copilot": "clew.codecs.transcripts.copilot:Copilot",
        "vscode-chat": "clew.codecs.transcripts.vscode_chat:VSCodeChat",
        "gemini-cli": "clew.codecs.transcripts.gemini_cli:GeminiCli",
        "opencode": "clew.codecs.transcripts.opencode:OpenCode",
        "swe-agent": "clew.codecs.transcripts.swe_agent:SweAgent",
        "aider": "clew.codecs.transcripts.aider:Aider",
        "specstory": "clew.codecs.transcripts.specstory:SpecStory",
        "clew": "clew.codecs.clew_format:Clew",
    },
)
#: The most specific first: what one format is known by may occur in files of those after it.
_OF_JSON = in_order(
    "clew opencode vscode-chat gemini-cli swe-agent codex copilot claude-code cline gemini openai-responses"
    " openai-chat anthropic"
)
_OF_TEXT = ("specstory", "aider")


@cache
def codec(name: str) -> Codec:
    """The codec of a format; UsageError when there is none of that name, or the package it comes from is broken."""
    if name not in CODECS:
        names = (*FORMATS, *CODECS.installed_names)
        raise UsageError(f"no format {name!r}{_nearest(name, names)}; there are {', '.join(names)}")
    return CODECS.get(name)()


def is_known(name: str) -> bool:
    """Is there a codec of that name?"""
    return name in CODECS


def encoder(name: str) -> Encoder:
    """What writes a format; UsageError for one that is read only."""
    encoder = codec(name) if is_known(name) else None
    if not hasattr(encoder, "encode"):
        if is_session_file(name):
            raise UsageError(f"{name} is a session file, not a request", about="session file")
        written = [format for format in FORMATS if hasattr(codec(format), "encode") or is_session_file(format)]
        problem = f"{name} is read but not written" if encoder else f"no format {name!r}{_nearest(name, written)}"
        raise UsageError(f"{problem}; there are {', '.join(written)}")
    return cast(Encoder, encoder)


def is_session_file(name: str) -> bool:
    """Is this the format of session files that a client resumes, and are they written here?"""
    return is_known(name) and hasattr(codec(name), "session_lines")


def session_writer(name: str) -> SessionWriter:
    """What writes session files of a client; UsageError where they are not written."""
    if not is_session_file(name):
        written = ", ".join(filter(is_session_file, FORMATS))
        raise UsageError(f"session files of {name} are not written; there are {written}")
    return cast(SessionWriter, codec(name))


def detect(head: bytes, where: str = "the input") -> Codec:
    """The codec for a file that starts with these bytes (64 KB are enough); NoConversation when none fits."""
    if problem := unreadable_reason(head):
        raise NoConversation(f"{where} {problem}", is_broken=not problem.startswith("is empty"))
    for name in _candidates(head):
        if codec(name).sniff(head):
            return codec(name)
    if (sniffed := _sniffed_by_plugin(head)) is not None:
        return sniffed
    names = ", ".join((*FORMATS, *CODECS.installed_names))
    if _is_torn(head):
        raise NoConversation(f"{where} is broken: its first record is no whole JSON", is_broken=True)
    raise NoConversation(f"{where} is in no format known here", hint=f"name its format, one of {names}", about="format")


def _is_torn(head: bytes) -> bool:
    """True for what begins as JSON does, and cannot be read as it, neither its first line nor the whole."""
    if _candidates(head) is not _OF_JSON or len(head) >= HEAD_BYTES:
        return False
    first = next(line for line in head.splitlines() if line.strip(b"\xef\xbb\xbf \t\x00"))
    return not any(map(jsonio.is_json, (first, head)))


def _sniffed_by_plugin(head: bytes) -> Codec | None:
    """What no built-in format is known by may be of a package's; one that fails is warned of and left out."""
    for name in CODECS.installed_names:
        try:
            plugin = kind() if (kind := CODECS.find_installed(name)) else None
            if plugin is not None and plugin.sniff(head):
                return plugin
        except Exception as error:  # a foreign codec may raise anything
            CODECS.fail(name, error)
    return None


def codec_for_file(name: str, head: bytes) -> Codec:
    """The codec of a format that the user names, of the kind that the file is of."""
    other = codec("vscode-chat")
    return other if name == "copilot" and other.sniff(head) else codec(name)


def _candidates(head: bytes) -> Sequence[str]:
    return _OF_JSON if head.lstrip(b"\xef\xbb\xbf \t\r\n\x00")[:1] in {b"{", b"["} else _OF_TEXT


def _nearest(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    nearest = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    return f" (did you mean {nearest[0]}?)" if nearest else ""
