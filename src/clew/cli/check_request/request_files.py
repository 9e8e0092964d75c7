"""Files that hold requests of a provider, read as they stand: nothing is put right on the way in."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.cli.output import note
from clew.codecs import jsonio, registry
from clew.codecs.documents import conversation_name
from clew.codecs.sources import STDIN, open_source, peek
from clew.domain import Json
from clew.errors import UnreadableSource, UsageError

#: Names under which collections of runs keep a conversation, whoever it was with.
_NEUTRAL_LISTS = ("traj", "trajectory", "conversation", "history")


@dataclass(frozen=True, slots=True)
class GivenRequest:
    """A request as a file has it. ``name`` tells it from others of the file, and is empty where it is the only one."""

    name: str
    body: Json


@contextmanager
def regular_file(path: str) -> Iterator[str]:
    """Yields the path of a file that can be read more than once: standard input is kept in a temporary one."""
    if path != STDIN:
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="clew-", suffix=".json") as file:
        while piece := sys.stdin.buffer.read(1 << 20):
            file.write(piece)
        file.flush()
        yield file.name


def detected_format(path: str) -> str | None:
    """Returns the format that a file looks like, None for one that looks like nothing known."""
    with open_source(path) as stream:
        try:
            return registry.detect(peek(stream), path).name
        except UnreadableSource:
            return None


def read_requests(path: str, provider: str) -> list[GivenRequest]:
    """Returns the requests in a file: one, a list of messages by itself, lines of messages, or several of them.

    Raises UsageError for a file that holds no messages where the provider has them.
    """
    value = _value_of(path)
    member = registry.MESSAGE_LISTS[provider]
    requests = _requests(value, member)
    if requests:
        return requests
    looks = detected_format(path)
    is_other = looks is not None and looks != provider
    then = f"--format {looks} has it judged as it would be sent" if is_other else "name a file that holds messages"
    raise UsageError(f"{path} is no request for {provider}: it has no messages under {member!r}; {then}")


def _value_of(path: str) -> Any:
    with open_source(path) as stream:
        data = stream.read(jsonio.MAX_RECORD_BYTES + 1)
    if len(data) > jsonio.MAX_RECORD_BYTES:
        raise UnreadableSource(f"{path} is larger than {jsonio.MAX_RECORD_BYTES >> 20} MB; check a part of it")
    try:
        return jsonio.loads_exact(data.lstrip(jsonio.BOM))
    except (ValueError, RecursionError) as error:
        return _lines(path, data, str(error))


def _lines(path: str, data: bytes, problem: str) -> list[Any]:
    values: list[Any] = []
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            values.append(jsonio.loads_exact(line))
        except (ValueError, RecursionError) as error:
            if not values:
                raise UnreadableSource(f"{path} is no JSON: {problem}; mend it, or name its --format") from None
            note(f"clew: {path}:{number}: {error}")
    return values


def _requests(value: Any, member: str) -> list[GivenRequest]:
    if isinstance(value, dict):
        request = _as_request(value, member) or ({member: [value]} if "role" in value or "parts" in value else None)
        return [GivenRequest("", request)] if request else []
    if not isinstance(value, list) or not value:
        return []
    conversations = [_as_request(element, member) for element in value]
    several = [
        GivenRequest(conversation_name(element, index), body)
        for index, (element, body) in enumerate(zip(value, conversations, strict=True), start=1)
        if body
    ]
    return several if len(several) == len(value) else [GivenRequest("", {member: value})]


def _as_request(value: Any, member: str) -> Json | None:
    """The request that a value is or holds; None for a message."""
    if isinstance(value, list):
        return {member: value} if value and all(isinstance(message, dict) for message in value) else None
    if not isinstance(value, dict) or "role" in value or "type" in value:
        return None
    own = value.get(member)
    if own and (isinstance(own, list) or (member == "input" and isinstance(own, str))):
        return value
    named = next((value[name] for name in _NEUTRAL_LISTS if isinstance(value.get(name), list)), None)
    return {member: named} if named else None


def is_same_file(path: str, out: Path) -> bool:
    """True when writing ``out`` would replace the file at ``path``."""
    return path != STDIN and out.exists() and Path(path).exists() and out.samefile(path)
