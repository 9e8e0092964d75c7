"""What a harbour needs: a format for its logbooks, a store of its own, and a reducer for its tide tables."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

from clew.domain import Message, Origin, Record, Role, SkippedRecord, Text
from clew.ports import RawRecord, Store
from clew.storage.sqlite import SqliteStore

SPEAKERS = {"CAPTAIN": (Role.USER, Origin.PERSON), "MATE": (Role.ASSISTANT, Origin.MODEL)}


class Logbook:
    """Reads files that begin with LOGBOOK and say on each line who speaks: ``CAPTAIN: …`` or ``MATE: …``."""

    name = "logbook"

    def sniff(self, head: bytes) -> bool:
        return head.startswith(b"LOGBOOK\n")

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        end = 0
        for number, line in enumerate(stream, 1):
            end += len(line)
            if number > 1 and line.strip():
                yield RawRecord(line.strip(), line=number, end=end)

    def read(self, body: bytes) -> Record:
        speaker, colon, text = body.decode("utf-8").partition(": ")
        if not colon or speaker not in SPEAKERS:
            raise ValueError("nobody of the crew speaks here")
        role, origin = SPEAKERS[speaker]
        message = Message(role=role, origin=origin, parts=(Text(text=text),))
        return Record(key=sha256(body).hexdigest(), message=message)


def open_store(url: str, **options: Any) -> Store:
    """Opens ``harbour://NAME``: a file of that name in the folder of the harbour."""
    folder = Path("harbour")
    folder.mkdir(exist_ok=True)
    return SqliteStore(folder / f"{url.removeprefix('harbour://')}.db", **options)


def reduce_tides(text: str, limit: int) -> str | None:
    """Keeps the high waters of a tide table; None leaves the output to the reducers of Clew."""
    high = [line for line in text.splitlines() if "high" in line]
    return "\n".join(high)[:limit] if high else None
