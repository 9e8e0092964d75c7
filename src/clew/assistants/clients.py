"""The assistants that are known here, and the sessions of a working folder across all of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from clew.assistants.claude_code import ClaudeCode
from clew.assistants.codex import Codex
from clew.assistants.gemini_cli import GeminiCli
from clew.assistants.resumable import ResumableAssistant
from clew.assistants.safe_paths import ensure_safe
from clew.assistants.transcript import Assistant, Transcript
from clew.errors import UnreadableSource, UsageError

_RESUMABLE: tuple[ResumableAssistant, ...] = (ClaudeCode(), Codex())
ASSISTANTS: tuple[Assistant, ...] = (*_RESUMABLE, GeminiCli())
#: A session that was written to within this time is one that somebody works in.
LIVE_SECONDS = 600.0


def assistant(name: str) -> Assistant:
    """Returns the assistant of that name. Raises UsageError for one that is not known."""
    assistant = next((assistant for assistant in ASSISTANTS if assistant.name == name), None)
    if assistant is None:
        raise UsageError(f"no assistant {name!r}; there are {', '.join(assistant.name for assistant in ASSISTANTS)}")
    return assistant


def resumable(name: str) -> ResumableAssistant:
    """Returns the assistant of that name, which resumes session files. Raises UsageError for one that does not."""
    assistant = next((assistant for assistant in _RESUMABLE if assistant.name == name), None)
    if assistant is None:
        there_are = ", ".join(assistant.name for assistant in _RESUMABLE)
        raise UsageError(f"no session files are written for {name!r}; there are {there_are}")
    return assistant


def resume_command(name: str, session: str) -> str:
    """Returns what a person types to go on with a session in its client; empty where that is not known."""
    return next((assistant.resume_command(session) for assistant in _RESUMABLE if assistant.name == name), "")


def transcripts_of(folder: Path | str, *, client: str = "") -> list[Transcript]:
    """Returns the sessions that were begun in a working folder, newest first; of all assistants, or of one."""
    asked = [assistant(client)] if client else ASSISTANTS
    transcripts = [transcript for owner in asked for transcript in owner.of_folder(Path(folder))]
    return sorted(transcripts, key=lambda transcript: (-transcript.updated, transcript.client, transcript.session))


def live(transcripts: Iterable[Transcript], *, now: float) -> list[Transcript]:
    """Returns those in which somebody works: they were written to within the last minutes."""
    return [transcript for transcript in transcripts if now - transcript.updated <= LIVE_SECONDS]


def transcript_of(session: str, *, client: str = "") -> Transcript | None:
    """Returns the transcript of a session by the id that its client gave it; None where there is none."""
    for owner in [assistant(client)] if client else ASSISTANTS:
        if transcript := owner.of_session(session):
            return transcript
    return None


def transcript_at(path: Path | str, *, client: str) -> Transcript:
    """Returns the transcript in a file that a client has named.

    Raises UnreadableSource for a file that is not in the client's own folder, leads out of it by a link, or holds no
    session.
    """
    owner = assistant(client)
    ensure_safe(Path(path), owner.folder(), owner=owner.title)
    found = owner.read(Path(path))
    if found is None:
        raise UnreadableSource(f"{path} holds no session of {owner.title}; name the file of a session")
    return found
