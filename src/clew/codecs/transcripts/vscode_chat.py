"""Chat sessions of VS Code: a JSON document of requests, or the log of its changes.

A request holds everything up to the next one: what was typed, and the model's steps with their tool calls
and results. Each of these is a wire record of its own, named by the request and its place in it, so that a
session that is read again while it grows adds what is new and revises what changed.

The document behind a VS Code chat session that is kept as a log of changes.

A log begins with the document and goes on with changes: a value set at a path, values pushed to an array
(after cutting it, when an index is given), a member deleted. What does not fit the document is reported
and passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import count
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.documents import document_records
from clew.codecs.fields import list_of, object_of, parse_timestamp, text_of
from clew.codecs.sources import HEAD_BYTES
from clew.codecs.transcripts.jsonl import content_key, head_members, head_objects
from clew.codecs.transcripts.vscode_parts import is_unknown, markdown, read_outputs, read_step, read_user
from clew.domain import Json, Message, Record, SessionFacts, SkippedRecord
from clew.ports import RawRecord

INITIAL, SET, PUSH, DELETE = range(4)
NAME = "vscode-chat"
_REQUESTS = re.compile(rb'"requests"\s*:\s*\[')
_MEMBERS = {"responderUsername", "requesterUsername", "initialLocation", "creationDate", "sessionId"}


class VSCodeChat:
    """Codec of VS Code's chat sessions, as documents and as logs of changes."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        if is_log(head):
            return _is_chat(object_of(next(iter(head_objects(head)), {}), "v"), head)
        return _is_chat(head_members(head.removeprefix(b"\xef\xbb\xbf")), head)

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        """A document is read request by request; a log has to be replayed in memory before it says anything."""
        stream = stream if stream.seekable() else BytesIO(stream.read(jsonio.MAX_RECORD_BYTES))
        start = stream.tell()
        head = stream.read(HEAD_BYTES)
        stream.seek(start)
        return _of_log(stream) if is_log(head) else _of_document(stream, start)

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        side, message = data.get("side"), _message(data)
        return Record(
            key=content_key(body),
            group=f"{NAME}:{data.get('id')}:{side}:{data.get('step', 0)}" if message else "",
            revises=message is not None,
            message=message,
            at=message.at if message else parse_timestamp(object_of(data, "about").get("creationDate")),
            facts=_facts(data, message),
        )


def _is_chat(members: Json, head: bytes) -> bool:
    """Known by members that stand whole before the requests, which may be cut short or come first."""
    if isinstance(members.get("requests"), list):
        return not _MEMBERS.isdisjoint(members)
    start = head[: 1 << 16]
    return _REQUESTS.search(start) is not None and (
        not _MEMBERS.isdisjoint(members) or (b'"requestId"' in start and b'"message"' in start)
    )


def _message(data: Json) -> Message | None:
    readers = {"user": read_user, "step": read_step, "outputs": read_outputs}
    reader = readers.get(text_of(data, "side"))
    return reader(data) if reader else None


def _facts(data: Json, message: Message | None) -> SessionFacts:
    about = object_of(data, "about")
    return SessionFacts(
        session=text_of(about, "sessionId"),
        title=text_of(about, "customTitle") or text_of(about, "computedTitle"),
        client=NAME,
        model=message.model or "" if message else "",
    )


def _raw(data: Json) -> RawRecord:
    return RawRecord(jsonio.dumps_exact(data))


def _of_log(stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
    session, skipped = replay(stream)
    yield _raw({"side": "session", "about": {name: value for name, value in session.items() if name != "requests"}})
    for index, request in enumerate(list_of(session, "requests")):
        yield from _of_request(request, index)
    yield from skipped


def _of_document(stream: BinaryIO, start: int) -> Iterator[RawRecord | SkippedRecord]:
    """In two passes: what stands around the requests belongs before them, wherever it is written."""
    yield _raw({"side": "session", "about": dict(_about(stream))})
    stream.seek(start)
    places = count()
    yield from document_records(
        stream,
        ("requests",),
        lambda name, body: _of_request(_load_or_error(body), next(places)) if name == "requests" else (),
    )


def _about(stream: BinaryIO) -> Iterator[tuple[str, Any]]:
    try:
        for name, body, _ in jsonio.items(stream, ("requests",)):
            if name != "requests":
                yield name, jsonio.loads_exact(body)
    except ValueError:
        return  # the second pass tells


def _load_or_error(body: bytes) -> Any:
    """The value, or the error that says why there is none."""
    try:
        return jsonio.loads_exact(body)
    except ValueError as error:
        return error


def _of_request(request: Any, at: int) -> Iterator[RawRecord | SkippedRecord]:
    if not isinstance(request, dict):
        yield SkippedRecord(0, f"request {at + 1} is no JSON object: {request!r:.200}")
        return
    try:
        yield from list(_records(request, text_of(request, "requestId") or f"#{at}"))
    except RecursionError:  # changes can build deeper documents than any of them is
        yield SkippedRecord(0, f"request {at + 1} is nested too deeply")


def _records(request: Json, name: str) -> Iterator[RawRecord]:
    result = object_of(request, "result")
    metadata = object_of(result, "metadata")
    about = {"id": name, "at": request.get("timestamp"), "model": _model(request, metadata)}
    asked = {key: value for key, value in request.items() if key not in {"response", "result"}}
    yield _raw({"side": "user", **about, "request": asked})
    rounds = [round_ for round_ in list_of(metadata, "toolCallRounds") if isinstance(round_, dict)]
    steps = _from_rounds(rounds, metadata, request) if rounds else _from_parts(request)
    taken = [{**about, "step": index, **step} for index, step in enumerate(steps)]
    for step in taken:
        yield _raw({"side": "step", **step} | (_usage(request, result, metadata) if step is taken[-1] else {}))
        if step["calls"]:
            yield _raw({"side": "outputs", **step})
    yield _raw({"side": "rest", **about, "response": request.get("response"), "result": _rest(result, metadata)})


def _model(request: Json, metadata: Json) -> str:
    return text_of(metadata, "resolvedModel") or text_of(request, "modelId").rpartition("/")[2]


def _usage(request: Json, result: Json, metadata: Json) -> Json:
    """What the provider counted for the last step, under the names that it had over time."""
    for counts in (object_of(result, "usage"), metadata, request):
        if isinstance(counts.get("promptTokens"), int):
            output = counts.get("completionTokens", counts.get("outputTokens"))
            return {"usage": [counts["promptTokens"], output if isinstance(output, int) else 0]}
    return {}


def _rest(result: Json, metadata: Json) -> Json:
    """What the steps do not carry: kept, as all bookkeeping is."""
    told_elsewhere = {"toolCallRounds", "toolCallResults"}
    return result | {"metadata": {key: value for key, value in metadata.items() if key not in told_elsewhere}}


def _from_rounds(rounds: list[Json], metadata: Json, request: Json) -> Iterator[Json]:
    """The steps as the model took them; the visible response may hold one more, after the last call."""
    results = object_of(metadata, "toolCallResults")
    for round_ in rounds:
        calls = [call for call in list_of(round_, "toolCalls") if isinstance(call, dict)]
        answered = {key: results[key] for call in calls if (key := text_of(call, "id")) in results}
        yield {"round": round_, "calls": len(calls), "results": answered}
    last = _after_last_call(list_of(request, "response"))
    answer = "".join(text_of(round_, "response") for round_ in rounds)
    if (text := markdown(last).strip()) and text not in answer:
        yield {"parts": last, "calls": 0}


def _after_last_call(response: list[Any]) -> list[Any]:
    at = max((index for index, part in enumerate(response) if _is_call(part)), default=-1)
    return response[at + 1 :]


def _from_parts(request: Json) -> Iterator[Json]:
    """Steps read off the visible response: text that follows a call begins the next one."""
    response = request.get("response")
    parts: list[Any] = []
    for part in response if isinstance(response, list) else [response]:
        if parts and _is_call(parts[-1]) and not _is_call(part) and markdown([part]).strip():
            yield {"parts": parts, "calls": sum(map(_is_call, parts))}
            parts = []
        # What says nothing (progress, edits) must not stand between two calls of one step.
        thinks = isinstance(part, dict) and part.get("kind") == "thinking"
        if _is_call(part) or markdown([part]) or thinks or is_unknown(part):
            parts.append(part)
    if parts:
        yield {"parts": parts, "calls": sum(map(_is_call, parts))}


def _is_call(part: Any) -> bool:
    return isinstance(part, dict) and part.get("kind") == "toolInvocationSerialized"


def is_log(head: bytes) -> bool:
    """Does it begin with a line that holds the first state of a document?"""
    first = next(iter(head_objects(head)), {})
    return first.get("kind") == INITIAL and not isinstance(first.get("kind"), bool) and _is_start(head)


def _is_start(head: bytes) -> bool:
    return b'"v"' in head[:200]


def replay(stream: BinaryIO) -> tuple[Json, list[SkippedRecord]]:
    """The document as it stands at the end of a log, and what could not be read of it.

    The document is built up in memory. A log that goes beyond the limit of a record is read up to there.
    """
    state: Any = None
    skipped = []
    for raw in jsonio.lines(stream):
        if isinstance(raw, SkippedRecord):
            skipped.append(raw)
            continue
        if raw.end > jsonio.MAX_RECORD_BYTES:
            limit = f"{jsonio.MAX_RECORD_BYTES >> 20} MB"
            skipped.append(SkippedRecord(raw.line, f"the log goes beyond {limit} here; it is read up to this line"))
            break
        try:
            state = _apply_change(state, jsonio.loads_exact(raw.body))
        except (ValueError, TypeError, LookupError) as error:
            skipped.append(SkippedRecord(raw.line, f"a change that does not fit the document: {error}"))
    return (state if isinstance(state, dict) else {}), skipped


def _apply_change(state: Any, entry: Any) -> Any:
    if not isinstance(entry, dict):
        raise ValueError(f"expected a JSON object, found {type(entry).__name__}")
    kind, path = entry.get("kind"), entry.get("k")
    if kind == INITIAL:
        return entry.get("v")
    if not isinstance(path, list) or not path or kind not in {SET, PUSH, DELETE}:
        raise ValueError(f"kind {kind!r} at {path!r}")
    holder = _value_at(state, path[:-1])
    if kind == SET:
        _set(holder, path[-1], entry.get("v"))
    elif kind == DELETE:
        _delete(holder, path[-1])
    else:
        _push(holder, path[-1], entry)
    return state


def _value_at(state: Any, path: list[Any]) -> Any:
    for name in path:
        state = state[name]
    return state


def _set(holder: Any, name: Any, value: Any) -> None:
    if isinstance(holder, list) and name == len(holder):
        holder.append(value)
    else:
        holder[name] = value


def _delete(holder: Any, name: Any) -> None:
    if isinstance(holder, dict):
        holder.pop(name, None)
    else:
        holder[name] = None


def _push(holder: Any, name: Any, entry: Json) -> None:
    value = holder.get(name) if isinstance(holder, dict) else holder[name]
    values, index = entry.get("v"), entry.get("i")
    array = value if isinstance(value, list) else []
    if isinstance(index, int):
        del array[max(index, 0) :]
    array.extend(values if isinstance(values, list) else [])
    holder[name] = array
