"""What the codecs of the four APIs have in common: files of conversations in, and requests with tools out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, ClassVar

from clew.codecs import jsonio
from clew.codecs.documents import conversation_records
from clew.codecs.formats import MESSAGE_LISTS
from clew.codecs.providers.detection import looks_like
from clew.codecs.providers.losses import Losses
from clew.codecs.providers.tool_definitions import read_tools, write_tools
from clew.domain import Json, Message, Record, SkippedRecord, Tool
from clew.ports import RawRecord, Request


class ProviderCodec:
    """Codec and encoder of one API; a subclass reads what a record holds, and writes the body of a request."""

    name: ClassVar[str]

    def sniff(self, head: bytes) -> bool:
        return looks_like(self.name, head)

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        return conversation_records(stream, (MESSAGE_LISTS[self.name],))

    def read(self, body: bytes) -> Record:
        data = self.load(body)
        stands_beside = isinstance(data, dict) and data.keys().isdisjoint(("role", "type", "output"))
        if stands_beside and isinstance(data.get("tools"), list):
            return Record(key="", tools=read_tools(data["tools"], self.name))
        return self.read_data(data)

    def load(self, body: bytes) -> Any:
        """The value of a wire record; ValueError for one that this API has no use for."""
        return jsonio.loads_object(body)

    def read_data(self, data: Any) -> Record:
        """What a record says that is no list of tools."""
        raise NotImplementedError

    def encode(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Request:
        losses = Losses()
        body = self.write_body(messages, losses)
        if offered := write_tools(tools, self.name, losses):
            body["tools"] = offered
        return Request(body, tuple(losses.found))

    def write_body(self, messages: Sequence[Message], losses: Losses) -> Json:
        """The request without its tools."""
        raise NotImplementedError
