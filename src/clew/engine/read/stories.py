"""Stories of a session: the messages, segments and work that they are told of."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Message, Role, Segment
from clew.domain.segments import exchange_numbers
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.packing.current_context import CurrentContext, build_current_context
from clew.packing.formats import PackSection
from clew.packing.story import build_story, build_story_facts
from clew.replies.parsing import without_notes

#: Requests before the newest messages that a story of those reads as well.
_EARLIER_REQUESTS = 8
#: How far back the facts of a story are looked for, in messages.
_STORY_MESSAGES = 1_500
_WIDER = 8


class Stories:
    """Tells where one session stands."""

    def __init__(self, reader: SessionReader, services: Services) -> None:
        self._reader, self._count = reader, services.tokenizers.count
        self._tokens = services.config.digests.story_tokens

    def story(self, *, newest: int | None = None) -> tuple[PackSection, ...]:
        """Returns what people said, the state of the work, its files and findings; the open segment included, and
        nothing that was rolled back. With ``newest``, only so many of the newest messages are read, and the requests of
        a few exchanges before them and of the first.
        """
        start = 1 if newest is None else self._start(newest)
        segments = self._reader.segments() if start == 1 else self._segments(start)
        messages, numbers = self._messages(start, segments), exchange_numbers(segments)
        work = self._reader.recent_work()
        noted = self._reader.digests().newest_noted()
        return build_story(messages, work, numbers, budget=self._tokens, count=self._count, noted=noted)

    def current_context(self) -> CurrentContext:
        """Returns the story and, as fields, what is wanted, done, open and next. A long session is read a bounded
        number of messages back."""
        start = self._start(_STORY_MESSAGES)
        segments = self._segments(start)
        messages, numbers = self._messages(start, segments), exchange_numbers(segments)
        work = self._reader.recent_work()
        noted = self._reader.digests().newest_noted()
        return build_current_context(messages, work, numbers, budget=self._tokens, count=self._count, noted=noted)

    def facts(self, tokens: int, messages: Sequence[Message]) -> tuple[PackSection, ...]:
        """Returns the part of a story of so many tokens that tells what people said and the state of the work.
        Of the messages, which are all that may be sent, only the newest are told of, and a few requests before them.
        """
        start = self._start(_STORY_MESSAGES)
        segments = self._segments(start)
        newest = (
            message
            for message in messages[-_STORY_MESSAGES:]
            if message.number >= start and message.role is not Role.SYSTEM
        )
        shown = [*self._earlier_requests(start, segments), *map(without_notes, newest)]
        work, numbers = self._reader.recent_work(), exchange_numbers(segments)
        return build_story_facts(shown, work, numbers, budget=tokens, count=self._count)

    def _start(self, newest: int) -> int:
        return max(1, self._reader.info.messages - newest + 1)

    def _segments(self, start: int) -> list[Segment]:
        """The first segment, and the newest: those since a message and of a few exchanges before it."""
        count = _EARLIER_REQUESTS * _WIDER
        while True:
            segments = self._reader.segments(last=count)
            begins = [segment for segment in segments if segment.part == 1 and segment.first < start]
            if len(begins) >= _EARLIER_REQUESTS or len(segments) < count:
                return list({segment.id: segment for segment in (*self._reader.first_segment(), *segments)}.values())
            count *= _WIDER

    def _messages(self, start: int, segments: Sequence[Segment]) -> list[Message]:
        newest = self._reader.read_prompt_view(start, self._reader.info.messages, shared=True)
        return [*self._earlier_requests(start, segments), *newest]

    def _earlier_requests(self, start: int, segments: Sequence[Segment]) -> list[Message]:
        """What the first exchange and a few before a message began with."""
        begins = [segment.first for segment in segments if segment.part == 1 and segment.first < start]
        earlier = dict.fromkeys([*begins[:1], *begins[-_EARLIER_REQUESTS:]])
        read = self._reader.read_prompt_view
        return [message for number in earlier for message in read(number, number, shared=True)]
