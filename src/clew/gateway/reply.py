"""A reply on its way to the client: its bytes pass, and what they say is recorded in the session."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread

from clew.adapters.calls import ClientCall
from clew.codecs import jsonio
from clew.domain import Usage
from clew.engine.ledger.known_lists import KnownLists
from clew.errors import UsageError
from clew.gateway.bodies import Decompressor
from clew.gateway.event_reader import EventReader
from clew.gateway.list_names import ListName

#: More than this is no reply of a model; it passes, and is not recorded.
_MOST_BYTES = 64 << 20


class PassingReply:
    """The reply to one request, of which every byte is seen here once."""

    def __init__(self, call: ClientCall, *, is_stream: bool, encoding: str) -> None:
        self._call, self._is_stream, self._unpack = call, is_stream, Decompressor(encoding)
        self._read, self._size = bytearray(), 0
        #: False for a reply that cannot be unpacked, or is too large.
        self.is_read = self._unpack.is_known
        self._events = EventReader()
        self._record, _ = call.conversation.streamed_reply()
        if is_stream:
            self._record.begin()
        self._response_id = ""
        self._is_ended = False

    @property
    def is_over(self) -> bool:
        """True for a stream in which all has been said. Chat Completions count what was used behind the last words."""
        is_last = self._events.is_done or self._call.conversation.format != "openai-chat"
        return self._is_stream and is_last and self._record.is_complete

    def feed(self, data: bytes) -> None:
        """Takes in bytes as they pass. Whatever they are, nothing is raised."""
        if not self.is_read:
            return
        try:
            said = self._unpack.feed(data, _MOST_BYTES)
        except UsageError:
            self.is_read = False
            return
        self._size += len(said)
        self.is_read = self._size < _MOST_BYTES
        if self._is_stream:
            for event in self._events.feed(said):
                self._record.feed(event)
                self._note_id(event.get("response"))
        else:
            self._read += said

    async def end(self, lists: KnownLists, name: ListName | None) -> Usage | None:
        """Records what has come, and returns what the provider counted. It is done to the end, whoever has left
        meanwhile.
        """
        counted: Usage | None = None
        if not self._is_ended:
            self._is_ended = True
            with anyio.CancelScope(shield=True):
                counted = await anyio.to_thread.run_sync(self._end, lists, name)
        return counted

    def _end(self, lists: KnownLists, name: ListName | None) -> Usage | None:
        if self._is_stream:
            self._record.break_off()
        else:
            self._record_whole()
        return end_call(self._call, lists, name, response=self._response_id)

    def _record_whole(self) -> None:
        try:
            said = jsonio.loads(bytes(self._read))
        except ValueError as error:
            self._call.conversation.lose(f"the reply is no JSON: {error}")
        else:
            self._note_id(said)
            self._call.conversation.reply(said)

    def _note_id(self, response: Any) -> None:
        """The id by which the next request may go on from this reply, in the one API that has that."""
        if isinstance(response, dict) and response.get("object") == "response":
            self._response_id = str(response.get("id") or "")


def end_call(call: ClientCall, lists: KnownLists, name: ListName | None, *, response: str) -> Usage | None:
    """Notes where a session ends whose reply is recorded, and returns what the provider counted."""
    call.end()
    answer = [one for one in call.conversation.newest_message() if one.is_answer]
    if answer and name is not None:
        lists.put(call.conversation.session.id, name=name.with_reply(answer), response=response)
    newest = call.conversation.session.reader.recent_messages(1) if answer else []
    return newest[-1].usage if newest else None
