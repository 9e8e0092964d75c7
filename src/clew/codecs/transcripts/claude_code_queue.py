"""The queue of Claude Code: what a person types while the assistant works, as the log in its session files tells of it.

Words that are removed from the queue were handed to the model in mid-turn; older files say only when, not what. Words
that are dequeued come as a message of their own next. Those still waiting at the end of a file are said and not yet
answered: they are records too, and the place to read on from is before them, so that what becomes of them is understood
when the file has grown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clew.codecs import jsonio
from clew.codecs.fields import object_of, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic_blocks
from clew.codecs.transcripts.jsonl import content_key
from clew.domain import Json, Origin, Output, Role, texts
from clew.ports import RawRecord
from clew.text.injected_text import CLIENT_COMMANDS, person_words

#: Marks the record of words that wait at the end of a file.
WAITING = "waiting"
_OPERATION, _COMMAND, _USER = b'"queue-operation"', b'"queued_command"', b'"user"'
_HEAD_BYTES = 200
#: Far more than anybody types ahead; the oldest are forgotten first.
_MAX_WAITING = 64
#: Words that have waited for more lines than this were lost with a client that ended.
_MAX_LINES = 2_000
_BARE_COMMAND = re.compile(r"\s*/[\w:-]+\s*")


def is_client_command(words: str) -> bool:
    """True for a command of the client: it says nothing to the model, or comes on a line of its own when it runs."""
    return _BARE_COMMAND.fullmatch(words) is not None or words.partition(" ")[0].strip() in CLIENT_COMMANDS


@dataclass(frozen=True, slots=True)
class _Typed:
    """Words in the queue: the record that tells of them while they wait, and the place just before they were typed."""

    words: str
    body: bytes
    line: int
    end: int

    @property
    def key(self) -> str:
        return content_key(self.body)


class PromptQueue:
    """What waits in the queue, what was dequeued and comes as a message next, and what was removed and may be told
    again."""

    def __init__(self) -> None:
        self._waiting: list[_Typed] = []
        self._dequeued: list[_Typed] = []
        self._removed: list[_Typed] = []
        self._line, self._end = 0, 0

    def follow(self, raw: RawRecord) -> RawRecord:
        """Returns the next record of a file: with the words that it lacks, and the key of the record that said them."""
        if _OPERATION in raw.body[:_HEAD_BYTES]:
            raw = self._operation(raw)
        elif (self._waiting or self._dequeued) and _USER in raw.body:
            raw = self._prompt(raw)
        elif (self._waiting or self._removed) and _COMMAND in raw.body:
            raw = self._attachment(raw)
        self._line, self._end = raw.line, raw.end
        return raw

    def waiting(self) -> Iterator[RawRecord]:
        """Yields a record for all words that no message has said yet; they end where the oldest of them was typed."""
        typed = [typed for typed in (*self._dequeued, *self._waiting) if self._line - typed.line <= _MAX_LINES]
        for record in typed:
            yield RawRecord(record.body, typed[0].line, typed[0].end)

    def _operation(self, raw: RawRecord) -> RawRecord:
        line = _decode_line(raw)
        operation, words = text_of(line, "operation"), text_of(line, "content")
        if operation == "enqueue" and person_words(words) and not is_client_command(words):
            body = jsonio.dumps_exact(line | {WAITING: True})
            self._waiting = [*self._waiting, _Typed(words, body, self._line, self._end)][-_MAX_WAITING:]
        elif operation == "popAll":
            self._waiting = []
        elif operation in {"remove", "dequeue"} and (typed := self._take(words)):
            return self._leave_queue(raw, line, typed)
        return raw

    def _take(self, words: str) -> _Typed | None:
        """Takes the words that are named from the queue; without a name, the oldest."""
        typed = next((waiting for waiting in self._waiting if not words or waiting.words == words), None)
        self._waiting = [waiting for waiting in self._waiting if waiting is not typed]
        return typed

    def _leave_queue(self, raw: RawRecord, line: Json, typed: _Typed) -> RawRecord:
        if line["operation"] == "dequeue":
            self._dequeued = [*self._dequeued, typed][-_MAX_WAITING:]
            return raw
        self._removed = [*self._removed, typed][-_MAX_WAITING:]
        body = raw.body if text_of(line, "content") else jsonio.dumps_exact(line | {"content": typed.words})
        return replace(raw, body=body, repeats=typed.key)

    def _prompt(self, raw: RawRecord) -> RawRecord:
        """A prompt may say words of the queue. Who types one past the queue has none: what waited there is gone."""
        words = _person_words(_decode_line(raw), "message", "content")
        typed = _same(words, *self._dequeued, *self._waiting)
        if words:
            self._waiting = [waiting for waiting in self._waiting if typed and waiting is not typed]
            self._dequeued = [waiting for waiting in self._dequeued if typed and waiting is not typed]
        return replace(raw, repeats=typed.key) if typed else raw

    def _attachment(self, raw: RawRecord) -> RawRecord:
        typed = _same(_person_words(_decode_line(raw), "attachment", "prompt"), *self._removed, *self._waiting)
        return replace(raw, repeats=typed.key) if typed else raw


def _same(words: str, *typed: _Typed) -> _Typed | None:
    return next((candidate for candidate in typed if words and candidate.words.strip() == words), None)


def _decode_line(raw: RawRecord) -> Json:
    try:
        line = jsonio.loads_exact(raw.body)
    except ValueError:
        return {}
    return line if isinstance(line, dict) else {}


def _person_words(line: Json, holder: str, content: str) -> str:
    """The words of a person that a member of the line holds alone; empty for everything else."""
    parts = anthropic_blocks.read_content(object_of(line, holder).get(content))
    is_person = origin_of(Role.USER, parts) is Origin.PERSON and not any(isinstance(part, Output) for part in parts)
    is_own = is_person and not line.get("isSidechain") and not line.get("isMeta") and line.get("type") != "assistant"
    return "\n".join(texts(parts)).strip() if is_own else ""
