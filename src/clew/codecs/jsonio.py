"""JSON as it really comes: fast when it is sound, tolerant when it is not, in constant memory.

Sound JSON goes through orjson. What it would refuse or round (lone surrogates, NaN, numbers beyond 64
bits) goes through a slower reader. Records keep their own bytes in the ledger, so nothing is lost by
reading them tolerantly: bytes that are no UTF-8, and halves of characters, are read as U+FFFD. Whoever writes
a record anew from what a file says reads and writes it with ``loads_exact`` and ``dumps_exact``.

JSON that is cut off anywhere, read as if all that is open were closed there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, BinaryIO, NamedTuple

import orjson

from clew.domain import SkippedRecord
from clew.ports import RawRecord

_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\]]', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}
_BEGINNINGS = {b"{", b"[", b'"'}
_TORN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_TORN_WORD = re.compile(r"[-+.\w]+\Z")
#: Deeper nesting than any provider sends; recursive code downstream may rely on this bound.
MAX_DEPTH = 200
#: A record larger than this is reported and passed over, so that one line cannot take all the memory.
MAX_RECORD_BYTES = 256 << 20
_CHUNK_BYTES = 1 << 20
BOM = b"\xef\xbb\xbf"

#: A number of so many digits is beyond 64 bits. Bytes are looked through faster than any pattern does it.
_DIGITS = bytes(ord("0") if chr(code).isdigit() and code < 128 else ord(" ") for code in range(256))
_BEYOND_64_BITS = b"0" * 20
_CONTAINERS = {dict, list}
SURROGATE = re.compile("[\ud800-\udfff]")
#: Python refuses to convert longer integers to text; such a number stays text.
_MAX_DIGITS = 4000


def loads(data: bytes) -> Any:
    """The value; ValueError says what is wrong with it. It holds no lone surrogates: it may be sent."""
    return _loads(data, exact=False)


def loads_exact(data: bytes) -> Any:
    """The value, in which bytes that are no UTF-8 are lone surrogates, as ``surrogateescape`` has them."""
    return _loads(data, exact=True)


def _loads(data: bytes, *, exact: bool) -> Any:
    if b"\x00" in data:
        data = data.replace(b"\x00", b"")
    value = _parse(data, exact=exact)
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _depth_exceeds(value, MAX_DEPTH):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return value


def is_json(data: bytes) -> bool:
    """True for what ``loads`` reads."""
    try:
        loads(data)
    except ValueError:
        return False
    return True


def dumps(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Compact JSON in UTF-8, keys in the order given. ``default`` says what an object of another type consists of."""
    try:
        return trimmed(orjson.dumps(value, default))
    except TypeError:  # an integer beyond 64 bits
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=default)
        return text.encode("utf-8", "replace")


def trimmed(data: bytes) -> bytes:
    """Returns the bytes in as much memory as they need. Those that orjson gives keep the room it wrote them in: 4 KB at
    least, and ten times their length.
    """
    return bytes(memoryview(data))


def indented(value: Any) -> str:
    """JSON for people to read, two blanks a level."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def dumps_exact(value: Any) -> bytes:
    """As ``dumps``, with an escape for each lone surrogate: ``loads_exact`` gives the same value back."""
    try:
        return trimmed(orjson.dumps(value))
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def loads_object(data: bytes) -> dict[str, Any]:
    """The object; ValueError also for any other value."""
    value = loads(data)
    if not isinstance(value, dict):
        raise ValueError(f"expected a JSON object, found {type(value).__name__}")
    return value


def _parse(data: bytes, *, exact: bool) -> Any:
    if _BEYOND_64_BITS not in data.translate(_DIGITS):
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass
    try:
        text = data.decode("utf-8", "surrogateescape" if exact else "replace")
        value = json.loads(text, parse_int=_integer, parse_float=_float, parse_constant=_no_number, strict=False)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    return value if exact else without_surrogates(value)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def _float(digits: str) -> float | str:
    value = float(digits)
    return digits if value in (float("inf"), float("-inf")) else value


def _no_number(_name: str) -> None:
    return None


def without_surrogates(value: Any) -> Any:
    """The value with U+FFFD in place of each half of a character, in names too."""
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


def _depth_exceeds(value: Any, limit: int) -> bool:
    """Whether what was parsed is nested so deep. It takes as long as parsing does: types are exact there."""
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(limit):
        level = [
            child
            for item in level
            for child in (item.values() if type(item) is dict else item)
            if type(child) in _CONTAINERS
        ]
        if not level:
            return False
    return True


def is_utf8(data: bytes) -> bool:
    """False for bytes that are no text in UTF-8. A last character that is cut off is no fault of it: the file is."""
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"


def not_utf8(line: int) -> SkippedRecord:
    """The report of a line that holds bytes which are no UTF-8."""
    return SkippedRecord(line, "bytes that are no UTF-8: shown as U+FFFD, and kept as they are")


def lines(stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
    """Each line that is not blank. The last one may lack its line end: it may be torn."""
    number, end = 0, 0
    while line := stream.readline(MAX_RECORD_BYTES):
        number += 1
        end += len(line)
        if len(line) == MAX_RECORD_BYTES and not line.endswith(b"\n"):
            rest = _skip_line(stream)
            end += rest
            size = (len(line) + rest) >> 20
            yield SkippedRecord(number, f"a line of {size} MB; the limit is {MAX_RECORD_BYTES >> 20} MB")
        elif line.strip(b" \t\r\n\x00\xef\xbb\xbf"):
            body = line.removeprefix(BOM) if number == 1 else line
            yield RawRecord(body.rstrip(b"\r\n"), number, end)
            if not is_utf8(body):
                yield not_utf8(number)


def _skip_line(stream: BinaryIO) -> int:
    skipped = 0
    while piece := stream.readline(_CHUNK_BYTES):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["{}\[\],:]', re.DOTALL)


class Item(NamedTuple):
    """A member of a JSON document. ``bad_line`` is the first line of it with bytes that are no UTF-8, or 0."""

    name: str
    body: bytes
    bad_line: int = 0


def items(stream: BinaryIO, arrays: Collection[str] = ()) -> Iterator[Item]:
    """The members of a JSON document, in constant memory.

    A document that is an array gives its elements under the name "". One that is an object gives its
    members; those named in ``arrays`` are given element by element. A document that ends early gives
    what stands whole in it, then ValueError.
    """
    return _Items(stream, arrays).run()


class _Items:
    def __init__(self, stream: BinaryIO, arrays: Collection[str]) -> None:
        self.stream, self.arrays = stream, arrays
        self.buffer, self.at = b"", 0
        self.depth, self.base = 0, 1
        self.start: int | None = None
        self.name, self.key, self.in_object = "", b"", False
        self.lines_before = 1

    def run(self) -> Iterator[Item]:
        for token, begin, end in self.tokens():
            if token in b"{[":
                self.open(token, end)
            elif token in b"}]":
                yield from self.close(begin)
            elif self.depth == self.base:
                yield from self.read_separator(token, begin, end)
            if self.depth == 0:
                return
        raise ValueError("the document ends early")

    def tokens(self) -> Iterator[tuple[bytes, int, int]]:
        while True:
            match = _TOKEN.search(self.buffer, self.at)
            if match is None or (match[0] == b'"' and len(match[0]) == 1):
                if not self.more(match.start() if match else len(self.buffer)):
                    return
                continue
            self.at = match.end()
            yield match[0], match.start(), match.end()

    def more(self, resume: int) -> bool:
        """Reads on, keeping only what the item under way needs; doubling keeps long strings linear."""
        keep = resume if self.start is None else min(self.start, resume)
        piece = self.stream.read(max(_CHUNK_BYTES, len(self.buffer) - keep))
        self.lines_before += self.buffer.count(b"\n", 0, keep)
        self.buffer = self.buffer[keep:] + piece
        self.at = resume - keep
        if self.start is not None:
            self.start -= keep
        if len(self.buffer) > MAX_RECORD_BYTES:
            raise ValueError(f"an item larger than {MAX_RECORD_BYTES >> 20} MB")
        return bool(piece)

    def open(self, token: bytes, end: int) -> None:
        if self.depth == 0:
            self.in_object = token == b"{"
            self.start = None if self.in_object else end
        elif self.depth == 1 and self.in_object and token == b"[" and self.name in self.arrays and self.base == 1:
            self.base, self.start = 2, end
        self.depth += 1

    def close(self, begin: int) -> Iterator[Item]:
        if self.depth == self.base:
            yield from self.emit(begin)
            self.start = None
            self.base = 1
        self.depth -= 1

    def read_separator(self, token: bytes, begin: int, end: int) -> Iterator[Item]:
        in_members = self.in_object and self.base == 1
        if token == b",":
            yield from self.emit(begin)
            self.start = None if in_members else end
        elif token == b":" and in_members:
            self.name = str(loads(self.key))
            self.start = end
        elif in_members and self.start is None:
            self.key = token

    def emit(self, end: int) -> Iterator[Item]:
        if self.start is not None:
            raw = self.buffer[self.start : end].strip()
            if raw:
                bad_line = 0 if is_utf8(raw) else self.line_of_fault(self.start, end)
                yield Item(self.name if self.in_object else "", raw, bad_line)

    def line_of_fault(self, start: int, end: int) -> int:
        try:
            self.buffer[start:end].decode()
        except UnicodeDecodeError as error:
            end = start + error.start
        return self.lines_before + self.buffer.count(b"\n", 0, end)


def value_at(value: Any, *path: str | int) -> Any:
    """Returns what lies at the end of a path, None where it leads nowhere."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def parse_truncated(text: bytes) -> Any:
    """The value that a JSON text begins, as far as it goes; None when it begins none."""
    if _is_lines(text):
        return None
    whole = text.decode("utf-8", "ignore")
    closers, is_open = _open_ends(whole)
    for end in _ends_in_text(whole) if is_open else _ends_between(whole):
        try:
            return loads((end + closers).encode())
        except ValueError:
            continue
    return None


def _is_lines(text: bytes) -> bool:
    """True where another value begins after a first line that is one."""
    first, _, rest = text.partition(b"\n")
    return rest.lstrip()[:1] in _BEGINNINGS and is_json(first)


def _open_ends(text: str) -> tuple[str, bool]:
    """What closes the objects and arrays that are open at the end, and whether a string is open there."""
    stack: list[str] = []
    for match in _BRACKET.finditer(text):
        token = match[0]
        if token in _CLOSER:
            stack.append(_CLOSER[token])
        elif token in ("}", "]") and stack:
            stack.pop()
        elif token == '"':
            return "".join(reversed(stack)), True
    return "".join(reversed(stack)), False


def _ends_in_text(text: str) -> Iterator[str]:
    """A string that is cut off is a value, or else a name that has no value yet."""
    for start in (text, _TORN_ESCAPE.sub("", text)):
        yield start + '"'
        yield start + '":null'


def _ends_between(text: str) -> Iterator[str]:
    """Cut off after a value, a name, a colon, a comma, or within a number or a word."""
    start = text.rstrip()
    yield start
    yield start + ":null"
    start = _TORN_WORD.sub("", start).rstrip()
    yield start.removesuffix(",")
    yield start + "null"
