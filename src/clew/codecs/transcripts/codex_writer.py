"""Lines of a Codex rollout, from items of the Responses API: the client resumes the session from them.

Codex rebuilds its history from the items. A summary that everything begins with is a compaction of what came before.
What people and the model said is told again as events, which is what the client shows on the screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clew.codecs.fields import timestamp
from clew.codecs.transcripts.codex_items import readable_item
from clew.domain import Json, Message, Origin, Role
from clew.ports import SessionHead
from clew.text.injected_text import person_words_of

#: Codex cuts outputs anew when it resumes, unless the line says how many tokens they may have.
_UNCUT: Json = {"metadata": {"client_authored": False, "fallback_token_limit_override": 1_000_000}}
_EVENTS = {Role.USER: "user_message", Role.ASSISTANT: "agent_message"}


def session_lines(items: Iterable[tuple[Json, Message]], head: SessionHead) -> Iterator[Json]:
    """Yields the lines of a rollout: what the session is, and its items with their events. Lines are numbered, so that
    no two of them are equal.
    """
    for ordinal, (at, line) in enumerate(_lines(items, head)):
        yield {"timestamp": timestamp(at), "ordinal": ordinal} | line


def _lines(items: Iterable[tuple[Json, Message]], head: SessionHead) -> Iterator[tuple[float, Json]]:
    yield head.at, {"type": "session_meta", "payload": _about(head)}
    for place, (item, message) in enumerate(items):
        at = message.at or head.at
        if place == 0 and message.origin is Origin.SUMMARY:
            yield at, {"type": "compacted", "payload": {"message": message.text}}
            continue
        uncut = _UNCUT if message.outputs else {}
        yield at, {"type": "response_item", "payload": _with_provenance(readable_item(item, message), message)} | uncut
        if shown := _shown_text(message):
            yield at, {"type": "event_msg", "payload": {"type": _EVENTS[message.role], "message": shown}}


def _shown_text(message: Message) -> str:
    """What the screen shows of a message: what a person typed, or what the model said."""
    if message.origin is Origin.PERSON and message.role is Role.USER:
        return person_words_of(message.parts)
    return message.text if message.role is Role.ASSISTANT else ""


def _about(head: SessionHead) -> Json:
    about: Json = {
        "id": head.id,
        "timestamp": timestamp(head.at),
        "cwd": head.cwd,
        "originator": "clew",
        "cli_version": head.version,
        "source": "cli",
    }
    return about | ({"base_instructions": {"text": head.instructions}} if head.instructions else {})


def _with_provenance(item: Json, message: Message) -> Json:
    """The item, and where no person wrote what stands in the user's name, a note that the client gave it."""
    if message.role is not Role.USER or message.outputs or message.origin is Origin.PERSON:
        return item
    provenance = [{"provenance": {"type": "harness", "hook": False}} for _ in message.parts]
    return item | {"internal_chat_message_metadata_passthrough": {"content_item_metadata": provenance}}
