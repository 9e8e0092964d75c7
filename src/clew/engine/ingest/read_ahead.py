"""Reading ahead: a process of its own splits files into records, decodes them and finds their words, while this one
stores what came before.

It only saves time: what it reads is what the codecs would read here, in the same order. A file that it could not read,
one that changed since, and whatever is left when it ends early are read here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from clew.codecs import clew_format, registry
from clew.codecs.sources import STDIN, open_source, peek
from clew.domain import Message, Record, Role, SkippedRecord
from clew.engine.ledger.entries import read_shared
from clew.ports import Codec, RawRecord

if TYPE_CHECKING:
    from queue import Queue

#: Fewer than are remembered as they were decoded: what is derived from a batch need not decode it again.
BATCH_RECORDS, BATCH_BYTES = 512, 4 << 20
#: Starting a process takes longer than reading less than this.
_LEAST_BYTES = 8 << 20
#: Batches that wait in the other process.
_BATCHES = 8
_START = "from clew.engine.ingest.read_ahead import serve; serve()"

FileState = tuple[int, int, int]


class ReadRecord(NamedTuple):
    """A record as it stands in a file, and what it says; without a ``record``, ``why`` it cannot be read."""

    raw: RawRecord | SkippedRecord
    record: Record | None = None
    why: str = ""


def read_records(codec: Codec, stream: BinaryIO) -> Iterator[ReadRecord]:
    """Yields all records of a stream."""
    for raw in codec.split(stream):
        if isinstance(raw, SkippedRecord):
            yield ReadRecord(raw)
            continue
        try:
            yield ReadRecord(raw, read_shared(raw.format or codec.name, raw.body))
        except ValueError as error:
            yield ReadRecord(raw, why=str(error))


class ReadAhead:
    """What a process has read ahead of some files, which are asked for in their order."""

    def __init__(self, paths: Sequence[str], format: str) -> None:
        import pickle
        import subprocess

        self._left = list(paths)
        there = os.pathsep.join(filter(None, sys.path))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": there},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._told = self._process.stdout
        with self._process.stdin as asked:
            pickle.dump((list(paths), format), asked)

    def close(self) -> None:
        """Ends the process, whatever it is at."""
        self._process.kill()
        self._process.wait()
        self._told.close()

    def records(self, path: str, codec: Codec, stream: BinaryIO) -> Iterator[ReadRecord]:
        """Yields all records of a file, of which ``stream`` is at the beginning."""
        done = 0
        if self._has_begun(path, codec):
            while batch := self._next_batch():
                yield from batch
                done += len(batch)
            if batch is not None:
                return
        yield from islice(read_records(codec, stream), done, None)

    def _has_begun(self, path: str, codec: Codec) -> bool:
        """Passes over files that nobody asked for; False where this one is not read ahead as it is now."""
        while path in self._left:
            while not isinstance(received := self._receive(), str | None):
                pass
            if received is None:
                self._left = []
                return False
            self._left.remove(received)
            if received == path:
                return bool(self._receive() == (_state(path), codec.name))
        return False

    def _next_batch(self) -> list[ReadRecord] | None:
        """The next records of the file; none at its end, None where it was not read to its end."""
        from clew.retrieval.words import foresee_words

        received = self._receive()
        if not isinstance(received, list):
            return None
        for text, words in received.pop() if received else ():
            foresee_words(text, words)
        return received

    def _receive(self) -> Any:
        """What the process tells next; None once it has ended."""
        import pickle

        try:
            return pickle.load(self._told)
        except (EOFError, OSError, pickle.UnpicklingError):
            return None


@contextmanager
def reading_ahead(
    paths: Sequence[str], format: str, *, is_known: Callable[[str], bool], least_bytes: int = _LEAST_BYTES
) -> Iterator[ReadAhead | None]:
    """Yields what reads these files ahead; None where that would save nothing: for a few bytes, files that are known
    up to some place, or on a machine of one core.
    """
    new = [path for path in dict.fromkeys(paths) if path != STDIN and not is_known(path)]
    if _cores() < 2 or sum(map(_size, new)) < least_bytes:
        yield None
        return
    ahead = ReadAhead(new, format)
    try:
        yield ahead
    finally:
        ahead.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _state(path: str) -> FileState | None:
    """What changes with a file."""
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


# ── in the process that reads ahead ──────────────────────────────────────────────────────────────────


def serve() -> None:
    """Reads the files that stdin names, and tells on stdout what they say: of each its path, what it was when it was
    opened, batches of records with their words, and an empty one at the end; an empty tuple where it cannot be read. It
    ends with whoever listens.
    """
    import pickle
    import signal
    from queue import Queue
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    paths, format = pickle.load(sys.stdin.buffer)
    waiting: Queue[bytes | None] = Queue(_BATCHES)
    sender = Thread(target=_send, args=(waiting,))
    sender.start()
    for path in paths:
        for batch in _read_file(path, format):
            waiting.put(pickle.dumps(batch, pickle.HIGHEST_PROTOCOL))
    waiting.put(None)
    sender.join()


def _send(waiting: Queue[bytes | None]) -> None:
    try:
        while (batch := waiting.get()) is not None:
            sys.stdout.buffer.write(batch)
            sys.stdout.buffer.flush()
    except OSError:  # nobody listens any more
        os._exit(1)


def _read_file(path: str, format: str) -> Iterator[Any]:
    yield path
    try:
        state = _state(path)
        with open_source(path) as stream:
            head = peek(stream)
            codec = registry.detect(head, path) if format == "auto" else registry.codec_for_file(format, head)
            if codec.name == clew_format.NAME:
                yield ()
                return
            yield state, codec.name
            yield from map(_with_words, _batches(read_records(codec, stream)))
        yield []
    except Exception:  # whatever it is, the one who stores the file meets it, too, and tells it
        yield ()


def _batches(records: Iterator[ReadRecord]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record.raw.body) if isinstance(record.raw, RawRecord) else 0
        if len(batch) >= BATCH_RECORDS or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _with_words(batch: list[Any]) -> list[Any]:
    """The records, and last the words of what is indexed of them, each with its text."""
    from clew.retrieval.words import words_of

    texts = dict.fromkeys(
        _indexed_text(record.record.message) for record in batch if record.record and record.record.message
    )
    return [*batch, [(text, words_of(text)) for text in texts if text]]


def _indexed_text(message: Message) -> str:
    from clew.replies.parsing import split_notes
    from clew.retrieval.projection import indexed_text

    return "" if message.role is Role.SYSTEM else indexed_text(split_notes(message)[0])
